//! One record's pixels, mask and notices.

use geom::IntRect;

use super::color::Converter;
use super::header::Header;
use super::pixels::{self, Fault, Planes};
use super::record::{Channel, Divider, Record};
use crate::codec::plane::{Format, Plane};
use crate::{Blend, ChannelFault, Compression, Error, LayerKind, Limits, Mask, Pixels};

/// What a record holds, decoded.
pub(crate) struct Decoded {
    /// Never a group.
    pub(crate) kind: LayerKind,
    pub(crate) mask: Option<Mask>,
    /// Code and message of each notice.
    pub(crate) notes: Vec<(&'static str, String)>,
}

/// Sides and total memory of all that [`decode`] would allocate.
pub(crate) fn check(records: &[Record], header: &Header, limits: &Limits) -> Result<(), Error> {
    for (rect, _) in records.iter().flat_map(|record| rects(record, header)) {
        let side = rect.width().max(rect.height());
        Limits::check("the longest side of a layer", side.into(), limits.max_side.into())?;
    }
    Limits::check(Limits::PIXELS, bytes(records, header), limits.max_pixel_bytes)
}

/// Bytes that [`decode`] allocates for all records.
pub(crate) fn bytes(records: &[Record], header: &Header) -> u64 {
    let all = records.iter().flat_map(|record| rects(record, header));
    all.fold(0, |sum, (rect, each)| sum.saturating_add(rect.area().saturating_mul(each)))
}

/// What is decoded of a record, with its bytes a pixel.
fn rects(record: &Record, header: &Header) -> impl Iterator<Item = (IntRect, u64)> {
    let own = has_pixels(record, header).then_some((record.rect, 4));
    own.into_iter().chain(mask_source(record).map(|source| (source.rect, 1)))
}

/// Decodes one record, whatever it is in the tree.
pub(crate) fn decode(record: &Record, header: &Header, converter: &Converter) -> Result<Decoded, Error> {
    let fail = |(channel, fault): Fault| Error::Channel { layer: record.name.clone(), channel, fault };
    let mut notes = Vec::new();
    let mask = mask(record, header, &mut notes).map_err(fail)?;
    let kind = if record.divider != Divider::Layer {
        LayerKind::Group(Vec::new())
    } else if has_pixels(record, header) {
        LayerKind::Pixels(image(record, header, converter, &mut notes).map_err(fail)?)
    } else if let Some(kind) = record.kind {
        LayerKind::Effect(kind.into())
    } else {
        LayerKind::Pixels(empty(record.rect, &mut notes))
    };
    if record.divider != Divider::End {
        tell(record, header, &kind, &mut notes);
    }
    Ok(Decoded { kind, mask, notes })
}

fn has_pixels(record: &Record, header: &Header) -> bool {
    let is_ink = |channel: &&Channel| (0..header.mode.inks() as i16).contains(&channel.id);
    record.divider == Divider::Layer
        && !record.rect.is_empty()
        && record.channels.iter().filter(is_ink).any(Channel::has_data)
}

impl Channel<'_> {
    /// More than a compression word.
    fn has_data(&self) -> bool {
        self.data.len() > 2
    }

    fn open(&self, format: Format, psb: bool) -> Result<Plane<'_>, Fault> {
        let (word, data) = self.data.split_first_chunk().ok_or((self.id, ChannelFault::Short))?;
        let word = u16::from_be_bytes(*word);
        let compression = Compression::from_word(word).ok_or((self.id, ChannelFault::Compression(word)))?;
        Plane::open(data, compression, format, psb).map_err(|fault| (self.id, fault))
    }
}

/// The channel of an id; the last one, should there be several.
fn channel<'r>(record: &'r Record<'r>, id: i16) -> Option<&'r Channel<'r>> {
    record.channels.iter().rev().find(|channel| channel.id == id && channel.has_data())
}

fn format(rect: IntRect, header: &Header) -> Format {
    Format { width: rect.width() as usize, height: rect.height() as usize, depth: header.depth }
}

