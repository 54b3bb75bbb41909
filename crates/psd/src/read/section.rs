//! The layer and mask section: where the list of layers is.

use super::blocks::Blocks;
use super::cursor::Cursor;
use super::header::Header;
use super::record::{self, Record};
use crate::{Error, Limits};

/// The layer and mask section.
#[derive(Default)]
pub(crate) struct Section<'a> {
    /// All layer records, bottom to top.
    pub(crate) records: Vec<Record<'a>>,
    /// The merged image's first extra channel is its transparency.
    pub(crate) transparent: bool,
    /// There was a layer list, so extra channels of a merged image are not transparency unless `transparent`.
    pub(crate) listed: bool,
}

/// Reads the section at the cursor, and leaves the cursor behind it.
pub(crate) fn read<'a>(
    file: &mut Cursor<'a>,
    header: &Header,
    limits: &Limits,
) -> Result<Section<'a>, Error> {
    let mut section = Section::default();
    let length = file.length(header.psb)?;
    let mut body = file.section(length, "the layer section")?;
    let length_bytes = if header.psb { 8 } else { 4 };
    if body.left() < length_bytes {
        return Ok(section); // Photoshop 2.5 writes stubs
    }
    let length = body.length(header.psb)?;
    let info = body.section(length, "the layer list")?;
    if info.left() >= 2 {
        list(info, header, limits, &mut section)?;
    }
    if body.left() >= 4 {
        let length = u64::from(body.u32()?);
        if length > body.left() as u64 {
            return Ok(section); // nothing behind it can be found; the layers are whole
        }
        body.take(length)?;
    }
    for block in Blocks::new(body, header.psb) {
        match &block.key {
            // Photoshop puts the list of deep files here and leaves the usual place empty.
            b"Lr16" | b"Lr32" | b"Layr" if section.records.is_empty() && block.body.left() >= 2 => {
                list(block.body, header, limits, &mut section)?;
            }
            b"Mtrn" | b"Mt16" | b"Mt32" => section.transparent = true,
            _ => {}
        }
    }
    Ok(section)
}

/// A layer list: a count, negative when the merged image has transparency, the records, their channels.
fn list<'a>(
    mut info: Cursor<'a>,
    header: &Header,
    limits: &Limits,
    section: &mut Section<'a>,
) -> Result<(), Error> {
    let count = info.i16()?;
    section.transparent |= count < 0;
    section.listed |= count > 0;
    let count = u32::from(count.unsigned_abs());
    Limits::check("the number of layers", count.into(), limits.max_layers.into())?;
    let mut records = Vec::new();
    for _ in 0..count {
        records.push(record::read(&mut info, header)?);
    }
    for record in &mut records {
        for channel in &mut record.channels {
            channel.data = info.take(channel.length)?;
        }
    }
    section.records = records;
    Ok(())
}
