//! Lines of varying width as polygons.

use geom::{Point, maths};

use super::curve;

/// A line with its full width at every point.
#[derive(Clone, Debug)]
pub(crate) struct Stroke {
    pub(crate) points: Vec<Point>,
    pub(crate) widths: Vec<f64>,
    pub(crate) ring: bool,
}

impl Stroke {
    /// Thin at both ends, `width` in the middle; `ends` are the fractions of the width that the start and end keep.
    pub(crate) fn tapered(points: &[Point], width: f64, ends: (f64, f64)) -> Self {
        Self::profiled(points, |t| {
            let (a, b) = (maths::smoothstep(t / 0.35), maths::smoothstep((1.0 - t) / 0.35));
            width * (ends.0 + (1.0 - ends.0) * a).min(ends.1 + (1.0 - ends.1) * b)
        })
    }
    /// Width as a function of the fraction of the length.
    pub(crate) fn profiled(points: &[Point], width: impl Fn(f64) -> f64) -> Self {
        let total = curve::length(points).max(1e-12);
        let mut walked = 0.0;
        let widths = (0..points.len())
            .map(|i| {
                if i > 0 {
                    walked += points[i - 1].distance(points[i]);
                }
                width(walked / total)
            })
            .collect();
        Self { points: points.to_vec(), widths, ring: false }
    }
    /// The contour of an outline: heavier where it faces down and to the right, away from the light.
    pub(crate) fn contour(outline: &[Point], width: f64) -> Self {
        let area: f64 = (0..outline.len()).map(|i| outline[i].cross(outline[(i + 1) % outline.len()])).sum();
        let side = if area > 0.0 { 1.0 } else { -1.0 };
        let n = outline.len();
        let raw: Vec<f64> = (0..n)
            .map(|i| {
                let d = outline[(i + 1) % n] - outline[(i + n - 1) % n];
                let l = d.length().max(1e-12);
                let facing = side * (d.y * 0.45 - d.x * 0.9) / l;
                width * (0.82 + 0.30 * facing)
            })
            .collect();
        let widths = (0..n).map(|i| (0..5).map(|k| raw[(i + n + k - 2) % n]).sum::<f64>() / 5.0).collect();
        Self { points: outline.to_vec(), widths, ring: true }
    }
    /// Convex pieces of one winding that together make the line, in the space `map` leads to.
    pub(crate) fn pieces(&self, map: impl Fn(Point) -> Point, scale: f64) -> Vec<Vec<Point>> {
        let p: Vec<Point> = self.points.iter().map(|&q| map(q)).collect();
        let n = p.len();
        let mut out = Vec::with_capacity(n * 2);
        if n < 2 {
            return out;
        }
        let half = |i: usize| self.widths[i] * scale * 0.5;
        let normal = |i: usize| {
            let (a, b) = if self.ring {
                (p[(i + n - 1) % n], p[(i + 1) % n])
            } else {
                (p[i.saturating_sub(1)], p[(i + 1).min(n - 1)])
            };
            let d = b - a;
            let l = d.length().max(1e-12);
            Point::new(d.y / l, -d.x / l)
        };
        let last = if self.ring { n } else { n - 1 };
        for i in 0..last {
            let j = (i + 1) % n;
            let (ni, nj) = (normal(i) * half(i), normal(j) * half(j));
            push_triangle(&mut out, p[i] + ni, p[j] + nj, p[j] - nj);
            push_triangle(&mut out, p[i] + ni, p[j] - nj, p[i] - ni);
        }
        for i in 0..n {
            let ends = !self.ring && (i == 0 || i == n - 1);
            if (ends || sharp(&p, i, self.ring)) && half(i) > 0.3 {
                out.push(disc(p[i], half(i)));
            }
        }
        out
    }
}

fn push_triangle(out: &mut Vec<Vec<Point>>, a: Point, b: Point, c: Point) {
    if (b - a).cross(c - a) >= 0.0 {
        out.push(vec![a, b, c]);
    } else {
        out.push(vec![a, c, b]);
    }
}

fn sharp(p: &[Point], i: usize, ring: bool) -> bool {
    let n = p.len();
    if !ring && (i == 0 || i + 1 == n) {
        return false;
    }
    let (d, e) = (p[i] - p[(i + n - 1) % n], p[(i + 1) % n] - p[i]);
    d.dot(e) < 0.94 * d.length() * e.length()
}

fn disc(c: Point, r: f64) -> Vec<Point> {
    (0..16)
        .map(|k| {
            let a = f64::from(k) * std::f64::consts::TAU / 16.0;
            Point::new(c.x + r * maths::cos(a), c.y + r * maths::sin(a))
        })
        .collect()
}