fn image(
    record: &Record,
    header: &Header,
    converter: &Converter,
    notes: &mut Vec<(&'static str, String)>,
) -> Result<Pixels, Fault> {
    let format = format(record.rect, header);
    let open = |id| channel(record, id).map(|channel| channel.open(format, header.psb)).transpose();
    let inks = (0..header.mode.inks() as i16).map(open).collect::<Result<Vec<_>, Fault>>()?;
    let missing = inks.iter().filter(|plane| plane.is_none()).count();
    if missing > 0 {
        notes.push(("channel-missing", format!("{missing} colour channels are missing and were read as 0")));
    }
    let planes = Planes { format, inks, alpha: open(-1)? };
    Ok(Pixels { rect: record.rect, image: pixels::image(&planes, converter)? })
}

/// No pixels: where the rectangle is not empty, it becomes so.
fn empty(mut rect: IntRect, notes: &mut Vec<(&'static str, String)>) -> Pixels {
    if !rect.is_empty() {
        notes.push(("pixels-missing", "the layer has a rectangle but no pixels".into()));
        rect = IntRect::new(rect.left, rect.top, rect.left, rect.top);
    }
    Pixels { rect, image: raster::Rgba::new(rect.width(), rect.height()) }
}

/// Where a mask's values come from.
struct MaskSource {
    id: i16,
    rect: IntRect,
    outside: u8,
}

/// The mask that counts: channel -2, which Photoshop makes from the user's mask and the vector mask when there are
/// both, else the user's own one, channel -3. A mask that is switched off or shows everything is none.
fn mask_source(record: &Record) -> Option<MaskSource> {
    let mask = record.mask.as_ref()?;
    let own = (-2, mask.rect, mask.outside, mask.flags);
    let real = mask.real.map(|(rect, outside, flags)| (-3, rect, outside, flags));
    let usable = |&(id, rect, _, flags): &(i16, IntRect, u8, super::mask::MaskFlags)| {
        let listed = record.channels.iter().any(|channel| channel.id == id);
        listed && !flags.disabled() && (rect.is_empty() || channel(record, id).is_some())
    };
    let (id, rect, outside, _) = [Some(own), real].into_iter().flatten().find(usable)?;
    (!rect.is_empty() || outside != 255).then_some(MaskSource { id, rect, outside })
}

fn mask(
    record: &Record,
    header: &Header,
    notes: &mut Vec<(&'static str, String)>,
) -> Result<Option<Mask>, Fault> {
    let Some(described) = &record.mask else { return Ok(None) };
    if described.flags.disabled() {
        notes.push(("mask-disabled", "the layer's mask is switched off and was ignored".into()));
    }
    let Some(MaskSource { id, rect, outside }) = mask_source(record) else { return Ok(None) };
    let density = if id == -2 { described.common_density() } else { Some(described.density) };
    if density.is_none() {
        notes.push(("mask-density-ignored", "the densities of mask and vector mask were ignored".into()));
    }
    if described.feathered {
        notes.push(("mask-feather-ignored", "the soft edge of the mask was ignored".into()));
    }
    if described.flags.relative() {
        let message = "the mask is marked as placed relative to its layer; it was read in canvas coordinates";
        notes.push(("mask-relative", message.into()));
    }
    if described.flags.rendered() {
        notes.push(("vector-mask-rendered", "the vector mask was taken as the pixels saved of it".into()));
    }
    let mut alpha = match channel(record, id) {
        Some(channel) if !rect.is_empty() => {
            let format = format(rect, header);
            let plane = channel.open(format, header.psb)?;
            pixels::mask(&plane, format).map_err(|fault| (id, fault))?
        }
        _ => raster::Alpha::new(rect.width(), rect.height()),
    };
    let density = density.unwrap_or(255);
    if density < 255 {
        alpha.values_mut().iter_mut().for_each(|value| *value = thin(*value, density));
    }
    Ok(Some(Mask { rect, alpha, outside: thin(outside, density) }))
}

/// A mask value at a lowered density: the mask hides that much less.
fn thin(value: u8, density: u8) -> u8 {
    let hidden = u32::from(255 - value) * u32::from(density);
    255 - ((hidden + 127) / 255) as u8
}

/// Notices on what was seen and not used.
fn tell(record: &Record, header: &Header, kind: &LayerKind, notes: &mut Vec<(&'static str, String)>) {
    if let Blend::Unknown(key) = record.blend {
        let key = key.escape_ascii();
        notes.push(("blend-unknown", format!("the blend mode \"{key}\" is unknown: normal is used")));
    }
    let known = |id: i16| (-3..header.mode.inks() as i16).contains(&id);
    let others: Vec<i16> = record.channels.iter().map(|c| c.id).filter(|&id| !known(id)).take(8).collect();
    if !others.is_empty() {
        notes.push(("channel-ignored", format!("channels {others:?} are neither colour nor mask")));
    }
    if let (Some(word), LayerKind::Pixels(_)) = (record.kind, kind) {
        notes.push(("layer-rasterized", format!("a {word} layer: its pixels were taken as saved")));
    }
    if let LayerKind::Effect(word) = kind {
        notes.push(("layer-effect-ignored", format!("a {word} layer without pixels")));
    }
    if record.vector_mask && !record.mask.as_ref().is_some_and(|mask| mask.flags.rendered()) {
        notes.push(("vector-mask-ignored", "the vector mask was ignored".into()));
    }
    if record.styles {
        notes.push(("layer-style-ignored", "layer styles (shadow, stroke, ...) were ignored".into()));
    }
    if record.blend_if {
        notes.push(("blend-if-ignored", "\"blend if\" ranges were ignored".into()));
    }
}
