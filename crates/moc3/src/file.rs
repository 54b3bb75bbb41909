//! The sections of a file, read and written byte for byte.

use crate::canvas::Canvas;
use crate::schema::{COLUMNS, COUNTS, Section, Tables, sections};
use crate::version::HEADER;
use crate::{Error, Version};

/// A file as its sections: nothing interpreted, nothing lost but padding.
///
/// Writing gives the editor's layout (MOC3_FORMAT 2); a file that has it already is reproduced byte for byte.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// Version.
    pub version: Version,
    /// Section 1.
    pub canvas: Canvas,
    /// Sections 3 to 163.
    pub tables: Tables,
}

/// Canvas section in bytes.
const CANVAS_SIZE: usize = 64;
/// The size of a file is a multiple of this.
const BLOCK: usize = 64;
/// What every file starts with.
const MAGIC: &[u8; 4] = b"MOC3";

impl File {
    /// Reads a file (MOC3_FORMAT 1-5). Memory stays below twice the size of `bytes`.
    ///
    /// # Errors
    /// When the header, the section offsets or the counts do not fit the bytes.
    pub fn read(bytes: &[u8]) -> Result<Self, Error> {
        let version = read_header(bytes)?;
        let counts = read_counts(bytes, version)?;
        let mut cursor = Cursor { bytes, version, end: version.body().min(HEADER + 4 * version.slots()) };
        cursor.take(0, "count_info", 4 * version.count_entries())?;
        let canvas = Canvas::decode(cursor.take(1, "canvas", CANVAS_SIZE)?);
        let mut tables = Tables::default();
        let mut columns: Vec<_> = tables.columns_mut().into_iter().map(Some).collect();
        for (section, place) in sections(version) {
            let count = section.count.map_or(0, |count| counts[count as usize] as usize);
            let size = count.saturating_mul(section.element.size());
            let content = cursor.take(section.slot, section.name, size)?;
            if let Some(column) = place.and_then(|place| columns[place].take()) {
                column.decode(content);
            }
        }
        Ok(Self { version, canvas, tables })
    }

    /// Writes the file in the editor's layout.
    ///
    /// # Errors
    /// When columns that share a count differ in length, a column newer than the version is filled, or the file
    /// would pass 4 GiB.
    pub fn write(&self) -> Result<Vec<u8>, Error> {
        let columns = self.tables.columns();
        let counts = self.counts(&columns.iter().map(|column| column.len()).collect::<Vec<_>>())?;
        let layout = Layout::new(self.version, &counts);
        let size = u32::try_from(layout.size).map_err(|_| Error::TooLarge { size: layout.size })? as usize;
        let mut out = vec![0; size];
        out[..4].copy_from_slice(MAGIC);
        out[4] = self.version.byte();
        for (slot, offset) in layout.offsets.iter().enumerate() {
            let at = HEADER + 4 * slot;
            out[at..at + 4].copy_from_slice(&(*offset as u32).to_le_bytes());
        }
        for (entry, count) in counts.iter().enumerate() {
            let at = layout.offsets[0] + 4 * entry;
            if entry < self.version.count_entries() {
                out[at..at + 4].copy_from_slice(&count.to_le_bytes());
            }
        }
        let canvas_at = layout.offsets[1];
        self.canvas.encode(&mut out[canvas_at..canvas_at + CANVAS_SIZE]);
        for (section, place) in sections(self.version) {
            let Some(place) = place else { continue };
            let at = layout.offsets[section.slot];
            let column = &columns[place];
            column.encode(&mut out[at..at + column.len() * section.element.size()]);
        }
        Ok(out)
    }

