//! Samples of one channel: widened, compressed.

use crate::Compression;
use crate::codec::{packbits, predict, zip};

/// How channels are written.
#[derive(Clone, Copy)]
pub(crate) struct Samples {
    pub(crate) depth: u16,
    pub(crate) compression: Compression,
    pub(crate) psb: bool,
    /// Colour channels: 1 or 3.
    pub(crate) inks: usize,
}

impl Samples {
    /// The stored form of 8-bit values: what reads back as them.
    pub(crate) fn plane<'v>(&self, values: impl Iterator<Item = &'v u8>) -> Vec<u8> {
        match self.depth {
            16 => values.flat_map(|&v| [v, v]).collect(),
            32 => values.flat_map(|&v| float(v).to_be_bytes()).collect(),
            _ => values.copied().collect(),
        }
    }

    /// A layer's channel: compression word, row counts, rows.
    pub(crate) fn channel(&self, plane: &[u8], width: usize) -> Vec<u8> {
        let mut out = self.compression.word().to_be_bytes().to_vec();
        let (counts, rows) = self.store(plane, width);
        out.extend(counts);
        out.extend(rows);
        out
    }

    /// Row counts (RLE only) and rows, compressed.
    pub(crate) fn store(&self, plane: &[u8], width: usize) -> (Vec<u8>, Vec<u8>) {
        match self.compression {
            Compression::Raw => (Vec::new(), plane.to_vec()),
            Compression::Rle => self.pack(plane, width * usize::from(self.depth) / 8),
            Compression::Zip => (Vec::new(), zip::deflate(plane)),
            Compression::ZipPrediction => {
                let mut differences = plane.to_vec();
                predict::apply(&mut differences, width, self.depth);
                (Vec::new(), zip::deflate(&differences))
            }
        }
    }

    fn pack(&self, plane: &[u8], row_bytes: usize) -> (Vec<u8>, Vec<u8>) {
        let (mut counts, mut rows) = (Vec::new(), Vec::new());
        for row in plane.chunks_exact(row_bytes.max(1)) {
            let before = rows.len();
            packbits::pack_row(row, &mut rows);
            let count = rows.len() - before;
            if self.psb {
                counts.extend((count as u32).to_be_bytes());
            } else {
                counts.extend((count as u16).to_be_bytes());
            }
        }
        (counts, rows)
    }
}

/// A float in the middle of the 1/256 that the reader gives this value; the ends exactly.
fn float(value: u8) -> f32 {
    match value {
        0 => 0.0,
        255 => 1.0,
        v => (f32::from(v) + 0.5) / 256.0,
    }
}
