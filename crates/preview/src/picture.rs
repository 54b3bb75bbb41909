//! Pictures as files.

use raster::Rgba;

use crate::Error;

/// Animated PNG bytes, 8-bit RGBA, repeated for ever; programs without animation show the first frame.
///
/// # Errors
/// [`Error::Encode`] for no frames, frames of different sizes or without pixels.
pub fn encode_apng(frames: &[Rgba], frames_per_second: u16) -> Result<Vec<u8>, Error> {
    let (width, height) = frames.first().map_or((0, 0), |f| (f.width(), f.height()));
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    encoder.set_filter(png::Filter::Adaptive);
    encoder.set_animated(frames.len() as u32, 0)?;
    encoder.set_frame_delay(1, frames_per_second.max(1))?;
    let mut writer = encoder.write_header()?;
    for frame in frames {
        writer.write_image_data(frame.pixels())?;
    }
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_animation_holds_its_frames_and_wrong_ones_are_refused() {
        let frame = |shade: u8| Rgba::from_pixels(4, 2, vec![shade; 32]).unwrap();
        let bytes = encode_apng(&[frame(10), frame(20), frame(30)], 15).unwrap();
        let info = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
        assert_eq!(info.info().animation_control().map(|a| a.num_frames), Some(3));
        assert!(encode_apng(&[], 15).is_err());
        assert!(encode_apng(&[frame(1), Rgba::new(9, 9)], 15).is_err());
    }
}
