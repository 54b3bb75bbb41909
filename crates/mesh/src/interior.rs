//! Vertices inside an outline.

use geom::{Point, Rect};

use crate::outline::sides;

/// sqrt(3) / 2: row distance of the triangular lattice of unit spacing.
const ROW: f64 = 0.866_025_403_784_438_6;

/// Points of a triangular lattice inside the loops and at least `clear` away from them; linear in area / spacing² and
/// length of the loops. `loops` are closed lines, inside by the even-odd rule.
pub(crate) fn lattice(loops: &[Vec<Point>], spacing: f64, clear: f64) -> Vec<Point> {
    let Some(bounds) = Rect::bounding(loops.iter().flatten().copied()) else { return Vec::new() };
    let step = spacing * ROW;
    let rows = (bounds.height() / step) as usize;
    let first = bounds.top + (bounds.height() - rows as f64 * step) / 2.0;
    let crossings = crossings(loops, first, step, rows + 1);
    let near = Near::new(loops, bounds, clear);
    let mut points = Vec::new();
    for (row, mut xs) in crossings.into_iter().enumerate() {
        xs.sort_by(f64::total_cmp);
        let y = first + row as f64 * step;
        let shift = if row % 2 == 0 { 0.25 } else { 0.75 };
        for span in xs.chunks_exact(2) {
            let from = ((span[0] - bounds.left) / spacing - shift).ceil();
            let mut x = bounds.left + (from + shift) * spacing;
            while x < span[1] {
                let p = Point::new(x, y);
                if !near.any(p) {
                    points.push(p);
                }
                x += spacing;
            }
        }
    }
    points
}

/// x of every crossing of the loops with the rows `first + k * step`, unsorted.
fn crossings(loops: &[Vec<Point>], first: f64, step: f64, rows: usize) -> Vec<Vec<f64>> {
    let mut crossings = vec![Vec::new(); rows];
    for (a, b) in loops.iter().flat_map(|l| sides(l)) {
        let (top, bottom) = if a.y < b.y { (a, b) } else { (b, a) };
        // Half open, so that a shared point counts once.
        let from = ((top.y - first) / step).ceil().max(0.0) as usize;
        for (row, xs) in crossings.iter_mut().enumerate().skip(from) {
            let y = first + row as f64 * step;
            if y >= bottom.y {
                break;
            }
            if y >= top.y {
                xs.push(top.x + (bottom.x - top.x) * ((y - top.y) / (bottom.y - top.y)));
            }
        }
    }
    crossings
}

/// Samples of the loops in buckets.
struct Near {
    origin: Point,
    cell: f64,
    columns: usize,
    rows: usize,
    starts: Vec<u32>,
    samples: Vec<Point>,
    clear: f64,
}

impl Near {
    fn new(loops: &[Vec<Point>], bounds: Rect, clear: f64) -> Self {
        let cell = clear;
        let columns = (bounds.width() / cell) as usize + 1;
        let rows = (bounds.height() / cell) as usize + 1;
        let origin = Point::new(bounds.left, bounds.top);
        let mut near = Self { origin, cell, columns, rows, starts: Vec::new(), samples: Vec::new(), clear };
        let mut samples: Vec<(u32, Point)> = Vec::new();
        for (a, b) in loops.iter().flat_map(|l| sides(l)) {
            let parts = (a.distance(b) / (clear / 2.0)).ceil().max(1.0) as usize;
            let along = (0..parts).map(|k| a.lerp(b, k as f64 / parts as f64));
            samples.extend(along.map(|p| (near.bucket(p), p)));
        }
        samples.sort_by_key(|s| s.0);
        let mut next = 0;
        for bucket in 0..=(columns * rows) as u32 {
            while next < samples.len() && samples[next].0 < bucket {
                next += 1;
            }
            near.starts.push(next as u32);
        }
        near.samples = samples.into_iter().map(|s| s.1).collect();
        near
    }

    fn bucket(&self, p: Point) -> u32 {
        let (c, r) = self.place(p);
        (r * self.columns + c) as u32
    }

    fn place(&self, p: Point) -> (usize, usize) {
        let c = ((p.x - self.origin.x) / self.cell).max(0.0) as usize;
        let r = ((p.y - self.origin.y) / self.cell).max(0.0) as usize;
        (c.min(self.columns - 1), r.min(self.rows - 1))
    }

    /// A sample lies within the clear distance.
    fn any(&self, p: Point) -> bool {
        let (c, r) = self.place(p);
        let columns = c.saturating_sub(1)..(c + 2).min(self.columns);
        (r.saturating_sub(1)..(r + 2).min(self.rows)).any(|r| {
            let from = self.starts[r * self.columns + columns.start] as usize;
            let to = self.starts[r * self.columns + columns.end] as usize;
            self.samples[from..to].iter().any(|&s| s.distance(p) < self.clear)
        })
    }
}
