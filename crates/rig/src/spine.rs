//! The line along the middle of a slender shape, and bending along it.
//!
//! Distances run inside the shape, so a curled tail has a curled line. Bending turns every slice of the shape about
//! the line, whose length stays: the root does not move, widths do not change.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use geom::{Point, maths};
use raster::Rgba;

/// Alpha from which a pixel belongs to the shape.
const OPAQUE: u8 = 64;
/// Cells along the longer side of a shape.
const CELLS: i32 = 144;
/// Slices of the shape whose middles make the line.
const SLICES: usize = 14;
/// Straight pieces of the finished line.
const PIECES: usize = 48;

/// A shape on a coarse grid.
#[derive(Clone, Debug)]
pub struct Shape {
    origin: (i32, i32),
    step: i32,
    columns: usize,
    rows: usize,
    /// Opaque pixels per cell.
    counts: Vec<u32>,
}

impl Shape {
    /// The union of pictures that lie at `(left, top)` on the canvas.
    pub fn of(pictures: &[((i32, i32), &Rgba)]) -> Option<Self> {
        let end = |at: i32, size: u32| at.saturating_add_unsigned(size);
        let left = pictures.iter().map(|p| p.0.0).min()?;
        let top = pictures.iter().map(|p| p.0.1).min()?;
        let right = pictures.iter().map(|p| end(p.0.0, p.1.width())).max()?;
        let bottom = pictures.iter().map(|p| end(p.0.1, p.1.height())).max()?;
        let (width, height) = (i64::from(right) - i64::from(left), i64::from(bottom) - i64::from(top));
        let longest = i32::try_from(width.max(height)).ok()?;
        let step = (longest / CELLS + i32::from(longest % CELLS != 0)).max(1);
        let cells = |side: i64| usize::try_from(side / i64::from(step) + 1).unwrap_or(1);
        let (columns, rows) = (cells(width), cells(height));
        let mut shape = Self { origin: (left, top), step, columns, rows, counts: vec![0; columns * rows] };
        for (corner, picture) in pictures {
            shape.add(*corner, picture);
        }
        Some(shape)
    }

    fn add(&mut self, (left, top): (i32, i32), picture: &Rgba) {
        let (dx, dy) = ((left - self.origin.0) as usize, (top - self.origin.1) as usize);
        let step = self.step as usize;
        for y in 0..picture.height() {
            let row = (dy + y as usize) / step * self.columns;
            for (x, pixel) in picture.row(y).chunks_exact(4).enumerate() {
                if pixel[3] >= OPAQUE {
                    self.counts[row + (dx + x) / step] += 1;
                }
            }
        }
    }

    fn middle(&self, cell: usize) -> Point {
        let at = |origin: i32, n: usize| f64::from(origin) + (n as f64 + 0.5) * f64::from(self.step);
        Point::new(at(self.origin.0, cell % self.columns), at(self.origin.1, cell / self.columns))
    }

    /// Distances inside the shape from the seeds, in fifths of a cell; `None` where no way leads.
    fn distances(&self, seeds: &[usize]) -> Vec<Option<u32>> {
        let mut best: Vec<Option<u32>> = vec![None; self.counts.len()];
        let mut queue = BinaryHeap::new();
        for &seed in seeds {
            best[seed] = Some(0);
            queue.push(Reverse((0u32, seed)));
        }
        while let Some(Reverse((far, cell))) = queue.pop() {
            if best[cell] != Some(far) {
                continue;
            }
            for (next, cost) in self.around(cell) {
                let through = far + cost;
                if self.counts[next] > 0 && best[next].is_none_or(|known| through < known) {
                    best[next] = Some(through);
                    queue.push(Reverse((through, next)));
                }
            }
        }
        best
    }

    fn around(&self, cell: usize) -> impl Iterator<Item = (usize, u32)> {
        let (x, y) = ((cell % self.columns) as i64, (cell / self.columns) as i64);
        let (columns, rows) = (self.columns as i64, self.rows as i64);
        let steps = (-1i64..=1).flat_map(|dy| (-1i64..=1).map(move |dx| (dx, dy)));
        steps.filter(|&step| step != (0, 0)).filter_map(move |(dx, dy)| {
            let (nx, ny) = (x + dx, y + dy);
            let inside = nx >= 0 && ny >= 0 && nx < columns && ny < rows;
            inside.then(|| ((ny * columns + nx) as usize, if dx == 0 || dy == 0 { 5 } else { 7 }))
        })
    }

