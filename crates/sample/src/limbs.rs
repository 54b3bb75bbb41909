//! Arms with their sleeves, legs with their socks, shoes.

use geom::Point;

use crate::design::{Design, Legs, Ramp, Shoes, Sleeves, Top};
use crate::ink::color::Color;
use crate::ink::curve::{closed, join, pt, reversed, slice, smooth};
use crate::ink::mask::Mask;
use crate::ink::paint::Paint;
use crate::ink::sheet::Sheet;
use crate::ink::stroke::Stroke;

/// Points of the character's left limb, reflected for the right one.
fn side_of(points: &[(f64, f64)], side: f64) -> Vec<(f64, f64)> {
    points.iter().map(|&(x, y)| (side * x, y)).collect()
}

/// Outer (away from the body) and inner contour of the bare arm down to the wrist.
fn arm_edges(side: f64) -> (Vec<Point>, Vec<Point>) {
    let outer = smooth(&side_of(
        &[
            (30.0, 125.0),
            (38.0, 128.0),
            (43.5, 138.0),
            (47.5, 156.0),
            (53.0, 180.0),
            (60.0, 205.0),
            (66.5, 228.0),
            (72.5, 252.0),
            (77.0, 272.0),
        ],
        side,
    ));
    let inner = smooth(&side_of(
        &[
            (26.0, 146.0),
            (31.5, 160.0),
            (37.0, 178.0),
            (44.5, 204.0),
            (51.0, 222.0),
            (59.5, 246.0),
            (68.0, 274.5),
        ],
        side,
    ));
    (outer, inner)
}

/// One arm with hand and sleeve, its shoulder reaching into the top.
pub(crate) fn arm(sheet: &mut Sheet, d: &Design, side: f64) {
    let (outer, inner) = arm_edges(side);
    hand(sheet, d, side);
    let arm = join(&[outer.clone(), reversed(&inner)]);
    let skin = sheet.mask(&arm);
    sheet.fill(
        &skin,
        Paint::vertical(130.0, 280.0, &[(0.0, d.skin.base), (1.0, d.skin.base.mix(d.skin.shade, 0.12))]),
    );
    // Shade on the viewer's right of the cylinder.
    let right = if side > 0.0 { outer.clone() } else { inner.clone() };
    let left = if side > 0.0 { inner.clone() } else { outer.clone() };
    let core: Vec<Point> = core_line(&left, &right, 0.62);
    let band = sheet.soft(&join(&[core, reversed(&right)]), 0.3);
    sheet.fill_in(&skin, &band, d.skin.shade);
    for (run, w) in [(&outer, 1.1), (&inner, 1.0)] {
        sheet.ink(&Stroke::tapered(run, w, (0.4, 0.7)), d.skin.line);
    }
    match d.sleeves {
        Sleeves::Puff => puff(sheet, d, side),
        Sleeves::Long => long(sheet, d, side),
        Sleeves::Bell => bell(sheet, d, side),
    }
}

/// The line at fraction `f` from one run to another.
fn core_line(a: &[Point], b: &[Point], f: f64) -> Vec<Point> {
    let (a, b) = (crate::ink::curve::even(a, 60), crate::ink::curve::even(b, 60));
    (0..=60).map(|i| a[i].lerp(b[i], f)).collect()
}

