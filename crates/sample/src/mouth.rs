//! The mouth, drawn fully open, and what is in it.

use geom::Point;

use crate::design::Design;
use crate::ink::color::Color;
use crate::ink::curve::{closed, join, smooth};
use crate::ink::paint::Paint;
use crate::ink::sheet::Sheet;
use crate::ink::stroke::Stroke;

/// Half width and heights of the corner and the lowest point.
const HALF: f64 = 6.4;
const TOP: f64 = 87.0;
const LOW: f64 = 94.2;

fn upper() -> Vec<Point> {
    smooth(&[(-HALF, TOP), (-3.4, TOP + 0.4), (0.0, TOP + 0.3), (3.4, TOP + 0.4), (HALF, TOP)])
}

fn lower() -> Vec<Point> {
    smooth(&[(HALF, TOP), (5.6, 90.4), (3.2, 93.2), (0.0, LOW), (-3.2, 93.2), (-5.6, 90.4), (-HALF, TOP)])
}

/// Lip line and the dark inside.
pub(crate) fn mouth(sheet: &mut Sheet, d: &Design) {
    let inside = sheet.mask(&join(&[upper(), lower()]));
    sheet.fill(
        &inside,
        Paint::vertical(
            85.0,
            93.5,
            &[(0.0, Color::hex(0x74_2A_34)), (0.6, Color::hex(0x9A_3A_44)), (1.0, Color::hex(0xB2_4A_50))],
        ),
    );
    let line = d.skin.line.mix(Color::hex(0x5A_1E_28), 0.6);
    sheet.ink(&Stroke::profiled(&lower(), |t| 0.45 + 0.45 * (1.0 - (2.0 * t - 1.0).abs())), line);
    let lip = smooth(&[
        (-HALF - 0.7, TOP - 0.5),
        (-HALF, TOP),
        (-3.4, TOP + 0.4),
        (0.0, TOP + 0.3),
        (3.4, TOP + 0.4),
        (HALF, TOP),
        (HALF + 0.7, TOP - 0.5),
    ]);
    sheet.ink(&Stroke::tapered(&lip, 1.0, (0.25, 0.25)), line);
}

/// The tongue.
pub(crate) fn tongue(sheet: &mut Sheet, _: &Design) {
    let clip = sheet.mask(&join(&[upper(), lower()]));
    let hump = closed(&[
        (-5.4, 92.4),
        (-3.6, 90.3),
        (0.0, 89.6),
        (3.6, 90.3),
        (5.4, 92.4),
        (3.0, 95.0),
        (-3.0, 95.0),
    ]);
    let hump = sheet.mask(&hump);
    sheet.fill_in(
        &clip,
        &hump,
        Paint::vertical(90.5, LOW, &[(0.0, Color::hex(0xF2_8E_8E)), (1.0, Color::hex(0xE0_70_78))]),
    );
    let light = sheet.soft(&closed(&[(-2.2, 91.9), (-0.6, 91.4), (0.6, 91.9), (-1.0, 92.4)]), 0.2);
    sheet.fill_in(&clip, &light, Color::hex(0xFF_C8_C4).alpha(0.9));
}

/// The upper teeth.
pub(crate) fn teeth(sheet: &mut Sheet, _: &Design) {
    let clip = sheet.mask(&join(&[upper(), lower()]));
    let strip =
        join(&[upper(), smooth(&[(HALF, TOP), (4.8, 88.7), (0.0, 89.2), (-4.8, 88.7), (-HALF, TOP)])]);
    let strip = sheet.mask(&strip);
    sheet.fill_in(
        &clip,
        &strip,
        Paint::vertical(
            86.0,
            88.6,
            &[(0.0, Color::hex(0xE4_DC_E6)), (0.5, Color::hex(0xFF_FE_FC)), (1.0, Color::hex(0xFF_FF_FF))],
        ),
    );
}
