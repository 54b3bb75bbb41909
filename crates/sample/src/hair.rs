//! Hair in front and behind, by style.

use geom::{Point, maths};

use crate::design::{Bangs, Design, HairStyle};
use crate::ink::curve::{closed, pt, smooth, symmetric};
use crate::ink::paint::Paint;
use crate::ink::sheet::Sheet;
use crate::ink::stroke::Stroke;
use crate::lock::{Lock, Look};

/// Centre and radii of the dome of hair over the skull.
const DOME: (Point, f64, f64) = (Point::new(0.0, 42.0), 44.5, 50.5);

/// A point on the dome: `s` from the viewer's left (-1) to the right (1), `theta` degrees from the whorl (90 = widest).
fn dome(s: f64, theta: f64) -> (f64, f64) {
    let a = theta.to_radians();
    let (c, rx, ry) = DOME;
    (c.x + rx * maths::sin(s * std::f64::consts::FRAC_PI_2) * maths::sin(a), c.y - ry * maths::cos(a))
}

/// A lock from the whorl over the dome between two meridians to its tip, bellied by `bow` sideways; its edges run
/// hollow into the tip.
fn fringe(s: (f64, f64), tip: (f64, f64), bow: f64) -> Lock {
    let mid = dome((s.0 + s.1) * 0.5, 70.0);
    let edge = |s: f64, w: f64| {
        let (a, b, c, e) = (dome(s, 6.0), dome(s, 30.0), dome(s, 52.0), dome(s, 68.0));
        let toward = |t: f64, keep: f64| {
            let x = mid.0 + (tip.0 - mid.0) * t + (e.0 - mid.0) * keep + bow * 4.0 * t * (1.0 - t);
            (x + w, e.1 + (tip.1 - e.1) * t)
        };
        [a, b, c, e, toward(0.36, 0.84), toward(0.72, 0.36), tip]
    };
    Lock::between(&edge(s.0, -0.8), &edge(s.1, 0.8))
}

/// The locks over the forehead, from the outer ones to the middle.
pub(crate) fn bangs(d: &Design) -> Vec<Lock> {
    bang_list(d).into_iter().map(|(s, tip, bow)| fringe((s.0.min(s.1), s.0.max(s.1)), tip, bow)).collect()
}

/// Two meridians of the dome, a tip and a sideways bow.
type Bang = ((f64, f64), (f64, f64), f64);

/// Meridians, tip and bow of every lock over the forehead.
fn bang_list(d: &Design) -> Vec<Bang> {
    let k = d.side;
    match d.bangs {
        Bangs::Full => vec![
            ((-0.90, -0.50), (-32.5, 65.0), -2.5),
            ((0.50, 0.90), (33.0, 64.0), 2.5),
            ((-0.64, -0.20), (-20.5, 52.0), -2.5),
            ((0.20, 0.64), (21.5, 52.5), 2.5),
            ((-0.36, 0.10), (-8.5, 52.5), -1.5),
            ((-0.12, 0.36), (5.0, 56.0), 1.0),
        ],
        Bangs::Parted => vec![
            ((-0.94, -0.52), (-34.5, 73.0), -1.5),
            ((0.52, 0.94), (35.0, 72.0), 1.5),
            ((-0.74, -0.24), (-29.5, 60.0), -2.2),
            ((0.24, 0.74), (30.0, 61.0), 2.2),
            ((-0.46, 0.05), (-21.0, 50.5), -1.6),
            ((-0.05, 0.46), (21.5, 51.5), 1.6),
            ((-0.10, 0.13), (2.5, 60.0), 1.5),
        ],
        Bangs::Swept => vec![
            ((-0.92 * k, -0.54 * k), (-32.0 * k, 66.0), -2.0 * k),
            ((0.52 * k, 0.92 * k), (34.5 * k, 73.0), 3.0 * k),
            ((-0.72 * k, -0.28 * k), (-22.0 * k, 52.0), -2.0 * k),
            ((0.26 * k, 0.74 * k), (30.0 * k, 58.0), 4.0 * k),
            ((-0.52 * k, 0.02 * k), (-6.5 * k, 53.5), -3.0 * k),
            ((-0.18 * k, 0.46 * k), (16.5 * k, 55.0), 2.0 * k),
        ],
    }
}

