//! The merged image behind the layers: read only when there are none.

use geom::IntRect;
use raster::Rgba;

use super::color::Converter;
use super::cursor::Cursor;
use super::header::Header;
use super::pixels::{self, Fault, Planes};
use super::resources::Resources;
use super::section::Section;
use super::tree::Notices;
use crate::codec::plane::{Format, Plane};
use crate::{Blend, ChannelFault, ColorMode, Compression, Error, Layer, LayerKind, Limits, Pixels};

/// The name errors give the merged image.
const NAME: &str = "merged image";

/// The merged image as the file's only layer.
pub(crate) fn background(
    mut file: Cursor,
    header: &Header,
    converter: &Converter,
    alpha: Option<usize>,
    limits: &Limits,
    notices: &mut Notices,
) -> Result<Layer, Error> {
    let pixels = u64::from(header.width) * u64::from(header.height);
    Limits::check(Limits::PIXELS, pixels.saturating_mul(4), limits.max_pixel_bytes)?;
    let compression = file.u16()?;
    if matches!(Compression::from_word(compression), Some(Compression::Zip | Compression::ZipPrediction)) {
        // These are inflated beside the image.
        let samples = pixels.saturating_mul(u64::from(header.channels) * u64::from(header.depth).div_ceil(8));
        let all = pixels.saturating_mul(4).saturating_add(samples);
        Limits::check(Limits::PIXELS, all, limits.max_pixel_bytes)?;
    }
    let fail = |(channel, fault): Fault| Error::Channel { layer: NAME.into(), channel, fault };
    let compression = Compression::from_word(compression)
        .ok_or_else(|| fail((0, ChannelFault::Compression(compression))))?;
    let planes = open(file.rest(), compression, header, alpha).map_err(fail)?;
    let mut image = pixels::image(&planes, converter).map_err(fail)?;
    if alpha.is_some() && header.mode != ColorMode::Indexed {
        take_off_white(&mut image);
    }
    notices.push("no-layers", Vec::new(), "the file has no layers: its merged image became one".into());
    Ok(Layer {
        id: None,
        name: "Background".into(),
        visible: true,
        opacity: 255,
        fill: 255,
        blend: Blend::Normal,
        clipping: false,
        mask: None,
        kind: LayerKind::Pixels(Pixels {
            rect: IntRect::new(0, 0, header.width as i32, header.height as i32),
            image,
        }),
    })
}

/// Whether the merged image, which nothing here needs when there are layers, begins as one should.
pub(crate) fn is_there(mut file: Cursor) -> bool {
    file.u16().is_ok_and(|word| Compression::from_word(word).is_some()) && file.left() > 0
}

/// Which channel of the merged image is its transparency. A saved selection is an extra channel too; the file tells
/// them apart by ids, and where it has none, a single extra channel of a file that never had layers counts.
pub(crate) fn alpha_channel(header: &Header, resources: &Resources, section: &Section) -> Option<usize> {
    let (channels, inks) = (usize::from(header.channels), header.mode.inks());
    let ids = &resources.alpha_ids;
    if channels <= inks {
        return None;
    }
    if let Some(at) = ids.iter().position(|&id| id == 0) {
        return (channels + at).checked_sub(ids.len()).filter(|&index| (inks..channels).contains(&index));
    }
    let counts = section.transparent || (!section.listed && ids.is_empty() && channels == inks + 1);
    counts.then_some(inks)
}

fn open<'a>(
    data: &'a [u8],
    compression: Compression,
    header: &Header,
    alpha: Option<usize>,
) -> Result<Planes<'a>, Fault> {
    let format = Format { width: header.width as usize, height: header.height as usize, depth: header.depth };
    let all = match compression {
        Compression::Raw => raw(data, format, header),
        Compression::Rle => packed(data, format, header),
        // Not written by Photoshop; all channels in one stream.
        Compression::Zip | Compression::ZipPrediction => zipped(data, compression, format, header),
    };
    let mut all = all.map_err(|fault| (0, fault))?.into_iter().map(Some).collect::<Vec<_>>();
    let alpha = alpha.and_then(|index| all.get_mut(index)?.take());
    let mut inks: Vec<_> = all.into_iter().take(header.mode.inks()).collect();
    inks.resize_with(header.mode.inks(), || None);
    Ok(Planes { format, inks, alpha })
}

fn raw<'a>(data: &'a [u8], format: Format, header: &Header) -> Result<Vec<Plane<'a>>, ChannelFault> {
    let size = format.row_bytes() * format.height;
    (0..usize::from(header.channels))
        .map(|i| {
            let plane = data.get(i * size..).ok_or(ChannelFault::Short)?;
            Plane::open(plane, Compression::Raw, format, header.psb)
        })
        .collect()
}

/// All counts, then all rows.
fn packed<'a>(data: &'a [u8], format: Format, header: &Header) -> Result<Vec<Plane<'a>>, ChannelFault> {
    let counts = format.height * if header.psb { 4 } else { 2 };
    let channels = usize::from(header.channels);
    let (counts_of_all, mut rows) = data.split_at_checked(counts * channels).ok_or(ChannelFault::Short)?;
    let mut planes = Vec::new();
    for counts in counts_of_all.chunks_exact(counts) {
        let (plane, rest) = Plane::open_packed(counts, rows, format, header.psb)?;
        planes.push(plane);
        rows = rest;
    }
    Ok(planes)
}

fn zipped<'a>(
    data: &'a [u8],
    compression: Compression,
    format: Format,
    header: &Header,
) -> Result<Vec<Plane<'a>>, ChannelFault> {
    let channels = usize::from(header.channels);
    Plane::open_stacked(data, compression, format, channels)
}

/// Photoshop stores the merged image painted over white; this takes the white off again.
fn take_off_white(image: &mut Rgba) {
    for pixel in image.pixels_mut().as_chunks_mut::<4>().0 {
        let alpha = i32::from(pixel[3]);
        if alpha == 0 || alpha == 255 {
            continue;
        }
        for value in &mut pixel[..3] {
            *value = ((i32::from(*value) + alpha - 255) * 255 / alpha).clamp(0, 255) as u8;
        }
    }
}
