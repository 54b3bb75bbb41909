//! Deflate with a zlib header.

use flate2::{Compress, FlushCompress};
use zlib_rs::{Inflate, InflateFlush, Status};

use crate::ChannelFault;

/// Inflates exactly `expected` bytes; a stream that holds more is an error and is not followed further.
/// A missing checksum at the end is tolerated, a wrong one is not.
pub(crate) fn inflate(data: &[u8], expected: usize) -> Result<Vec<u8>, ChannelFault> {
    // Deflate makes at most 1032 bytes of one: refuse before allocating what the stream cannot fill.
    if expected / 1032 > data.len() {
        return Err(ChannelFault::Short);
    }
    // One byte more, to see a stream that is too long.
    let mut out = vec![0; expected + 1];
    // Not flate2: this inflates half as fast again, and which code inflates cannot change bytes.
    let mut stream = Inflate::new(true, 15);
    loop {
        let (from, to) = (stream.total_in() as usize, stream.total_out() as usize);
        let status = stream.decompress(&data[from..], &mut out[to..], InflateFlush::NoFlush);
        let moved = (stream.total_in() as usize, stream.total_out() as usize) != (from, to);
        match status {
            Ok(Status::StreamEnd) => break,
            // One call takes at most 4 GiB.
            Ok(Status::Ok | Status::BufError) if moved => {}
            Ok(Status::Ok | Status::BufError) => break,
            Err(_) => return Err(ChannelFault::Zip),
        }
    }
    match stream.total_out() as usize {
        got if got == expected => {
            out.truncate(expected);
            Ok(out)
        }
        got if got < expected => Err(ChannelFault::Short),
        _ => Err(ChannelFault::Long),
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

    fn check(packed: &[u8], expected: usize, want: Result<usize, ChannelFault>) {
        assert_eq!(inflate(packed, expected).map(|out| out.len()), want);
    }

    #[test]
    fn only_the_expected_length_is_accepted() {
        let packed = deflate(&[7; 5000]);
        check(&packed, 5000, Ok(5000));
        check(&packed, 4999, Err(ChannelFault::Long));
        check(&packed, 5001, Err(ChannelFault::Short));
        check(&packed[..packed.len() / 2], 5000, Err(ChannelFault::Short));
        check(&packed[..packed.len() - 4], 5000, Ok(5000));
        check(&packed, usize::MAX / 2, Err(ChannelFault::Short));
        check(&[1, 2, 3, 4], 100, Err(ChannelFault::Zip));
        check(&deflate(&[]), 0, Ok(0));
    }
}