    /// The connected piece with the most pixels: its cells.
    fn largest(&self) -> Vec<usize> {
        let mut seen = vec![false; self.counts.len()];
        let (mut best, mut most) = (Vec::new(), 0u64);
        for start in 0..self.counts.len() {
            if seen[start] || self.counts[start] == 0 {
                continue;
            }
            seen[start] = true;
            let (mut piece, mut next, mut pixels) = (vec![start], 0, 0u64);
            while next < piece.len() {
                let cell = piece[next];
                next += 1;
                pixels += u64::from(self.counts[cell]);
                for (other, _) in self.around(cell) {
                    if !seen[other] && self.counts[other] > 0 {
                        seen[other] = true;
                        piece.push(other);
                    }
                }
            }
            if pixels > most {
                (best, most) = (piece, pixels);
            }
        }
        best
    }
}

/// The middle line of a shape, from the root to the tip, in working space.
#[derive(Clone, Debug)]
pub struct Spine {
    /// `PIECES + 1` points at equal distances.
    points: Vec<Point>,
    /// Length in pixels.
    pub length: f64,
    /// Mean width in pixels.
    pub width: f64,
}

impl Spine {
    /// The line of a shape whose root is the end nearer to `attach` (working space); `working` maps from the canvas.
    pub fn of(shape: &Shape, attach: Point, working: impl Fn(Point) -> Point) -> Option<Self> {
        let piece = shape.largest();
        let middle = |cell: usize| working(shape.middle(cell));
        let near = |a: &usize, b: &usize| {
            let far = |cell: usize| middle(cell).distance(attach);
            far(*a).total_cmp(&far(*b)).then(a.cmp(b))
        };
        let start = piece.iter().copied().min_by(near)?;
        let farthest = |from: &[usize]| {
            let distances = shape.distances(from);
            piece.iter().filter_map(|&c| distances[c].map(|d| (d, Reverse(c)))).max()
        };
        let tip = farthest(&[start])?.1.0;
        let (way, root) = farthest(&[tip]).map(|(d, c)| (d, c.0))?;
        let (root, tip) = if near(&root, &tip).is_le() { (root, tip) } else { (tip, root) };
        let pixels: f64 = piece.iter().map(|&c| f64::from(shape.counts[c])).sum();
        let length = f64::from(way) / 5.0 * f64::from(shape.step);
        let width = pixels / length.max(1.0);
        // The whole end is the root, not the corner of it that lies farthest from the tip.
        let from_root = shape.distances(&[root]);
        let reach = (0.9 * width / f64::from(shape.step) * 5.0).min(0.25 * f64::from(way));
        let seeds: Vec<usize> =
            piece.iter().copied().filter(|&c| from_root[c].is_some_and(|d| f64::from(d) <= reach)).collect();
        let distances = shape.distances(&seeds);
        let end = distances[tip].filter(|&d| d > 0)?;
        let middles = slices(shape, &piece, &distances, end, &middle);
        Self::along(&smoothed(middles), width)
    }

    /// A straight line.
    pub(crate) fn straight(root: Point, tip: Point, width: f64) -> Option<Self> {
        Self::along(&[root, tip], width)
    }

    /// Points at equal distances on a line.
    fn along(line: &[Point], width: f64) -> Option<Self> {
        let (points, length) = evenly(line, PIECES)?;
        (length > 2.0).then_some(Self { points, length, width })
    }

    /// Points at equal distances, root first.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    pub(crate) fn root(&self) -> Point {
        self.points[0]
    }

    pub(crate) fn tip(&self) -> Point {
        self.points[PIECES]
    }

    /// Direction at the root, length 1.
    pub(crate) fn direction(&self) -> Point {
        let d = self.points[PIECES / 6] - self.points[0];
        d * (1.0 / d.length().max(1e-9))
    }

    /// Where a point lies along the line, 0 at the root and 1 at the tip: a mean that changes smoothly from place to
    /// place, also inside of a bow.
    pub(crate) fn place(&self, p: Point) -> f64 {
        let soft = (0.2 * self.width).max(0.5 * self.length / PIECES as f64).max(1e-3);
        let (mut sum, mut total) = (0.0, 0.0);
        for (i, c) in self.points.iter().enumerate() {
            let d = *c - p;
            let squared = d.dot(d) / (soft * soft) + 1.0;
            let weight = 1.0 / (squared * squared * squared);
            sum += weight * i as f64;
            total += weight;
        }
        sum / total / PIECES as f64
    }

    /// Where a point goes when the line turns by `angle` (radians, of the place along it).
    pub(crate) fn bend(&self, p: Point, angle: impl Fn(f64) -> f64) -> Point {
        let at = self.place(p) * PIECES as f64;
        let (whole, part) = ((at.floor() as usize).min(PIECES - 1), at - at.floor().min((PIECES - 1) as f64));
        let mut moved = self.points[0];
        let turned = |i: usize, share: f64| {
            let middle = (i as f64 + 0.5 * share) / PIECES as f64;
            ((self.points[i + 1] - self.points[i]) * share).rotated(Point::default(), angle(middle))
        };
        for i in 0..whole {
            moved = moved + turned(i, 1.0);
        }
        moved = moved + turned(whole, part);
        let center = self.points[whole].lerp(self.points[whole + 1], part);
        moved + (p - center).rotated(Point::default(), angle(at / PIECES as f64))
    }
}