/// The locks before the ears, one or two on each side: first those of the viewer's left.
pub(crate) fn side_locks(d: &Design) -> Vec<Lock> {
    let end = match d.style {
        HairStyle::Long | HairStyle::Pony => 158.0,
        HairStyle::Twin => 132.0,
        HairStyle::Bob => 112.0,
        HairStyle::Short => 92.0,
    };
    let h = end - 60.0;
    let outer = Lock::between(
        &[
            dome(0.62, 30.0),
            dome(0.70, 55.0),
            (33.5, 42.0),
            (35.0, 60.0),
            (36.0, 60.0 + h * 0.5),
            (35.0, end - h * 0.12),
            (33.0, end),
        ],
        &[
            dome(0.98, 30.0),
            dome(1.0, 60.0),
            (45.0, 46.0),
            (46.6, 64.0),
            (46.0, 60.0 + h * 0.5),
            (41.5, end - h * 0.18),
            (33.0, end),
        ],
    );
    let inner = Lock::between(
        &[
            dome(0.58, 40.0),
            dome(0.64, 60.0),
            (31.0, 44.0),
            (31.6, 58.0),
            (32.0, 60.0 + h * 0.30),
            (30.2, 60.0 + h * 0.55),
            (27.5, 60.0 + h * 0.72),
        ],
        &[
            dome(0.80, 40.0),
            dome(0.86, 60.0),
            (39.0, 46.0),
            (40.5, 60.0),
            (39.5, 60.0 + h * 0.36),
            (35.0, 60.0 + h * 0.60),
            (27.5, 60.0 + h * 0.72),
        ],
    );
    vec![outer.mirrored(), inner.mirrored(), outer, inner]
}

/// One side lock layer; `side` is 1 for the character's left.
pub(crate) fn side(sheet: &mut Sheet, d: &Design, side: f64) {
    let locks = side_locks(d);
    let pair = if side < 0.0 { &locks[..2] } else { &locks[2..] };
    let outer = Look { lines: (0.35, 0.16), shine: (0.27, 0.36), strands: 3, shade: 0.3, ..Look::FRONT };
    let outer = if side < 0.0 { Look { lines: (0.16, 0.35), ..outer } } else { outer };
    pair[0].paint(sheet, &d.hair, outer);
    pair[1].paint(sheet, &d.hair, Look { lines: (0.42, 0.42), shine: (0.0, 0.0), strands: 2, ..Look::FRONT });
}

/// The top of the hair over the skull, under all bangs.
pub(crate) fn cap(sheet: &mut Sheet, d: &Design) {
    let mut half: Vec<Point> = (0..=30)
        .map(|i| {
            let p = dome(1.0, 90.0 * f64::from(i) / 30.0);
            pt(p.0, p.1)
        })
        .collect();
    let inner = smooth(&[dome(1.0, 90.0), (39.0, 50.0), (33.0, 40.0), (22.0, 30.0), (0.0, 26.0)]);
    half.extend(inner.into_iter().skip(1));
    let outline = symmetric(&half);
    let mask = sheet.mask(&outline);
    sheet.fill(
        &mask,
        Paint::vertical(
            Look::FRONT.light.0,
            Look::FRONT.light.1,
            &[(0.0, d.hair.light), (0.45, d.hair.base), (1.0, d.hair.base.mix(d.hair.shade, 0.7))],
        ),
    );
    let rim: Vec<Point> = (0..=60)
        .map(|i| {
            let p = dome(-1.0, 96.0 - 3.2 * f64::from(i));
            pt(p.0, p.1)
        })
        .collect();
    sheet.ink(&Stroke::tapered(&rim, 1.3, (0.4, 0.5)), d.hair.line);
    for s in [-0.55, -0.28, 0.3, 0.58] {
        let run = smooth(&[dome(s, 8.0), dome(s, 22.0), dome(s, 36.0)]);
        sheet.ink_in(&mask, &Stroke::tapered(&run, 0.8, (0.5, 0.0)), d.hair.shade);
    }
}

