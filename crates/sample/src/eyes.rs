//! Eye whites, irises, lashes and closed eyes.

use geom::{Point, maths};

use crate::design::{Design, EyeShape};
use crate::face::EYE;
use crate::ink::color::Color;
use crate::ink::curve::{closed, ellipse, join, pt, reversed, slice, smooth};
use crate::ink::paint::Paint;
use crate::ink::sheet::Sheet;
use crate::ink::stroke::Stroke;

const WHITE: Color = Color::hex(0xFF_FF_FF);

/// Places eye-local points (outwards, down from the eye's centre) on the head.
fn place(points: &[(f64, f64)], side: f64) -> Vec<(f64, f64)> {
    points.iter().map(|&(u, v)| (side * (EYE.x + u), EYE.y + v)).collect()
}

/// The upper lid from the inner to the outer corner, in eye-local points.
fn lid(d: &Design) -> Vec<(f64, f64)> {
    match d.eyes {
        EyeShape::Round => {
            vec![(-10.6, 1.6), (-8.6, -5.0), (-3.6, -9.8), (2.4, -10.6), (7.8, -7.4), (11.0, -0.6)]
        }
        EyeShape::Gentle => {
            vec![(-10.8, 0.8), (-8.4, -5.4), (-3.4, -9.4), (2.6, -9.8), (8.2, -6.0), (11.4, 1.2)]
        }
        EyeShape::Sharp => {
            vec![(-11.0, 3.0), (-8.8, -3.4), (-3.6, -8.6), (2.6, -10.2), (8.4, -8.0), (11.8, -2.4)]
        }
    }
}

/// The lower lid from the outer to the inner corner.
fn lower(d: &Design) -> Vec<(f64, f64)> {
    let (start, end) = (lid(d)[5], lid(d)[0]);
    match d.eyes {
        EyeShape::Round => vec![start, (9.6, 5.6), (5.4, 9.4), (-0.4, 10.2), (-6.2, 8.2), end],
        EyeShape::Gentle => vec![start, (9.8, 6.4), (5.2, 9.3), (-0.6, 9.8), (-6.4, 7.6), end],
        EyeShape::Sharp => vec![start, (9.8, 4.6), (5.2, 8.6), (-0.6, 9.6), (-6.4, 8.0), end],
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
    let edge = slice(&low, 0.04, 0.62);
    let dark = lash_color(d);
    sheet.ink(
        &Stroke::profiled(&edge, |t| {
            1.25 * maths::smoothstep((1.0 - t) * 1.3) * (0.5 + 0.5 * maths::smoothstep(t * 5.0))
        }),
        dark.mix(d.skin.line, 0.35),
    );
    let corner = smooth(&place(&[(-10.9, 1.2), (-10.4, 4.4), (-8.4, 6.6)], side));
    sheet.ink(&Stroke::tapered(&corner, 0.8, (0.5, 0.05)), d.skin.line);
}

/// The whole iris: complete above the lid, two lights on the side of the light.
pub(crate) fn iris(sheet: &mut Sheet, d: &Design, side: f64) {
    let c = pt(side * (EYE.x - 0.2), EYE.y + 0.1);
    let (rx, ry) = (7.9, 9.5);
    let disc = sheet.mask(&ellipse(c.x, c.y, rx, ry));
    let e = d.eye;
    sheet.fill(
        &disc,
        Paint::vertical(
            c.y - ry,
            c.y + ry,
            &[
                (0.0, e.dark.tune(0.72, 0.9, 4.0)),
                (0.34, e.dark),
                (0.62, e.mid),
                (0.86, e.bright),
                (1.0, e.bright.tune(1.06, 0.9, -4.0)),
            ],
        ),
    );
    rays(sheet, d, &disc, c, (rx, ry));
    // The light gathered at the bottom.
    let pool = sheet.soft(&ellipse(c.x, c.y + 6.4, 4.9, 3.0), 0.5);
    sheet.fill_in(&disc, &pool, e.bright.tune(1.16, 0.7, -10.0).alpha(0.85));
    let pupil = sheet.soft(&ellipse(c.x, c.y + 0.1, 3.3, 4.5), 0.12);
    sheet.fill_in(&disc, &pupil, e.dark.tune(0.42, 0.7, 6.0));
    let ring = Stroke { points: ellipse(c.x, c.y, rx - 0.5, ry - 0.5), widths: vec![1.5; 72], ring: true };
    sheet.ink_in(&disc, &ring, e.dark.tune(0.55, 0.85, 6.0));
    let cast = closed(&[
        (c.x - 10.0, c.y - 12.0),
        (c.x + 10.0, c.y - 12.0),
        (c.x + 9.0, c.y - 5.4),
        (c.x, c.y - 3.6),
        (c.x - 9.0, c.y - 5.4),
    ]);
    let cast = sheet.soft(&cast, 0.4);
    sheet.fill_in(&disc, &cast, e.dark.tune(0.5, 0.8, 8.0).alpha(0.72));
    lights(sheet, d, c);
}

/// Fine radial streaks in the lower half.
fn rays(sheet: &mut Sheet, d: &Design, disc: &crate::ink::mask::Mask, c: Point, (rx, ry): (f64, f64)) {
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
        (c.x - 5.2, c.y - 4.0),
        (c.x - 3.6, c.y - 7.0),
        (c.x - 0.8, c.y - 6.6),
        (c.x - 0.2, c.y - 3.8),
        (c.x - 2.0, c.y - 1.4),
        (c.x - 4.4, c.y - 1.8),
    ]);
    let big = sheet.soft(&big, 0.08);
    sheet.fill(&big, WHITE);
    let small = sheet.mask(&ellipse(c.x + 3.9, c.y + 3.6, 1.45, 1.75));
    sheet.fill(&small, WHITE.alpha(0.95));
    let dot = sheet.mask(&ellipse(c.x - 4.2, c.y + 3.0, 0.8, 0.95));
    sheet.fill(&dot, d.eye.bright.tune(1.25, 0.4, 0.0).alpha(0.9));
}

