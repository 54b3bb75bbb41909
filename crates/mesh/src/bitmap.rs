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

    /// Number of islands less number of holes, cells that touch at a corner being joined; the outermost cells must be
    /// clear.
    pub(crate) fn islands_less_holes(&self) -> i64 {
        let mut corners = 0;
        for y in 1..self.height {
            let (top, bottom) = (self.row(y - 1), self.row(y));
            corners += squares(top, bottom).filter(|s| s.mixed() != 0).map(|s| s.turns()).sum::<i64>();
        }
        // Four outward turns around every island.
        corners / 4
    }

    /// Words of row `y`; the bits beyond the width are clear.
    pub(crate) fn row(&self, y: usize) -> &[u64] {
        &self.bits[y * self.words..][..self.words]
    }

    /// The cells whose centre is within `radius` cells of a set one's, with a clear border of at least `border` cells
    /// around them.
    pub(crate) fn dilated(&self, radius: f64, border: usize) -> Self {
        // Whole words, so that rows need no shifting.
        let pad = (radius as usize + border).next_multiple_of(64);
        let mut map =
            Self::clear(self.width + 2 * pad, self.height + 2 * pad, self.origin - pad as isize, self.scale);
        let mut disc = Disc::new(radius, map.words);
        for y in 0..self.height {
            map.merge(y + pad, pad / 64, self.row(y), |out, w| out | w);
            self.edge(y, 0, &mut disc.row[pad / 64..]);
            disc.spread(|dy, first, spread| {
                map.merge(y + pad + dy, first, spread, |out, w| out | w);
                map.merge(y + pad - dy, first, spread, |out, w| out | w);
            });
        }
        map
    }

    /// The cells farther than `radius` cells from every clear one. The clear border must be wider than the radius.
    pub(crate) fn eroded(&self, radius: f64) -> Self {
        let mut map = self.clone();
        let mut disc = Disc::new(radius, map.words);
        for y in 0..self.height {
            self.edge(y, u64::MAX, &mut disc.row);
            disc.spread(|dy, first, spread| {
                if y + dy < self.height {
                    map.merge(y + dy, first, spread, |out, w| out & !w);
                }
                if y >= dy {
                    map.merge(y - dy, first, spread, |out, w| out & !w);
                }
            });
        }
        map
    }

    /// Writes which cells of row `y` of `self ^ flip` are beside one that is not: of all set cells, the nearest to any
    /// other cell is among these.
    fn edge(&self, y: usize, flip: u64, out: &mut [u64]) {
        let empty = vec![0; self.words];
        let row = self.row(y);
        let above = if y > 0 { self.row(y - 1) } else { &empty };
        let below = if y + 1 < self.height { self.row(y + 1) } else { &empty };
        let word = |[left, here, right]: [u64; 3], above: u64, below: u64| {
            let here = here ^ flip;
            let across = ((here << 1) | ((left ^ flip) >> 63)) & ((here >> 1) | ((right ^ flip) << 63));
            here & !(across & (above ^ flip) & (below ^ flip))
        };
        let last = self.words - 1;
        out[0] = word([0, row[0], row[1]], above[0], below[0]);
        out[last] = word([row[last - 1], row[last], 0], above[last], below[last]);
        let beside = above[1..last].iter().zip(&below[1..last]);
        for ((out, &three), (&above, &below)) in out[1..last].iter_mut().zip(row.array_windows()).zip(beside)
        {
            *out = word(three, above, below);
        }
    }

    fn clear(width: usize, height: usize, origin: isize, scale: usize) -> Self {
        // The last word stays clear: the cell right of any other word's can be read.
        let words = width / 64 + 2;
        Self { width, height, origin, scale, words, bits: vec![0; words * height] }
    }

    /// Combines row `y` from word `first` on with other words.
    fn merge(&mut self, y: usize, first: usize, other: &[u64], with: impl Fn(u64, u64) -> u64) {
        let row = &mut self.bits[y * self.words..][first..self.words];
        row.iter_mut().zip(other).for_each(|(out, &w)| *out = with(*out, w));
    }
}

/// Spreads a row over the rows around it in the shape of a disc.
struct Disc {
    /// Horizontal reach, by distance of the row from the centre; falling.
    reach: Vec<usize>,
    /// The row to be spread.
    row: Vec<u64>,
    /// A part of it spread so far, with a clear word before and after it, and room for the next step.
    part: Vec<u64>,
    next: Vec<u64>,
}

