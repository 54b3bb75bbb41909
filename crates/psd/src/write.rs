//! A document to PSD or PSB bytes.
//!
//! Everything of [`Document`] that the format can hold is written; reading it again gives an equal document (but for
//! notices). Files open in other programs: they carry a merged picture, painted with normal blending only.

mod channel;
mod picture;
mod record;
mod sink;

use rayon::prelude::*;

use crate::{ColorMode, Compression, Document, Error};
use channel::Samples;
use record::Record;
use sink::Sink;

/// How a document is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteOptions {
    /// Storage of the layers' channels. The merged picture is RLE, or raw when this is raw.
    pub compression: Compression,
    /// PSB instead of PSD: sides up to 300 000 pixels instead of 30 000.
    pub psb: bool,
    /// Bits per channel: 8, 16 or 32. The document's own depth is not looked at.
    pub depth: u16,
}

impl Default for WriteOptions {
    /// RLE, PSD, 8 bits.
    fn default() -> Self {
        Self { compression: Compression::Rle, psb: false, depth: 8 }
    }
}

/// The document as a file: RGB, or grey when its mode is [`ColorMode::Grayscale`] (the red channel is taken).
///
/// # Errors
/// [`Error::Unwritable`] names a layer with an image of another size than its rectangle, an effect whose settings
/// are unknown here, or a mode, depth or size the format or this writer does not have.
pub fn write(document: &Document, options: &WriteOptions) -> Result<Vec<u8>, Error> {
    check(document, options)?;
    let samples = Samples {
        depth: options.depth,
        compression: options.compression,
        psb: options.psb,
        inks: if document.mode == ColorMode::Grayscale { 1 } else { 3 },
    };
    let picture = picture::paint(document)?;
    let transparent = picture.pixels().iter().skip(3).step_by(4).any(|&alpha| alpha < 255);

    let mut sink = Sink::new(options.psb);
    header(&mut sink, document, &samples, transparent);
    sink.bytes(&0u32.to_be_bytes()); // no colour mode data
    resources(&mut sink);
    layers(&mut sink, document, &samples, transparent)?;
    merged(&mut sink, &picture, &samples, transparent);
    Ok(sink.into_bytes())
}

fn check(document: &Document, options: &WriteOptions) -> Result<(), Error> {
    let refuse = |reason| Err(Error::Unwritable { layer: String::new(), reason });
    if !matches!(document.mode, ColorMode::Rgb | ColorMode::Grayscale) {
        return refuse("only RGB and grayscale are written: set the document's mode to one of them");
    }
    if !matches!(options.depth, 8 | 16 | 32) {
        return refuse("only 8, 16 and 32 bits per channel are written");
    }
    let side = document.width.max(document.height);
    if document.width == 0 || document.height == 0 || side > 300_000 {
        return refuse("the canvas must be 1 to 300000 pixels wide and high");
    }
    if side > 30_000 && !options.psb {
        return refuse("a PSD ends at 30000 pixels: write a PSB");
    }
    Ok(())
}

fn header(sink: &mut Sink, document: &Document, samples: &Samples, transparent: bool) {
    sink.bytes(b"8BPS");
    sink.u16(if samples.psb { 2 } else { 1 });
    sink.bytes(&[0; 6]);
    sink.u16(samples.inks as u16 + u16::from(transparent));
    sink.u32(document.height);
    sink.u32(document.width);
    sink.u16(samples.depth);
    sink.u16(if samples.inks == 1 { 1 } else { 3 });
}

/// Resolution (72 dpi), and that the merged picture is real.
fn resources(sink: &mut Sink) {
    let mut body = Sink::new(false);
    body.bytes(b"8BIM");
    body.u16(1005);
    body.u16(0);
    body.u32(16);
    for _ in 0..2 {
        body.u32(72 << 16);
        body.u16(1);
        body.u16(1);
    }
    let mut version = Sink::new(false);
    version.u32(1);
    version.bytes(&[1]);
    for name in ["rigfarm", "rigfarm"] {
        version.unicode(name);
    }
    version.u32(1);
    body.bytes(b"8BIM");
    body.u16(1057);
    body.u16(0);
    body.u32(version.len() as u32);
    body.bytes(&version.into_bytes());
    body.pad(2);
    sink.u32(body.len() as u32);
    sink.bytes(&body.into_bytes());
}

/// The layer and mask section. At 16 and 32 bits the layers lie in a tagged block behind an empty list.
fn layers(sink: &mut Sink, document: &Document, samples: &Samples, transparent: bool) -> Result<(), Error> {
    let records = record::flatten(&document.layers)?;
    let info = layer_info(&records, samples, transparent)?;
    let mut section = Sink::new(samples.psb);
    let deep = match samples.depth {
        16 => Some(b"Lr16"),
        32 => Some(b"Lr32"),
        _ => None,
    };
    section.length(if deep.is_some() { 0 } else { info.len() as u64 });
    if deep.is_none() {
        section.bytes(&info);
    }
    global_mask(&mut section);
    if let Some(key) = deep.filter(|_| !info.is_empty()) {
        section.bytes(b"8BIM");
        section.bytes(key);
        section.length(info.len() as u64);
        section.bytes(&info);
    }
    sink.length(section.len() as u64);
    sink.bytes(&section.into_bytes());
    Ok(())
}

/// All records, then all channels, padded to four bytes; nothing without layers.
fn layer_info(records: &[Record], samples: &Samples, transparent: bool) -> Result<Vec<u8>, Error> {
    let Ok(count) = i16::try_from(records.len()) else {
        return Err(Error::Unwritable {
            layer: String::new(),
            reason: "a file holds at most 32767 layers, counting each folder twice",
        });
    };
    if count == 0 {
        return Ok(Vec::new());
    }
    let channels: Vec<Vec<(i16, Vec<u8>)>> =
        records.par_iter().map(|record| record.channels(samples)).collect();
    let mut info = Sink::new(samples.psb);
    // Negative: the merged picture's extra channel is its transparency.
    info.u16(if transparent { -count } else { count } as u16);
    for (record, channels) in records.iter().zip(&channels) {
        record.write(&mut info, channels);
    }
    for (_, data) in channels.iter().flatten() {
        info.bytes(data);
    }
    info.pad(4);
    Ok(info.into_bytes())
}

/// The global layer mask block: Photoshop's red overlay at half strength.
fn global_mask(sink: &mut Sink) {
    sink.u32(14);
    for word in [0, 0xffff, 0, 0, 0, 50] {
        sink.u16(word);
    }
    sink.bytes(&[128, 0]);
}

fn merged(sink: &mut Sink, picture: &raster::Rgba, samples: &Samples, transparent: bool) {
    let compression = match samples.compression {
        Compression::Raw => Compression::Raw,
        _ => Compression::Rle,
    };
    let samples = Samples { compression, ..*samples };
    let matted = picture::over_white(picture);
    let channels = (0..samples.inks).chain(transparent.then_some(3));
    let planes: Vec<_> = channels.map(|c| samples.plane(matted.pixels().iter().skip(c).step_by(4))).collect();
    sink.u16(compression.word());
    let width = picture.width() as usize;
    let (counts, rows): (Vec<_>, Vec<_>) = planes.iter().map(|plane| samples.store(plane, width)).unzip();
    for part in counts.into_iter().chain(rows) {
        sink.bytes(&part);
    }
}
