//! Deflate with a zlib header.

use flate2::{Compress, FlushCompress};
use zlib_rs::{Inflate, InflateFlush, Status};

use crate::ChannelFault;

/// A stream that holds exactly so many bytes, inflated piece by piece. One that holds more is an error and is not followed
/// further. A missing checksum at the end is tolerated, a wrong one is not.
pub(crate) struct Inflater<'a> {
    data: &'a [u8],
    // Not flate2: this inflates half as fast again, and which code inflates cannot change bytes.
    stream: Inflate,
}

/// Deflate makes at most 1032 bytes of one: refuses, before anything is allocated, what a stream cannot fill.
pub(crate) fn check(data: &[u8], expected: usize) -> Result<(), ChannelFault> {
    if expected / 1032 > data.len() { Err(ChannelFault::Short) } else { Ok(()) }
}

impl<'a> Inflater<'a> {
    /// At the beginning of a stream.
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self { data, stream: Inflate::new(true, 15) }
    }

    /// The next bytes.
    pub(crate) fn fill(&mut self, out: &mut [u8]) -> Result<(), ChannelFault> {
        if self.fill_some(out)? == out.len() { Ok(()) } else { Err(ChannelFault::Short) }
    }

    /// Insists that nothing is left.
    pub(crate) fn finish(mut self) -> Result<(), ChannelFault> {
        if self.fill_some(&mut [0])? == 0 { Ok(()) } else { Err(ChannelFault::Long) }
    }

    /// As many of the next bytes as there are.
    fn fill_some(&mut self, out: &mut [u8]) -> Result<usize, ChannelFault> {
        let begin = self.stream.total_out();
        while self.filled(begin) < out.len() {
            let (from, to) = (self.stream.total_in() as usize, self.filled(begin));
            let status = self.stream.decompress(&self.data[from..], &mut out[to..], InflateFlush::NoFlush);
            let moved = (self.stream.total_in() as usize, self.filled(begin)) != (from, to);
            match status {
                // One call takes at most 4 GiB.
                Ok(Status::Ok | Status::BufError) if moved => {}
                Ok(_) => break,
                Err(_) => return Err(ChannelFault::Zip),
            }
        }
        Ok(self.filled(begin))
    }

    fn filled(&self, begin: u64) -> usize {
        (self.stream.total_out() - begin) as usize
    }
}

/// Deflates everything.
pub(crate) fn deflate(data: &[u8]) -> Vec<u8> {
    let mut stream = Compress::new(flate2::Compression::new(6), true);
    // Stored blocks are the worst case: five bytes for each 16 KiB, and the frame.
    let mut out = Vec::with_capacity(data.len() + data.len() / 1024 + 64);
    loop {
        let done = stream.total_in() as usize;
        let status = stream.compress_vec(&data[done..], &mut out, FlushCompress::Finish);
        if matches!(status, Ok(flate2::Status::StreamEnd)) {
            return out;
        }
        out.reserve(1024);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(packed: &[u8], expected: usize, want: Result<(), ChannelFault>) {
        let inflate = || {
            super::check(packed, expected)?;
            let mut inflater = Inflater::new(packed);
            inflater.fill(&mut vec![0; expected])?;
            inflater.finish()
        };
        assert_eq!(inflate(), want);
    }

    #[test]
    fn only_the_expected_length_is_accepted() {
        let packed = deflate(&[7; 5000]);
        check(&packed, 5000, Ok(()));
        check(&packed, 4999, Err(ChannelFault::Long));
        check(&packed, 5001, Err(ChannelFault::Short));
        check(&packed[..packed.len() / 2], 5000, Err(ChannelFault::Short));
        check(&packed[..packed.len() - 4], 5000, Ok(()));
        check(&packed, usize::MAX / 2, Err(ChannelFault::Short));
        check(&[1, 2, 3, 4], 100, Err(ChannelFault::Zip));
        check(&deflate(&[]), 0, Ok(()));
        let mut wrong = packed.clone();
        wrong[packed.len() - 1] ^= 1;
        check(&wrong, 5000, Err(ChannelFault::Zip));
    }

    #[test]
    fn pieces_are_the_whole() {
        let whole: Vec<u8> = (0..90_000u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
        let packed = deflate(&whole);
        for piece in [1000, 4096, 89_999, 90_000] {
            let mut inflater = Inflater::new(&packed);
            let mut out = vec![0; whole.len()];
            out.chunks_mut(piece).for_each(|part| inflater.fill(part).unwrap());
            inflater.finish().unwrap();
            assert!(out == whole, "{piece}");
        }
    }
}
