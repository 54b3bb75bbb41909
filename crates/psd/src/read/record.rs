//! One layer's record, parsed but not decoded.

use geom::IntRect;

use super::blocks::Blocks;
use super::cursor::Cursor;
use super::header::Header;
use super::mask::MaskRecord;
use super::name;
use crate::{Blend, Error};

/// One layer record.
pub(crate) struct Record<'a> {
    pub(crate) rect: IntRect,
    pub(crate) channels: Vec<Channel<'a>>,
    pub(crate) blend: Blend,
    pub(crate) opacity: u8,
    pub(crate) fill: u8,
    pub(crate) clipping: bool,
    pub(crate) visible: bool,
    pub(crate) mask: Option<MaskRecord>,
    pub(crate) name: String,
    pub(crate) id: Option<u32>,
    pub(crate) divider: Divider,
    /// What the layer is beside its pixels: `levels`, `text`, ...
    pub(crate) kind: Option<&'static str>,
    pub(crate) vector_mask: bool,
    pub(crate) styles: bool,
    /// "Blend if" ranges that are not the default.
    pub(crate) blend_if: bool,
}

/// A channel's place in the file.
pub(crate) struct Channel<'a> {
    /// 0.. colour, -1 alpha, -2 mask, -3 real user mask.
    pub(crate) id: i16,
    pub(crate) length: u64,
    /// Compression word and what follows it.
    pub(crate) data: &'a [u8],
}

/// What a record is in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Divider {
    /// An ordinary layer.
    Layer,
    /// A folder's own record, above its children.
    Folder,
    /// The hidden record below a folder's children.
    End,
}

pub(crate) fn read<'a>(info: &mut Cursor<'a>, header: &Header) -> Result<Record<'a>, Error> {
    let (top, left, bottom, right) = (info.i32()?, info.i32()?, info.i32()?, info.i32()?);
    let mut channels = Vec::new();
    for _ in 0..info.u16()? {
        let id = info.i16()?;
        channels.push(Channel { id, length: info.length(header.psb)?, data: &[] });
    }
    let offset = info.offset();
    if !matches!(&info.array()?, b"8BIM" | b"8B64") {
        return Err(Error::Damaged { what: "a layer record has no 8BIM before its blend mode", offset });
    }
    let blend = Blend::from_key(info.array()?);
    let [opacity, clipping, flags, _] = info.array()?;
    let length = u64::from(info.u32()?);
    let mut extra = info.section(length, "a layer record")?;
    let length = u64::from(extra.u32()?);
    let mask = MaskRecord::read(extra.section(length, "a layer mask record")?)?;
    let length = u64::from(extra.u32()?);
    let blend_if = !default_ranges(extra.take(length)?);
    let pascal = pascal(&mut extra)?;
    let mut record = Record {
        rect: IntRect::new(left, top, right.max(left), bottom.max(top)),
        channels,
        blend,
        opacity,
        fill: 255,
        clipping: clipping != 0,
        visible: flags & 2 == 0,
        mask,
        name: String::new(),
        id: None,
        divider: Divider::Layer,
        kind: None,
        vector_mask: false,
        styles: false,
        blend_if,
    };
    let mut unicode = None;
    for block in Blocks::new(extra, header.psb) {
        apply(&mut record, &block.key, block.body, &mut unicode)?;
    }
    record.name = unicode.unwrap_or_else(|| name::pascal(pascal));
    Ok(record)
}

/// Takes what matters from one tagged block; a block too short for what it should hold is passed over.
fn apply(
    record: &mut Record,
    key: &[u8; 4],
    mut body: Cursor,
    unicode: &mut Option<String>,
) -> Result<(), Error> {
    match key {
        b"luni" => *unicode = name::unicode(body.rest()).or(unicode.take()),
        b"lyid" => record.id = body.u32().ok().or(record.id),
        b"iOpa" => record.fill = body.u8().unwrap_or(255),
        b"lsct" | b"lsdk" => return divide(record, body),
        b"vmsk" | b"vsms" => record.vector_mask = true,
        b"lfx2" | b"lfxs" | b"lmfx" => record.styles = true,
        b"lrFX" => record.styles |= old_styles(body.rest()),
        _ => {
            if let Some(kind) = kind(key) {
                record.kind.get_or_insert(kind);
            }
        }
    }
    Ok(())
}

