//! Exact area coverage of polygons.

use geom::{IntRect, Point};

/// Coverage 0..=1 of the pixels of `rect`, row by row.
#[derive(Clone, Debug)]
pub(crate) struct Mask {
    pub(crate) rect: IntRect,
    pub(crate) cover: Vec<f32>,
}

impl Mask {
    /// Coverage of one outline in pixels, cut to `bounds`; winding does not matter.
    pub(crate) fn of_outline(outline: &[Point], bounds: IntRect) -> Self {
        Self::of_pieces(std::slice::from_ref(&outline.to_vec()), bounds)
    }
    /// Coverage of several outlines of the same winding, cut to `bounds`: their union, up to seams of overlaps.
    pub(crate) fn of_pieces(pieces: &[Vec<Point>], bounds: IntRect) -> Self {
        let Some(rect) = pixel_box(pieces.iter().flatten(), bounds) else {
            return Self { rect: IntRect::default(), cover: Vec::new() };
        };
        let mut area = Accumulator::new(rect);
        for piece in pieces {
            for (i, &p) in piece.iter().enumerate() {
                area.edge(p, piece[(i + 1) % piece.len()]);
            }
        }
        Self { rect, cover: area.finish() }
    }
    /// `n` values of a row from `x`, all of which must lie inside `rect`.
    pub(crate) fn row(&self, y: i32, x: i32, n: usize) -> &[f32] {
        let start = (y - self.rect.top) as usize * self.rect.width() as usize + (x - self.rect.left) as usize;
        &self.cover[start..start + n]
    }
    /// Three box blurs of the given radius in pixels, within `bounds`: close to a Gaussian of `sigma = radius`.
    pub(crate) fn blurred(self, radius: f64, bounds: IntRect) -> Self {
        let r = radius.round() as i32;
        if r < 1 || self.cover.is_empty() {
            return self;
        }
        let m = self.rect;
        let grown = IntRect::new(m.left - 3 * r, m.top - 3 * r, m.right + 3 * r, m.bottom + 3 * r);
        let (w, h) = (grown.width() as usize, grown.height() as usize);
        let mut cover = vec![0.0; w * h];
        for (y, row) in self.cover.chunks_exact(m.width() as usize).enumerate() {
            let start = (y + 3 * r as usize) * w + 3 * r as usize;
            cover[start..start + row.len()].copy_from_slice(row);
        }
        let mut line = vec![0.0; w.max(h)];
        for _ in 0..3 {
            for y in 0..h {
                line[..w].copy_from_slice(&cover[y * w..(y + 1) * w]);
                box_blur(&line[..w], r as usize, |x, v| cover[y * w + x] = v);
            }
        }
        let turned = transposed(&cover, w, h);
        cover = turned;
        for _ in 0..3 {
            for x in 0..w {
                line[..h].copy_from_slice(&cover[x * h..(x + 1) * h]);
                box_blur(&line[..h], r as usize, |y, v| cover[x * h + y] = v);
            }
        }
        let whole = Self { rect: grown, cover: transposed(&cover, h, w) };
        whole.cut(bounds)
    }
    /// Only the part inside `bounds`.
    fn cut(self, bounds: IntRect) -> Self {
        let Some(rect) = self.rect.intersection(&bounds) else {
            return Self { rect: IntRect::default(), cover: Vec::new() };
        };
        if rect == self.rect {
            return self;
        }
        let (w, n) = (self.rect.width() as usize, rect.width() as usize);
        let mut cover = Vec::with_capacity(n * rect.height() as usize);
        for y in rect.top..rect.bottom {
            let start = (y - self.rect.top) as usize * w + (rect.left - self.rect.left) as usize;
            cover.extend_from_slice(&self.cover[start..start + n]);
        }
        Self { rect, cover }
    }
}

/// Whole pixels around the points, cut to `bounds`.
fn pixel_box<'a>(points: impl Iterator<Item = &'a Point>, bounds: IntRect) -> Option<IntRect> {
    let r = geom::Rect::bounding(points.copied().filter(|p| p.is_finite()))?;
    let side = |v: f64| v.clamp(-1e6, 1e6) as i32;
    IntRect::new(side(r.left.floor()), side(r.top.floor()), side(r.right.ceil()), side(r.bottom.ceil()))
        .intersection(&bounds)
}

