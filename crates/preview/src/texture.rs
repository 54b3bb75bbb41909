//! Texture pages and how they are sampled.

use std::sync::OnceLock;

use raster::Rgba;
use rayon::prelude::{IndexedParallelIterator, ParallelIterator, ParallelSliceMut};

/// Fraction bits of texel positions.
pub(crate) const FRACTION: u32 = 24;
/// Rows of a smaller copy that one task makes.
const ROWS: usize = 64;

/// Which halved copies of a page are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filter {
    /// Two, each by its share: as the official renderer does.
    Blended,
    /// The nearest alone: for pictures of which several points make a pixel.
    Nearest,
}

/// A page with its halved copies, made when a picture first needs them.
#[derive(Debug)]
pub(crate) struct Page {
    image: Rgba,
    smaller: OnceLock<Vec<Rgba>>,
}

impl Page {
    pub(crate) fn new(image: Rgba) -> Self {
        Self { image, smaller: OnceLock::new() }
    }
    pub(crate) fn width(&self) -> u32 {
        self.image.width()
    }
    pub(crate) fn height(&self) -> u32 {
        self.image.height()
    }
    /// What to sample for a triangle that steps over some texels (their squared distance, the larger of a step right
    /// and a step down): a copy, and the next smaller one with its share, 0..1.
    pub(crate) fn levels(
        &self,
        squared_texels: f64,
        filter: Filter,
    ) -> (Level<'_>, Option<(Level<'_>, f32)>) {
        let level = match (filter, rough_log2(squared_texels.clamp(1.0, 1e18)) / 2.0) {
            (Filter::Blended, level) => level,
            (Filter::Nearest, level) => level.round(),
        };
        if level < 1.0 / 256.0 {
            return (self.level(&self.image), None);
        }
        let smaller = self.smaller.get_or_init(|| halvings(&self.image));
        let at = |k: usize| match k.min(smaller.len()) {
            0 => self.level(&self.image),
            k => self.level(&smaller[k - 1]),
        };
        let whole = level.floor();
        // Graphics drivers blend copies in 256 steps.
        let share = ((level - whole) * 256.0).floor() as f32 / 256.0;
        let near = whole as usize;
        (at(near), (share > 0.0 && near < smaller.len()).then(|| (at(near + 1), share)))
    }
    fn level<'a>(&self, copy: &'a Rgba) -> Level<'a> {
        let ratio = |a: u32, b: u32| f64::from(a) / f64::from(b.max(1));
        Level {
            texels: copy.pixels().as_chunks().0,
            width: copy.width() as usize,
            height: copy.height() as usize,
            scale: (ratio(copy.width(), self.width()), ratio(copy.height(), self.height())),
        }
    }
}

/// The logarithm of a number from 1 up: exact for powers of two, straight lines between them. Graphics drivers take
/// this one, and the share of the smaller copy then agrees with theirs.
fn rough_log2(value: f64) -> f64 {
    const FRACTION_BITS: u32 = f64::MANTISSA_DIGITS - 1;
    let bits = value.to_bits();
    let exponent = (bits >> FRACTION_BITS) as f64 - f64::from(f64::MAX_EXP - 1);
    let fraction = (bits & ((1 << FRACTION_BITS) - 1)) as f64 / (1u64 << FRACTION_BITS) as f64;
    exponent + fraction
}

/// Every copy of half the size down to one texel; channels are averaged on their own, as graphics drivers do.
fn halvings(image: &Rgba) -> Vec<Rgba> {
    let mut all: Vec<Rgba> = Vec::new();
    loop {
        let last = all.last().unwrap_or(image);
        let (w, h) = (last.width(), last.height());
        if w <= 1 && h <= 1 {
            return all;
        }
        let next = halved(last, (w / 2).max(1), (h / 2).max(1));
        all.push(next);
    }
}

fn halved(image: &Rgba, w: u32, h: u32) -> Rgba {
    let mut out = Rgba::new(w, h);
    let texels: &[[u8; 4]] = image.pixels().as_chunks().0;
    let (width, height) = (image.width() as usize, image.height() as usize);
    let stride = w as usize;
    out.pixels_mut().par_chunks_mut(stride * 4 * ROWS).enumerate().for_each(|(k, part)| {
        for (y, row) in part.as_chunks_mut::<4>().0.chunks_exact_mut(stride).enumerate() {
            let y = (k * ROWS + y) * 2;
            let line = |y: usize| &texels[y.min(height - 1) * width..][..width];
            halve_row(line(y), line(y + 1), row);
        }
    });
    out
}

fn halve_row(above: &[[u8; 4]], below: &[[u8; 4]], out: &mut [[u8; 4]]) {
    if let [a] = above {
        // One column: only rows are averaged.
        let b = below[0];
        out[0] = std::array::from_fn(|c| u16::midpoint(u16::from(a[c]), u16::from(b[c]) + 1) as u8);
        return;
    }
    let pairs = above.as_chunks::<2>().0.iter().zip(below.as_chunks::<2>().0);
    for (pixel, ([a, b], [c, d])) in out.iter_mut().zip(pairs) {
        *pixel = std::array::from_fn(|k| {
            ((u16::from(a[k]) + u16::from(b[k]) + u16::from(c[k]) + u16::from(d[k]) + 2) / 4) as u8
        });
    }
}

