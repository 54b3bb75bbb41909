//! The top and what is worn at the neck.

use geom::Point;

use crate::cloth::{bow, frill, vest_ramp, white_ramp};
use crate::design::{Design, Ramp, Top};
use crate::ink::color::Color;
use crate::ink::curve::{closed, ellipse, join, moved, pt, smooth, symmetric};
use crate::ink::mask::Mask;
use crate::ink::paint::Paint;
use crate::ink::sheet::Sheet;
use crate::ink::stroke::Stroke;

/// Right edge of the torso from the neck's side to the waist's middle, clockwise.
fn torso_half(neck: (f64, f64)) -> Vec<Point> {
    let shoulder = smooth(&[neck, (20.0, 121.5), (31.0, 125.0), (37.0, 132.0)]);
    let side = smooth(&[
        (37.0, 132.0),
        (33.8, 146.0),
        (30.2, 160.0),
        (28.6, 171.0),
        (24.8, 187.0),
        (21.6, 202.0),
        (24.0, 212.0),
        (28.2, 221.0),
    ]);
    let low = smooth(&[(28.2, 221.0), (14.0, 224.5), (0.0, 225.5)]);
    join(&[shoulder, side, low])
}

/// Base, cool shade on the far side, soft light at the bust.
fn torso(sheet: &mut Sheet, ramp: &Ramp, neck: (f64, f64), low: &[(f64, f64)]) -> Mask {
    let mut half = smooth(low);
    half.extend(torso_half(neck));
    let outline = symmetric(&half);
    let mask = sheet.mask(&outline);
    sheet.fill(
        &mask,
        Paint::vertical(
            118.0,
            232.0,
            &[(0.0, ramp.base.mix(ramp.light, 0.6)), (0.5, ramp.base), (1.0, ramp.base.mix(ramp.shade, 0.6))],
        ),
    );
    let far = closed(&[
        (30.0, 118.0),
        (27.0, 140.0),
        (23.0, 158.0),
        (24.0, 172.0),
        (17.0, 186.0),
        (15.0, 206.0),
        (20.0, 236.0),
        (60.0, 236.0),
        (60.0, 120.0),
    ]);
    let far = sheet.soft(&far, 0.5);
    sheet.fill_in(&mask, &far, ramp.shade);
    let bust = join(&[
        smooth(&[
            (-25.0, 168.0),
            (-16.0, 178.0),
            (-6.0, 177.0),
            (0.0, 172.0),
            (7.0, 178.0),
            (18.0, 178.0),
            (27.0, 166.0),
        ]),
        smooth(&[
            (27.0, 166.0),
            (18.0, 184.0),
            (6.0, 186.0),
            (0.0, 181.0),
            (-7.0, 184.0),
            (-17.0, 183.0),
            (-25.0, 168.0),
        ]),
    ]);
    let bust = sheet.soft(&bust, 0.5);
    sheet.fill_in(&mask, &bust, ramp.shade.alpha(0.9));
    for (a, b, c) in [
        ((-22.0, 204.0), (-15.0, 199.0), (-9.0, 198.0)),
        ((22.0, 198.0), (14.0, 203.0), (9.0, 208.0)),
        ((-20.0, 212.0), (-12.0, 209.0), (-7.0, 210.0)),
        ((30.0, 150.0), (24.0, 156.0), (21.0, 163.0)),
        ((-30.0, 150.0), (-25.0, 156.0), (-23.0, 164.0)),
    ] {
        sheet.ink_in(&mask, &Stroke::profiled(&smooth(&[a, b, c]), |t| 1.5 * (1.0 - t)), ramp.deep);
    }
    sheet.ink(&Stroke::contour(&outline, 1.15), ramp.line);
    mask
}

/// The top by kind.
pub(crate) fn top(sheet: &mut Sheet, d: &Design) {
    match d.top {
        Top::Sailor => sailor(sheet, d),
        Top::Vest => vest(sheet, d),
        Top::Dress => bodice(sheet, d),
    }
}