/// Mean positions of slices at equal distances from the root; the first is the middle of the root.
fn slices(
    shape: &Shape,
    piece: &[usize],
    distances: &[Option<u32>],
    end: u32,
    middle: &dyn Fn(usize) -> Point,
) -> Vec<Point> {
    let mut sums = vec![(Point::default(), 0.0); SLICES + 1];
    for &cell in piece {
        let Some(far) = distances[cell] else { continue };
        let slice = if far == 0 { 0 } else { 1 + (far - 1) as usize * SLICES / end as usize };
        let weight = f64::from(shape.counts[cell]);
        let sum = &mut sums[slice.min(SLICES)];
        *sum = (sum.0 + middle(cell) * weight, sum.1 + weight);
    }
    sums.into_iter().filter(|s| s.1 > 0.0).map(|(sum, weight)| sum * (1.0 / weight)).collect()
}

/// `pieces + 1` points at equal distances on a line through points, and its length; `None` for fewer than two points and
/// for lengths that are not finite.
pub fn evenly(line: &[Point], pieces: usize) -> Option<(Vec<Point>, f64)> {
    let mut at = vec![0.0];
    for pair in line.windows(2) {
        at.push(at[at.len() - 1] + pair[0].distance(pair[1]));
    }
    let length = at[at.len() - 1];
    if line.len() < 2 || !length.is_finite() {
        return None;
    }
    let mut points = Vec::with_capacity(pieces + 1);
    let mut k = 0;
    for i in 0..=pieces {
        let s = length * i as f64 / pieces as f64;
        while k + 2 < at.len() && at[k + 1] < s {
            k += 1;
        }
        let t = ((s - at[k]) / (at[k + 1] - at[k]).max(1e-9)).clamp(0.0, 1.0);
        points.push(line[k].lerp(line[k + 1], t));
    }
    Some((points, length))
}

fn smoothed(mut line: Vec<Point>) -> Vec<Point> {
    for _ in 0..2 {
        let old = line.clone();
        for i in 1..old.len().saturating_sub(1) {
            line[i] = old[i - 1] * 0.25 + old[i] * 0.5 + old[i + 1] * 0.25;
        }
    }
    line
}

/// How far a slice turns, as a share of the tip's angle: the root end is stiff.
pub(crate) fn whole(place: f64) -> f64 {
    let t = place.clamp(0.0, 1.0);
    t * t.sqrt()
}

/// The same for the second stage, which moves the lower half alone.
pub(crate) fn lower(place: f64) -> f64 {
    maths::smoothstep((place - 0.4) / 0.6)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quarter of a ring: from (100, 20) down around to (20, 100).
    fn ring() -> Rgba {
        let mut image = Rgba::new(120, 120);
        for y in 0..120 {
            for x in 0..120 {
                let r = Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5).distance(Point::new(20.0, 20.0));
                if (72.0..88.0).contains(&r) && x >= 20 && y >= 20 {
                    image.set(i64::from(x), i64::from(y), [0, 0, 0, 255]);
                }
            }
        }
        image
    }

    #[test]
    fn a_bow_has_a_bowed_line() {
        let image = ring();
        let shape = Shape::of(&[((0, 0), &image)]).expect("shape");
        let spine = Spine::of(&shape, Point::new(100.0, 0.0), |p| p).expect("spine");
        assert!(spine.root().distance(Point::new(100.0, 24.0)) < 8.0, "{:?}", spine.root());
        let arc = 80.0 * std::f64::consts::FRAC_PI_2;
        assert!((spine.length / arc - 1.0).abs() < 0.12, "{} {arc}", spine.length);
        assert!((spine.width - 16.0).abs() < 3.0, "{}", spine.width);
        for p in &spine.points {
            assert!((p.distance(Point::new(20.0, 20.0)) - 80.0).abs() < 5.0, "{p:?}");
        }
    }

    #[test]
    fn bending_keeps_the_root_and_widths() {
        let spine = Spine::straight(Point::new(50.0, 0.0), Point::new(50.0, 100.0), 10.0).expect("straight");
        for a in [-0.5, 0.3] {
            let bent = |x: f64, y: f64| spine.bend(Point::new(x, y), |s| a * whole(s));
            assert!(bent(50.0, 0.0).distance(Point::new(50.0, 0.0)) < 0.2);
            for y in [20.0, 50.0, 90.0] {
                let width = bent(45.0, y).distance(bent(55.0, y));
                assert!((width - 10.0).abs() < 1e-6, "{width} at {y}");
            }
            // Turning down-pointing lines by a positive angle leads to smaller x.
            assert!((bent(50.0, 100.0).x - 50.0) * a < 0.0);
        }
        let p = Point::new(47.0, 61.0);
        assert!(spine.bend(p, |_| 0.0).distance(p) < 1e-9);
    }
}
