//! Legs with socks, and shoes.

use geom::Point;

use crate::design::{Design, Legs, Ramp, Shoes};
use crate::ink::color::Color;
use crate::ink::curve::{closed, join, pt, reversed, slice, smooth};
use crate::ink::paint::Paint;
use crate::ink::sheet::Sheet;
use crate::ink::stroke::Stroke;
use crate::limb::{core_line, side_of};

/// Outer and inner contour of a leg from the hip to the ankle.
fn leg_edges(side: f64) -> (Vec<Point>, Vec<Point>) {
    let outer = smooth(&side_of(
        &[
            (30.0, 262.0),
            (33.4, 294.0),
            (32.4, 326.0),
            (28.6, 364.0),
            (24.4, 394.0),
            (24.2, 408.0),
            (26.0, 432.0),
            (24.6, 460.0),
            (20.4, 496.0),
            (18.9, 526.0),
        ],
        side,
    ));
    let inner = smooth(&side_of(
        &[
            (1.2, 280.0),
            (1.6, 306.0),
            (3.4, 342.0),
            (6.2, 378.0),
            (8.0, 400.0),
            (7.0, 420.0),
            (5.8, 442.0),
            (8.0, 474.0),
            (10.4, 504.0),
            (10.2, 528.0),
        ],
        side,
    ));
    (outer, inner)
}

/// One leg with its sock.
pub(crate) fn leg(sheet: &mut Sheet, d: &Design, side: f64) {
    let (outer, inner) = leg_edges(side);
    let outline = join(&[outer.clone(), reversed(&inner)]);
    let m = sheet.mask(&outline);
    let bare = d.legs != Legs::Tights;
    let tights = Ramp::cloth(Color::hex(0x3A_34_44).mix(d.hair.deep, 0.15));
    let (base, shade, line) = if bare {
        (d.skin.base, d.skin.shade, d.skin.line)
    } else {
        (tights.base.mix(d.skin.base, 0.12), tights.shade, tights.line)
    };
    sheet.fill(&m, Paint::vertical(280.0, 520.0, &[(0.0, base.mix(shade, 0.3)), (0.3, base), (1.0, base)]));
    let (left, right) = if side > 0.0 { (&inner, &outer) } else { (&outer, &inner) };
    let core = core_line(left, right, 0.66);
    let far = sheet.soft(&join(&[core, reversed(right)]), 0.4);
    sheet.fill_in(&m, &far, shade);
    // Shadow of the skirt.
    let hem = sheet.soft(
        &closed(&[(-70.0, 260.0), (70.0, 260.0), (70.0, 338.0), (side * 17.0, 347.0), (-70.0, 338.0)]),
        0.6,
    );
    sheet.fill_in(&m, &hem, shade);
    if bare {
        let knee = smooth(&side_of(&[(11.0, 398.0), (14.5, 403.0), (20.0, 401.0)], side));
        sheet.ink(&Stroke::tapered(&knee, 0.9, (0.1, 0.1)), d.skin.deep);
    } else {
        let gloss = core_line(left, right, 0.28);
        let gloss =
            sheet.line(&Stroke::tapered(&slice(&gloss, 0.3, 0.95), 3.0, (0.1, 0.1))).blurred(3.0, m.rect);
        sheet.fill_in(&m, &gloss, tights.shine.alpha(0.35));
    }
    for run in [&outer, &inner] {
        sheet.ink(&Stroke::tapered(run, 1.15, (0.5, 0.7)), line);
    }
    match d.legs {
        Legs::KneeSocks => sock(sheet, d, side, 0.53),
        Legs::ThighHighs => sock(sheet, d, side, 0.32),
        Legs::Tights => {}
    }
}

/// A sock from a fraction of the leg's length downwards.
fn sock(sheet: &mut Sheet, d: &Design, side: f64, from: f64) {
    let l = d.cloth.main.base.oklch()[0];
    let r = if d.legs == Legs::ThighHighs || l < 0.7 {
        Ramp::cloth(
            d.cloth
                .second
                .base
                .mix(Color::hex(0x30_2A_3C), if d.cloth.second.base.oklch()[0] > 0.8 { 0.0 } else { 0.45 }),
        )
    } else {
        d.cloth.main
    };
    let (outer, inner) = leg_edges(side);
    let grow =
        |run: &[Point], by: f64| -> Vec<Point> { run.iter().map(|p| pt(p.x + by * side, p.y)).collect() };
    let (outer, inner) = (grow(&slice(&outer, from, 1.0), 0.7), grow(&slice(&inner, from - 0.02, 1.0), -0.7));
    let (a, b) = (inner[0], outer[0]);
    let top = smooth(&[(a.x, a.y), ((a.x + b.x) * 0.5, (a.y + b.y) * 0.5 + 3.2), (b.x, b.y)]);
    let outline = join(&[top.clone(), outer.clone(), reversed(&inner)]);
    let m = sheet.mask(&outline);
    sheet.fill(&m, Paint::vertical(a.y, 530.0, &[(0.0, r.base), (1.0, r.base.mix(r.shade, 0.3))]));
    let (left, right) = if side > 0.0 { (&inner, &outer) } else { (&outer, &inner) };
    let far = sheet.soft(&join(&[core_line(left, right, 0.66), reversed(right)]), 0.4);
    sheet.fill_in(&m, &far, r.shade);
    let trim = crate::ink::curve::moved(&top, 0.0, 4.0);
    sheet.ink_in(&m, &Stroke::profiled(&trim, |_| 2.0), d.cloth.accent.base);
    sheet.ink(&Stroke::contour(&outline, 1.1), r.line);
}