/// Some of the bangs: those whose number is in `range`, each with a thin companion behind it.
pub(crate) fn fringe_layer(sheet: &mut Sheet, d: &Design, range: std::ops::Range<usize>) {
    for i in range {
        let (s, tip, bow) = bang_list(d)[i];
        let away = if i < 4 { tip.0.signum() } else { -d.side };
        let (lo, hi) = (s.0.min(s.1), s.0.max(s.1));
        let part = if away > 0.0 { (lo + (hi - lo) * 0.45, hi) } else { (lo, hi - (hi - lo) * 0.45) };
        if i > 1 {
            let thin = fringe(part, (tip.0 + 6.5 * away, tip.1 - 4.5), bow + 0.6 * away);
            thin.paint(
                sheet,
                &d.hair,
                Look { lines: (0.55, 0.55), shine: (0.0, 0.0), strands: 1, ..Look::FRONT },
            );
        }
        fringe((lo, hi), tip, bow).paint(
            sheet,
            &d.hair,
            Look { lines: (0.52, 0.52), shine: (0.29, 0.47), ..Look::FRONT },
        );
    }
}

/// The single hair that stands up.
pub(crate) fn ahoge(sheet: &mut Sheet, d: &Design) {
    let k = d.side;
    let lock = Lock::along(
        &[(-2.0 * k, -2.0), (0.0, -14.0), (7.0 * k, -20.0), (15.0 * k, -17.0), (19.0 * k, -10.0)],
        5.5,
        0.25,
        0.45,
    );
    lock.paint(sheet, &d.hair, Look { lines: (0.16, 0.16), shine: (0.0, 0.0), strands: 0, ..Look::FRONT });
}

/// Everything behind the head.
pub(crate) fn back(sheet: &mut Sheet, d: &Design) {
    skull(sheet, d);
    match d.style {
        HairStyle::Long => curtain(sheet, d, 246.0, 1.0),
        HairStyle::Bob => bob(sheet, d),
        HairStyle::Short => short(sheet, d),
        HairStyle::Twin => nape(sheet, d),
        HairStyle::Pony => nape(sheet, d),
    }
}

fn skull(sheet: &mut Sheet, d: &Design) {
    let outline = closed(&[
        (0.0, -7.5),
        (24.0, -1.0),
        (41.0, 20.0),
        (44.5, 46.0),
        (42.0, 72.0),
        (32.0, 90.0),
        (15.0, 98.0),
        (0.0, 99.0),
        (-15.0, 98.0),
        (-32.0, 90.0),
        (-42.0, 72.0),
        (-44.5, 46.0),
        (-41.0, 20.0),
        (-24.0, -1.0),
    ]);
    let mask = sheet.mask(&outline);
    sheet.fill(
        &mask,
        Paint::vertical(0.0, 108.0, &[(0.0, d.hair.base), (0.5, d.hair.shade), (1.0, d.hair.deep)]),
    );
}

/// Locks down to about `end`, symmetric but for the tips.
fn curtain(sheet: &mut Sheet, d: &Design, end: f64, wide: f64) {
    let tips = [(62.0, 0.90), (52.0, 0.99), (40.0, 0.93), (27.0, 1.02), (13.0, 0.95)];
    let h = end - 60.0;
    for (i, &(x, f)) in tips.iter().enumerate().rev() {
        for side in [-1.0, 1.0] {
            let jitter = if side > 0.0 { 0.0 } else { 3.0 - 2.0 * (i % 3) as f64 };
            let (x, tip) = (x * wide, 60.0 + h * f + jitter);
            let root = 10.0 + 7.5 * (4 - i) as f64;
            let spine = [
                (side * root * 0.55, 14.0),
                (side * (root - 1.5), 52.0),
                (side * (root + (x - root) * 0.55), 60.0 + h * 0.38),
                (side * x * 0.98, 60.0 + h * 0.70),
                (side * (x * 0.97 - 5.0), tip),
            ];
            let lock = Lock::along(&spine, 23.0, 0.85, 0.55);
            let lines = if i == 0 { (0.1, 0.1) } else { (0.55, 0.55) };
            lock.paint(sheet, &d.hair, Look { lines, ..Look::BACK });
        }
    }
    let mid = Lock::along(
        &[(0.0, 8.0), (0.0, 90.0), (1.0, 60.0 + h * 0.7), (-2.0, 60.0 + h * 0.97)],
        26.0,
        0.9,
        0.6,
    );
    mid.paint(sheet, &d.hair, Look { lines: (0.6, 0.6), ..Look::BACK });
}

