//! Eye whites, irises, lashes and closed eyes.

use geom::{Point, maths};

use crate::design::{Design, EyeShape};
use crate::face::EYE;
use crate::ink::color::Color;
use crate::ink::curve::{closed, ellipse, join, pt, reversed, slice, smooth};
use crate::ink::mask::Mask;
use crate::ink::paint::Paint;
use crate::ink::sheet::Sheet;
use crate::ink::stroke::Stroke;

/// Units per eye-local unit.
const SIZE: f64 = 1.08;

const WHITE: Color = Color::hex(0xFF_FF_FF);

/// Places eye-local points (outwards, down from the eye's centre) on the head.
fn place(points: &[(f64, f64)], side: f64) -> Vec<(f64, f64)> {
    points.iter().map(|&(u, v)| (side * (EYE.x + SIZE * u), EYE.y + SIZE * v)).collect()
}

/// The upper lid from the inner to the outer corner, in eye-local points.
fn lid(d: &Design) -> [(f64, f64); 6] {
    match d.eyes {
        EyeShape::Round => [(-9.8, 1.4), (-8.0, -5.0), (-3.4, -9.6), (2.2, -10.4), (7.4, -7.2), (10.4, -0.4)],
        EyeShape::Gentle => [(-10.0, 0.6), (-7.9, -5.4), (-3.2, -9.2), (2.4, -9.6), (7.8, -5.8), (10.8, 1.6)],
        EyeShape::Sharp => {
            [(-10.2, 3.2), (-8.2, -3.2), (-3.4, -8.4), (2.6, -10.0), (8.0, -7.8), (11.2, -2.4)]
        }
    }
}

/// The lower lid from the outer to the inner corner.
fn lower(d: &Design) -> Vec<(f64, f64)> {
    let (start, end) = (lid(d)[5], lid(d)[0]);
    match d.eyes {
        EyeShape::Round => vec![start, (9.2, 5.6), (5.4, 9.6), (-0.2, 10.6), (-5.8, 8.6), end],
        EyeShape::Gentle => vec![start, (9.4, 6.6), (5.2, 9.6), (-0.4, 10.3), (-6.0, 8.0), end],
        EyeShape::Sharp => vec![start, (9.4, 4.6), (5.2, 8.8), (-0.4, 10.0), (-6.0, 8.4), end],
    }
}

/// The full almond, with the lid's shadow and a thin lower edge.
pub(crate) fn white(sheet: &mut Sheet, d: &Design, side: f64) {
    let (up, low) = (smooth(&place(&lid(d), side)), smooth(&place(&lower(d), side)));
    let almond = sheet.mask(&join(&[up.clone(), low.clone()]));
    sheet.fill(
        &almond,
        Paint::vertical(
            EYE.y - 10.0,
            EYE.y + 9.0,
            &[(0.0, Color::hex(0xD9_DC_EC)), (0.5, Color::hex(0xFC_FB_FE)), (1.0, Color::hex(0xFF_FD_FC))],
        ),
    );
    let shade = join(&[up.clone(), reversed(&crate::ink::curve::moved(&up, 0.0, 4.6))]);
    let shade = sheet.soft(&shade, 0.3);
    sheet.fill_in(&almond, &shade, Color::hex(0xA6_AC_CE).alpha(0.62));
    let edge = slice(&low, 0.06, 0.58);
    let dark = lash_color(d);
    sheet.ink(
        &Stroke::profiled(&edge, |t| {
            1.1 * maths::smoothstep((1.0 - t) * 1.2) * (0.5 + 0.5 * maths::smoothstep(t * 5.0))
        }),
        dark.mix(d.skin.line, 0.35),
    );
}

