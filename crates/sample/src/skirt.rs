//! The skirt.

use geom::{Point, maths};

use crate::cloth::{frill, white_ramp};
use crate::design::{Design, Ramp, Skirt, Top};
use crate::ink::color::Color;
use crate::ink::curve::{closed, join, mirrored, moved, pt, reversed, smooth};
use crate::ink::mask::Mask;
use crate::ink::paint::Paint;
use crate::ink::sheet::Sheet;
use crate::ink::stroke::Stroke;

/// The skirt from under the top to its hem.
pub(crate) fn skirt(sheet: &mut Sheet, d: &Design) {
    match d.skirt {
        Skirt::Pleated => pleated(sheet, d),
        Skirt::Frilled => flared(sheet, d, 322.0, 62.0),
        Skirt::Tiered => {
            flared(sheet, d, 326.0, 66.0);
            flared(sheet, d, 274.0, 50.0);
        }
    }
}

/// A cloth that goes with the top.
fn skirt_ramp(d: &Design) -> Ramp {
    let light = |r: &Ramp| r.base.oklch()[0] > 0.85;
    match d.top {
        Top::Sailor => d.cloth.second,
        Top::Vest if light(&d.cloth.main) => Ramp::cloth(d.cloth.second.base.tune(0.8, 0.9, 0.0)),
        Top::Vest if light(&d.cloth.second) => Ramp::cloth(d.cloth.main.base.tune(0.72, 0.8, 0.0)),
        Top::Vest => d.cloth.second,
        Top::Dress => d.cloth.main,
    }
}

fn pleated(sheet: &mut Sheet, d: &Design) {
    let r = skirt_ramp(d);
    let n: usize = 9;
    let (waist, hem) = (203.0, 324.0);
    let edge = |i: f64, lift: f64| {
        let u = i / n as f64 * 2.0 - 1.0;
        let bow = 1.0 - u * u;
        (
            (24.0 * u, waist + 3.0 * bow),
            (31.5 * u, 250.0 + 4.0 * bow),
            (59.0 * maths::sin(u * 1.5) + 3.0 * u, hem + 9.0 * bow + lift),
        )
    };
    let mut outline = vec![];
    let left = edge(0.0, 0.0);
    outline.push(smooth(&[left.2, left.1, left.0]));
    let right = edge(n as f64, 0.0);
    outline.push(smooth(&[left.0, edge(n as f64 * 0.5, 0.0).0, right.0]));
    outline.push(smooth(&[right.0, right.1, right.2]));
    for k in (0..n).rev() {
        let (a, b) = (edge(k as f64 + 1.0, 0.0).2, edge(k as f64, 0.0).2);
        outline.push(smooth(&[a, ((a.0 + b.0) * 0.5, (a.1 + b.1) * 0.5 + 1.2), (b.0, b.1 - 2.4)]));
        outline.push(vec![pt(b.0, b.1 - 2.4), pt(b.0, b.1)]);
    }
    let outline = join(&outline);
    let m = sheet.mask(&outline);
    sheet.fill(&m, Paint::vertical(waist, hem, &[(0.0, r.base), (0.6, r.base), (1.0, r.light)]));
    for k in 0..n {
        let (a, b, c) = edge(k as f64, -1.0);
        let wide = 0.34 + 0.2 * k as f64 / n as f64;
        let (a2, b2, c2) = edge(k as f64 + wide, 0.0);
        let (a1, b1, c1) = edge(k as f64 + 0.05, 0.0);
        let fold = join(&[smooth(&[a1, b1, c1]), smooth(&[(c2.0, c2.1 + 3.0), b2, a2])]);
        let fold = sheet.mask(&fold);
        sheet.fill_in(&m, &fold, if k * 2 > n { r.deep } else { r.shade });
        let _ = (a, b, c);
    }
    trim_lines(sheet, d, &m, &edge, n);
    let under =
        closed(&[(-40.0, 190.0), (0.0, 195.0), (40.0, 190.0), (36.0, 232.0), (0.0, 236.0), (-36.0, 230.0)]);
    let under = sheet.soft(&under, 1.0);
    sheet.shade_in(&m, &under, Color::hex(0xC4_BC_DC));
    for k in 1..n {
        let (a, b, c) = edge(k as f64, -1.5);
        sheet.ink_in(&m, &Stroke::tapered(&smooth(&[a, b, c]), 1.0, (0.3, 0.9)), r.line);
    }
    sheet.ink(&Stroke::contour(&outline, 1.15), r.line);
}

