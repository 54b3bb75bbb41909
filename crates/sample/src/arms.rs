//! Arms with hands and sleeves.

use geom::Point;

use crate::design::{Design, Ramp, Sleeves, Top};
use crate::ink::curve::{closed, join, reversed, slice, smooth};
use crate::ink::mask::Mask;
use crate::ink::paint::Paint;
use crate::ink::sheet::Sheet;
use crate::ink::stroke::Stroke;
use crate::limb::{core_line, side_of};

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
        Top::Vest => crate::cloth::white_ramp(d),
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
    if d.top == Top::Vest { crate::cloth::vest_ramp(d) } else { d.cloth.second }
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
