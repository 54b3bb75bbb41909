//! A lash layer's lid line, crease and lower lash (RIG 6.1, RIG_PRACTICE 7).

use geom::{IntRect, Point, Rect};
use parts::HeadTilt;
use raster::{Alpha, Rgba};

use crate::aligned::{AlignedAlpha, Run};

/// The middle of the lid line as a function of aligned x.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CenterLine {
    left: f64,
    right: f64,
    /// Of powers of x scaled to -1..1.
    coefficients: [f64; 4],
    /// Vertical thickness at each whole pixel from `left`, smoothed.
    thickness: Vec<f64>,
    /// Thickness of a typical column; 0 when not measured.
    typical: f64,
}

impl CenterLine {
    /// The same y everywhere.
    pub(crate) fn flat(y: f64) -> Self {
        Self { left: 0.0, right: 0.0, coefficients: [y, 0.0, 0.0, 0.0], thickness: Vec::new(), typical: 0.0 }
    }
    /// y at an aligned x; beyond the ends as at the ends.
    pub(crate) fn at(&self, x: f64) -> f64 {
        let half = ((self.right - self.left) / 2.0).max(1e-9);
        let t = ((x - (self.left + self.right) / 2.0) / half).clamp(-1.0, 1.0);
        self.coefficients.iter().rev().fold(0.0, |sum, c| sum * t + c)
    }
    /// How much of the thickness at `x` a level line keeps: less where the stroke is steep and cut lengthwise.
    pub(crate) fn levelled(&self, x: f64) -> f64 {
        let index = (x - self.left).round().max(0.0) as usize;
        let Some(&here) = self.thickness.get(index.min(self.thickness.len().max(1) - 1)) else { return 1.0 };
        (1.2 * self.typical / here.max(1e-3)).clamp(0.3, 1.0)
    }
    /// Its ends.
    pub(crate) fn range(&self) -> (f64, f64) {
        (self.left, self.right)
    }
}

/// The heaviest run of every column, fitted by a cubic; then the runs nearest to that line, fitted again.
pub(crate) fn center_line(alpha: &AlignedAlpha) -> CenterLine {
    let columns: Vec<(f64, Vec<Run>)> = (0..alpha.alpha.width())
        .map(|x| (alpha.column_x(x), alpha.runs(x)))
        .filter(|c| !c.1.is_empty())
        .collect();
    let (Some(first), Some(last)) = (columns.first(), columns.last()) else { return CenterLine::flat(0.0) };
    let (left, right) = (first.0, last.0);
    let heaviest = |runs: &[Run]| runs.iter().copied().max_by(|a, b| a.weight.total_cmp(&b.weight));
    let mut chosen: Vec<(f64, Run)> =
        columns.iter().filter_map(|(x, runs)| heaviest(runs).map(|r| (*x, r))).collect();
    let mut line = fit(&chosen, left, right);
    for _ in 0..3 {
        chosen = columns
            .iter()
            .filter_map(|(x, runs)| {
                let most = heaviest(runs)?.weight;
                let near = |r: &&Run| (r.center - line.at(*x)).abs();
                let candidates = runs.iter().filter(|r| r.weight >= 0.4 * most);
                candidates.min_by(|a, b| near(a).total_cmp(&near(b))).map(|r| (*x, *r))
            })
            .collect();
        line = fit(&chosen, left, right);
    }
    measure_thickness(&mut line, &chosen);
    line
}

fn measure_thickness(line: &mut CenterLine, chosen: &[(f64, Run)]) {
    let mut heights: Vec<f64> = chosen.iter().map(|(_, r)| r.bottom - r.top).collect();
    heights.sort_by(f64::total_cmp);
    let Some(&typical) = heights.get(heights.len() / 2) else { return };
    line.typical = typical;
    let count = (line.right - line.left).round().max(0.0) as usize + 1;
    let mut known = vec![typical; count];
    for (x, run) in chosen {
        let index = ((x - line.left).round().max(0.0) as usize).min(count - 1);
        known[index] = run.bottom - run.top;
    }
    let reach = (count / 40).max(1);
    line.thickness = (0..count)
        .map(|i| {
            let window = &known[i.saturating_sub(reach)..(i + reach + 1).min(count)];
            window.iter().sum::<f64>() / window.len() as f64
        })
        .collect();
}

