//! Channels to images: strips of rows, unpacked, narrowed to 8 bits and interleaved while they are in the cache. Beside the
//! image itself only strips are in memory, however the channels are stored.

use raster::{Alpha, Rgba};
use rayon::prelude::*;

use super::color::Converter;
use crate::ChannelFault;
use crate::codec::plane::{Format, Plane, Rows};

/// Stored bytes of one channel in a strip, about.
const STRIP_BYTES: usize = 32 << 10;
/// The same where rows come from a stream: larger pieces of one are inflated faster.
const STREAM_STRIP_BYTES: usize = 256 << 10;
/// An image of at most so many bytes is made on one thread: waking others takes longer.
const SMALL: usize = 256 << 10;

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

/// One channel's rows, and room for them in one byte a pixel.
struct Reader<'p> {
    id: i16,
    /// `None`: every pixel has the value.
    rows: Option<Rows<'p>>,
    value: u8,
    narrow: Vec<u8>,
}

/// The image of all channels.
pub(crate) fn image(planes: &Planes, converter: &Converter) -> Result<Rgba, Fault> {
    let Format { width, height, .. } = planes.format;
    let mut out = vec![0; width * height * 4];
    let all = planes.inks.iter().chain([&planes.alpha]);
    let in_order = all.flatten().any(Plane::is_in_order);
    if in_order || out.len() <= SMALL {
        let mut readers = planes.readers();
        let rows = strip_rows(&planes.format, if in_order { STREAM_STRIP_BYTES } else { STRIP_BYTES });
        for strip in out.chunks_mut((rows * width * 4).max(1)) {
            fill_strip(&mut readers, planes.format, converter, strip)?;
        }
    } else {
        let rows = strip_rows(&planes.format, STRIP_BYTES);
        let strips: Vec<Result<(), Fault>> = out
            .par_chunks_mut((rows * width * 4).max(1))
            .enumerate()
            .map_init(
                || planes.readers(),
                |readers, (i, strip)| {
                    readers.iter_mut().filter_map(|r| r.rows.as_mut()).for_each(|r| r.seek(i * rows));
                    fill_strip(readers, planes.format, converter, strip)
                },
            )
            .collect();
        strips.into_iter().collect::<Result<(), Fault>>()?;
    }
    Ok(Rgba::from_pixels(width as u32, height as u32, out).unwrap_or_default())
}

/// A single channel, as a mask is.
pub(crate) fn mask(plane: &Plane, format: Format) -> Result<Alpha, ChannelFault> {
    let mut reader = Reader { id: 0, rows: Some(plane.rows()), value: 0, narrow: Vec::new() };
    let mut out = Vec::with_capacity(format.width * format.height);
    let rows = strip_rows(&format, STREAM_STRIP_BYTES);
    for first in (0..format.height).step_by(rows) {
        out.extend_from_slice(reader.eight_bit(format, rows.min(format.height - first))?);
    }
    Ok(Alpha::from_values(format.width as u32, format.height as u32, out).unwrap_or_default())
}

fn strip_rows(format: &Format, bytes: usize) -> usize {
    (bytes / format.row_bytes().max(1)).max(1)
}

impl Planes<'_> {
    /// One for each colour, and the alpha channel's last.
    fn readers(&self) -> Vec<Reader<'_>> {
        let inks = self.inks.iter().enumerate().map(|(i, plane)| (i as i16, plane, 0));
        let all = inks.chain([(-1, &self.alpha, 255)]);
        all.map(|(id, plane, value)| {
            let rows = plane.as_ref().map(Plane::rows);
            Reader { id, rows, value, narrow: Vec::new() }
        })
        .collect()
    }
}

fn fill_strip(
    readers: &mut [Reader],
    format: Format,
    converter: &Converter,
    strip: &mut [u8],
) -> Result<(), Fault> {
    let count = strip.len() / (format.width * 4);
    let mut narrow: Vec<&[u8]> = Vec::with_capacity(readers.len());
    for reader in readers {
        let id = reader.id;
        narrow.push(reader.eight_bit(format, count).map_err(|fault| (id, fault))?);
    }
    let (alpha, inks) = narrow.split_last().ok_or((-1, ChannelFault::Short))?;
    converter.fill(inks, alpha, strip);
    Ok(())
}

impl Reader<'_> {
    /// The next `count` rows in one byte a pixel.
    fn eight_bit(&mut self, format: Format, count: usize) -> Result<&[u8], ChannelFault> {
        let Self { rows, value, narrow, .. } = self;
        let Some(rows) = rows else {
            narrow.resize(count * format.width, *value);
            return Ok(narrow);
        };
        let stored = rows.take(count)?;
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
