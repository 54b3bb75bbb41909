//! Which cells are visible, one bit each, and morphology on them.

use raster::Alpha;

/// Rows of bits. Cell `(x, y)`, a square of `scale` pixels, is bit `x - origin` of row `y - origin`; everything outside
/// is clear.
#[derive(Clone)]
pub(crate) struct Bitmap {
    /// Bits across.
    pub(crate) width: usize,
    /// Rows.
    pub(crate) height: usize,
    /// Cell of the first bit of the first row, in both directions; 0 or negative.
    pub(crate) origin: isize,
    /// Pixels along the side of a cell.
    pub(crate) scale: usize,
    words: usize,
    bits: Vec<u64>,
}

impl Bitmap {
    /// The pixels with alpha > 0.
    pub(crate) fn from_alpha(alpha: &Alpha) -> Self {
        let mut map = Self::clear(alpha.width() as usize, alpha.height() as usize, 0, 1);
        for y in 0..map.height {
            let out = &mut map.bits[y * map.words..][..map.words];
            for (word, block) in out.iter_mut().zip(alpha.row(y as u32).chunks(64)) {
                *word = pack(block);
            }
        }
        map
    }

    /// The coarser map whose cell is set when any of its 2 x 2 cells is; the origin must be 0.
    pub(crate) fn halved(&self) -> Self {
        let mut map = Self::clear(self.width.div_ceil(2), self.height.div_ceil(2), 0, self.scale * 2);
        let empty = vec![0; self.words];
        for y in 0..map.height {
            let top = self.row(2 * y);
            let bottom = if 2 * y + 1 < self.height { self.row(2 * y + 1) } else { &empty };
            for i in 0..self.words {
                let half = pairs(top[i] | bottom[i]);
                if half != 0 {
                    map.bits[y * map.words + i / 2] |= half << (32 * (i % 2));
                }
            }
        }
        map
    }

    /// No cell is set.
    pub(crate) fn is_empty(&self) -> bool {
        self.bits.iter().all(|&w| w == 0)
    }

    /// Number of horizontal runs of set cells.
    pub(crate) fn run_count(&self) -> u64 {
        let starts = |row: &[u64]| {
            let mut before = 0;
            let count = |&w: &u64| {
                let first = w & !((w << 1) | before);
                before = w >> 63;
                u64::from(first.count_ones())
            };
            row.iter().map(count).sum::<u64>()
        };
        (0..self.height).map(|y| starts(self.row(y))).sum()
    }

    /// Words of row `y`; the bits beyond the width are clear.
    pub(crate) fn row(&self, y: usize) -> &[u64] {
        &self.bits[y * self.words..][..self.words]
    }

    /// The cells whose centre is within `radius` cells of a set one's, with a clear border of at least `border` cells
    /// around them.
    pub(crate) fn dilated(&self, radius: f64, border: usize) -> Self {
        let pad = radius as usize + border;
        let mut map =
            Self::clear(self.width + 2 * pad, self.height + 2 * pad, self.origin - pad as isize, self.scale);
        let reach = spans(radius);
        for y in 0..self.height {
            for (from, to) in runs(self.row(y), 0) {
                for (dy, &dx) in reach.iter().enumerate() {
                    let (from, to) = (from + pad - dx, to + pad + dx);
                    map.paint(y + pad + dy, from, to, true);
                    map.paint(y + pad - dy, from, to, true);
                }
            }
        }
        map
    }

    /// The cells farther than `radius` cells from every clear one. The clear border must be wider than the radius.
    pub(crate) fn eroded(&self, radius: f64) -> Self {
        let mut map = self.clone();
        let reach = spans(radius);
        for y in 0..self.height {
            for (from, to) in runs(self.row(y), u64::MAX) {
                let to = to.min(self.width);
                for (dy, &dx) in reach.iter().enumerate() {
                    let (from, to) = (from.saturating_sub(dx), (to + dx).min(self.width));
                    if y + dy < self.height {
                        map.paint(y + dy, from, to, false);
                    }
                    if y >= dy {
                        map.paint(y - dy, from, to, false);
                    }
                }
            }
        }
        map
    }