fn hand(sheet: &mut Sheet, d: &Design, side: f64) {
    let line = d.skin.line;
    // Fingers from the outer to the inner one: root, middle joint, tip and width.
    let fingers = [
        [(79.5, 288.0), (84.6, 299.0), (86.0, 309.0), (4.2, 0.0)],
        [(77.2, 290.0), (81.6, 303.0), (82.6, 314.5), (4.5, 0.0)],
        [(74.4, 290.5), (77.6, 304.0), (78.0, 315.0), (4.5, 0.0)],
        [(71.6, 289.5), (73.4, 302.0), (73.2, 311.0), (4.3, 0.0)],
    ];
    for f in fingers {
        finger(sheet, d, &side_of(&f[..3], side), f[3].0);
    }
    let palm = closed(&side_of(
        &[
            (68.4, 273.0),
            (77.0, 271.0),
            (80.6, 278.0),
            (82.0, 288.0),
            (80.0, 294.0),
            (75.0, 296.0),
            (70.4, 294.0),
            (68.6, 286.0),
            (67.8, 279.0),
        ],
        side,
    ));
    let m = sheet.mask(&palm);
    sheet.fill(&m, d.skin.base);
    let back = smooth(&side_of(&[(77.0, 271.5), (80.6, 278.0), (82.0, 288.0), (82.2, 292.0)], side));
    sheet.ink(&Stroke::tapered(&back, 1.0, (0.6, 0.3)), line);
    let front = smooth(&side_of(&[(68.2, 274.0), (68.0, 281.0), (69.4, 290.0)], side));
    sheet.ink(&Stroke::tapered(&front, 1.0, (0.5, 0.2)), line);
    finger(sheet, d, &side_of(&[(69.8, 279.0), (65.8, 288.0), (66.4, 298.5)], side), 4.8);
    let shade = sheet.soft(
        &closed(&[
            (side * 78.0 + 1.5, 276.0),
            (side * 79.0 + 3.0, 290.0),
            (side * 76.0 + 3.0, 296.0),
            (side * 84.0 + 3.0, 290.0),
        ]),
        0.6,
    );
    sheet.fill_in(&m, &shade, d.skin.shade.alpha(0.8));
}

fn finger(sheet: &mut Sheet, d: &Design, spine: &[(f64, f64)], width: f64) {
    let run = smooth(spine);
    let body = |w: f64| Stroke::profiled(&run, move |t| w * (1.0 - 0.22 * t));
    sheet.ink(&body(width + 1.7), d.skin.line);
    let m = sheet.line(&body(width));
    sheet.fill(&m, d.skin.base);
    let shift = crate::ink::curve::moved(&run, width * 0.36, 0.0);
    sheet.ink_in(&m, &Stroke::profiled(&shift, |_| width * 0.36), d.skin.shade.alpha(0.8));
}

/// Cloth of the sleeves.
fn sleeve_ramp(d: &Design) -> Ramp {
    match d.top {
        Top::Vest => {
            if d.cloth.second.base.oklch()[0] > 0.9 {
                d.cloth.second
            } else {
                Ramp::cloth(Color::hex(0xFB_FA_FE))
            }
        }
        Top::Sailor | Top::Dress => d.cloth.main,
    }
}

/// Fills a sleeve: base, shade to the viewer's right, contour.
fn sleeve(sheet: &mut Sheet, r: &Ramp, outline: &[Point], far: &[(f64, f64)]) -> Mask {
    let m = sheet.mask(outline);
    sheet.fill(
        &m,
        Paint::vertical(120.0, 290.0, &[(0.0, r.light), (0.3, r.base), (1.0, r.base.mix(r.shade, 0.3))]),
    );
    let far = sheet.soft(&closed(far), 0.5);
    sheet.fill_in(&m, &far, r.shade);
    m
}

fn folds(sheet: &mut Sheet, m: &Mask, r: &Ramp, side: f64, lines: &[[(f64, f64); 3]]) {
    for l in lines {
        sheet.ink_in(m, &Stroke::profiled(&smooth(&side_of(l, side)), |t| 1.7 * (1.0 - t)), r.deep);
    }
}

fn band(sheet: &mut Sheet, r: &Ramp, points: &[(f64, f64)]) {
    let n = points.len() / 2;
    let outline = join(&[smooth(&points[..n]), smooth(&points[n..])]);
    let m = sheet.mask(&outline);
    sheet.fill(&m, r.base);
    sheet.ink(&Stroke::contour(&outline, 0.95), r.line);
}

fn cuff_ramp(d: &Design) -> Ramp {
    if d.top == Top::Vest { crate::clothes::vest_ramp(d) } else { d.cloth.second }
}

