//! Which cells hold a visible pixel, one bit each.

use raster::Alpha;

/// Rows of bits with a border: one empty column left and right, one empty row above and below, so that every
/// contour closes. Bit `x + 1` of row `y` is the cell `(x, y)`; a cell is `scale` x `scale` pixels.
pub(crate) struct Bitmap {
    /// Cells across, without the border.
    pub(crate) width: usize,
    /// Cells down, without the border.
    pub(crate) height: usize,
    /// Pixels along the side of a cell.
    pub(crate) scale: usize,
    words: usize,
    bits: Vec<u64>,
    blank: Vec<u64>,
}

impl Bitmap {
    /// The pixels with alpha > 0.
    pub(crate) fn from_alpha(alpha: &Alpha) -> Self {
        let (width, height) = (alpha.width() as usize, alpha.height() as usize);
        let mut map = Self::blank(width, height, 1);
        for y in 0..height {
            let row = alpha.row(y as u32);
            let out = &mut map.bits[y * map.words..][..map.words];
            for (i, block) in row.chunks(64).enumerate() {
                // Shifted by one for the border column.
                let word = pack(block);
                out[i] |= word << 1;
                out[i + 1] |= word >> 63;
            }
        }
        map
    }

    /// The coarser map whose cell is set when any of its 2 x 2 cells is.
    pub(crate) fn halved(&self) -> Self {
        let mut map = Self::blank(self.width.div_ceil(2), self.height.div_ceil(2), self.scale * 2);
        for y in 0..map.height {
            let (top, bottom) = (self.row(2 * y as isize), self.row(2 * y as isize + 1));
            let out = &mut map.bits[y * map.words..][..map.words];
            for (i, (a, b)) in top.iter().zip(bottom).enumerate() {
                // Bit x + 1 of the fine row goes to bit x / 2 + 1 of the coarse one.
                let mut any = a | b;
                while any != 0 {
                    let bit = i * 64 + any.trailing_zeros() as usize;
                    let coarse = (bit - 1) / 2 + 1;
                    out[coarse / 64] |= 1 << (coarse % 64);
                    // Both fine bits of the coarse cell are done.
                    any &= !(1 << (bit % 64));
                    if bit % 2 == 1 && bit % 64 != 63 {
                        any &= !(1 << (bit % 64 + 1));
                    }
                }
            }
        }
        map
    }

    /// No cell is set.
    pub(crate) fn is_empty(&self) -> bool {
        self.bits.iter().all(|&w| w == 0)
    }

    /// Words of row `y`; an empty row above and below.
    pub(crate) fn row(&self, y: isize) -> &[u64] {
        if y < 0 || y as usize >= self.height {
            return &self.blank;
        }
        &self.bits[y as usize * self.words..][..self.words]
    }

    /// Number of marching-squares cells the contour runs through.
    pub(crate) fn boundary_cells(&self) -> u64 {
        let rows = -1..self.height as isize;
        rows.map(|y| {
            mixed_words(self.row(y), self.row(y + 1)).map(|m| u64::from(m.count_ones())).sum::<u64>()
        })
        .sum()
    }

    fn blank(width: usize, height: usize, scale: usize) -> Self {
        let words = (width + 2).div_ceil(64) + 1;
        Self { width, height, scale, words, bits: vec![0; words * height], blank: vec![0; words] }
    }
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
        if v == 0 {
            continue;
        }
        // The high bit of every byte that is not 0, then gathered into one byte.
        let high = (((v & 0x7f7f_7f7f_7f7f_7f7f) + 0x7f7f_7f7f_7f7f_7f7f) | v) & 0x8080_8080_8080_8080;
        word |= ((high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i);
    }
    for (i, &byte) in rest.iter().enumerate() {
        word |= u64::from(byte != 0) << (eights.len() * 8 + i);
    }
    word
}
