//! What arms and legs share.

use geom::Point;

use crate::ink::curve::even;

/// Points of the character's left limb, reflected for the right one.
pub(crate) fn side_of(points: &[(f64, f64)], side: f64) -> Vec<(f64, f64)> {
    points.iter().map(|&(x, y)| (side * x, y)).collect()
}

/// The line at fraction `f` from one run to another.
pub(crate) fn core_line(a: &[Point], b: &[Point], f: f64) -> Vec<Point> {
    let (a, b) = (even(a, 60), even(b, 60));
    (0..=60).map(|i| a[i].lerp(b[i], f)).collect()
}
