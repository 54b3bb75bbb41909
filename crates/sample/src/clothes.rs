//! Top, skirt and what is worn at the neck.

use geom::{Point, maths};

use crate::design::{Design, Ramp, Skirt, Top};
use crate::ink::color::Color;
use crate::ink::curve::{closed, even, join, mirrored, pt, reversed, smooth, symmetric};
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
        (23.0, 212.0),
        (25.5, 221.0),
    ]);
    let low = smooth(&[(25.5, 221.0), (13.0, 224.5), (0.0, 225.5)]);
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
        let drop = sheet.soft(&crate::ink::curve::moved(&shape, 1.2, 3.2), 0.4);
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
            (22.2, 203.0),
            (24.5, 215.0),
            (28.0, 226.0),
        ]),
        smooth(&[(28.0, 226.0), (18.0, 226.5), (9.0, 230.0), (5.0, 236.0)]),
        smooth(&[(5.0, 236.0), (2.0, 232.0), (0.0, 228.0)]),
    ]);
    let outline = symmetric(&half);
    let m = sheet.mask(&outline);
    let drop = sheet.soft(&crate::ink::curve::moved(&outline, 0.8, -1.6), 0.5);
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
        let button = sheet.mask(&crate::ink::curve::ellipse(-4.6, y, 1.9, 1.9));
        sheet.fill(&button, d.cloth.accent.base);
        sheet.ink(
            &Stroke {
                points: crate::ink::curve::ellipse(-4.6, y, 1.9, 1.9),
                widths: vec![0.7; 72],
                ring: true,
            },
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
            (-16.5, 121.0),
            (-14.8, 133.0),
            (-9.0, 143.0),
            (0.0, 146.5),
            (9.0, 143.0),
            (14.8, 133.0),
            (16.5, 121.0),
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

/// A ruffled band hanging from a line.
pub(crate) fn frill(sheet: &mut Sheet, ramp: &Ramp, along: &[Point], depth: f64, waves: usize) {
    let top = even(along, waves * 8);
    let normal = crate::ink::curve::normals(&top);
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

/// The first cloth that is not white.
pub(crate) fn vest_ramp(d: &Design) -> Ramp {
    if d.cloth.main.base.oklch()[0] > 0.85 { d.cloth.second } else { d.cloth.main }
}

pub(crate) fn white_ramp(d: &Design) -> Ramp {
    let l = d.cloth.second.base.oklch()[0];
    if l > 0.9 { d.cloth.second } else { Ramp::cloth(Color::hex(0xFB_FA_FE)) }
}

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
    let (waist, hem) = (196.0, 324.0);
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
    for lift in [-9.0] {
        let run: Vec<(f64, f64)> = (0..=n * 4).map(|i| edge(i as f64 / 4.0, lift).2).collect();
        sheet.ink_in(m, &Stroke::profiled(&smooth(&run), |_| 2.0), color.alpha(0.92));
    }
}

/// A bell with rippled hem over a frill, down to `low` and `wide` to each side.
fn flared(sheet: &mut Sheet, d: &Design, low: f64, wide: f64) {
    let r = skirt_ramp(d);
    let lace = if d.top == Top::Dress { d.cloth.second } else { white_ramp(d) };
    let waist = 196.0;
    let wave = |w: f64| -> Vec<Point> {
        let p: Vec<(f64, f64)> = (0..=16)
            .map(|i| {
                let u = f64::from(i) / 8.0 - 1.0;
                let ripple = if i % 2 == 0 { 0.0 } else { 4.0 };
                (w * maths::sin(u * 1.45) / 0.993, low + 11.0 * (1.0 - u * u) + ripple)
            })
            .collect();
        smooth(&p)
    };
    frill(sheet, &lace, &wave(wide - 2.0), 9.0, (wide * 0.36) as usize);
    let hem = wave(wide);
    let h = low - waist;
    let side = smooth(&[
        (wide, low),
        (21.8 + (wide - 21.8) * 0.63, waist + h * 0.64),
        (21.8 + (wide - 21.8) * 0.24, waist + h * 0.30),
        (21.8, waist),
    ]);
    let top = smooth(&[(-21.8, waist), (0.0, waist + 3.0), (21.8, waist)]);
    let outline = join(&[mirrored(&side), top, reversed(&side), reversed(&hem)]);
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
    let ribbon = crate::ink::curve::moved(&hem, 0.0, -8.0);
    sheet.ink_in(&m, &Stroke::profiled(&ribbon, |_| 2.2), d.cloth.accent.base);
    sheet.ink(&Stroke::contour(&outline, 1.15), r.line);
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
