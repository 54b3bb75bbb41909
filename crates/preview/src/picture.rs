//! Pictures as files.

use raster::Rgba;

use crate::Error;

/// PNG bytes, 8-bit RGBA; one image always gives the same bytes.
///
/// # Errors
/// [`Error::Encode`] for an image without pixels.
pub fn encode_png(image: &Rgba) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
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
