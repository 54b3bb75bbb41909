//! Page files: PNG, encoder pinned.

use raster::Rgba;

/// A page file that cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The encoder refused the image.
    #[error("the page cannot be encoded: {0}")]
    Encode(#[from] png::EncodingError),
    /// The bytes are not a PNG that pages use.
    #[error("not a readable PNG: {0}")]
    Decode(#[from] png::DecodingError),
    /// The picture is larger than the limit.
    #[error("the picture is {0} x {1} pixels, more than 16384 on a side")]
    TooLarge(u32, u32),
}

/// PNG bytes, 8-bit RGBA: fast compression with the Up filter; one image always gives the same bytes.
pub fn encode_png(image: &Rgba) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::with_capacity(image.pixels().len() / 16 + 1024);
    let mut encoder = png::Encoder::new(&mut bytes, image.width(), image.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    encoder.set_filter(png::Filter::Up);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(image.pixels())?;
    writer.finish()?;
    Ok(bytes)
}

/// Reads a PNG of any colour type as 8-bit RGBA; sides up to 16384.
pub fn decode_png(bytes: &[u8]) -> Result<Rgba, Error> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
    let mut reader = decoder.read_info()?;
    let (width, height) = (reader.info().width, reader.info().height);
    if width > 16_384 || height > 16_384 {
        return Err(Error::TooLarge(width, height));
    }
    let mut pixels = vec![0; reader.output_buffer_size().unwrap_or(0)];
    let frame = reader.next_frame(&mut pixels)?;
    pixels.truncate(frame.buffer_size());
    let pixels = match frame.color_type {
        png::ColorType::Rgba => pixels,
        _ => pixels.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect(),
    };
    Rgba::from_pixels(width, height, pixels).ok_or(Error::TooLarge(width, height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_come_back_as_they_were() {
        let pixels: Vec<u8> = (0..32 * 16 * 4).map(|i| (i * 7 % 251) as u8).collect();
        let image = Rgba::from_pixels(32, 16, pixels).unwrap();
        let bytes = encode_png(&image).unwrap();
        assert_eq!(decode_png(&bytes).unwrap(), image);
        assert_eq!(encode_png(&image).unwrap(), bytes);
    }

    #[test]
    fn broken_files_are_errors() {
        let bytes = encode_png(&Rgba::new(8, 8)).unwrap();
        for cut in 0..bytes.len() - 12 {
            assert!(decode_png(&bytes[..cut]).is_err(), "cut at {cut}");
        }
    }
}