/// The whole iris: complete above the lid, two lights on the side of the light.
pub(crate) fn iris(sheet: &mut Sheet, d: &Design, side: f64) {
    let c = pt(side * (EYE.x - 0.3), EYE.y - 0.1);
    let (rx, ry) = (9.3, 11.3);
    let disc = sheet.mask(&ellipse(c.x, c.y, rx, ry));
    let e = d.eye;
    sheet.fill(
        &disc,
        Paint::vertical(
            c.y - ry,
            c.y + ry,
            &[
                (0.0, e.dark.tune(0.8, 0.9, 4.0)),
                (0.30, e.dark),
                (0.58, e.mid),
                (0.84, e.bright),
                (1.0, e.bright.tune(1.06, 0.9, -4.0)),
            ],
        ),
    );
    rays(sheet, d, &disc, c, (rx, ry));
    // The light gathered at the bottom.
    let pool = join(&[
        smooth(&[(c.x - 6.6, c.y + 4.4), (c.x, c.y + 6.6), (c.x + 6.6, c.y + 4.4)]),
        smooth(&[
            (c.x + 6.6, c.y + 4.4),
            (c.x + 4.6, c.y + 8.4),
            (c.x, c.y + 9.8),
            (c.x - 4.6, c.y + 8.4),
            (c.x - 6.6, c.y + 4.4),
        ]),
    ]);
    let pool = sheet.soft(&pool, 0.45);
    sheet.fill_in(&disc, &pool, e.bright.tune(1.18, 0.75, -10.0).alpha(0.9));
    let glow = sheet.soft(&ellipse(c.x, c.y + 0.4, 5.4, 6.4), 0.9);
    sheet.fill_in(&disc, &glow, e.dark.alpha(0.55));
    let pupil = sheet.soft(&ellipse(c.x, c.y + 0.2, 3.3, 4.6), 0.14);
    sheet.fill_in(&disc, &pupil, e.dark.tune(0.5, 0.75, 6.0));
    let ring = Stroke { points: ellipse(c.x, c.y, rx - 0.55, ry - 0.55), widths: vec![1.5; 72], ring: true };
    sheet.ink_in(&disc, &ring, e.dark.tune(0.62, 0.9, 6.0));
    let cast = closed(&[
        (c.x - 11.0, c.y - 13.0),
        (c.x + 11.0, c.y - 13.0),
        (c.x + 10.0, c.y - 5.8),
        (c.x, c.y - 4.2),
        (c.x - 10.0, c.y - 5.8),
    ]);
    let cast = sheet.soft(&cast, 0.4);
    sheet.fill_in(&disc, &cast, e.dark.tune(0.55, 0.85, 8.0).alpha(0.75));
    lights(sheet, d, c);
}

/// Fine radial streaks in the lower half.
fn rays(sheet: &mut Sheet, d: &Design, disc: &Mask, c: Point, (rx, ry): (f64, f64)) {
    for k in 0..15 {
        let a = (20.0 + f64::from(k) * 10.0_f64).to_radians();
        let (inner, outer) = (0.52, if k % 2 == 0 { 0.92 } else { 0.78 });
        let at = |f: f64| (c.x + rx * f * maths::cos(a), c.y + ry * f * maths::sin(a));
        let ray = smooth(&[at(inner), at((inner + outer) * 0.5), at(outer)]);
        let color = if k % 2 == 0 { d.eye.mid.tune(0.82, 1.1, 6.0) } else { d.eye.bright };
        sheet.ink_in(disc, &Stroke::tapered(&ray, 0.75, (0.2, 0.1)), color.alpha(0.55));
    }
}

fn lights(sheet: &mut Sheet, d: &Design, c: Point) {
    let big = closed(&[
        (c.x - 5.9, c.y - 4.2),
        (c.x - 4.2, c.y - 7.2),
        (c.x - 1.2, c.y - 6.9),
        (c.x - 0.3, c.y - 4.0),
        (c.x - 2.0, c.y - 1.3),
        (c.x - 4.9, c.y - 1.6),
    ]);
    let big = sheet.soft(&big, 0.08);
    sheet.fill(&big, WHITE);
    let small = sheet.mask(&ellipse(c.x + 4.3, c.y + 3.9, 1.6, 1.9));
    sheet.fill(&small, WHITE.alpha(0.95));
    let dot = sheet.mask(&ellipse(c.x - 4.9, c.y + 3.2, 0.85, 1.0));
    sheet.fill(&dot, d.eye.bright.tune(1.25, 0.4, 0.0).alpha(0.9));
    let rim = closed(&[
        (c.x + 2.6, c.y - 6.6),
        (c.x + 5.4, c.y - 4.6),
        (c.x + 6.6, c.y - 1.6),
        (c.x + 4.8, c.y - 3.6),
    ]);
    let rim = sheet.soft(&rim, 0.2);
    sheet.fill(&rim, d.eye.bright.alpha(0.55));
}