impl Disc {
    /// For rows of `words` words.
    fn new(radius: f64, words: usize) -> Self {
        let half = |dy: usize| (radius * radius - (dy * dy) as f64).sqrt() as usize;
        let reach = (0..=radius as usize).map(half).collect();
        Self { reach, row: vec![0; words], part: Vec::new(), next: Vec::new() }
    }

    /// Calls `take` with every distance from the centre row, a place in words and what is set there at that distance.
    fn spread(&mut self, mut take: impl FnMut(usize, usize, &[u64])) {
        let margin = self.reach[0].div_ceil(64);
        let count = self.row.len();
        let mut at = 0;
        while let Some(from) = (at..count).find(|&w| self.row[w] != 0) {
            // Up to a gap that the spread parts on both sides do not fill.
            let mut to = from + 1;
            while let Some(more) = (to..count.min(to + 2 * margin + 1)).find(|&w| self.row[w] != 0) {
                to = more + 1;
            }
            let (first, end) = (from.saturating_sub(margin), (to + margin).min(count));
            self.part.clear();
            self.part.push(0);
            self.part.extend_from_slice(&self.row[first..end]);
            self.part.push(0);
            self.spread_part(|dy, spread| take(dy, first, spread));
            at = to;
        }
    }

    fn spread_part(&mut self, mut take: impl FnMut(usize, &[u64])) {
        self.next.clear();
        self.next.resize(self.part.len(), 0);
        let mut grown = 0;
        for dy in (0..self.reach.len()).rev() {
            while grown < self.reach[dy] {
                self.grow_part();
                grown += 1;
            }
            take(dy, &self.part[1..self.part.len() - 1]);
        }
    }

    /// By one bit to both sides.
    fn grow_part(&mut self) {
        let out = &mut self.next[1..];
        for (out, &[left, w, right]) in out.iter_mut().zip(self.part.array_windows()) {
            *out = w | (w << 1) | (left >> 63) | (w >> 1) | (right << 63);
        }
        std::mem::swap(&mut self.part, &mut self.next);
    }
}

/// 64 squares of 2 x 2 cells, one a bit.
#[derive(Clone, Copy)]
pub(crate) struct Squares {
    a: u64,
    b: u64,
    c: u64,
    d: u64,
}

/// The squares with their upper cells in one row and their lower cells in the other: square `64 w + i` is bit `i` of
/// word `w`. The last word of both must be clear.
pub(crate) fn squares<'a>(top: &'a [u64], bottom: &'a [u64]) -> impl Iterator<Item = Squares> + 'a {
    top.array_windows().zip(bottom.array_windows()).map(|(&[a, right], &[d, below])| Squares {
        a,
        b: (a >> 1) | (right << 63),
        c: (d >> 1) | (below << 63),
        d,
    })
}

impl Squares {
    /// Those whose cells are not all alike.
    pub(crate) fn mixed(self) -> u64 {
        let Self { a, b, c, d } = self;
        (a ^ b) | (a ^ c) | (a ^ d)
    }

    /// The cells of square `i`, a bit each from the lowest: upper left, upper right, lower right, lower left.
    pub(crate) fn corners(self, i: u32) -> usize {
        let bit = |word: u64, place: usize| (word >> i & 1) as usize * place;
        bit(self.a, 1) | bit(self.b, 2) | bit(self.c, 4) | bit(self.d, 8)
    }

    /// Outward turns of the line around the set cells less inward ones; where two cells touch at a corner it turns
    /// inwards twice.
    fn turns(self) -> i64 {
        let Self { a, b, c, d } = self;
        let odd = a ^ b ^ c ^ d;
        let two = (a & b) | (c & d) | ((a | b) & (c | d));
        let diagonal = !odd & (a ^ b) & (a ^ d);
        let count = |bits: u64| i64::from(bits.count_ones());
        count(odd & !two) - count(odd & two) - 2 * count(diagonal)
    }
}

/// Bit `i` is set when byte `i` is not 0; at most 64 bytes.
fn pack(block: &[u8]) -> u64 {
    let mut word = 0;
    let (eights, rest) = block.as_chunks::<8>();
    // Nearly all of a picture is either clear or opaque.
    let values = eights.iter().map(|b| u64::from_le_bytes(*b));
    let (any, all) = values.fold((0, u64::MAX), |(any, all), v| (any | v, all & v));
    if eights.len() == 8 && any == 0 {
        return 0;
    }
    if eights.len() == 8 && all == u64::MAX {
        return u64::MAX;
    }
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