/// Weighted least squares, a cubic where there are columns enough.
fn fit(samples: &[(f64, Run)], left: f64, right: f64) -> CenterLine {
    let terms = match samples.len() {
        0..=3 => 1,
        4..=9 => 3,
        _ => 4,
    };
    let half = ((right - left) / 2.0).max(1e-9);
    let middle = (left + right) / 2.0;
    let mut m = [[0.0f64; 5]; 4];
    for (x, run) in samples {
        let t = (x - middle) / half;
        let powers = [1.0, t, t * t, t * t * t];
        for i in 0..terms {
            for j in 0..terms {
                m[i][j] += run.weight * powers[i] * powers[j];
            }
            m[i][4] += run.weight * powers[i] * run.center;
        }
    }
    let mean = if m[0][0] > 0.0 { m[0][4] / m[0][0] } else { 0.0 };
    let coefficients = solve(m, terms).unwrap_or([mean, 0.0, 0.0, 0.0]);
    CenterLine { left, right, coefficients, thickness: Vec::new(), typical: 0.0 }
}

/// Gaussian elimination with pivoting of the leading `n` equations.
fn solve(mut m: [[f64; 5]; 4], n: usize) -> Option<[f64; 4]> {
    for i in 0..n {
        let best = (i..n).max_by(|&a, &b| m[a][i].abs().total_cmp(&m[b][i].abs()))?;
        m.swap(i, best);
        if m[i][i].abs() < 1e-9 {
            return None;
        }
        for r in 0..n {
            if r == i {
                continue;
            }
            let f = m[r][i] / m[i][i];
            let pivot = m[i];
            for (value, p) in m[r].iter_mut().zip(pivot) {
                *value -= f * p;
            }
        }
    }
    let mut out = [0.0; 4];
    for i in 0..n {
        out[i] = m[i][4] / m[i][i];
    }
    Some(out)
}

/// A part of a lash layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LashPart {
    Band,
    Crease,
    Lower,
}

/// The pictures of a split lash; each as large as its own pixels. A part that is not there is `None`.
pub(crate) struct Split {
    pub(crate) band: Option<(IntRect, Rgba)>,
    pub(crate) crease: Option<(IntRect, Rgba)>,
    pub(crate) lower: Option<(IntRect, Rgba)>,
}

/// Parts a lash picture along its centre line; `eye` is the box of the white (aligned). `None` when all of it is one
/// band.
pub(crate) fn split(
    image: &Rgba,
    rect: IntRect,
    tilt: &HeadTilt,
    alpha: &AlignedAlpha,
    line: &CenterLine,
    eye: Rect,
) -> Option<Split> {
    let (w, h) = (alpha.alpha.width() as usize, alpha.alpha.height() as usize);
    let mut labels = vec![LashPart::Band; w * h];
    let mut counts = [0usize; 3];
    for x in 0..alpha.alpha.width() {
        let center = line.at(alpha.column_x(x));
        let runs = alpha.runs(x);
        let band = runs
            .iter()
            .copied()
            .min_by(|a, b| (a.center - center).abs().total_cmp(&(b.center - center).abs()));
        for run in &runs {
            let part = classify(run, band.as_ref(), center, eye.height());
            counts[part as usize] += (run.bottom - run.top) as usize;
            let rows = (run.top as i64 - alpha.top, run.bottom as i64 - alpha.top);
            // The faint fringe belongs to the run next to it.
            for y in (rows.0 - 3).max(0)..(rows.1 + 3).min(h as i64) {
                let inside = y >= rows.0 && y < rows.1;
                if inside || alpha.alpha.get(i64::from(x), y) < 24 {
                    labels[y as usize * w + x as usize] = part;
                }
            }
        }
    }
    join_crease(&mut labels, &alpha.alpha, 0.3 * eye.width().max(1.0), &mut counts);
    let total: usize = counts.iter().sum();
    if counts[LashPart::Crease as usize] + counts[LashPart::Lower as usize] <= total / 50
        || counts[LashPart::Band as usize] == 0
    {
        return None;
    }
    let label = |x: i32, y: i32| {
        let p = tilt.align(Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5));
        let (i, j) = (p.x.floor() as i64 - alpha.left, p.y.floor() as i64 - alpha.top);
        let (i, j) = (i.clamp(0, w as i64 - 1), j.clamp(0, h as i64 - 1));
        labels[j as usize * w + i as usize]
    };
    let part = |wanted: LashPart| cut(image, rect, |x, y| label(x, y) == wanted);
    Some(Split { band: part(LashPart::Band), crease: part(LashPart::Crease), lower: part(LashPart::Lower) })
}

