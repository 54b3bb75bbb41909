//! Headwear, earrings, tail and wings.

use geom::{Point, maths};

use crate::cloth::{bow, frill};
use crate::design::{Design, Ramp};
use crate::ink::color::Color;
use crate::ink::curve::{closed, ellipse, even, join, normals, pt, reversed, smooth};
use crate::ink::paint::Paint;
use crate::ink::sheet::Sheet;
use crate::ink::stroke::Stroke;

fn flip(points: &[(f64, f64)], side: f64) -> Vec<(f64, f64)> {
    points.iter().map(|&(x, y)| (side * x, y)).collect()
}

/// A bow at the side of the head or at the root of a hair tail.
pub(crate) fn side_bow(sheet: &mut Sheet, d: &Design, side: f64, at: (f64, f64), size: f64) {
    bow(sheet, &d.cloth.accent, pt(side * at.0, at.1), size, true);
}

/// A large bow on the crown.
pub(crate) fn crown_bow(sheet: &mut Sheet, d: &Design) {
    bow(sheet, &d.cloth.accent, pt(0.0, -9.0), 1.35, false);
}

/// A band over the hair with a frill.
pub(crate) fn hair_band(sheet: &mut Sheet, d: &Design) {
    let arc: Vec<Point> = (0..=60)
        .map(|i| {
            let a = (-76.0 + 152.0 * f64::from(i) / 60.0_f64).to_radians();
            pt(45.0 * maths::sin(a), 40.0 - 43.0 * maths::cos(a))
        })
        .collect();
    let lace = if d.cloth.second.base.oklch()[0] > 0.85 {
        d.cloth.second
    } else {
        Ramp::cloth(Color::hex(0xFB_F9_FE))
    };
    frill(sheet, &lace, &reversed(&arc), 9.0, 19);
    let band = Stroke::profiled(&arc, |_| 5.0);
    let outer = Stroke::profiled(&arc, |_| 7.0);
    sheet.ink(&outer, d.cloth.accent.line);
    let m = sheet.line(&band);
    sheet.fill(
        &m,
        Paint::radial(
            pt(-14.0, 0.0),
            60.0,
            50.0,
            &[(0.0, d.cloth.accent.light), (0.5, d.cloth.accent.base), (1.0, d.cloth.accent.shade)],
        ),
    );
}

/// One animal ear in the hair's colour.
pub(crate) fn cat_ear(sheet: &mut Sheet, d: &Design, side: f64) {
    let outline = join(&[
        smooth(&flip(&[(10.0, 4.0), (16.0, -14.0), (27.0, -27.0), (36.5, -31.0)], side)),
        smooth(&flip(&[(36.5, -31.0), (42.5, -18.0), (44.5, 0.0), (42.0, 22.0)], side)),
        smooth(&flip(&[(42.0, 22.0), (26.0, 10.0), (10.0, 4.0)], side)),
    ]);
    let m = sheet.mask(&outline);
    let h = &d.hair;
    sheet.fill(&m, Paint::vertical(-31.0, 20.0, &[(0.0, h.shade), (0.6, h.base), (1.0, h.base)]));
    let inner = join(&[
        smooth(&flip(&[(18.0, 2.0), (23.0, -11.0), (30.0, -20.0), (34.8, -23.5)], side)),
        smooth(&flip(&[(34.8, -23.5), (38.5, -12.0), (39.0, 2.0), (37.0, 16.0)], side)),
        smooth(&flip(&[(37.0, 16.0), (26.0, 8.0), (18.0, 2.0)], side)),
    ]);
    let inner = sheet.soft(&inner, 0.3);
    sheet.fill_in(
        &m,
        &inner,
        Paint::vertical(-24.0, 16.0, &[(0.0, d.skin.shade), (1.0, d.skin.blush.mix(d.skin.deep, 0.5))]),
    );
    for (x, y) in [(18.0, -6.0), (22.0, -10.0), (15.0, 0.0)] {
        let tuft = join(&[
            smooth(&flip(&[(x - 4.0, y + 14.0), (x + 1.0, y + 3.0), (x + 8.0, y - 3.0)], side)),
            smooth(&flip(&[(x + 8.0, y - 3.0), (x + 5.0, y + 8.0), (x + 4.0, y + 16.0)], side)),
        ]);
        let t = sheet.mask(&tuft);
        sheet.fill_in(&m, &t, h.light);
    }
    sheet.ink(&Stroke::contour(&outline, 1.15), h.line);
}

