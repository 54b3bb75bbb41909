//! What can go wrong.

use crate::Version;
use crate::validate::Fault;

/// Why a file could not be read, converted, written or evaluated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// The first bytes are not those of a moc3 file.
    #[error("not a moc3 file: it does not start with MOC3 and a header of 64 bytes")]
    NotMoc3,
    /// A version this crate does not know.
    #[error("moc3 version byte {byte} is unknown; 1 to 6 (Cubism 3.0 to 5.3) can be read")]
    Version {
        /// The byte at offset 4.
        byte: u8,
    },
    /// Big-endian, which no editor writes and the Core's own check refuses.
    #[error("byte order flag at offset 5 is {flag}; only little-endian (0) can be read")]
    ByteOrder {
        /// The byte at offset 5.
        flag: u8,
    },
    /// The file was cut or padded wrongly.
    #[error(
        "size of {size} bytes is not a multiple of 64 or smaller than the header; the file was probably cut"
    )]
    Size {
        /// Bytes of the file.
        size: usize,
    },
    /// A section does not lie where it should.
    #[error("section {slot} {name} at offset {offset:#x} {fault}")]
    Section {
        /// Slot in the section offset table.
        slot: usize,
        /// Name in the specification.
        name: &'static str,
        /// Offset in the file.
        offset: usize,
        /// What is wrong.
        fault: &'static str,
    },
    /// A value points outside its table or is none of the known ones.
    #[error("section {section}, row {row}: {value} {fault}")]
    Row {
        /// Field of [`crate::schema::Tables`].
        section: &'static str,
        /// Row of the section.
        row: usize,
        /// The value.
        value: i64,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// An id that is not text.
    #[error("section {section}, row {row}: the id is not UTF-8 text ended by a zero byte")]
    Id {
        /// Field of [`crate::schema::Tables`].
        section: &'static str,
        /// Row of the section.
        row: usize,
    },
    /// Rows share so much data that the model would be out of proportion to the file.
    #[error("the file's rows share data that unfolds to more than {limit} bytes")]
    Unfolds {
        /// The limit for a file of this size.
        limit: usize,
    },
    /// Columns that describe the same objects differ in length.
    #[error("sections {first} and {second} describe the same rows but differ in length")]
    UnequalColumns {
        /// One section.
        first: &'static str,
        /// Another.
        second: &'static str,
    },
    /// A filled section that the version does not have.
    #[error("section {section} exists since {since}, the file is {version}")]
    NewerSection {
        /// Name in the specification.
        section: &'static str,
        /// First version that has it.
        since: Version,
        /// Version of the file.
        version: Version,
    },
    /// The model uses what the version cannot hold.
    #[error("{path} needs moc3 version {needs}, but {version} is asked for; choose {needs} or remove it")]
    NotInVersion {
        /// The object, e.g. `deformers[2] DeformFace`, and what of it.
        path: String,
        /// Lowest version that holds it.
        needs: Version,
        /// Version asked for.
        version: Version,
    },
    /// Offsets in a file have 32 bits.
    #[error("{size} entries or bytes are more than a moc3 file can hold")]
    TooLarge {
        /// Bytes or entries.
        size: usize,
    },
    /// The model is not valid.
    #[error("the model has {} faults, the first: {}", .0.len(), .0.first().map_or_else(String::new, |fault| fault.to_string()))]
    Invalid(
        /// The faults, at least one, all of them errors.
        Vec<Fault>,
    ),
}