fn bob(sheet: &mut Sheet, d: &Design) {
    for (i, &(x, y)) in [(8.0, 121.0), (22.0, 122.0), (34.0, 120.0), (43.0, 114.0)].iter().enumerate() {
        for side in [-1.0, 1.0] {
            let lock = Lock::along(
                &[
                    (side * x * 0.4, 18.0),
                    (side * (x + 1.0), 52.0),
                    (side * (x + 7.5), 88.0),
                    (side * (x + 3.0), y - 8.0),
                    (side * (x - 7.0), y),
                ],
                24.0,
                0.8,
                0.6,
            );
            let lines = if i == 3 { (0.1, 0.1) } else { (0.7, 0.7) };
            lock.paint(sheet, &d.hair, Look { lines, light: (40.0, 130.0), ..Look::BACK });
        }
    }
}

fn short(sheet: &mut Sheet, d: &Design) {
    for (i, &(x, y)) in
        [(6.0, 113.0), (18.0, 112.0), (31.0, 107.0), (43.0, 99.0), (48.0, 86.0)].iter().enumerate()
    {
        for side in [-1.0, 1.0] {
            let out = if i > 2 { 5.0 } else { -2.0 };
            let lock = Lock::along(
                &[
                    (side * x * 0.4, 18.0),
                    (side * x * 0.86, 50.0),
                    (side * (x * 0.92), 76.0),
                    (side * (x + out), y),
                ],
                21.0,
                0.8,
                0.55,
            );
            let lines = if i > 2 { (0.3, 0.3) } else { (0.7, 0.7) };
            lock.paint(sheet, &d.hair, Look { lines, light: (40.0, 120.0), ..Look::BACK });
        }
    }
}

/// Hair drawn up: only the short hair of the neck.
fn nape(sheet: &mut Sheet, d: &Design) {
    for &(x, y) in &[(30.0, 104.0), (20.0, 111.0), (9.0, 115.0)] {
        for side in [-1.0, 1.0] {
            let lock = Lock::along(
                &[(side * x, 30.0), (side * (x + 2.0), 70.0), (side * (x - 3.0), y)],
                17.0,
                0.8,
                0.5,
            );
            lock.paint(sheet, &d.hair, Look { lines: (0.7, 0.7), light: (40.0, 120.0), ..Look::BACK });
        }
    }
}

/// One tail of two; `side` is 1 for the character's left.
pub(crate) fn twin_tail(sheet: &mut Sheet, d: &Design, side: f64) {
    let flip = |p: [(f64, f64); 5]| p.map(|(x, y)| (side * x, y));
    let parts = [
        (flip([(42.0, 22.0), (72.0, 60.0), (84.0, 130.0), (80.0, 200.0), (60.0, 246.0)]), 30.0),
        // Its tip reaches behind the skirt: just touching it, it would close the gap beside it in one pose or other.
        (flip([(40.0, 22.0), (60.0, 66.0), (64.0, 140.0), (58.0, 192.0), (34.0, 236.0)]), 26.0),
        (flip([(44.0, 22.0), (82.0, 70.0), (100.0, 140.0), (98.0, 190.0), (84.0, 222.0)]), 24.0),
        (flip([(42.0, 22.0), (70.0, 70.0), (78.0, 140.0), (86.0, 190.0), (76.0, 240.0)]), 22.0),
    ];
    for (i, (spine, width)) in parts.iter().enumerate() {
        let lock = Lock::along(spine, *width, 0.35, 0.5);
        lock.paint(
            sheet,
            &d.hair,
            Look {
                lines: (0.05, 0.05),
                shine: [(0.16, 0.24), (0.22, 0.31), (0.13, 0.20), (0.27, 0.36)][i],
                light: (20.0, 260.0),
                ..Look::FRONT
            },
        );
    }
}

/// A single tail from the back of the crown.
pub(crate) fn pony_tail(sheet: &mut Sheet, d: &Design) {
    let k = d.side;
    let parts = [
        ([(4.0, 2.0), (40.0, -8.0), (72.0, 30.0), (80.0, 110.0), (62.0, 190.0)], 34.0),
        ([(4.0, 2.0), (34.0, -2.0), (60.0, 40.0), (62.0, 120.0), (44.0, 176.0)], 30.0),
        ([(4.0, 2.0), (44.0, -12.0), (82.0, 34.0), (94.0, 104.0), (84.0, 168.0)], 26.0),
    ];
    for (spine, width) in parts {
        let lock = Lock::along(&spine.map(|(x, y)| (k * x, y)), width, 0.4, 0.5);
        lock.paint(sheet, &d.hair, Look { lines: (0.05, 0.05), light: (-10.0, 220.0), ..Look::FRONT });
    }
}
