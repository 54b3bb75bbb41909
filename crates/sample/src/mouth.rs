//! The mouth, drawn fully open, and what is in it.

use geom::Point;

use crate::design::Design;
use crate::ink::color::Color;
use crate::ink::curve::{closed, join, smooth};
use crate::ink::paint::Paint;
use crate::ink::sheet::Sheet;
use crate::ink::stroke::Stroke;

fn upper() -> Vec<Point> {
    smooth(&[(-7.6, 85.6), (-4.6, 86.5), (0.0, 86.3), (4.6, 86.5), (7.6, 85.6)])
}

fn lower() -> Vec<Point> {
    smooth(&[(7.6, 85.6), (6.4, 89.8), (3.4, 92.6), (0.0, 93.4), (-3.4, 92.6), (-6.4, 89.8), (-7.6, 85.6)])
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
    sheet.ink(&Stroke::profiled(&lower(), |t| 0.55 + 0.5 * (1.0 - (2.0 * t - 1.0).abs())), line);
    let lip = smooth(&[
        (-8.6, 84.9),
        (-7.6, 85.6),
        (-4.6, 86.5),
        (0.0, 86.3),
        (4.6, 86.5),
        (7.6, 85.6),
        (8.6, 84.9),
    ]);
    sheet.ink(&Stroke::tapered(&lip, 1.25, (0.15, 0.15)), line);
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
        Paint::vertical(89.5, 93.5, &[(0.0, Color::hex(0xF2_8E_8E)), (1.0, Color::hex(0xE0_70_78))]),
    );
    let light = sheet.soft(&closed(&[(-2.4, 90.9), (-0.6, 90.4), (0.6, 90.9), (-1.0, 91.5)]), 0.2);
    sheet.fill_in(&clip, &light, Color::hex(0xFF_C8_C4).alpha(0.9));
}

/// The upper teeth.
pub(crate) fn teeth(sheet: &mut Sheet, _: &Design) {
    let clip = sheet.mask(&join(&[upper(), lower()]));
    let strip =
        join(&[upper(), smooth(&[(7.6, 85.6), (5.6, 88.0), (0.0, 88.5), (-5.6, 88.0), (-7.6, 85.6)])]);
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