/// The folder block: its type, then, in later versions, the folder's blend mode.
fn divide(record: &mut Record, mut body: Cursor) -> Result<(), Error> {
    let offset = body.offset();
    record.divider = match body.u32() {
        Ok(0) | Err(_) => Divider::Layer,
        Ok(1 | 2) => Divider::Folder,
        Ok(3) => Divider::End,
        Ok(_) => return Err(Error::Damaged { what: "a folder record of unknown type", offset }),
    };
    if body.array::<4>().is_ok_and(|signature| signature == *b"8BIM")
        && let Ok(blend) = body.array::<4>()
    {
        record.blend = Blend::from_key(blend);
    }
    Ok(())
}

/// Kind of a layer by a key of its settings.
fn kind(key: &[u8; 4]) -> Option<&'static str> {
    Some(match key {
        b"TySh" | b"tySh" => "text",
        b"SoLd" | b"SoLE" | b"PlLd" | b"plLd" => "smart object",
        b"SoCo" => "solid color",
        b"GdFl" => "gradient fill",
        b"PtFl" => "pattern fill",
        b"brit" | b"CgEd" => "brightness contrast",
        b"levl" => "levels",
        b"curv" => "curves",
        b"expA" => "exposure",
        b"vibA" => "vibrance",
        b"hue " | b"hue2" => "hue saturation",
        b"blnc" => "color balance",
        b"blwh" => "black and white",
        b"phfl" => "photo filter",
        b"mixr" => "channel mixer",
        b"clrL" => "color lookup",
        b"nvrt" => "invert",
        b"post" => "posterize",
        b"thrs" => "threshold",
        b"grdm" => "gradient map",
        b"selc" => "selective color",
        b"vscg" => "shape",
        _ => return None,
    })
}

/// Old layer styles are always written; they matter when one of them is switched on.
fn old_styles(data: &[u8]) -> bool {
    let mut cursor = Cursor::new(data, "old layer styles");
    let (Ok(_), Ok(count)) = (cursor.u16(), cursor.u16()) else { return false };
    for _ in 0..count {
        let (Ok(_), Ok(key), Ok(length)) = (cursor.array::<4>(), cursor.array::<4>(), cursor.u32()) else {
            return false;
        };
        let Ok(body) = cursor.take(length.into()) else { return false };
        // Where "enabled" stands in each kind's fixed fields.
        let at = match &key {
            b"dsdw" | b"isdw" => 4 + 4 + 4 + 4 + 4 + 10 + 8,
            b"oglw" | b"iglw" => 4 + 4 + 4 + 10 + 8,
            b"bevl" => 4 + 4 + 4 + 4 + 8 + 8 + 10 + 10 + 1 + 1 + 1,
            b"sofi" => 4 + 4 + 10 + 1,
            _ => continue,
        };
        if body.get(at).is_some_and(|&on| on != 0) {
            return true;
        }
    }
    false
}

/// Every range spans 0 to 255 without a slope.
fn default_ranges(ranges: &[u8]) -> bool {
    ranges.chunks_exact(4).all(|range| range == [0, 0, 255, 255])
}

/// A counted name, padded with its count to four bytes.
fn pascal<'a>(extra: &mut Cursor<'a>) -> Result<&'a [u8], Error> {
    if extra.left() == 0 {
        return Ok(&[]);
    }
    let count = usize::from(extra.u8()?);
    let name = extra.take(count as u64)?;
    extra.skip((count + 1).next_multiple_of(4) - count - 1);
    Ok(name)
}
