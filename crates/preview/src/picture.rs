//! Pictures as files.

use raster::Rgba;
use rayon::prelude::{IntoParallelIterator, ParallelIterator};

use crate::Error;

/// First bytes of every PNG.
const SIGNATURE: [u8; 8] = [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a];
/// Bytes of a chunk around its data: length, name, sum.
const CHUNK_FRAME: usize = 12;

/// Animated PNG bytes, 8-bit RGBA, repeated for ever; programs without animation show the first frame. Frames after it
/// hold the rectangle that changed.
///
/// # Errors
/// [`Error::Encode`] for frames without pixels, [`Error::Frames`] for none or of different sizes.
pub fn encode_apng(frames: &[Rgba], frames_per_second: u16) -> Result<Vec<u8>, Error> {
    let Some(first) = frames.first() else { return Err(Error::Frames) };
    let (width, height) = (first.width(), first.height());
    if frames.iter().any(|f| (f.width(), f.height()) != (width, height)) {
        return Err(Error::Frames);
    }
    let encoded: Vec<Frame> =
        (0..frames.len()).into_par_iter().map(|i| Frame::new(frames, i)).collect::<Result<_, _>>()?;
    let mut file = SIGNATURE.to_vec();
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    // 8 bits, RGBA, the only compression and filter, not interlaced.
    header.extend([8, 6, 0, 0, 0]);
    chunk(&mut file, *b"IHDR", &header);
    chunk(&mut file, *b"acTL", &[(frames.len() as u32).to_be_bytes(), [0; 4]].concat());
    let mut number = 0u32;
    let mut next = || {
        number += 1;
        (number - 1).to_be_bytes()
    };
    for (i, frame) in encoded.iter().enumerate() {
        let mut control = next().to_vec();
        frame.rect.iter().for_each(|v| control.extend(v.to_be_bytes()));
        control.extend(1u16.to_be_bytes());
        control.extend(frames_per_second.max(1).to_be_bytes());
        // The frame stays, and replaces what is there.
        control.extend([0, 0]);
        chunk(&mut file, *b"fcTL", &control);
        match i {
            0 => chunk(&mut file, *b"IDAT", &frame.data),
            _ => chunk(&mut file, *b"fdAT", &[&next(), &frame.data[..]].concat()),
        }
    }
    chunk(&mut file, *b"IEND", &[]);
    Ok(file)
}

/// A compressed frame.
struct Frame {
    /// Width, height, left, top.
    rect: [u32; 4],
    data: Vec<u8>,
}

impl Frame {
    fn new(frames: &[Rgba], at: usize) -> Result<Self, Error> {
        let frame = &frames[at];
        let whole = [frame.width(), frame.height(), 0, 0];
        let rect = match at {
            0 => whole,
            _ => changed(&frames[at - 1], frame).unwrap_or([1, 1, 0, 0]),
        };
        let [width, height, left, top] = rect;
        let row = |y: u32| &frame.row(top + y)[left as usize * 4..][..width as usize * 4];
        let pixels: Vec<u8> = (0..height).flat_map(|y| row(y).iter().copied()).collect();
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width, height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        encoder.set_filter(png::Filter::Adaptive);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&pixels)?;
        writer.finish()?;
        Ok(Self { rect, data: image_data(&file) })
    }
}

/// Width, height, left and top of what differs between pictures of one size.
fn changed(before: &Rgba, after: &Rgba) -> Option<[u32; 4]> {
    let rows = |y: &u32| before.row(*y) != after.row(*y);
    let top = (0..after.height()).find(rows)?;
    let low = (0..after.height()).rev().find(rows)?;
    let mut columns = (after.width(), 0);
    for y in top..=low {
        let pairs = before.row(y).chunks_exact(4).zip(after.row(y).chunks_exact(4));
        let mut differing = (0u32..).zip(pairs).filter(|(_, (a, b))| a != b).map(|(x, _)| x);
        if let Some(first) = differing.next() {
            columns = (columns.0.min(first), columns.1.max(differing.last().unwrap_or(first)));
        }
    }
    Some([columns.1 + 1 - columns.0, low + 1 - top, columns.0, top])
}

/// The compressed pixels of a PNG that was just encoded.
fn image_data(file: &[u8]) -> Vec<u8> {
    let mut data = Vec::new();
    let mut rest = file.get(SIGNATURE.len()..).unwrap_or_default();
    while let Some((length, body)) = rest.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        if let (Some(b"IDAT"), Some(bytes)) = (body.get(..4), body.get(4..4 + length)) {
            data.extend_from_slice(bytes);
        }
        rest = rest.get(length + CHUNK_FRAME..).unwrap_or_default();
    }
    data
}

fn chunk(file: &mut Vec<u8>, name: [u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend(name);
    file.extend_from_slice(data);
    file.extend(crc32fast::hash(&file[start..]).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_animation_holds_its_frames_and_wrong_ones_are_refused() {
        let frame = |x: i64, y: i64| {
            let mut frame = Rgba::from_pixels(6, 5, vec![90; 120]).unwrap();
            frame.set(x, y, [1, 2, 3, 255]);
            frame
        };
        let mut wide = frame(1, 1);
        wide.set(5, 1, [7; 4]);
        wide.set(2, 2, [8; 4]);
        let frames = [frame(0, 0), frame(4, 3), frame(4, 3), frame(5, 1), wide, frame(3, 3)];
        let bytes = encode_apng(&frames, 15).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
        assert_eq!(reader.info().animation_control().map(|a| a.num_frames), Some(6));
        let mut shown = Rgba::new(6, 5);
        for expected in &frames {
            let mut pixels = vec![0; 6 * 5 * 4];
            let info = reader.next_frame(&mut pixels).unwrap();
            let control = *reader.info().frame_control().unwrap();
            assert_eq!((control.delay_num, control.delay_den), (1, 15));
            for (i, p) in pixels[..info.buffer_size()].chunks_exact(4).enumerate() {
                let i = i as u32;
                let (x, y) = (control.x_offset + i % info.width, control.y_offset + i / info.width);
                shown.set(i64::from(x), i64::from(y), [p[0], p[1], p[2], p[3]]);
            }
            assert_eq!(shown, *expected);
        }
        assert!(encode_apng(&[], 15).is_err());
        assert!(encode_apng(&[Rgba::new(0, 0)], 15).is_err());
        assert!(encode_apng(&[frame(1, 1), Rgba::new(9, 9)], 15).is_err());
    }
}