/// A flower of five petals in the hair.
pub(crate) fn flower(sheet: &mut Sheet, d: &Design) {
    let c = pt(d.side * 33.0, 24.0);
    let r = &d.cloth.accent;
    for k in [0, 2] {
        let a = 150.0 - 60.0 * f64::from(k);
        let leaf = crate::ink::curve::turned(
            &join(&[
                smooth(&[(c.x, c.y), (c.x + 9.0, c.y - 6.0), (c.x + 19.0, c.y)]),
                smooth(&[(c.x + 19.0, c.y), (c.x + 9.0, c.y + 5.0), (c.x, c.y)]),
            ]),
            c,
            a,
        );
        let m = sheet.mask(&leaf);
        let green = Ramp::cloth(Color::hex(0x6F_A8_72));
        sheet.fill(&m, green.base);
        sheet.ink(&Stroke::contour(&leaf, 0.9), green.line);
    }
    for k in 0..5 {
        let a = -90.0 + 72.0 * f64::from(k);
        let petal = crate::ink::curve::turned(
            &join(&[
                smooth(&[(c.x, c.y), (c.x + 6.0, c.y - 7.0), (c.x + 13.0, c.y - 5.2), (c.x + 13.2, c.y)]),
                smooth(&[(c.x + 13.2, c.y), (c.x + 13.0, c.y + 5.2), (c.x + 6.0, c.y + 7.0), (c.x, c.y)]),
            ]),
            c,
            a,
        );
        let m = sheet.mask(&petal);
        sheet.fill(&m, Paint::radial(c, 14.0, 14.0, &[(0.0, r.shade), (0.55, r.base), (1.0, r.light)]));
        sheet.ink(&Stroke::contour(&petal, 0.9), r.line);
    }
    let heart = ellipse(c.x, c.y, 3.2, 3.2);
    let m = sheet.mask(&heart);
    sheet.fill(&m, Color::hex(0xFF_E2_8A));
    sheet.ink(&Stroke::contour(&heart, 0.8), Color::hex(0x9A_6A_2A));
}

/// A drop below one ear.
pub(crate) fn earring(sheet: &mut Sheet, d: &Design, side: f64) {
    let r = &d.cloth.accent;
    let x = side * 39.0;
    sheet.ink(&Stroke::profiled(&smooth(&[(x, 76.0), (x, 79.0), (x, 82.0)]), |_| 0.8), r.line);
    let drop = closed(&[(x, 80.5), (x + 2.6, 86.0), (x, 89.6), (x - 2.6, 86.0)]);
    let m = sheet.mask(&drop);
    sheet.fill(&m, Paint::vertical(80.0, 90.0, &[(0.0, r.light), (1.0, r.shade)]));
    let light = sheet.mask(&ellipse(x - 0.8, 84.8, 0.7, 1.1));
    sheet.fill(&light, Color::hex(0xFF_FF_FF));
    sheet.ink(&Stroke::contour(&drop, 0.8), r.line);
}

/// A long furry tail to one side.
pub(crate) fn tail(sheet: &mut Sheet, d: &Design) {
    let k = d.side;
    let spine = even(
        &smooth(&flip(
            &[(0.0, 250.0), (34.0, 300.0), (74.0, 330.0), (104.0, 300.0), (106.0, 256.0), (92.0, 226.0)],
            k,
        )),
        80,
    );
    let n = normals(&spine);
    let half = |i: usize| {
        let t = i as f64 / 80.0;
        let body = 4.5 + 7.0 * maths::smoothstep(t * 1.5);
        let end = ((t - 0.72) / 0.28).max(0.0);
        body * (1.0 - end * end).max(0.0).sqrt()
    };
    let edge = |s: f64| (0..=80).map(|i| spine[i] + n[i] * (s * half(i))).collect::<Vec<_>>();
    let outline = join(&[edge(1.0), reversed(&edge(-1.0))]);
    let m = sheet.mask(&outline);
    let h = &d.hair;
    sheet.fill(&m, h.base);
    let low: Vec<Point> = (0..=80).map(|i| spine[i] + n[i] * (-k * half(i) * 0.15)).collect();
    let under = sheet.soft(&join(&[low, reversed(&edge(-k))]), 0.4);
    sheet.fill_in(&m, &under, h.shade);
    let tip = sheet.soft(&ellipse(k * 92.0, 224.0, 20.0, 17.0), 0.4);
    sheet.fill_in(&m, &tip, h.light.mix(Color::hex(0xFF_FF_FF), 0.5));
    sheet.ink(&Stroke::contour(&outline, 1.2), h.line);
}

/// One feathered wing behind the back.
pub(crate) fn wing(sheet: &mut Sheet, d: &Design, side: f64) {
    let white = Ramp::cloth(Color::hex(0xFB_FA_FF).mix(d.hair.light, 0.08));
    let feathers = [
        ((134.0, 218.0), 26.0),
        ((144.0, 188.0), 26.0),
        ((148.0, 156.0), 26.0),
        ((142.0, 122.0), 26.0),
        ((112.0, 204.0), 22.0),
        ((118.0, 178.0), 22.0),
        ((120.0, 152.0), 22.0),
        ((84.0, 188.0), 20.0),
        ((90.0, 166.0), 20.0),
    ];
    for ((x, y), w) in feathers {
        let root = (24.0 + x * 0.12, 150.0 - (218.0 - y) * 0.12);
        let spine = flip(
            &[root, ((root.0 + x) * 0.5, (root.1 + y) * 0.5 - 22.0), (x * 0.96, y - 10.0), (x, y)],
            side,
        );
        let lock = crate::lock::Lock::along(&spine, w, 0.4, 0.6);
        let outline = lock.outline();
        let m = sheet.mask(&outline);
        sheet.fill(
            &m,
            Paint::Linear(
                pt(side * 20.0, 130.0),
                pt(side * 140.0, 190.0),
                vec![(0.0, white.shade), (0.6, white.base), (1.0, white.base)],
            ),
        );
        sheet.ink_in(&m, &Stroke::tapered(&smooth(&spine), 0.9, (0.5, 0.1)), white.shade);
        sheet.ink(&Stroke::contour(&outline, 0.95), white.line);
    }
}