fn puff(sheet: &mut Sheet, d: &Design, side: f64) {
    let r = sleeve_ramp(d);
    band(
        sheet,
        &cuff_ramp(d),
        &side_of(
            &[(31.0, 176.0), (44.0, 178.5), (57.0, 172.0), (58.4, 176.6), (45.0, 183.5), (32.0, 181.0)],
            side,
        ),
    );
    let outline = closed(&side_of(
        &[
            (27.0, 127.0),
            (36.0, 124.0),
            (47.0, 130.0),
            (56.0, 145.0),
            (60.5, 162.0),
            (57.5, 174.0),
            (45.0, 180.0),
            (32.0, 178.0),
            (27.5, 166.0),
            (26.0, 146.0),
        ],
        side,
    ));
    let far: Vec<(f64, f64)> = if side > 0.0 {
        vec![
            (50.0, 128.0),
            (51.0, 146.0),
            (52.0, 162.0),
            (44.0, 173.0),
            (34.0, 181.0),
            (64.0, 184.0),
            (70.0, 150.0),
        ]
    } else {
        vec![
            (-34.0, 132.0),
            (-33.0, 150.0),
            (-38.0, 166.0),
            (-46.0, 176.0),
            (-40.0, 186.0),
            (-20.0, 184.0),
            (-20.0, 140.0),
        ]
    };
    let m = sleeve(sheet, &r, &outline, &far);
    folds(
        sheet,
        &m,
        &r,
        side,
        &[
            [(38.0, 180.0), (38.0, 168.0), (36.0, 156.0)],
            [(46.0, 180.0), (47.5, 168.0), (46.0, 152.0)],
            [(53.0, 177.0), (55.0, 168.0), (53.5, 158.0)],
            [(32.0, 126.0), (37.0, 134.0), (39.0, 144.0)],
            [(40.0, 126.5), (44.0, 133.0), (46.0, 141.0)],
        ],
    );
    sheet.ink(&Stroke::contour(&outline, 1.15), r.line);
}

fn long(sheet: &mut Sheet, d: &Design, side: f64) {
    let r = sleeve_ramp(d);
    let outer = smooth(&side_of(
        &[
            (28.0, 124.5),
            (38.0, 126.0),
            (46.0, 136.0),
            (51.5, 156.0),
            (57.5, 180.0),
            (64.5, 204.0),
            (71.5, 228.0),
            (78.0, 250.0),
            (81.5, 266.0),
        ],
        side,
    ));
    let inner = smooth(&side_of(
        &[
            (64.5, 271.0),
            (57.5, 250.0),
            (49.0, 228.0),
            (41.0, 204.0),
            (34.0, 180.0),
            (28.5, 164.0),
            (24.5, 146.0),
        ],
        side,
    ));
    let outline =
        join(&[outer, smooth(&side_of(&[(81.5, 266.0), (73.0, 270.5), (64.5, 271.0)], side)), inner]);
    let far: Vec<(f64, f64)> = if side > 0.0 {
        vec![
            (46.0, 126.0),
            (45.0, 150.0),
            (52.0, 180.0),
            (60.0, 206.0),
            (70.0, 240.0),
            (76.0, 274.0),
            (96.0, 270.0),
            (70.0, 190.0),
            (56.0, 140.0),
        ]
    } else {
        vec![
            (-31.0, 140.0),
            (-38.0, 166.0),
            (-42.0, 184.0),
            (-52.0, 214.0),
            (-62.0, 244.0),
            (-71.0, 276.0),
            (-58.0, 276.0),
            (-40.0, 224.0),
            (-18.0, 160.0),
        ]
    };
    let m = sleeve(sheet, &r, &outline, &far);
    folds(
        sheet,
        &m,
        &r,
        side,
        &[
            [(40.5, 203.0), (49.0, 202.0), (56.0, 197.0)],
            [(43.0, 210.0), (51.0, 211.0), (58.0, 208.0)],
            [(66.0, 210.0), (60.0, 210.0), (55.0, 213.0)],
            [(30.0, 164.0), (36.0, 160.0), (40.0, 152.0)],
            [(61.0, 258.0), (67.0, 255.0), (71.0, 249.0)],
            [(78.0, 252.0), (73.0, 256.0), (70.0, 260.0)],
        ],
    );
    sheet.ink(&Stroke::contour(&outline, 1.15), r.line);
    band(
        sheet,
        &cuff_ramp(d),
        &side_of(
            &[(82.0, 262.5), (73.0, 268.0), (63.0, 268.5), (65.6, 277.0), (75.0, 277.0), (84.4, 271.5)],
            side,
        ),
    );
}

