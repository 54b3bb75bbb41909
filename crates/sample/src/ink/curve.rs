//! Outlines and lines as dense polylines, built from splines through a few points.

use geom::{Point, maths};

/// Shorthand for a point.
pub(crate) const fn pt(x: f64, y: f64) -> Point {
    Point::new(x, y)
}

/// An open smooth line through the points (centripetal Catmull-Rom).
pub(crate) fn smooth(points: &[(f64, f64)]) -> Vec<Point> {
    let p: Vec<Point> = points.iter().map(|&(x, y)| pt(x, y)).collect();
    smooth_points(&p)
}

/// [`smooth`] of points.
pub(crate) fn smooth_points(p: &[Point]) -> Vec<Point> {
    let n = p.len();
    if n < 3 {
        return p.to_vec();
    }
    let mut out = vec![p[0]];
    for i in 0..n - 1 {
        let before = if i == 0 { reflect(p[0], p[1], p[2]) } else { p[i - 1] };
        let after = if i + 2 == n { reflect(p[n - 1], p[n - 2], p[n - 3]) } else { p[i + 2] };
        span(&mut out, before, p[i], p[i + 1], after);
    }
    out
}

/// A closed smooth outline through the points.
pub(crate) fn closed(points: &[(f64, f64)]) -> Vec<Point> {
    let p: Vec<Point> = points.iter().map(|&(x, y)| pt(x, y)).collect();
    let n = p.len();
    let mut out = vec![p[0]];
    for i in 0..n {
        span(&mut out, p[(i + n - 1) % n], p[i], p[(i + 1) % n], p[(i + 2) % n]);
    }
    out.pop();
    out
}

/// One outline from lines that follow each other; corners stay where they meet.
pub(crate) fn join(runs: &[Vec<Point>]) -> Vec<Point> {
    let mut out: Vec<Point> = Vec::new();
    for run in runs {
        for &p in run {
            if out.last().is_none_or(|q| q.distance(p) > 1e-9) {
                out.push(p);
            }
        }
    }
    out
}

/// Reflected at the line x = 0; the order is reversed, so a right half continues as a left half.
pub(crate) fn mirrored(run: &[Point]) -> Vec<Point> {
    run.iter().rev().map(|p| pt(-p.x, p.y)).collect()
}

/// Reversed copy.
pub(crate) fn reversed(run: &[Point]) -> Vec<Point> {
    run.iter().rev().copied().collect()
}

/// A right half that starts and ends on (or near) x = 0, closed by its reflection.
pub(crate) fn symmetric(half: &[Point]) -> Vec<Point> {
    join(&[half.to_vec(), mirrored(half)])
}

/// An ellipse.
pub(crate) fn ellipse(cx: f64, cy: f64, rx: f64, ry: f64) -> Vec<Point> {
    (0..72)
        .map(|i| {
            let a = f64::from(i) * std::f64::consts::TAU / 72.0;
            pt(cx + rx * maths::cos(a), cy + ry * maths::sin(a))
        })
        .collect()
}

/// The same outline turned by degrees (clockwise on screen) about a pivot.
pub(crate) fn turned(run: &[Point], pivot: Point, degrees: f64) -> Vec<Point> {
    run.iter().map(|p| p.rotated(pivot, degrees.to_radians())).collect()
}

/// The same outline moved.
pub(crate) fn moved(run: &[Point], dx: f64, dy: f64) -> Vec<Point> {
    run.iter().map(|p| pt(p.x + dx, p.y + dy)).collect()
}

/// Length along a line.
pub(crate) fn length(run: &[Point]) -> f64 {
    run.windows(2).map(|w| w[0].distance(w[1])).sum()
}

/// `count + 1` points at equal distances along a line, both ends included.
pub(crate) fn even(run: &[Point], count: usize) -> Vec<Point> {
    let total = length(run);
    let mut out = Vec::with_capacity(count + 1);
    let (mut i, mut walked) = (0, 0.0);
    for k in 0..=count {
        let want = total * k as f64 / count as f64;
        while i + 2 < run.len() && walked + run[i].distance(run[i + 1]) < want {
            walked += run[i].distance(run[i + 1]);
            i += 1;
        }
        let step = run[i].distance(run[(i + 1).min(run.len() - 1)]).max(1e-12);
        out.push(run[i].lerp(run[(i + 1).min(run.len() - 1)], ((want - walked) / step).clamp(0.0, 1.0)));
    }
    out
}

/// The part of a line between two fractions of its length.
pub(crate) fn slice(run: &[Point], from: f64, to: f64) -> Vec<Point> {
    let n = 48;
    let dense = even(run, 240);
    (0..=n)
        .map(|i| {
            let t = maths::lerp(from, to, f64::from(i) / f64::from(n)).clamp(0.0, 1.0) * 240.0;
            let k = (t as usize).min(239);
            dense[k].lerp(dense[k + 1], t - k as f64)
        })
        .collect()
}

/// Unit normals of a line, to the left of its direction when y points down (so outwards of a clockwise outline).
pub(crate) fn normals(run: &[Point]) -> Vec<Point> {
    (0..run.len())
        .map(|i| {
            let d = run[(i + 1).min(run.len() - 1)] - run[i.saturating_sub(1)];
            let n = d.length().max(1e-12);
            pt(d.y / n, -d.x / n)
        })
        .collect()
}

fn reflect(end: Point, next: Point, after: Point) -> Point {
    // A phantom point that lets the curve start bent like its first three points.
    end + (end - next) + ((after - next) - (next - end)) * 0.5
}

/// Appends the spline span from `p1` to `p2` without its first point.
fn span(out: &mut Vec<Point>, p0: Point, p1: Point, p2: Point, p3: Point) {
    let d = |a: Point, b: Point| a.distance(b).sqrt().max(1e-6);
    let (d1, d2, d3) = (d(p0, p1), d(p1, p2), d(p2, p3));
    let c1 = (p2 * (d1 * d1) - p0 * (d2 * d2) + p1 * (2.0 * d1 * d1 + 3.0 * d1 * d2 + d2 * d2))
        * (1.0 / (3.0 * d1 * (d1 + d2)));
    let c2 = (p1 * (d3 * d3) - p3 * (d2 * d2) + p2 * (2.0 * d3 * d3 + 3.0 * d3 * d2 + d2 * d2))
        * (1.0 / (3.0 * d3 * (d3 + d2)));
    let steps = ((p1.distance(p2) * 0.7) as usize).clamp(8, 36);
    for i in 1..=steps {
        let t = i as f64 / steps as f64;
        let u = 1.0 - t;
        out.push(p1 * (u * u * u) + c1 * (3.0 * u * u * t) + c2 * (3.0 * u * t * t) + p2 * (t * t * t));
    }
}