fn lash_color(d: &Design) -> Color {
    d.hair.line.mix(Color::hex(0x24_18_22), 0.62)
}

/// The upper lash: a band that swells outwards, with flicks at the corner. No lower lash.
pub(crate) fn lash(sheet: &mut Sheet, d: &Design, side: f64) {
    let low = lid(d);
    let (tip, drop) = match d.eyes {
        EyeShape::Round => ((13.8, -2.6), 0.6),
        EyeShape::Gentle => ((14.2, 1.0), 1.0),
        EyeShape::Sharp => ((14.8, -5.4), 0.2),
    };
    let rise = [0.6, 1.9, 2.7, 3.0, 2.9];
    let mut up: Vec<(f64, f64)> = (0..5)
        .map(|i| (low[i].0 - if i < 2 { 0.9 } else { -0.2 } + 0.25 * i as f64, low[i].1 - rise[i]))
        .collect();
    up.push(tip);
    let mut under: Vec<(f64, f64)> = low.iter().map(|&(u, v)| (u, v + 0.5)).collect();
    under[5].1 += drop + 0.6;
    let run = |p: &[(f64, f64)]| smooth(&place(p, side));
    let back = run(&[tip, (low[5].0 + 1.0, low[5].1 + 0.4), under[5]]);
    let band = join(&[run(&up), back, reversed(&run(&under))]);
    let color = lash_color(d);
    let mask = sheet.mask(&band);
    let warm = color.mix(d.skin.line, 0.75);
    let (a, b) = (side * (EYE.x - 12.0), side * (EYE.x + 14.0));
    sheet.fill(
        &mask,
        Paint::Linear(pt(a, 0.0), pt(b, 0.0), vec![(0.0, warm), (0.25, color), (0.78, color), (1.0, warm)]),
    );
    for (root, mid, end) in
        [((9.4, -5.6), (12.6, -6.6), (14.6, -9.0)), ((6.4, -8.6), (9.4, -10.6), (10.8, -12.8))]
    {
        let shift = tip.1 * 0.25 + if d.eyes == EyeShape::Sharp { -0.6 } else { 0.4 };
        let flick = run(&[(root.0, root.1 + shift), (mid.0, mid.1 + shift), (end.0, end.1 + shift)]);
        sheet.ink(&Stroke::profiled(&flick, |t| 2.3 * (1.0 - t)), color);
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