    fn clear(width: usize, height: usize, origin: isize, scale: usize) -> Self {
        // A word more than needed: the cell right of the last one can be read.
        let words = width / 64 + 1;
        Self { width, height, origin, scale, words, bits: vec![0; words * height] }
    }

    /// Sets or clears the bits `from..to` of a row.
    fn paint(&mut self, y: usize, from: usize, to: usize, set: bool) {
        if from >= to {
            return;
        }
        let row = &mut self.bits[y * self.words..][..self.words];
        let (first, last) = (from / 64, (to - 1) / 64);
        let head = u64::MAX << (from % 64);
        let tail = u64::MAX >> (63 - (to - 1) % 64);
        let mut apply = |word: usize, mask: u64| {
            if set { row[word] |= mask } else { row[word] &= !mask }
        };
        if first == last {
            apply(first, head & tail);
            return;
        }
        apply(first, head);
        apply(last, tail);
        row[first + 1..last].fill(if set { u64::MAX } else { 0 });
    }
}

/// Horizontal reach of a disc `dy` rows from its centre.
fn spans(radius: f64) -> Vec<usize> {
    (0..=radius as usize).map(|dy| (radius * radius - (dy * dy) as f64).sqrt() as usize).collect()
}

/// The runs `from..to` of set bits of `row ^ flip`, in order.
fn runs(row: &[u64], flip: u64) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let from = seek(row, at, flip)?;
        let to = seek(row, from, !flip).unwrap_or(row.len() * 64);
        at = to;
        Some((from, to))
    })
}

/// First bit from `at` on that is set in `row ^ flip`.
fn seek(row: &[u64], at: usize, flip: u64) -> Option<usize> {
    let mut word = at / 64;
    let mut bits = (row.get(word)? ^ flip) & (u64::MAX << (at % 64));
    while bits == 0 {
        word += 1;
        bits = row.get(word)? ^ flip;
    }
    Some(word * 64 + bits.trailing_zeros() as usize)
}

/// Bit `i` of word `w`: the four cells at bits `64 w + i` and the next one of both rows are not all alike.
pub(crate) fn mixed_words<'a>(top: &'a [u64], bottom: &'a [u64]) -> impl Iterator<Item = u64> + 'a {
    (0..top.len()).map(move |w| {
        let (t, b) = (top[w], bottom[w]);
        let next = |row: &[u64]| (row[w] >> 1) | row.get(w + 1).map_or(0, |n| n << 63);
        (t ^ b) | (t ^ next(top)) | (b ^ next(bottom))
    })
}

/// Bit `i` is set when byte `i` is not 0; at most 64 bytes.
fn pack(block: &[u8]) -> u64 {
    let mut word = 0;
    let (eights, rest) = block.as_chunks::<8>();
    for (i, bytes) in eights.iter().enumerate() {
        let v = u64::from_le_bytes(*bytes);
        // The high bit of every byte that is not 0, then gathered into one byte.
        let high = (((v & 0x7f7f_7f7f_7f7f_7f7f) + 0x7f7f_7f7f_7f7f_7f7f) | v) & 0x8080_8080_8080_8080;
        word |= ((high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i);
    }
    for (i, &byte) in rest.iter().enumerate() {
        word |= u64::from(byte != 0) << (eights.len() * 8 + i);
    }
    word
}

/// Bit `i` is set when bit `2 i` or `2 i + 1` is.
fn pairs(word: u64) -> u64 {
    let mut v = (word | (word >> 1)) & 0x5555_5555_5555_5555;
    v = (v | (v >> 1)) & 0x3333_3333_3333_3333;
    v = (v | (v >> 2)) & 0x0f0f_0f0f_0f0f_0f0f;
    v = (v | (v >> 4)) & 0x00ff_00ff_00ff_00ff;
    v = (v | (v >> 8)) & 0x0000_ffff_0000_ffff;
    (v | (v >> 16)) & 0x0000_0000_ffff_ffff
}
