//! Face, nose, blush, brows, ears, neck.

use geom::Point;

use crate::design::{Bangs, Design, EyeShape};
use crate::hair;
use crate::ink::curve::{closed, join, moved, pt, slice, smooth};
use crate::ink::paint::Paint;
use crate::ink::sheet::Sheet;
use crate::ink::stroke::Stroke;

/// Centre of the eye on the character's left, from the middle; the other is its reflection.
pub(crate) const EYE: Point = Point::new(18.8, 65.5);

/// The head's contour from the top of the skull, clockwise; complete under the hair.
pub(crate) fn contour() -> Vec<Point> {
    let half = [
        (0.0, 4.0),
        (16.0, 6.5),
        (30.0, 18.0),
        (37.0, 38.0),
        (37.8, 58.0),
        (36.0, 72.0),
        (29.8, 83.5),
        (18.8, 93.2),
        (8.2, 98.8),
    ];
    let mut points = half.to_vec();
    points.push((0.0, 100.2));
    points.extend(half.iter().skip(1).rev().map(|&(x, y)| (-x, y)));
    closed(&points)
}

/// The face with the shadow of the hair on it.
pub(crate) fn face(sheet: &mut Sheet, d: &Design) {
    let outline = contour();
    let skin = sheet.mask(&outline);
    sheet.fill(
        &skin,
        Paint::vertical(
            10.0,
            100.0,
            &[
                (0.0, d.skin.base.mix(d.skin.shade, 0.25)),
                (0.45, d.skin.base),
                (0.8, d.skin.base),
                (1.0, d.skin.base.mix(d.skin.shade, 0.35)),
            ],
        ),
    );
    // The far cheek turns away from the light.
    let cheek = closed(&[
        (50.0, 40.0),
        (36.5, 58.0),
        (33.0, 76.0),
        (22.0, 90.0),
        (5.0, 99.5),
        (30.0, 110.0),
        (55.0, 90.0),
    ]);
    let cheek = sheet.soft(&cheek, 1.6);
    sheet.fill_in(&skin, &cheek, d.skin.shade.alpha(0.75));
    for clump in hair::bangs(d).iter().chain(&hair::side_locks(d)) {
        let shadow = sheet.soft(&moved(&clump.outline(), 1.6, 4.2), 0.35);
        sheet.fill_in(&skin, &shadow, d.skin.shade.alpha(0.9));
    }
    let jaw = slice(&outline, 0.13, 0.87);
    sheet.ink(
        &Stroke::profiled(&jaw, |t| {
            let low = 1.0 - (2.0 * t - 1.0).abs();
            0.25 + 0.95 * geom::maths::smoothstep(low * 1.6) + if t < 0.5 { 0.18 } else { 0.0 }
        }),
        d.skin.line,
    );
}

/// Blush with its small hatching, on both cheeks.
pub(crate) fn blush(sheet: &mut Sheet, d: &Design) {
    for side in [-1.0, 1.0] {
        let c = pt(side * 25.0, 81.5);
        let spot = closed(&[(c.x - 9.5, c.y), (c.x, c.y - 5.0), (c.x + 9.5, c.y), (c.x, c.y + 5.0)]);
        let spot = sheet.soft(&spot, 1.6);
        sheet.fill(&spot, d.skin.blush.alpha(0.42));
        for k in -1..=1 {
            let x = c.x + f64::from(k) * 3.4;
            let hatch = smooth(&[(x + 1.1, c.y - 1.8), (x, c.y), (x - 1.1, c.y + 1.8)]);
            sheet
                .ink(&Stroke::tapered(&hatch, 0.75, (0.1, 0.1)), d.skin.blush.tune(0.9, 1.1, 0.0).alpha(0.7));
        }
    }
}

/// A nose of a short shadow and a light.
pub(crate) fn nose(sheet: &mut Sheet, d: &Design) {
    let shadow = sheet.mask(&closed(&[(0.4, 80.0), (2.2, 81.5), (1.2, 83.1), (-0.8, 82.8)]));
    sheet.fill(&shadow, d.skin.shade);
    let ridge = smooth(&[(1.2, 79.8), (2.1, 81.6), (0.8, 83.0), (-0.6, 82.8)]);
    sheet.ink(&Stroke::tapered(&ridge, 0.8, (0.1, 0.3)), d.skin.line.alpha(0.85));
    let light = sheet.soft(&closed(&[(-0.8, 79.0), (0.2, 78.2), (0.8, 79.2), (-0.1, 80.6)]), 0.15);
    sheet.fill(&light, crate::ink::color::Color::hex(0xFF_FF_FF).alpha(0.8));
}