fn sailor(sheet: &mut Sheet, d: &Design) {
    let (body, trim) = (&d.cloth.main, &d.cloth.second);
    let mask = torso(sheet, body, (10.5, 117.0), &[(0.0, 150.0), (7.0, 134.0), (10.5, 117.0)]);
    let hem = join(&[
        smooth(&[(-40.0, 214.0), (0.0, 219.0), (40.0, 214.0)]),
        smooth(&[(40.0, 240.0), (-40.0, 240.0)]),
    ]);
    let hem = sheet.mask(&hem);
    sheet.fill_in(&mask, &hem, trim.base);
    // The collar: two broad lapels that meet low on the chest.
    let lapel = join(&[
        smooth(&[(9.4, 113.0), (18.0, 119.0), (32.0, 124.0), (38.0, 130.5)]),
        smooth(&[(38.0, 130.5), (36.0, 140.0), (31.0, 151.0)]),
        smooth(&[(31.0, 151.0), (18.0, 152.0), (3.0, 165.0), (0.0, 167.0)]),
        smooth(&[(0.0, 167.0), (4.0, 150.0), (8.0, 134.0), (9.4, 113.0)]),
    ]);
    for side in [1.0, -1.0] {
        let shape: Vec<Point> = lapel.iter().map(|p| pt(p.x * side, p.y)).collect();
        let m = sheet.mask(&shape);
        let drop = sheet.soft(&moved(&shape, 1.2, 3.2), 0.4);
        sheet.shade_in(&mask, &drop, body.deep.mix(Color::hex(0xFF_FF_FF), 0.25));
        sheet.fill(
            &m,
            Paint::vertical(
                113.0,
                167.0,
                &[(0.0, trim.base), (1.0, if side > 0.0 { trim.shade } else { trim.base })],
            ),
        );
        for k in [3.4, 5.4] {
            let stripe = smooth(&[
                (side * (38.0 - k), 133.0),
                (side * (35.6 - k), 141.0),
                (side * (30.4 - k * 0.8), 151.0 - k),
                (side * 18.0, 152.0 - k),
                (side * (4.0), 163.0 - k * 1.25),
            ]);
            sheet.ink_in(&m, &Stroke::profiled(&stripe, |_| 0.85), d.cloth.main.light);
        }
        sheet.ink(&Stroke::contour(&shape, 1.0), trim.line);
    }
}

fn vest(sheet: &mut Sheet, d: &Design) {
    let (shirt, vest) = (white_ramp(d), &vest_ramp(d));
    let mask = torso(sheet, &shirt, (9.8, 113.0), &[(0.0, 124.0), (6.0, 118.0), (9.8, 113.0)]);
    let half = join(&[
        smooth(&[(0.0, 172.0), (7.0, 152.0), (15.0, 134.0), (21.0, 120.5)]),
        smooth(&[(21.0, 120.5), (28.0, 123.0), (33.5, 129.0)]),
        smooth(&[
            (33.5, 129.0),
            (30.8, 146.0),
            (31.4, 160.0),
            (28.8, 173.0),
            (25.0, 188.0),
            (22.8, 203.0),
            (26.4, 215.0),
            (30.4, 226.0),
        ]),
        smooth(&[(30.4, 226.0), (18.0, 226.5), (9.0, 230.0), (5.0, 236.0)]),
        smooth(&[(5.0, 236.0), (2.0, 232.0), (0.0, 228.0)]),
    ]);
    let outline = symmetric(&half);
    let m = sheet.mask(&outline);
    let drop = sheet.soft(&moved(&outline, 0.8, -1.6), 0.5);
    sheet.fill_in(&mask, &drop, shirt.shade);
    sheet.fill(
        &m,
        Paint::vertical(
            120.0,
            236.0,
            &[(0.0, vest.light), (0.35, vest.base), (1.0, vest.base.mix(vest.shade, 0.5))],
        ),
    );
    let far = closed(&[
        (26.0, 118.0),
        (25.0, 140.0),
        (21.0, 158.0),
        (24.0, 172.0),
        (16.0, 186.0),
        (14.0, 206.0),
        (20.0, 240.0),
        (60.0, 236.0),
        (60.0, 120.0),
    ]);
    let far = sheet.soft(&far, 0.5);
    sheet.fill_in(&m, &far, vest.shade);
    let bust = closed(&[
        (-27.0, 167.0),
        (-14.0, 179.0),
        (0.0, 174.0),
        (14.0, 180.0),
        (28.0, 166.0),
        (16.0, 187.0),
        (0.0, 182.0),
        (-15.0, 185.0),
    ]);
    let bust = sheet.soft(&bust, 0.6);
    sheet.fill_in(&m, &bust, vest.shade);
    let placket = smooth(&[(0.0, 172.0), (0.6, 200.0), (0.0, 236.0)]);
    sheet.ink_in(&m, &Stroke::profiled(&placket, |_| 0.9), vest.line);
    for y in [183.0, 197.0, 211.0] {
        let button = sheet.mask(&ellipse(-4.6, y, 1.9, 1.9));
        sheet.fill(&button, d.cloth.accent.base);
        sheet.ink(
            &Stroke { points: ellipse(-4.6, y, 1.9, 1.9), widths: vec![0.7; 72], ring: true },
            d.cloth.accent.line,
        );
    }
    for (a, b, c) in
        [((-24.0, 206.0), (-17.0, 201.0), (-11.0, 200.0)), ((24.0, 199.0), (15.0, 205.0), (9.0, 211.0))]
    {
        sheet.ink_in(&m, &Stroke::profiled(&smooth(&[a, b, c]), |t| 1.5 * (1.0 - t)), vest.deep);
    }
    sheet.ink(&Stroke::contour(&outline, 1.1), vest.line);
    shirt_collar(sheet, &shirt);
}

