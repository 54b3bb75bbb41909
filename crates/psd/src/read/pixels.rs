//! Channels to images: strips of rows, unpacked, narrowed to 8 bits and interleaved while they are in the cache.

use raster::{Alpha, Rgba};
use rayon::prelude::*;

use super::color::Converter;
use crate::ChannelFault;
use crate::codec::plane::{Format, Plane};

/// Stored bytes of one channel in a strip, about.
const STRIP_BYTES: usize = 32 << 10;

/// A fault and the id of the channel it lies in.
pub(crate) type Fault = (i16, ChannelFault);

/// The channels of one image, all of one format.
pub(crate) struct Planes<'a> {
    pub(crate) format: Format,
    /// One for each colour of the mode, in order; a missing one reads as 0.
    pub(crate) inks: Vec<Option<Plane<'a>>>,
    /// `None`: opaque.
    pub(crate) alpha: Option<Plane<'a>>,
}

/// Buffers of one channel, kept between strips.
#[derive(Default)]
struct Scratch {
    stored: Vec<u8>,
    narrow: Vec<u8>,
}

/// The image of all channels.
pub(crate) fn image(planes: &Planes, converter: &Converter) -> Result<Rgba, Fault> {
    let Format { width, height, .. } = planes.format;
    let mut out = vec![0; width * height * 4];
    let rows = strip_rows(&planes.format);
    let strips: Vec<Result<(), Fault>> = out
        .par_chunks_mut((rows * width * 4).max(1))
        .enumerate()
        .map_init(Vec::new, |scratch, (i, strip)| fill_strip(planes, converter, i * rows, strip, scratch))
        .collect();
    strips.into_iter().collect::<Result<(), Fault>>()?;
    Ok(Rgba::from_pixels(width as u32, height as u32, out).unwrap_or_default())
}

/// A single channel, as a mask is.
pub(crate) fn mask(plane: &Plane, format: Format) -> Result<Alpha, ChannelFault> {
    let mut out = Vec::with_capacity(format.width * format.height);
    let mut scratch = Scratch::default();
    let rows = strip_rows(&format);
    for first in (0..format.height).step_by(rows) {
        let count = rows.min(format.height - first);
        out.extend_from_slice(scratch.eight_bit(plane, format, first, count)?);
    }
    Ok(Alpha::from_values(format.width as u32, format.height as u32, out).unwrap_or_default())
}

fn strip_rows(format: &Format) -> usize {
    (STRIP_BYTES / format.row_bytes().max(1)).max(1)
}

fn fill_strip(
    planes: &Planes,
    converter: &Converter,
    first: usize,
    strip: &mut [u8],
    scratch: &mut Vec<Scratch>,
) -> Result<(), Fault> {
    let format = planes.format;
    let count = strip.len() / (format.width * 4);
    let all = planes.inks.iter().chain([&planes.alpha]);
    scratch.resize_with(planes.inks.len() + 1, Scratch::default);
    let mut narrow: Vec<&[u8]> = Vec::with_capacity(scratch.len());
    for (i, (plane, scratch)) in all.zip(scratch.iter_mut()).enumerate() {
        let is_alpha = i == planes.inks.len();
        narrow.push(match plane {
            Some(plane) => {
                let id = if is_alpha { -1 } else { i as i16 };
                scratch.eight_bit(plane, format, first, count).map_err(|fault| (id, fault))?
            }
            None => {
                scratch.narrow.clear();
                scratch.narrow.resize(count * format.width, if is_alpha { 255 } else { 0 });
                &scratch.narrow
            }
        });
    }
    let (alpha, inks) = narrow.split_last().ok_or((-1, ChannelFault::Short))?;
    converter.fill(inks, alpha, strip);
    Ok(())
}

impl Scratch {
    /// `count` rows from `first` in one byte a pixel.
    fn eight_bit<'s>(
        &'s mut self,
        plane: &'s Plane,
        format: Format,
        first: usize,
        count: usize,
    ) -> Result<&'s [u8], ChannelFault> {
        let Self { stored, narrow } = self;
        let stored = plane.rows(first, count, stored)?;
        narrow.clear();
        match format.depth {
            8 => return Ok(stored),
            16 => narrow.extend(stored.as_chunks().0.iter().map(|word| from_16(u16::from_be_bytes(*word)))),
            32 => narrow.extend(stored.as_chunks().0.iter().map(|word| from_32(f32::from_be_bytes(*word)))),
            1 => {
                for row in stored.chunks_exact(format.row_bytes()) {
                    let bits = (0..format.width).map(|x| row[x / 8] >> (7 - x % 8) & 1);
                    narrow.extend(bits.map(|black| if black == 1 { 0 } else { 255 }));
                }
            }
            other => return Err(ChannelFault::Depth(other)),
        }
        Ok(narrow)
    }
}

/// `x * 255 / 65535`, rounded.
fn from_16(sample: u16) -> u8 {
    ((u32::from(sample) + 128) / 257) as u8
}

/// `x * 256`, cut off to 0..=255; not a number gives 0.
fn from_32(sample: f32) -> u8 {
    (sample * 256.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_samples_are_narrowed() {
        for (sample, want) in [(0, 0), (128, 0), (129, 1), (257, 1), (32767, 127), (32768, 128), (65535, 255)]
        {
            assert_eq!(from_16(sample), want, "{sample}");
        }
        for sample in 0..=65535u16 {
            let want = (f64::from(sample) * 255.0 / 65535.0).round() as u8;
            assert_eq!(from_16(sample), want);
        }
        for (sample, want) in
            [(-1.0, 0), (0.0, 0), (0.5, 128), (0.999, 255), (1.0, 255), (7.0, 255), (f32::NAN, 0)]
        {
            assert_eq!(from_32(sample), want, "{sample}");
        }
    }
}