type Edge<'a> = &'a dyn Fn(f64, f64) -> ((f64, f64), (f64, f64), (f64, f64));

fn trim_lines(sheet: &mut Sheet, d: &Design, m: &Mask, edge: Edge<'_>, n: usize) {
    let color = if d.top == Top::Dress { d.cloth.second.base } else { d.cloth.main.base };
    let color = if color.oklch()[0] > 0.8 { color } else { d.cloth.accent.base };
    let run: Vec<(f64, f64)> = (0..=n * 4).map(|i| edge(i as f64 / 4.0, -9.0).2).collect();
    sheet.ink_in(m, &Stroke::profiled(&smooth(&run), |_| 2.0), color.alpha(0.92));
}

/// A bell with rippled hem over a frill, down to `low` and `wide` to each side.
fn flared(sheet: &mut Sheet, d: &Design, low: f64, wide: f64) {
    let r = skirt_ramp(d);
    let lace = if d.top == Top::Dress { d.cloth.second } else { white_ramp(d) };
    let waist = 203.0;
    let wave = |w: f64, ripple: f64| -> Vec<Point> {
        let p: Vec<(f64, f64)> = (0..=16)
            .map(|i| {
                let u = f64::from(i) / 8.0 - 1.0;
                let ripple = if i % 2 == 0 { 0.0 } else { ripple };
                (w * maths::sin(u * 1.45) / 0.993, low + 11.0 * (1.0 - u * u) + ripple)
            })
            .collect();
        smooth(&p)
    };
    frill(sheet, &lace, &wave(wide - 2.0, 0.0), 9.0, (wide * 0.36) as usize);
    let hem = wave(wide, 4.0);
    let h = low - waist;
    let side = smooth(&[
        (wide, low),
        (20.4 + (wide - 20.4) * 0.63, waist + h * 0.64),
        (20.4 + (wide - 20.4) * 0.24, waist + h * 0.30),
        (20.4, waist),
    ]);
    let top = smooth(&[(-20.4, waist), (0.0, waist + 3.0), (20.4, waist)]);
    let outline = join(&[reversed(&mirrored(&side)), top, reversed(&side), reversed(&hem)]);
    let m = sheet.mask(&outline);
    sheet.fill(
        &m,
        Paint::vertical(waist, low + 12.0, &[(0.0, r.base.mix(r.shade, 0.3)), (0.5, r.base), (1.0, r.light)]),
    );
    for (i, u) in [-0.78, -0.45, -0.14, 0.16, 0.46, 0.76].iter().enumerate() {
        let foot = wide * maths::sin(u * 1.45);
        let y = low + 8.0 + 11.0 * (1.0 - u * u);
        let knee = (wide * 0.48 * u, waist + h * 0.46);
        let fold = join(&[
            smooth(&[(18.0 * u, waist + 6.0), knee, (foot - 3.0, y + 4.0)]),
            smooth(&[
                (foot + 7.0 + i as f64 * 0.6, y + 4.0),
                (knee.0 + 3.0 + u * 2.0, knee.1 + 4.0),
                (18.0 * u, waist + 6.0),
            ]),
        ]);
        let fold = sheet.soft(&fold, 0.3);
        sheet.fill_in(&m, &fold, r.shade);
        let line = smooth(&[(foot - 3.0, y + 2.0), (knee.0, knee.1 + 4.0), (19.0 * u, waist + 14.0)]);
        sheet.ink_in(&m, &Stroke::profiled(&line, |t| 1.2 * (1.0 - t)), r.deep.mix(r.line, 0.4));
    }
    let far = closed(&[
        (20.0, waist - 4.0),
        (wide * 0.56, waist + h * 0.40),
        (wide * 0.78, low - 20.0),
        (wide * 0.88, low + 22.0),
        (wide * 1.4, low + 18.0),
        (wide, waist + h * 0.25),
    ]);
    let far = sheet.soft(&far, 2.0);
    sheet.fill_in(&m, &far, r.shade.alpha(0.85));
    let under = sheet.soft(
        &closed(&[(-40.0, 190.0), (0.0, 195.0), (40.0, 190.0), (36.0, 232.0), (0.0, 236.0), (-36.0, 230.0)]),
        1.0,
    );
    sheet.shade_in(&m, &under, Color::hex(0xC4_BC_DC));
    let ribbon = moved(&hem, 0.0, -8.0);
    sheet.ink_in(&m, &Stroke::profiled(&ribbon, |_| 2.2), d.cloth.accent.base);
    sheet.ink(&Stroke::contour(&outline, 1.15), r.line);
}