fn bell(sheet: &mut Sheet, d: &Design, side: f64) {
    let r = sleeve_ramp(d);
    let inside =
        closed(&side_of(&[(52.0, 262.0), (70.0, 268.0), (92.0, 258.0), (84.0, 250.0), (66.0, 252.0)], side));
    let dark = sheet.mask(&inside);
    sheet.fill(&dark, r.deep);
    sheet.ink(&Stroke::contour(&inside, 0.9), r.line);
    redraw_wrist(sheet, d, side);
    let outer = smooth(&side_of(
        &[
            (28.0, 124.5),
            (38.0, 126.0),
            (45.5, 136.0),
            (51.0, 158.0),
            (58.0, 182.0),
            (68.0, 206.0),
            (81.0, 232.0),
            (94.0, 256.0),
        ],
        side,
    ));
    let inner = smooth(&side_of(
        &[(50.0, 262.0), (46.0, 240.0), (40.5, 214.0), (34.0, 184.0), (28.5, 164.0), (24.5, 146.0)],
        side,
    ));
    let hem =
        smooth(&side_of(&[(94.0, 256.0), (86.0, 261.0), (72.0, 265.0), (60.0, 265.0), (50.0, 262.0)], side));
    let outline = join(&[outer, hem.clone(), inner]);
    let far: Vec<(f64, f64)> = if side > 0.0 {
        vec![
            (46.0, 126.0),
            (44.0, 150.0),
            (51.0, 180.0),
            (60.0, 206.0),
            (72.0, 236.0),
            (79.0, 272.0),
            (106.0, 262.0),
            (70.0, 190.0),
            (56.0, 140.0),
        ]
    } else {
        vec![
            (-31.0, 140.0),
            (-38.0, 166.0),
            (-42.0, 184.0),
            (-50.0, 214.0),
            (-58.0, 244.0),
            (-66.0, 274.0),
            (-44.0, 276.0),
            (-36.0, 224.0),
            (-18.0, 160.0),
        ]
    };
    let m = sleeve(sheet, &r, &outline, &far);
    folds(
        sheet,
        &m,
        &r,
        side,
        &[
            [(60.0, 265.0), (58.0, 246.0), (52.0, 222.0)],
            [(74.0, 265.0), (70.0, 246.0), (60.0, 220.0)],
            [(86.0, 261.0), (79.0, 244.0), (68.0, 222.0)],
            [(30.0, 164.0), (36.0, 160.0), (40.0, 152.0)],
        ],
    );
    let trim = crate::ink::curve::moved(&hem, -2.0 * side, -6.0);
    sheet.ink_in(&m, &Stroke::profiled(&trim, |_| 2.6), cuff_ramp(d).base);
    sheet.ink(&Stroke::contour(&outline, 1.15), r.line);
}

/// The lower arm again, over the inside of a wide sleeve.
fn redraw_wrist(sheet: &mut Sheet, d: &Design, side: f64) {
    let (outer, inner) = arm_edges(side);
    let (outer, inner) = (slice(&outer, 0.8, 1.0), slice(&inner, 0.8, 1.0));
    let m = sheet.mask(&join(&[outer.clone(), reversed(&inner)]));
    sheet.fill(&m, d.skin.shade);
    for run in [&outer, &inner] {
        sheet.ink(&Stroke::tapered(run, 1.0, (1.0, 0.7)), d.skin.line);
    }
}

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