    /// The count table that the columns ask for.
    fn counts(&self, lengths: &[usize]) -> Result<[u32; COUNTS], Error> {
        let mut counts = [None; COUNTS];
        for (section, length) in COLUMNS.iter().zip(lengths) {
            let Some(count) = section.count else { continue };
            if section.since > self.version {
                if *length > 0 {
                    return Err(Error::NewerSection {
                        section: section.name,
                        since: section.since,
                        version: self.version,
                    });
                }
                continue;
            }
            let known = counts[count as usize].get_or_insert((*length, section.name));
            if known.0 != *length {
                return Err(Error::UnequalColumns { first: known.1, second: section.name });
            }
        }
        let size = |length: usize| u32::try_from(length).map_err(|_| Error::TooLarge { size: length });
        let mut out = [0; COUNTS];
        for (entry, known) in out.iter_mut().zip(counts) {
            *entry = size(known.map_or(0, |(length, _)| length))?;
        }
        Ok(out)
    }
}

/// Where the sections of a file go.
struct Layout {
    /// Offset per slot.
    offsets: Vec<usize>,
    /// Size of the file.
    size: usize,
}

impl Layout {
    fn new(version: Version, counts: &[u32; COUNTS]) -> Self {
        let canvas_at = (version.body() + 4 * version.count_entries()).next_multiple_of(BLOCK);
        let mut offsets = vec![version.body(), canvas_at];
        let mut end = canvas_at + CANVAS_SIZE;
        for (section, _) in sections(version) {
            let offset = end.next_multiple_of(section.element.alignment());
            offsets.push(offset);
            end = offset + size_of_section(section, counts);
        }
        Self { offsets, size: end.next_multiple_of(BLOCK) }
    }
}

fn size_of_section(section: &Section, counts: &[u32; COUNTS]) -> usize {
    section.count.map_or(0, |count| counts[count as usize] as usize * section.element.size())
}

/// Checks magic, byte order, size and version.
fn read_header(bytes: &[u8]) -> Result<Version, Error> {
    if bytes.len() < HEADER || &bytes[..4] != MAGIC {
        return Err(Error::NotMoc3);
    }
    if bytes[5] != 0 {
        return Err(Error::ByteOrder { flag: bytes[5] });
    }
    let version = Version::from_byte(bytes[4]).ok_or(Error::Version { byte: bytes[4] })?;
    if bytes.len() < version.body() || !bytes.len().is_multiple_of(BLOCK) {
        return Err(Error::Size { size: bytes.len() });
    }
    Ok(version)
}

/// Reads section 0.
fn read_counts(bytes: &[u8], version: Version) -> Result<[u32; COUNTS], Error> {
    let offset = offset_of(bytes, 0);
    let table = bytes.get(offset..).and_then(|rest| rest.get(..4 * version.count_entries()));
    let table =
        table.ok_or(Error::Section { slot: 0, name: "count_info", offset, fault: "ends beyond the file" })?;
    let mut counts = [0; COUNTS];
    for (count, entry) in counts.iter_mut().zip(table.as_chunks().0) {
        *count = u32::from_le_bytes(*entry);
    }
    Ok(counts)
}

/// Walks the sections in slot order.
struct Cursor<'a> {
    bytes: &'a [u8],
    version: Version,
    /// Where the section before ends.
    end: usize,
}

impl<'a> Cursor<'a> {
    /// The next section, which must start behind the one before and end inside the file.
    fn take(&mut self, slot: usize, name: &'static str, size: usize) -> Result<&'a [u8], Error> {
        debug_assert!(slot < self.version.sections());
        let offset = offset_of(self.bytes, slot);
        let error = |fault| Error::Section { slot, name, offset, fault };
        if offset < self.end {
            return Err(error("starts inside the section before it"));
        }
        let end = offset.checked_add(size).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or(error("ends beyond the file"))?;
        self.end = end;
        Ok(&self.bytes[offset..end])
    }
}

/// Entry `slot` of the section offset table, which lies inside the bytes once the header is checked.
fn offset_of(bytes: &[u8], slot: usize) -> usize {
    let at = HEADER + 4 * slot;
    let entry = bytes.get(at..at + 4).and_then(|entry| entry.first_chunk());
    entry.map_or(usize::MAX, |entry| u32::from_le_bytes(*entry) as usize)
}
