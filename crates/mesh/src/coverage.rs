//! Does a mesh cover what is visible?

use geom::Point;
use raster::Alpha;

use crate::Mesh;

/// The first pixel (row by row) with alpha > 0 whose square, grown by `ring` pixels on every side, is not inside the
/// mesh outline; `None` when all are. Exact up to rounding; time grows with pixels and outline length.
pub fn uncovered(alpha: &Alpha, mesh: &Mesh, ring: f64) -> Option<(u32, u32)> {
    let sides = sides(mesh);
    let outside = centre_outside(alpha, &sides);
    let cut = sides.iter().filter_map(|&s| cut_by(alpha, s, ring)).min_by_key(|p| (p.1, p.0));
    [outside, cut].into_iter().flatten().min_by_key(|p| (p.1, p.0))
}

fn sides(mesh: &Mesh) -> Vec<(Point, Point)> {
    let at = |i: u32| mesh.vertices[i as usize];
    let closed =
        |l: &Vec<u32>| (0..l.len()).map(|k| (at(l[k]), at(l[(k + 1) % l.len()]))).collect::<Vec<_>>();
    mesh.outline.iter().flat_map(closed).collect()
}

/// The first visible pixel whose centre is outside (non-zero winding rule).
fn centre_outside(alpha: &Alpha, sides: &[(Point, Point)]) -> Option<(u32, u32)> {
    let height = alpha.height() as usize;
    let mut rows: Vec<Vec<(f64, i32)>> = vec![Vec::new(); height];
    for &(a, b) in sides {
        let (top, bottom, turn) = if a.y < b.y { (a, b, 1) } else { (b, a, -1) };
        let from = (top.y - 0.5).ceil().max(0.0) as usize;
        let to = ((bottom.y - 0.5).ceil().max(0.0) as usize).min(height);
        for (y, row) in rows.iter_mut().enumerate().take(to).skip(from) {
            let t = (y as f64 + 0.5 - top.y) / (bottom.y - top.y);
            row.push((top.x + (bottom.x - top.x) * t, turn));
        }
    }
    for (y, mut row) in rows.into_iter().enumerate() {
        row.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut next, mut winding) = (0, 0);
        for (x, &value) in alpha.row(y as u32).iter().enumerate() {
            while next < row.len() && row[next].0 <= x as f64 + 0.5 {
                winding += row[next].1;
                next += 1;
            }
            if value > 0 && winding == 0 {
                return Some((x as u32, y as u32));
            }
        }
    }
    None
}

/// The first visible pixel whose grown square the side runs through.
fn cut_by(alpha: &Alpha, (a, b): (Point, Point), ring: f64) -> Option<(u32, u32)> {
    let pad = ring + 1e-6;
    let from = (a.y.min(b.y) - pad - 1.0).floor() as i64;
    let to = (a.y.max(b.y) + pad).ceil() as i64;
    for y in from.max(0)..to.min(i64::from(alpha.height())) {
        // The part of the side within the grown row.
        let (low, high) = (y as f64 - ring, y as f64 + 1.0 + ring);
        let Some((x0, x1)) = clip(a, b, low, high) else { continue };
        let first = ((x0 - ring - 1.0).floor() as i64).max(0);
        let last = ((x1 + ring).ceil() as i64).min(i64::from(alpha.width()));
        for x in first..last {
            if alpha.get(x, y) == 0 {
                continue;
            }
            let (left, right) = (x as f64 - ring, x as f64 + 1.0 + ring);
            if x1 > left + 1e-9 && x0 < right - 1e-9 && crosses(a, b, left, right, low, high) {
                return Some((x as u32, y as u32));
            }
        }
    }
    None
}

/// Range of x of the part of the side between two heights.
fn clip(a: Point, b: Point, low: f64, high: f64) -> Option<(f64, f64)> {
    let (top, bottom) = if a.y < b.y { (a, b) } else { (b, a) };
    if bottom.y <= low || top.y >= high {
        return None;
    }
    if bottom.y - top.y < 1e-12 {
        return Some((a.x.min(b.x), a.x.max(b.x)));
    }
    let at = |y: f64| top.x + (bottom.x - top.x) * ((y - top.y) / (bottom.y - top.y)).clamp(0.0, 1.0);
    let (p, q) = (at(low), at(high));
    Some((p.min(q), p.max(q)))
}

/// The side meets the inside of the rectangle.
fn crosses(a: Point, b: Point, left: f64, right: f64, low: f64, high: f64) -> bool {
    let Some((x0, x1)) = clip(a, b, low + 1e-9, high - 1e-9) else { return false };
    x1 > left + 1e-9 && x0 < right - 1e-9
}