fn lash_color(d: &Design) -> Color {
    d.hair.line.mix(Color::hex(0x24_18_22), 0.62)
}

/// The upper lash: a band that swells outwards and ends in a wing, with flicks. No lower lash.
pub(crate) fn lash(sheet: &mut Sheet, d: &Design, side: f64) {
    let low = lid(d);
    let (tip, hook) = match d.eyes {
        EyeShape::Round => ((14.2, -1.6), (12.6, 0.4)),
        EyeShape::Gentle => ((14.6, 2.6), (12.4, 3.4)),
        EyeShape::Sharp => ((15.2, -5.4), (13.2, -2.8)),
    };
    let rise = [0.35, 1.1, 2.1, 2.9, 3.3, 3.1];
    let lean = [-0.35, -0.5, -0.2, 0.3, 1.0, 1.5];
    let mut over: Vec<(f64, f64)> = (0..6).map(|i| (low[i].0 + lean[i], low[i].1 - rise[i])).collect();
    over.push(tip);
    let mut under: Vec<(f64, f64)> = low.iter().map(|&(u, v)| (u, v + 0.45)).collect();
    under[5] = (low[5].0 - 0.1, low[5].1 + 0.6);
    under.push(hook);
    under.push(tip);
    let run = |p: &[(f64, f64)]| smooth(&place(p, side));
    let mask = sheet.mask(&join(&[run(&over), reversed(&run(&under))]));
    let color = lash_color(d);
    let warm = color.mix(d.skin.line, 0.8);
    let (a, b) = (side * (EYE.x - 11.0), side * (EYE.x + 15.0));
    let stops = vec![(0.0, warm), (0.22, color), (0.80, color), (1.0, warm)];
    sheet.fill(&mask, Paint::Linear(pt(a, 0.0), pt(b, 0.0), stops));
    let drop = (tip.1 + 1.6) * 0.4;
    for (root, mid, end, w) in
        [((9.6, -5.8), (12.4, -6.2), (14.4, -8.0), 2.0), ((6.6, -9.2), (9.4, -10.8), (11.2, -13.4), 1.9)]
    {
        let k = if root.0 > 0.0 { drop } else { 0.0 };
        let flick = run(&[(root.0, root.1 + k), (mid.0, mid.1 + k), (end.0, end.1 + k)]);
        sheet.ink(&Stroke::profiled(&flick, |t| w * (1.0 - t)), color);
    }
}

/// The closed eye, hidden: for hand-made expressions.
pub(crate) fn closed_eye(sheet: &mut Sheet, d: &Design, side: f64) {
    let arc = smooth(&place(&[(-10.4, 2.6), (-5.6, 5.6), (0.6, 6.6), (6.6, 5.2), (11.8, 1.8)], side));
    let color = lash_color(d);
    sheet.ink(
        &Stroke::profiled(&arc, |t| {
            0.7 + 2.2 * maths::smoothstep(t * 1.6) * maths::smoothstep((1.0 - t) * 3.5 + 0.3)
        }),
        color,
    );
    for (a, b) in [((7.0, 5.4), (9.2, 8.6)), ((10.0, 3.8), (13.2, 6.2)), ((3.4, 6.4), (4.4, 9.2))] {
        let flick = smooth(&place(&[a, ((a.0 + b.0) * 0.5 + 0.2, (a.1 + b.1) * 0.5 - 0.3), b], side));
        sheet.ink(&Stroke::profiled(&flick, |t| 1.5 * (1.0 - t)), color);
    }
}