fn transposed(values: &[f32], w: usize, h: usize) -> Vec<f32> {
    let mut out = vec![0.0; w * h];
    for y in 0..h {
        for x in 0..w {
            out[x * h + y] = values[y * w + x];
        }
    }
    out
}

fn box_blur(line: &[f32], r: usize, mut put: impl FnMut(usize, f32)) {
    let (n, weight) = (line.len(), 1.0 / (2 * r + 1) as f32);
    let mut sum: f32 = line[..(r + 1).min(n)].iter().sum();
    for i in 0..n {
        put(i, (sum * weight).clamp(0.0, 1.0));
        if i + r + 1 < n {
            sum += line[i + r + 1];
        }
        if i >= r {
            sum -= line[i - r];
        }
    }
}

/// Signed area deltas per pixel; their running sum along a row is the winding-weighted coverage.
struct Accumulator {
    rect: IntRect,
    stride: usize,
    deltas: Vec<f32>,
}

impl Accumulator {
    fn new(rect: IntRect) -> Self {
        let stride = rect.width() as usize + 2;
        Self { rect, stride, deltas: vec![0.0; stride * rect.height() as usize] }
    }
    /// Adds one edge, points in canvas pixels.
    fn edge(&mut self, a: Point, b: Point) {
        if a.y == b.y || !a.is_finite() || !b.is_finite() {
            return;
        }
        let (sign, top, low) = if a.y < b.y { (1.0, a, b) } else { (-1.0, b, a) };
        let (y0, h) = (f64::from(self.rect.top), f64::from(self.rect.height()));
        let slope = (low.x - top.x) / (low.y - top.y);
        let (start, end) = ((top.y - y0).max(0.0), (low.y - y0).min(h));
        let mut y = start;
        while y < end {
            let row = y as usize;
            let next = (row as f64 + 1.0).min(end);
            let at = |v: f64| top.x + (v + y0 - top.y) * slope - f64::from(self.rect.left);
            self.row(row, at(y), at(next), sign * (next - y));
            y = next;
        }
    }
    /// Spreads the height `dy` of an edge that runs from `xa` to `xb` within one row.
    fn row(&mut self, row: usize, xa: f64, xb: f64, dy: f64) {
        let w = self.stride as f64 - 2.0;
        let (lo, hi) = if xa < xb { (xa, xb) } else { (xb, xa) };
        let (lo, hi) = (lo.clamp(0.0, w), hi.clamp(0.0, w));
        let line = &mut self.deltas[row * self.stride..(row + 1) * self.stride];
        let (first, last) = (lo as usize, hi as usize);
        if first == last {
            let mid = (lo + hi) * 0.5 - first as f64;
            line[first] += (dy * (1.0 - mid)) as f32;
            line[first + 1] += (dy * mid) as f32;
            return;
        }
        let per = dy / (hi - lo);
        let mut before = 0.0;
        for (k, cell) in line.iter_mut().enumerate().take(last + 2).skip(first) {
            // Area to the right of the edge within all cells up to and including k.
            let edge = (k as f64 + 1.0).min(hi).max(lo);
            let from = (k as f64).max(lo);
            let covered = if k as f64 >= hi {
                dy
            } else {
                let width = edge - from;
                let mean = k as f64 + 1.0 - (from + edge) * 0.5;
                per * (width * mean) + per * (from - lo)
            };
            *cell += (covered - before) as f32;
            before = covered;
        }
    }
    fn finish(self) -> Vec<f32> {
        let w = self.rect.width() as usize;
        let mut out = Vec::with_capacity(w * self.rect.height() as usize);
        for line in self.deltas.chunks_exact(self.stride) {
            let mut sum = 0.0f32;
            out.extend(line[..w].iter().map(|d| {
                sum += d;
                let v = sum.abs();
                if v < 1e-4 { 0.0 } else { v.min(1.0) }
            }));
        }
        out
    }
}
