//! Fewer points on a closed line.

use geom::Point;

/// Longest run of input points one output side may replace: keeps the work linear.
const MAX_RUN: usize = 4096;

/// A closed line through some of the points of `line`, such that every run between two kept points lies within
/// `tolerance` of the side that replaces it. So no point of the plane farther than `tolerance` from the result changes
/// sides, whatever the shape; greedy longest sides, linear time. Gives at least three points when `line` has them.
pub(crate) fn simplify(line: &[Point], tolerance: f64) -> Vec<Point> {
    if line.len() <= 3 {
        return line.to_vec();
    }
    let start = leftmost(line);
    // From the leftmost point to itself.
    let ring: Vec<Point> = line[start..].iter().chain(&line[..=start]).copied().collect();
    let at = |k: usize| ring[k];
    let mut tolerance = tolerance;
    loop {
        let kept = kept(&at, line.len(), tolerance);
        if kept.len() >= 3 {
            return kept.into_iter().map(at).collect();
        }
        if tolerance < 1e-6 {
            return line.to_vec();
        }
        // A sliver within the tolerance of one chord: an area must remain.
        tolerance /= 2.0;
    }
}

/// Increasing indices of the points to keep, from 0.
fn kept(at: &impl Fn(usize) -> Point, count: usize, tolerance: f64) -> Vec<usize> {
    let mut kept = vec![0];
    let mut k = 0;
    loop {
        k = farthest(at, k, count, tolerance);
        if k >= count {
            break;
        }
        kept.push(k);
    }
    balance_last(at, &mut kept, count, tolerance);
    kept
}

/// Largest `j` in `from + 1..=end` whose side from `from` stays within tolerance of the points between.
fn farthest(at: &impl Fn(usize) -> Point, from: usize, end: usize, tolerance: f64) -> usize {
    let anchor = at(from);
    let mut best = from + 1;
    let mut wedge: Option<(Point, Point)> = None;
    let mut reach = 0.0_f64;
    for j in from + 1..=end.min(from + MAX_RUN) {
        let v = at(j) - anchor;
        let length = v.length();
        // The side must be the longest spoke so far: then every point between projects onto it.
        if length >= reach && length > 0.0 && wedge.is_none_or(|w| inside(w, v)) {
            best = j;
        }
        reach = reach.max(length);
        if length > tolerance {
            let Some(narrowed) = narrow(wedge, v, length, tolerance) else { break };
            wedge = Some(narrowed);
        }
    }
    best
}

/// The directions from the anchor that pass within `tolerance` of the tip of `v` and lie in the wedge.
fn narrow(wedge: Option<(Point, Point)>, v: Point, length: f64, tolerance: f64) -> Option<(Point, Point)> {
    let sin = tolerance / length;
    let cos = (1.0 - sin * sin).sqrt();
    let low = Point::new(v.x * cos + v.y * sin, v.y * cos - v.x * sin);
    let high = Point::new(v.x * cos - v.y * sin, v.y * cos + v.x * sin);
    let Some((a, b)) = wedge else { return Some((low, high)) };
    // Opposite directions must not pass for parallel ones.
    if a.dot(v) <= 0.0 && b.dot(v) <= 0.0 {
        return None;
    }
    let low = if a.cross(low) > 0.0 { low } else { a };
    let high = if b.cross(high) < 0.0 { high } else { b };
    (low.cross(high) >= 0.0 && low.dot(high) > 0.0).then_some((low, high))
}

fn inside((low, high): (Point, Point), v: Point) -> bool {
    low.cross(v) >= 0.0 && v.cross(high) >= 0.0 && (low + high).dot(v) > 0.0
}

/// The greedy walk leaves a short last side: shares the last two sides evenly when the tolerance allows.
fn balance_last(at: &impl Fn(usize) -> Point, kept: &mut [usize], end: usize, tolerance: f64) {
    let [.., before, last] = kept else { return };
    if at(*last).distance(at(end)) * 2.0 >= at(*before).distance(at(*last)) {
        return;
    }
    let middle = (*before + 1..*last)
        .map(|k| ((at(*before).distance(at(k)) - at(k).distance(at(end))).abs(), k))
        .min_by(|a, b| a.0.total_cmp(&b.0));
    let Some((_, middle)) = middle else { return };
    if close(at, *before, middle, tolerance) && close(at, middle, end, tolerance) {
        *last = middle;
    }
}

/// All points between `from` and `to` lie within tolerance of the side.
fn close(at: &impl Fn(usize) -> Point, from: usize, to: usize, tolerance: f64) -> bool {
    (from + 1..to).all(|k| distance_to_segment(at(k), at(from), at(to)) <= tolerance)
}

/// Distance of `p` from the segment `a b`.
pub(crate) fn distance_to_segment(p: Point, a: Point, b: Point) -> f64 {
    let d = b - a;
    let l2 = d.dot(d);
    let t = if l2 > 0.0 { ((p - a).dot(d) / l2).clamp(0.0, 1.0) } else { 0.0 };
    p.distance(a + d * t)
}

/// Index of the point with the smallest x, then y: always a corner.
fn leftmost(line: &[Point]) -> usize {
    let key = |i: &usize| (line[*i].x, line[*i].y);
    (0..line.len())
        .min_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal))
        .unwrap_or(0)
}