/// What is called crease but touches the band, or is narrower than `least` (single hairs), goes with the band: it would
/// tear off.
fn join_crease(labels: &mut [LashPart], alpha: &Alpha, least: f64, counts: &mut [usize; 3]) {
    let (w, h) = (alpha.width() as usize, alpha.height() as usize);
    let solid = |i: usize| alpha.values()[i] >= 24;
    let mut seen = vec![false; w * h];
    for start in 0..w * h {
        if seen[start] || labels[start] != LashPart::Crease || !solid(start) {
            continue;
        }
        seen[start] = true;
        let (mut found, mut next, mut touches) = (vec![start], 0, false);
        while next < found.len() {
            let (x, y) = (found[next] % w, found[next] / w);
            next += 1;
            for ny in y.saturating_sub(1)..(y + 2).min(h) {
                for nx in x.saturating_sub(1)..(x + 2).min(w) {
                    let n = ny * w + nx;
                    if !solid(n) || seen[n] {
                        continue;
                    }
                    touches |= labels[n] == LashPart::Band;
                    if labels[n] == LashPart::Crease {
                        seen[n] = true;
                        found.push(n);
                    }
                }
            }
        }
        let left = found.iter().map(|i| i % w).min().unwrap_or(0);
        let right = found.iter().map(|i| i % w).max().unwrap_or(0);
        if touches || ((right - left + 1) as f64) < least {
            counts[LashPart::Crease as usize] = counts[LashPart::Crease as usize].saturating_sub(found.len());
            counts[LashPart::Band as usize] += found.len();
            for &i in &found {
                join_with_fringe(labels, alpha, i);
            }
        }
    }
}

fn join_with_fringe(labels: &mut [LashPart], alpha: &Alpha, i: usize) {
    let (w, h) = (alpha.width() as usize, alpha.height() as usize);
    let (x, y) = (i % w, i / w);
    for ny in y.saturating_sub(3)..(y + 4).min(h) {
        let n = ny * w + x;
        if labels[n] == LashPart::Crease && (n == i || alpha.values()[n] < 24) {
            labels[n] = LashPart::Band;
        }
    }
}

fn classify(run: &Run, band: Option<&Run>, center: f64, eye_height: f64) -> LashPart {
    let reach = (0.16 * eye_height).max(2.0);
    let far_below = run.center > center + (0.36 * eye_height).max(4.0);
    match band {
        Some(band) if band.top == run.top => {
            if far_below && run.top > center + reach {
                LashPart::Lower
            } else {
                LashPart::Band
            }
        }
        Some(band) if run.top >= band.bottom && run.top > center + reach => LashPart::Lower,
        Some(band) if run.bottom <= band.top && run.bottom < center - reach * 0.5 => LashPart::Crease,
        _ => LashPart::Band,
    }
}

/// The pixels for which `keep` holds, in the smallest rectangle; `None` without any.
fn cut(image: &Rgba, rect: IntRect, keep: impl Fn(i32, i32) -> bool) -> Option<(IntRect, Rgba)> {
    let mut kept = Rgba::new(image.width(), image.height());
    for y in 0..image.height() {
        for x in 0..image.width() {
            let p = image.get(x.into(), y.into());
            if p[3] > 0 && keep(rect.left + x as i32, rect.top + y as i32) {
                kept.set(x.into(), y.into(), p);
            }
        }
    }
    let tight = kept.alpha().bounds(1)?;
    let mut out = Rgba::new(tight.width(), tight.height());
    for y in 0..tight.height() {
        for x in 0..tight.width() {
            let p = kept.get(i64::from(tight.left) + i64::from(x), i64::from(tight.top) + i64::from(y));
            out.set(x.into(), y.into(), p);
        }
    }
    let moved = IntRect::new(
        rect.left + tight.left,
        rect.top + tight.top,
        rect.left + tight.right,
        rect.top + tight.bottom,
    );
    Some((moved, out))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An arched lid with a crease above and a lower lash below comes apart into three.
    #[test]
    fn three_parts() {
        let mut image = Rgba::new(60, 60);
        for x in 0..60i64 {
            let t = (x as f64 - 30.0) / 30.0;
            let arch = (20.0 + 12.0 * t * t) as i64;
            for (y, thick) in [(arch, 5), (arch - 12, 2), (52, 1)] {
                for k in 0..thick {
                    if y != 52 || (20..40).contains(&x) {
                        image.set(x, y + k, [0, 0, 0, 255]);
                    }
                }
            }
        }
        let rect = IntRect::new(100, 200, 160, 260);
        let tilt = HeadTilt { degrees: 0.0, pivot: Point::new(130.0, 230.0) };
        let alpha = AlignedAlpha::of(&image, rect, &tilt);
        let line = center_line(&alpha);
        assert!((line.at(130.0) - 222.5).abs() < 1.0, "{}", line.at(130.0));
        let eye = Rect::new(100.0, 218.0, 160.0, 254.0);
        let split = split(&image, rect, &tilt, &alpha, &line, eye).expect("three parts");
        let lower = split.lower.expect("lower lash");
        assert_eq!(lower.0, IntRect::new(120, 252, 140, 253));
        let crease = split.crease.expect("crease");
        assert_eq!(crease.0.height(), 14);
        assert!(split.band.is_some());
    }
}
