//! Points on a fine grid and the signs that decide a triangulation, without rounding.

/// A point in whole steps of the vertex grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Site {
    /// To the right.
    pub(crate) x: i64,
    /// Down.
    pub(crate) y: i64,
}

/// Coordinates must differ by less than this, so that nothing below overflows.
pub(crate) const REACH: i64 = 1 << 30;

/// `(b - a) x (c - a)`: twice the signed area, positive when `a b c` runs clockwise on screen (y down).
pub(crate) fn cross(a: Site, b: Site, c: Site) -> i64 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

/// `(a - c) . (b - c)`: negative when `c` lies within the circle that has `a b` as diameter.
pub(crate) fn dot(a: Site, b: Site, c: Site) -> i64 {
    (a.x - c.x) * (b.x - c.x) + (a.y - c.y) * (b.y - c.y)
}

/// Squared distance.
pub(crate) fn distance2(a: Site, b: Site) -> f64 {
    let (x, y) = ((a.x - b.x) as f64, (a.y - b.y) as f64);
    x * x + y * y
}

/// `d` lies strictly within the circle through `a b c`, which runs clockwise on screen.
pub(crate) fn in_circle(a: Site, b: Site, c: Site, d: Site) -> bool {
    /// Relative error of the sums below, generously: differences are exact, and every term is rounded five times.
    const ERROR: f64 = 16.0 * f64::EPSILON;
    let from = |p: Site| ((p.x - d.x) as f64, (p.y - d.y) as f64);
    let (a1, b1, c1) = (from(a), from(b), from(c));
    let lift = |p: (f64, f64)| p.0 * p.0 + p.1 * p.1;
    let term = |l: (f64, f64), p: (f64, f64), q: (f64, f64)| {
        let (s, t) = (p.0 * q.1, p.1 * q.0);
        (lift(l) * (s - t), lift(l) * (s.abs() + t.abs()))
    };
    let (u, v, w) = (term(a1, b1, c1), term(b1, c1, a1), term(c1, a1, b1));
    let sum = u.0 + v.0 + w.0;
    if sum.abs() > (u.1 + v.1 + w.1) * ERROR {
        return sum > 0.0;
    }
    let from = |p: Site| (i128::from(p.x - d.x), i128::from(p.y - d.y));
    let (a2, b2, c2) = (from(a), from(b), from(c));
    let term =
        |l: (i128, i128), p: (i128, i128), q: (i128, i128)| (l.0 * l.0 + l.1 * l.1) * (p.0 * q.1 - p.1 * q.0);
    term(a2, b2, c2) + term(b2, c2, a2) + term(c2, a2, b2) > 0
}
