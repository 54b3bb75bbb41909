//! Bows, ruffles and the choice of cloth.

use geom::{Point, maths};

use crate::design::{Design, Ramp};
use crate::ink::color::Color;
use crate::ink::curve::{closed, even, join, normals, reversed, smooth};
use crate::ink::paint::Paint;
use crate::ink::sheet::Sheet;
use crate::ink::stroke::Stroke;

/// The first cloth that is not white.
pub(crate) fn vest_ramp(d: &Design) -> Ramp {
    if d.cloth.main.base.oklch()[0] > 0.85 { d.cloth.second } else { d.cloth.main }
}

pub(crate) fn white_ramp(d: &Design) -> Ramp {
    let l = d.cloth.second.base.oklch()[0];
    if l > 0.9 { d.cloth.second } else { Ramp::cloth(Color::hex(0xFB_FA_FE)) }
}

/// A ruffled band hanging from a line.
pub(crate) fn frill(sheet: &mut Sheet, ramp: &Ramp, along: &[Point], depth: f64, waves: usize) {
    let top = even(along, waves * 8);
    let normal = normals(&top);
    let low: Vec<Point> = (0..top.len())
        .map(|i| {
            let phase = i as f64 / 8.0 * std::f64::consts::TAU;
            top[i] - normal[i] * -(-depth - 0.16 * depth * maths::cos(phase))
        })
        .collect();
    let outline = join(&[top.clone(), reversed(&low)]);
    let m = sheet.mask(&outline);
    sheet.fill(&m, ramp.base);
    for k in 0..waves {
        let i = k * 8 + 4;
        let (a, b) = (top[i], low[i]);
        let fold = smooth(&[(a.x, a.y), ((a.x + b.x) * 0.5 + 0.3, (a.y + b.y) * 0.5), (b.x, b.y)]);
        sheet.ink_in(&m, &Stroke::profiled(&fold, |t| depth * 0.24 * t + 0.3), ramp.shade);
        sheet.ink_in(&m, &Stroke::profiled(&fold, |t| 0.8 * t), ramp.line.alpha(0.7));
    }
    sheet.ink(&Stroke::contour(&outline, 0.95), ramp.line);
}

/// A ribbon bow about its knot.
pub(crate) fn bow(sheet: &mut Sheet, r: &Ramp, at: Point, size: f64, tails: bool) {
    let go = |p: &[(f64, f64)], side: f64| -> Vec<(f64, f64)> {
        p.iter().map(|&(x, y)| (at.x + side * x * size, at.y + y * size)).collect()
    };
    let k = size.max(0.5);
    for side in [-1.0, 1.0] {
        if tails {
            let tail = join(&[
                smooth(&go(&[(-1.0, 1.0), (6.0, 16.0), (9.0, 31.0)], side)),
                smooth(&go(&[(9.0, 31.0), (13.0, 26.5), (19.5, 27.0)], side)),
                smooth(&go(&[(19.5, 27.0), (13.0, 12.0), (4.0, 0.0)], side)),
            ]);
            let m = sheet.mask(&tail);
            sheet.fill(
                &m,
                Paint::vertical(at.y, at.y + 31.0 * size, &[(0.0, r.shade), (0.5, r.base), (1.0, r.light)]),
            );
            sheet.ink_in(
                &m,
                &Stroke::profiled(&smooth(&go(&[(1.0, 2.0), (8.0, 15.0), (12.5, 27.0)], side)), |t| {
                    2.6 * k * (1.0 - t)
                }),
                r.shade,
            );
            sheet.ink(&Stroke::contour(&tail, 1.0 * k.sqrt()), r.line);
        }
        let wing = join(&[
            smooth(&go(&[(0.0, -2.2), (9.0, -10.0), (20.0, -12.6), (25.5, -9.0)], side)),
            smooth(&go(&[(25.5, -9.0), (27.0, 0.0), (24.5, 10.0)], side)),
            smooth(&go(&[(24.5, 10.0), (17.0, 11.0), (8.0, 7.0), (0.0, 2.6)], side)),
        ]);
        let m = sheet.mask(&wing);
        sheet.fill(
            &m,
            Paint::vertical(
                at.y - 12.0 * size,
                at.y + 11.0 * size,
                &[(0.0, r.light), (0.5, r.base), (1.0, r.base.mix(r.shade, 0.5))],
            ),
        );
        let low = closed(&go(
            &[(0.0, 1.0), (10.0, 2.0), (20.0, 5.0), (28.0, 3.0), (26.0, 14.0), (10.0, 12.0)],
            side,
        ));
        let low = sheet.mask(&low);
        sheet.fill_in(&m, &low, r.shade);
        for (end, w) in [((16.0, -5.0), 2.6), ((14.0, 3.4), 2.2)] {
            let fold = smooth(&go(&[(2.0, 0.0), (end.0 * 0.6, end.1 * 0.8), end], side));
            sheet.ink_in(&m, &Stroke::profiled(&fold, |t| w * k * (1.0 - t)), r.deep);
        }
        sheet.ink(&Stroke::contour(&wing, 1.05 * k.sqrt()), r.line);
    }
    let knot = closed(&go(
        &[
            (-4.4, -4.0),
            (0.0, -5.0),
            (4.4, -4.0),
            (5.0, 0.6),
            (4.0, 4.8),
            (0.0, 5.6),
            (-4.0, 4.8),
            (-5.0, 0.6),
        ],
        1.0,
    ));
    let m = sheet.mask(&knot);
    sheet.fill(
        &m,
        Paint::vertical(
            at.y - 5.0 * size,
            at.y + 6.0 * size,
            &[(0.0, r.light), (0.6, r.base), (1.0, r.shade)],
        ),
    );
    sheet.ink(&Stroke::contour(&knot, 1.0 * k.sqrt()), r.line);
}
