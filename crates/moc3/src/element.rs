//! Entries of sections and their bytes.

use std::fmt;

/// What one entry of a section is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Four bytes, signed.
    I32,
    /// Four bytes, floating point.
    F32,
    /// Two bytes, unsigned.
    U16,
    /// One byte.
    U8,
    /// 64 bytes of text, see [`Id`].
    Id,
    /// Eight zero bytes that the Core overwrites in memory.
    Scratch,
}

impl Element {
    /// Bytes of one entry.
    pub fn size(self) -> usize {
        match self {
            Self::I32 | Self::F32 => 4,
            Self::U16 => 2,
            Self::U8 => 1,
            Self::Id => Id::SIZE,
            Self::Scratch => 8,
        }
    }
    /// Alignment of a section of it (MOC3_FORMAT 2).
    pub(crate) fn alignment(self) -> usize {
        if self == Self::Id { 4 } else { 64 }
    }
}

/// An id as stored: 64 bytes, ended by a zero byte and filled with zeros.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Id(pub [u8; Self::SIZE]);

impl Id {
    /// Bytes of an id.
    pub const SIZE: usize = 64;
    /// Longest text in bytes.
    pub const LONGEST: usize = Self::SIZE - 1;

    /// From text; `None` when it is longer than [`Self::LONGEST`] bytes or holds a zero byte.
    pub fn new(text: &str) -> Option<Self> {
        if text.len() > Self::LONGEST || text.as_bytes().contains(&0) {
            return None;
        }
        let mut bytes = [0; Self::SIZE];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Some(Self(bytes))
    }
    /// The text before the first zero byte; `None` without one or when it is not UTF-8.
    pub fn text(&self) -> Option<&str> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        std::str::from_utf8(&self.0[..end]).ok()
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text() {
            Some(text) => write!(f, "{text:?}"),
            None => f.debug_list().entries(self.0).finish(),
        }
    }
}

/// A column that is read.
pub(crate) enum ColumnRef<'a> {
    I32(&'a [i32]),
    F32(&'a [f32]),
    U16(&'a [u16]),
    U8(&'a [u8]),
    Id(&'a [Id]),
}

impl ColumnRef<'_> {
    /// Number of entries.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::I32(values) => values.len(),
            Self::F32(values) => values.len(),
            Self::U16(values) => values.len(),
            Self::U8(values) => values.len(),
            Self::Id(values) => values.len(),
        }
    }
    /// Writes the little-endian bytes into `out`, which is exactly as long as the column.
    pub(crate) fn encode(&self, out: &mut [u8]) {
        match self {
            Self::I32(values) => encode(values, out, i32::to_le_bytes),
            Self::F32(values) => encode(values, out, f32::to_le_bytes),
            Self::U16(values) => encode(values, out, u16::to_le_bytes),
            Self::U8(values) => out.copy_from_slice(values),
            Self::Id(values) => encode(values, out, |id| id.0),
        }
    }
}

/// A column that is filled.
pub(crate) enum ColumnMut<'a> {
    I32(&'a mut Vec<i32>),
    F32(&'a mut Vec<f32>),
    U16(&'a mut Vec<u16>),
    U8(&'a mut Vec<u8>),
    Id(&'a mut Vec<Id>),
}

impl ColumnMut<'_> {
    /// Replaces the column by the little-endian entries of `bytes`.
    pub(crate) fn decode(self, bytes: &[u8]) {
        match self {
            Self::I32(values) => *values = decode(bytes, i32::from_le_bytes),
            Self::F32(values) => *values = decode(bytes, f32::from_le_bytes),
            Self::U16(values) => *values = decode(bytes, u16::from_le_bytes),
            Self::U8(values) => *values = bytes.to_vec(),
            Self::Id(values) => *values = decode(bytes, Id),
        }
    }
}

/// A type that columns hold.
pub(crate) trait Stored: Sized {
    /// Its element.
    const ELEMENT: Element;
    /// A column of it.
    fn column(values: &[Self]) -> ColumnRef<'_>;
    /// A column of it, to be filled.
    fn column_mut(values: &mut Vec<Self>) -> ColumnMut<'_>;
}

macro_rules! stored {
    ($($kind:ty = $variant:ident),*) => {
        $(impl Stored for $kind {
            const ELEMENT: Element = Element::$variant;
            fn column(values: &[Self]) -> ColumnRef<'_> {
                ColumnRef::$variant(values)
            }
            fn column_mut(values: &mut Vec<Self>) -> ColumnMut<'_> {
                ColumnMut::$variant(values)
            }
        })*
    };
}

stored!(i32 = I32, f32 = F32, u16 = U16, u8 = U8, Id = Id);

/// Bulk copy; compiles to a plain memory copy on little-endian machines.
fn encode<T: Copy, const N: usize>(values: &[T], out: &mut [u8], bytes: impl Fn(T) -> [u8; N]) {
    for (chunk, value) in out.as_chunks_mut().0.iter_mut().zip(values) {
        *chunk = bytes(*value);
    }
}

/// Bulk copy; bytes beyond the last whole entry are left out.
fn decode<T, const N: usize>(bytes: &[u8], value: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks().0.iter().map(|chunk| value(*chunk)).collect()
}
