//! The tree as the flat list of records the file holds.

use geom::IntRect;
use raster::Rgba;

use super::channel::Samples;
use super::sink::Sink;
use crate::{Error, Layer, LayerKind, Mask};

/// One record of the file.
pub(crate) enum Record<'d> {
    /// The end of a folder: comes before its children.
    End,
    /// A folder's own record: comes after its children.
    Folder(&'d Layer),
    /// Pixels.
    Pixels(&'d Layer, IntRect, &'d Rgba),
    /// A layer without pixels, with the key of its settings and those.
    Effect(&'d Layer, [u8; 4], &'static [u8]),
}

/// The records in file order.
pub(crate) fn flatten(layers: &[Layer]) -> Result<Vec<Record<'_>>, Error> {
    let mut records = Vec::new();
    push(layers, &mut records)?;
    Ok(records)
}

fn push<'d>(layers: &'d [Layer], records: &mut Vec<Record<'d>>) -> Result<(), Error> {
    for layer in layers {
        let refuse = |reason| Err(Error::Unwritable { layer: layer.name.clone(), reason });
        if layer.mask.as_ref().is_some_and(|m| !fits(m.rect, m.alpha.width(), m.alpha.height())) {
            return refuse("its mask has another size than its rectangle");
        }
        match &layer.kind {
            LayerKind::Group(children) => {
                records.push(Record::End);
                push(children, records)?;
                records.push(Record::Folder(layer));
            }
            LayerKind::Pixels(pixels) => {
                if !fits(pixels.rect, pixels.image.width(), pixels.image.height()) {
                    return refuse("its image has another size than its rectangle");
                }
                records.push(Record::Pixels(layer, pixels.rect, &pixels.image));
            }
            LayerKind::Effect(kind) => {
                let Some((key, settings)) = settings(kind) else {
                    return refuse("only invert, posterize and threshold effects can be written");
                };
                records.push(Record::Effect(layer, key, settings));
            }
        }
    }
    Ok(())
}

fn fits(rect: IntRect, width: u32, height: u32) -> bool {
    rect.width() == width && rect.height() == height
}

/// Key and default settings of the effects that are simple enough.
fn settings(kind: &str) -> Option<([u8; 4], &'static [u8])> {
    match kind {
        "invert" => Some((*b"nvrt", &[])),
        "posterize" => Some((*b"post", &[0, 4, 0, 0])),
        "threshold" => Some((*b"thrs", &[0, 128, 0, 0])),
        _ => None,
    }
}

