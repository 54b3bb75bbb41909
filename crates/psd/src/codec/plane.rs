//! One channel, opened but not yet unpacked.

use super::{Compression, packbits, predict, zip};
use crate::ChannelFault;

/// Size and sample format of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// Pixels in a row.
    pub(crate) width: usize,
    /// Rows.
    pub(crate) height: usize,
    /// Bits per sample: 1, 8, 16 or 32.
    pub(crate) depth: u16,
}

impl Format {
    /// Bytes of one stored row.
    pub(crate) fn row_bytes(&self) -> usize {
        (self.width * usize::from(self.depth)).div_ceil(8)
    }
}

/// A channel whose rows can be taken in any order. Opening one costs little for raw and RLE data; ZIP streams are
/// inflated at once.
pub(crate) struct Plane<'a> {
    format: Format,
    store: Store<'a>,
}

enum Store<'a> {
    /// All rows as they are.
    Borrowed(&'a [u8]),
    /// All rows as they are, inflated.
    Owned(Vec<u8>),
    /// PackBits rows; row `y` is `data[starts[y]..starts[y + 1]]`.
    Packed { data: &'a [u8], starts: Vec<usize> },
}

impl<'a> Plane<'a> {
    /// Opens the bytes behind a channel's compression word.
    pub(crate) fn open(
        data: &'a [u8],
        compression: Compression,
        format: Format,
        psb: bool,
    ) -> Result<Self, ChannelFault> {
        let size = format.row_bytes().checked_mul(format.height).ok_or(ChannelFault::Short)?;
        let store = match compression {
            Compression::Raw => Store::Borrowed(data.get(..size).ok_or(ChannelFault::Short)?),
            Compression::Rle => {
                let count_bytes = if psb { 4 } else { 2 };
                let table = format.height.checked_mul(count_bytes).ok_or(ChannelFault::Short)?;
                let (table, data) = data.split_at_checked(table).ok_or(ChannelFault::Short)?;
                Store::packed(table, data, count_bytes, format.row_bytes())?
            }
            Compression::Zip => Store::Owned(zip::inflate(data, size)?),
            Compression::ZipPrediction => {
                if format.depth == 1 {
                    return Err(ChannelFault::Depth(1));
                }
                let mut samples = zip::inflate(data, size)?;
                predict::undo(&mut samples, format.width, format.depth);
                Store::Owned(samples)
            }
        };
        Ok(Self { format, store })
    }

    /// RLE rows whose counts lie elsewhere, as in the merged image; also gives what follows them in `data`.
    pub(crate) fn open_packed(
        counts: &'a [u8],
        data: &'a [u8],
        format: Format,
        psb: bool,
    ) -> Result<(Self, &'a [u8]), ChannelFault> {
        let store = Store::packed(counts, data, if psb { 4 } else { 2 }, format.row_bytes())?;
        let end = match &store {
            Store::Packed { starts, .. } => starts.last().copied().unwrap_or(0),
            _ => 0,
        };
        Ok((Self { format, store }, &data[end..]))
    }

    /// An inflated plane of many channels on top of each other, cut into them.
    pub(crate) fn split(self, format: Format, channels: usize) -> Result<Vec<Self>, ChannelFault> {
        let Store::Owned(rows) = self.store else { return Err(ChannelFault::Short) };
        let size = format.row_bytes() * format.height;
        let parts = rows.chunks_exact(size.max(1)).take(channels);
        Ok(parts.map(|part| Self { format, store: Store::Owned(part.to_vec()) }).collect())
    }

    /// The stored bytes of `count` rows from `first`, unpacked into `scratch` where they must be.
    pub(crate) fn rows<'s>(
        &'s self,
        first: usize,
        count: usize,
        scratch: &'s mut Vec<u8>,
    ) -> Result<&'s [u8], ChannelFault> {
        let row_bytes = self.format.row_bytes();
        let span = first * row_bytes..(first + count) * row_bytes;
        match &self.store {
            Store::Borrowed(rows) => rows.get(span).ok_or(ChannelFault::Short),
            Store::Owned(rows) => rows.get(span).ok_or(ChannelFault::Short),
            Store::Packed { data, starts } => {
                scratch.resize(count * row_bytes + packbits::BLOCK, 0);
                for (i, bounds) in starts[first..=first + count].windows(2).enumerate() {
                    let target = &mut scratch[i * row_bytes..];
                    packbits::unpack_row(&data[bounds[0]..bounds[1]], target, row_bytes)?;
                }
                Ok(&scratch[..count * row_bytes])
            }
        }
    }
}

impl<'a> Store<'a> {
    /// PackBits makes at most 64 bytes of one: rows that cannot be filled are refused before anything is allocated.
    fn packed(
        counts: &[u8],
        data: &'a [u8],
        count_bytes: usize,
        row_bytes: usize,
    ) -> Result<Self, ChannelFault> {
        let mut starts = Vec::with_capacity(counts.len() / count_bytes + 1);
        let mut at = 0usize;
        starts.push(at);
        for count in counts.chunks_exact(count_bytes) {
            let count = count.iter().fold(0usize, |sum, &byte| sum << 8 | usize::from(byte));
            if count < row_bytes / 64 {
                return Err(ChannelFault::Row);
            }
            at += count;
            if at > data.len() {
                return Err(ChannelFault::Short);
            }
            starts.push(at);
        }
        Ok(Self::Packed { data, starts })
    }
}