/// One brow; `side` is 1 for the character's left.
pub(crate) fn brow(sheet: &mut Sheet, d: &Design, side: f64) {
    let (inner, peak, outer) = match d.eyes {
        EyeShape::Round => (47.4, 45.4, 49.2),
        EyeShape::Gentle => (46.4, 46.0, 51.0),
        EyeShape::Sharp => (49.2, 46.4, 46.8),
    };
    let lift = if d.bangs == Bangs::Full { 1.0 } else { 0.0 };
    let run = smooth(&[
        (side * 9.5, inner + lift),
        (side * 15.5, (inner + peak) * 0.5 - 0.5 + lift),
        (side * 22.0, peak + lift),
        (side * 28.5, outer + lift),
    ]);
    let color = d.hair.deep.mix(d.hair.line, 0.45);
    sheet.ink(
        &Stroke::profiled(&run, |t| {
            0.5 + 1.7 * geom::maths::smoothstep((1.0 - t) * 1.2) * geom::maths::smoothstep(t * 6.0 + 0.45)
        }),
        color,
    );
}

/// One ear, reaching in behind the face.
pub(crate) fn ear(sheet: &mut Sheet, d: &Design, side: f64) {
    let at = |p: &[(f64, f64)]| -> Vec<(f64, f64)> { p.iter().map(|&(x, y)| (side * x, y)).collect() };
    let outline = closed(&at(&[
        (30.0, 58.0),
        (37.5, 55.8),
        (42.6, 57.5),
        (43.8, 63.5),
        (41.8, 71.0),
        (38.6, 77.0),
        (33.0, 78.5),
        (29.0, 70.0),
    ]));
    let skin = sheet.mask(&outline);
    sheet.fill(&skin, d.skin.base.mix(d.skin.shade, 0.25));
    let inner = sheet
        .soft(&closed(&at(&[(35.0, 61.0), (40.4, 60.0), (41.0, 65.0), (38.6, 71.0), (36.0, 73.0)])), 0.4);
    sheet.fill_in(&skin, &inner, d.skin.deep.alpha(0.7));
    let fold = smooth(&at(&[(37.6, 60.2), (40.8, 61.4), (40.4, 66.0), (38.2, 69.6)]));
    sheet.ink(&Stroke::tapered(&fold, 0.8, (0.1, 0.1)), d.skin.line.alpha(0.8));
    let edge = smooth(&at(&[
        (36.0, 56.2),
        (40.0, 55.9),
        (43.0, 58.6),
        (43.6, 64.5),
        (41.8, 71.0),
        (38.6, 76.6),
        (35.0, 78.2),
    ]));
    sheet.ink(&Stroke::tapered(&edge, 1.15, (0.3, 0.3)), d.skin.line);
}

/// The neck, from behind the face down into the clothes, with the skin of the chest; no wider than any collar hides.
pub(crate) fn neck(sheet: &mut Sheet, d: &Design) {
    let right = smooth(&[
        (10.2, 54.0),
        (9.6, 88.0),
        (9.4, 104.0),
        (10.6, 113.0),
        (14.4, 120.5),
        (18.6, 128.0),
        (20.0, 138.0),
    ]);
    let low = smooth(&[(20.0, 138.0), (17.0, 152.0), (9.0, 164.0), (0.0, 168.0)]);
    let half = join(&[right.clone(), low]);
    let outline = crate::ink::curve::symmetric(&half);
    let skin = sheet.mask(&outline);
    sheet.fill(&skin, d.skin.base);
    let under = join(&[
        smooth(&[(-14.0, 48.0), (14.0, 48.0)]),
        smooth(&[
            (14.0, 48.0),
            (11.5, 108.0),
            (7.5, 113.0),
            (2.0, 116.0),
            (-4.0, 112.0),
            (-10.5, 106.0),
            (-14.0, 48.0),
        ]),
    ]);
    let under = sheet.soft(&under, 0.4);
    sheet.fill_in(&skin, &under, d.skin.shade);
    let side =
        sheet.soft(&closed(&[(7.0, 100.0), (9.5, 116.0), (20.0, 124.0), (34.0, 132.0), (40.0, 110.0)]), 1.2);
    sheet.fill_in(&skin, &side, d.skin.shade.alpha(0.8));
    for s in [-1.0, 1.0] {
        let edge: Vec<Point> = right.iter().map(|p| pt(p.x * s, p.y)).collect();
        sheet.ink(&Stroke::tapered(&edge, 1.1, (0.3, 0.5)), d.skin.line);
        let bone = smooth(&[(s * 4.0, 127.5), (s * 10.0, 126.0), (s * 18.0, 126.5), (s * 24.0, 128.5)]);
        sheet.ink(&Stroke::tapered(&bone, 0.8, (0.6, 0.05)), d.skin.deep);
    }
}