fn shirt_collar(sheet: &mut Sheet, shirt: &Ramp) {
    let wing = join(&[
        smooth(&[(0.5, 124.0), (5.5, 117.5), (9.6, 109.5)]),
        smooth(&[(9.6, 109.5), (14.5, 113.0), (18.5, 119.0)]),
        smooth(&[(18.5, 119.0), (15.0, 129.0), (10.5, 135.0)]),
        smooth(&[(10.5, 135.0), (5.0, 130.0), (0.5, 124.0)]),
    ]);
    for side in [1.0, -1.0] {
        let shape: Vec<Point> = wing.iter().map(|p| pt(p.x * side, p.y)).collect();
        let m = sheet.mask(&shape);
        sheet.fill(&m, if side > 0.0 { shirt.base.mix(shirt.shade, 0.5) } else { shirt.base });
        sheet.ink(&Stroke::contour(&shape, 0.95), shirt.line);
    }
}

fn bodice(sheet: &mut Sheet, d: &Design) {
    let (main, lace) = (&d.cloth.main, &d.cloth.second);
    let mask = torso(sheet, main, (15.0, 119.0), &[(0.0, 146.0), (9.0, 143.0), (14.0, 132.0), (15.0, 119.0)]);
    let panel = symmetric(&join(&[
        smooth(&[(0.0, 146.0), (8.0, 144.0), (12.5, 138.0)]),
        smooth(&[(12.5, 138.0), (13.5, 160.0), (10.0, 190.0), (8.5, 234.0)]),
        smooth(&[(8.5, 234.0), (0.0, 236.0)]),
    ]));
    let m = sheet.mask(&panel);
    sheet.fill_in(
        &mask,
        &m,
        Paint::vertical(140.0, 234.0, &[(0.0, lace.base), (0.55, lace.base), (1.0, lace.shade)]),
    );
    sheet.ink_in(&mask, &Stroke::contour(&panel, 0.9), lace.line);
    for (i, y) in [170.0, 184.0, 198.0, 212.0].iter().enumerate() {
        let w = 10.5 - i as f64;
        let (a, b) = (
            smooth(&[(-w, *y), (0.0, y + 7.0), (w, y + 13.0)]),
            smooth(&[(w, *y), (0.0, y + 7.0), (-w, y + 13.0)]),
        );
        sheet.ink_in(&m, &Stroke::tapered(&a, 1.2, (0.8, 0.8)), d.cloth.accent.base);
        sheet.ink_in(&m, &Stroke::tapered(&b, 1.2, (0.8, 0.8)), d.cloth.accent.base);
    }
    frill(
        sheet,
        lace,
        &smooth(&[
            (-15.2, 118.6),
            (-14.2, 132.0),
            (-9.0, 143.0),
            (0.0, 146.0),
            (9.0, 143.0),
            (14.2, 132.0),
            (15.2, 118.6),
        ]),
        6.0,
        13,
    );
    belt(sheet, d, &mask);
}

/// A sash over the seam of bodice and skirt.
fn belt(sheet: &mut Sheet, d: &Design, _body: &Mask) {
    let r = &d.cloth.accent;
    let outline = join(&[
        smooth(&[(-22.6, 196.5), (0.0, 200.5), (22.6, 196.5)]),
        smooth(&[(22.6, 196.5), (22.4, 203.0), (24.2, 210.5)]),
        smooth(&[(24.2, 210.5), (0.0, 215.0), (-24.2, 210.5)]),
        smooth(&[(-24.2, 210.5), (-22.4, 203.0), (-22.6, 196.5)]),
    ]);
    let m = sheet.mask(&outline);
    sheet.fill(&m, Paint::vertical(197.0, 214.0, &[(0.0, r.light), (0.4, r.base), (1.0, r.base)]));
    let far = sheet
        .soft(&closed(&[(12.0, 194.0), (10.0, 206.0), (14.0, 218.0), (40.0, 216.0), (40.0, 192.0)]), 0.6);
    sheet.fill_in(&m, &far, r.shade);
    let fold = smooth(&[(-21.0, 203.5), (-4.0, 207.6), (10.0, 206.0), (22.0, 205.0)]);
    sheet.ink_in(&m, &Stroke::tapered(&fold, 0.9, (0.1, 0.1)), r.deep);
    sheet.ink(&Stroke::contour(&outline, 1.05), r.line);
}

/// A bow, tie or choker.
pub(crate) fn neckwear(sheet: &mut Sheet, d: &Design) {
    match d.top {
        Top::Sailor => bow(sheet, &d.cloth.accent, pt(0.0, 163.0), 1.0, true),
        Top::Vest => bow(sheet, &d.cloth.accent, pt(0.0, 131.0), 0.8, true),
        Top::Dress => {
            let band = symmetric(&join(&[
                smooth(&[(0.0, 112.4), (6.0, 111.6), (9.7, 109.6)]),
                smooth(&[(9.7, 109.6), (10.2, 113.6)]),
                smooth(&[(10.2, 113.6), (6.0, 116.0), (0.0, 116.8)]),
            ]));
            let m = sheet.mask(&band);
            sheet.fill(&m, d.cloth.accent.base);
            sheet.ink(&Stroke::contour(&band, 0.8), d.cloth.accent.line);
            bow(sheet, &d.cloth.accent, pt(0.0, 115.5), 0.42, false);
        }
    }
}
