//! One channel, opened but not yet unpacked.

use std::sync::Arc;

use super::zip::Inflater;
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

/// A channel that is opened and not yet unpacked. Opening one costs little and allocates no samples.
pub(crate) struct Plane<'a> {
    format: Format,
    store: Store<'a>,
}

enum Store<'a> {
    /// All rows as they are.
    Borrowed(&'a [u8]),
    /// PackBits rows; row `y` is `data[starts[y]..starts[y + 1]]`.
    Packed { data: &'a [u8], starts: Vec<usize> },
    /// A ZIP stream of all rows.
    Zipped { data: &'a [u8], predicted: bool },
    /// Rows as they are, from a byte on: one of several channels that came in one stream.
    Shared(Arc<Vec<u8>>, usize),
}

/// Takes a plane's rows in order, and where they can be had in any order, from any row on.
pub(crate) struct Rows<'p> {
    plane: &'p Plane<'p>,
    next: usize,
    inflater: Option<Inflater<'p>>,
    buffer: Vec<u8>,
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
            Compression::Zip => Store::zipped(data, size, false)?,
            Compression::ZipPrediction if format.depth == 1 => return Err(ChannelFault::Depth(1)),
            Compression::ZipPrediction => Store::zipped(data, size, true)?,
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

    /// Many channels on top of each other in one ZIP stream, inflated at once.
    pub(crate) fn open_stacked(
        data: &'a [u8],
        compression: Compression,
        format: Format,
        channels: usize,
    ) -> Result<Vec<Self>, ChannelFault> {
        let all = Format { height: format.height * channels, ..format };
        let whole = Self::open(data, compression, all, false)?;
        let mut samples = Vec::new();
        whole.rows().take_into(all.height, &mut samples)?;
        let (samples, size) = (Arc::new(samples), format.row_bytes() * format.height);
        let part = |i: usize| Self { format, store: Store::Shared(Arc::clone(&samples), i * size) };
        Ok((0..channels).map(part).collect())
    }

    /// Whether rows can be had only from the first to the last.
    pub(crate) fn is_in_order(&self) -> bool {
        matches!(self.store, Store::Zipped { .. })
    }

    /// The rows, from the first on.
    pub(crate) fn rows(&self) -> Rows<'_> {
        let inflater = match &self.store {
            Store::Zipped { data, .. } => Some(Inflater::new(data)),
            _ => None,
        };
        Rows { plane: self, next: 0, inflater, buffer: Vec::new() }
    }
}

impl Rows<'_> {
    /// Goes to a row. Means nothing for a plane that is [in order](Plane::is_in_order).
    pub(crate) fn seek(&mut self, row: usize) {
        self.next = row;
    }

    /// The stored bytes of the next `count` rows. With the last ones it is known that the stream holds no more.
    pub(crate) fn take(&mut self, count: usize) -> Result<&[u8], ChannelFault> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let row_bytes = self.plane.format.row_bytes();
        let (first, size) = (self.next * row_bytes, count * row_bytes);
        match &self.plane.store {
            Store::Borrowed(rows) => {
                self.next += count;
                return rows.get(first..first + size).ok_or(ChannelFault::Short);
            }
            Store::Shared(rows, begin) => {
                self.next += count;
                return rows.get(begin + first..begin + first + size).ok_or(ChannelFault::Short);
            }
            Store::Packed { .. } | Store::Zipped { .. } => self.take_into(count, &mut buffer)?,
        }
        self.buffer = buffer;
        Ok(&self.buffer[..size])
    }

    /// As [`take`](Self::take), into the front of `buffer`.
    fn take_into(&mut self, count: usize, buffer: &mut Vec<u8>) -> Result<(), ChannelFault> {
        let Format { height, width, depth } = self.plane.format;
        let row_bytes = self.plane.format.row_bytes();
        match &self.plane.store {
            Store::Borrowed(_) | Store::Shared(..) => {}
            Store::Packed { data, starts } => {
                buffer.resize(count * row_bytes + packbits::BLOCK, 0);
                for (i, bounds) in starts[self.next..=self.next + count].windows(2).enumerate() {
                    let target = &mut buffer[i * row_bytes..];
                    packbits::unpack_row(&data[bounds[0]..bounds[1]], target, row_bytes)?;
                }
            }
            Store::Zipped { predicted, .. } => {
                buffer.resize(count * row_bytes, 0);
                self.inflater.as_mut().ok_or(ChannelFault::Short)?.fill(buffer)?;
                if *predicted {
                    predict::undo(buffer, width, depth);
                }
                if self.next + count == height {
                    self.inflater.take().map_or(Ok(()), Inflater::finish)?;
                }
            }
        }
        self.next += count;
        Ok(())
    }
}

impl<'a> Store<'a> {
    fn zipped(data: &'a [u8], size: usize, predicted: bool) -> Result<Self, ChannelFault> {
        zip::check(data, size)?;
        Ok(Self::Zipped { data, predicted })
    }

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