impl<'d> Record<'d> {
    fn layer(&self) -> Option<&'d Layer> {
        match self {
            Self::End => None,
            Self::Folder(layer) | Self::Pixels(layer, ..) | Self::Effect(layer, ..) => Some(layer),
        }
    }

    fn rect(&self) -> IntRect {
        match self {
            Self::Pixels(_, rect, _) => *rect,
            _ => IntRect::new(0, 0, 0, 0),
        }
    }

    fn mask(&self) -> Option<&'d Mask> {
        self.layer().and_then(|layer| layer.mask.as_ref())
    }

    /// Channel ids with their bytes: alpha, colours, mask.
    pub(crate) fn channels(&self, samples: &Samples) -> Vec<(i16, Vec<u8>)> {
        let ids = [-1, 0, 1, 2].into_iter().take(1 + samples.inks);
        let mut channels: Vec<_> = match self {
            Self::Pixels(_, rect, image) if !rect.is_empty() => ids
                .map(|id| {
                    let at = if id < 0 { 3 } else { id as usize };
                    let plane = samples.plane(image.pixels().iter().skip(at).step_by(4));
                    (id, samples.channel(&plane, rect.width() as usize))
                })
                .collect(),
            _ => ids.map(|id| (id, vec![0, 0])).collect(),
        };
        if let Some(mask) = self.mask() {
            let data = if mask.rect.is_empty() {
                vec![0, 0]
            } else {
                let plane = samples.plane(mask.alpha.values().iter());
                samples.channel(&plane, mask.rect.width() as usize)
            };
            channels.push((-2, data));
        }
        channels
    }

    /// The record; `channels` are those of [`Record::channels`].
    pub(crate) fn write(&self, sink: &mut Sink, channels: &[(i16, Vec<u8>)]) {
        rect(sink, self.rect());
        sink.u16(channels.len() as u16);
        for (id, data) in channels {
            sink.u16(*id as u16);
            sink.length(data.len() as u64);
        }
        sink.bytes(b"8BIM");
        let layer = self.layer();
        let blend = layer.map_or(*b"norm", |layer| layer.blend.key());
        sink.bytes(&blend);
        sink.bytes(&[layer.map_or(255, |l| l.opacity), layer.is_some_and(|l| l.clipping).into()]);
        // Bit 1 hides; bit 3 says that bit 4 counts, which says that pixels are of no use.
        let hidden = if layer.is_none_or(|layer| layer.visible) { 0 } else { 2 };
        let irrelevant = if matches!(self, Self::Pixels(..)) { 0 } else { 16 };
        sink.bytes(&[hidden | irrelevant | 8, 0]);
        let extra = self.extra(layer);
        sink.u32(extra.len() as u32);
        sink.bytes(&extra);
    }

    /// Mask, blending ranges, names and tagged blocks.
    fn extra(&self, layer: Option<&Layer>) -> Vec<u8> {
        let mut extra = Sink::new(false);
        if let Some(mask) = self.mask() {
            extra.u32(20);
            rect(&mut extra, mask.rect);
            extra.bytes(&[mask.outside, 0, 0, 0]);
        } else {
            extra.u32(0);
        }
        extra.u32(0); // blending ranges: the default ones
        let name = layer.map_or("</Layer group>", |layer| &layer.name);
        pascal(&mut extra, name);
        block(&mut extra, b"luni", |body| {
            body.unicode(name);
        });
        if let Some(id) = layer.and_then(|layer| layer.id) {
            block(&mut extra, b"lyid", |body| body.u32(id));
        }
        if let Some(layer) = layer.filter(|layer| layer.fill != 255) {
            block(&mut extra, b"iOpa", |body| body.bytes(&[layer.fill, 0, 0, 0]));
        }
        match self {
            Self::End => block(&mut extra, b"lsct", |body| body.u32(3)),
            Self::Folder(layer) => block(&mut extra, b"lsct", |body| {
                body.u32(1);
                body.bytes(b"8BIM");
                body.bytes(&layer.blend.key());
            }),
            Self::Pixels(..) => {}
            Self::Effect(_, key, settings) => block(&mut extra, key, |body| body.bytes(settings)),
        }
        extra.into_bytes()
    }
}

fn rect(sink: &mut Sink, rect: IntRect) {
    for edge in [rect.top, rect.left, rect.bottom, rect.right] {
        sink.i32(edge);
    }
}

/// A tagged block of a layer record, padded to an even length that its length counts.
fn block(sink: &mut Sink, key: &[u8; 4], fill: impl FnOnce(&mut Sink)) {
    let mut body = Sink::new(false);
    fill(&mut body);
    body.pad(2);
    sink.bytes(b"8BIM");
    sink.bytes(key);
    sink.u32(body.len() as u32);
    sink.bytes(&body.into_bytes());
}

/// The old name: ASCII, at most 255 bytes, padded with its count to four.
fn pascal(sink: &mut Sink, name: &str) {
    let ascii: Vec<u8> = name.chars().take(255).map(|c| if c.is_ascii() { c as u8 } else { b'?' }).collect();
    let mut field = Sink::new(false);
    field.bytes(&[ascii.len() as u8]);
    field.bytes(&ascii);
    field.pad(4);
    sink.bytes(&field.into_bytes());
}