/// One shoe.
pub(crate) fn shoe(sheet: &mut Sheet, d: &Design, side: f64) {
    let leather = Ramp::cloth(
        d.cloth
            .second
            .base
            .mix(Color::hex(0x4A_2C_28), if d.cloth.second.base.oklch()[0] > 0.8 { 0.85 } else { 0.55 }),
    );
    match d.shoes {
        Shoes::Loafers => loafer(sheet, d, &leather, side),
        Shoes::Boots => boot(sheet, d, &leather, side),
    }
}

fn sole(sheet: &mut Sheet, r: &Ramp, side: f64) {
    let outline = closed(&side_of(
        &[(5.4, 546.0), (9.0, 552.5), (18.0, 554.6), (27.0, 552.0), (29.4, 545.0), (18.0, 543.0)],
        side,
    ));
    let m = sheet.mask(&outline);
    sheet.fill(&m, r.deep);
    sheet.ink(&Stroke::contour(&outline, 1.1), r.line);
}

fn loafer(sheet: &mut Sheet, d: &Design, r: &Ramp, side: f64) {
    sole(sheet, r, side);
    let outline = closed(&side_of(
        &[
            (7.8, 520.0),
            (14.5, 523.5),
            (21.0, 519.5),
            (23.6, 530.0),
            (28.4, 541.0),
            (27.6, 548.0),
            (18.0, 551.0),
            (8.4, 548.6),
            (5.8, 541.0),
            (7.2, 530.0),
        ],
        side,
    ));
    let m = sheet.mask(&outline);
    sheet.fill(&m, Paint::vertical(520.0, 551.0, &[(0.0, r.shade), (0.5, r.base), (1.0, r.base)]));
    let far = sheet.soft(
        &closed(&[
            (side * 17.0 + 3.0, 516.0),
            (side * 17.0 + 5.0, 535.0),
            (side * 17.0 + 7.0, 552.0),
            (side * 17.0 + 16.0, 552.0),
            (side * 17.0 + 10.0, 516.0),
        ]),
        0.5,
    );
    sheet.fill_in(&m, &far, r.shade);
    let tongue = smooth(&side_of(&[(8.0, 532.0), (15.0, 528.6), (22.6, 531.6)], side));
    sheet.ink_in(&m, &Stroke::profiled(&tongue, |_| 3.4), r.deep);
    let strap = smooth(&side_of(&[(6.8, 535.6), (16.0, 533.0), (25.4, 535.8)], side));
    sheet.ink_in(&m, &Stroke::profiled(&strap, |_| 0.9), r.line);
    let light = sheet.soft(
        &closed(&[
            (side * 17.0 - 6.5, 541.0),
            (side * 17.0 - 2.0, 538.6),
            (side * 17.0 + 1.0, 540.6),
            (side * 17.0 - 4.0, 544.0),
        ]),
        0.5,
    );
    sheet.fill_in(&m, &light, r.shine.tune(1.25, 0.6, 0.0).alpha(0.85));
    sheet.ink(&Stroke::contour(&outline, 1.15), r.line);
    let _ = d;
}

fn boot(sheet: &mut Sheet, d: &Design, r: &Ramp, side: f64) {
    sole(sheet, r, side);
    let outline = join(&[
        smooth(&side_of(&[(4.6, 470.0), (15.0, 474.0), (27.2, 468.0)], side)),
        smooth(&side_of(
            &[(27.2, 468.0), (24.6, 492.0), (23.8, 516.0), (25.4, 532.0), (29.0, 542.0), (28.4, 549.0)],
            side,
        )),
        smooth(&side_of(&[(28.4, 549.0), (17.0, 551.4), (7.0, 549.0)], side)),
        smooth(&side_of(
            &[(7.0, 549.0), (5.4, 540.0), (7.0, 524.0), (7.4, 506.0), (6.2, 486.0), (4.6, 470.0)],
            side,
        )),
    ]);
    let m = sheet.mask(&outline);
    sheet.fill(&m, Paint::vertical(470.0, 551.0, &[(0.0, r.base), (0.7, r.base), (1.0, r.shade)]));
    let c = side * 16.0;
    let far = sheet.soft(
        &closed(&[
            (c + 5.0, 460.0),
            (c + 3.0, 500.0),
            (c + 4.0, 530.0),
            (c + 7.0, 552.0),
            (c + 18.0, 552.0),
            (c + 14.0, 460.0),
        ]),
        0.5,
    );
    sheet.fill_in(&m, &far, r.shade);
    let cuff = smooth(&side_of(&[(3.0, 476.5), (15.0, 480.5), (28.0, 475.0)], side));
    sheet.ink_in(&m, &Stroke::profiled(&cuff, |_| 2.4), d.cloth.accent.base);
    for y in [492.0, 503.0, 514.0, 525.0] {
        let lace = smooth(&[(c - 4.0, y - 1.5), (c - 0.5, y + 1.0), (c + 3.0, y - 1.5)]);
        sheet.ink_in(&m, &Stroke::profiled(&lace, |_| 1.5), d.cloth.accent.light);
    }
    let toe = smooth(&side_of(&[(6.4, 539.0), (17.0, 533.0), (27.4, 538.0)], side));
    sheet.ink_in(&m, &Stroke::profiled(&toe, |_| 0.9), r.line);
    let light =
        sheet.soft(&closed(&[(c - 6.5, 541.5), (c - 1.0, 538.4), (c + 2.0, 540.6), (c - 4.0, 545.0)]), 0.5);
    sheet.fill_in(&m, &light, r.shine.tune(1.25, 0.6, 0.0).alpha(0.8));
    sheet.ink(&Stroke::contour(&outline, 1.15), r.line);
}