/// One size of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level<'a> {
    texels: &'a [[u8; 4]],
    width: usize,
    height: usize,
    /// Texels of this size per texel of the full page, along both axes.
    pub(crate) scale: (f64, f64),
}

/// A straight line over a level: texel positions less half a texel, fixed point with [`FRACTION`] bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) u: i64,
    pub(crate) v: i64,
    pub(crate) du: i64,
    pub(crate) dv: i64,
}

impl Level<'_> {
    /// Calls `put` with the straight colour (0..=1) at every place of a line, `out` places long.
    #[inline(always)]
    pub(crate) fn each<T>(&self, line: Line, out: &mut [T], mut put: impl FnMut(&mut T, [f32; 4])) {
        let Line { mut u, mut v, du, dv } = line;
        if self.holds(line, out.len()) {
            for place in out {
                let at = (v >> FRACTION) as usize * self.width + (u >> FRACTION) as usize;
                let (top, low) = (&self.texels[at..at + 2], &self.texels[at + self.width..][..2]);
                put(place, mixed(top[0], top[1], low[0], low[1], u, v));
                u += du;
                v += dv;
            }
        } else {
            // Beyond an edge the page begins again.
            let (w, h) = (self.width as i64, self.height as i64);
            for place in out {
                let (x, y) = (u >> FRACTION, v >> FRACTION);
                let column = [x, x + 1].map(|x| x.rem_euclid(w) as usize);
                let row = [y, y + 1].map(|y| y.rem_euclid(h) as usize * self.width);
                let [a, b] = column.map(|x| self.texels[row[0] + x]);
                let [c, d] = column.map(|x| self.texels[row[1] + x]);
                put(place, mixed(a, b, c, d, u, v));
                u += du;
                v += dv;
            }
        }
    }
    /// Whether no place of a line needs a texel beyond the edges.
    fn holds(&self, line: Line, places: usize) -> bool {
        let last = places.saturating_sub(1) as i64;
        let inside = |from: i64, step: i64, size: usize| {
            let limit = (size as i64 - 1) << FRACTION;
            let to = from + step * last;
            from >= 0 && to >= 0 && from < limit && to < limit
        };
        inside(line.u, line.du, self.width) && inside(line.v, line.dv, self.height)
    }
}

/// Bilinear in steps of 1/256.
#[inline(always)]
fn mixed(a: [u8; 4], b: [u8; 4], c: [u8; 4], d: [u8; 4], u: i64, v: i64) -> [f32; 4] {
    let part = |at: i64| ((at >> (FRACTION - 8)) & 255) as f32 * (1.0 / 256.0);
    let (fx, fy) = (part(u), part(v));
    let [a, b, c, d] = [a, b, c, d].map(|texel| texel.map(f32::from));
    let mut out = [0.0; 4];
    for k in 0..4 {
        let top = a[k] + (b[k] - a[k]) * fx;
        let low = c[k] + (d[k] - c[k]) * fx;
        out[k] = (top + (low - top) * fy) * (1.0 / 255.0);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_chosen_by_the_distance_of_texels() {
        let page = Page::new(Rgba::new(64, 64));
        let check = |squared: f64, scale: f64, share: Option<f32>| {
            let (near, far) = page.levels(squared, Filter::Blended);
            assert_eq!((near.scale.0, far.map(|(_, share)| share)), (scale, share), "{squared}");
            assert!(far.is_none_or(|(far, _)| far.scale.0 == scale / 2.0), "{squared}");
        };
        check(0.1, 1.0, None);
        check(1.0, 1.0, None);
        check(2.0, 1.0, Some(0.5));
        check(4.0, 0.5, None);
        // Half way between 4 and 8, the root of which is more than half of a level.
        check(6.0, 0.5, Some(0.25));
        check(f64::from(1 << 12), 1.0 / 64.0, None);
        check(1e30, 1.0 / 64.0, None);
        let nearest = |squared: f64| page.levels(squared, Filter::Nearest);
        assert!([1.9, 2.0].iter().all(|squared| nearest(*squared).1.is_none()));
        assert_eq!([1.9, 2.0].map(|squared| nearest(squared).0.scale.0), [1.0, 0.5]);
    }

    #[test]
    fn copies_average_and_odd_pages_lose_their_last_row() {
        let page =
            Page::new(Rgba::from_pixels(3, 1, vec![0, 10, 20, 30, 3, 20, 20, 31, 99, 99, 99, 99]).unwrap());
        let (near, _) = page.levels(4.0, Filter::Blended);
        assert_eq!(near.texels, [[2, 15, 20, 31]]);
        let tall = Page::new(Rgba::from_pixels(1, 2, vec![1, 2, 3, 4, 2, 2, 5, 7]).unwrap());
        assert_eq!(tall.levels(4.0, Filter::Nearest).0.texels, [[2, 2, 4, 6]]);
    }
}
