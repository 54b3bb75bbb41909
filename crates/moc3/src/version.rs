//! Format versions (MOC3_FORMAT 1).

use std::fmt;

/// A version of the format, named after the Cubism release that brought it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Version {
    /// 3.00: the base.
    V30 = 1,
    /// 3.03: bilinear warps.
    V33 = 2,
    /// 4.00: the same layout as 3.03.
    V40 = 3,
    /// 4.02: colours, blend shapes that move warps and drawables.
    V42 = 4,
    /// 5.00: blend shapes on every kind and every channel.
    V50 = 5,
    /// 5.03: extended blending and offscreens.
    V53 = 6,
}

impl Version {
    /// All versions, oldest first.
    pub const ALL: [Self; 6] = [Self::V30, Self::V33, Self::V40, Self::V42, Self::V50, Self::V53];

    /// The byte at offset 4 of a file.
    pub fn byte(self) -> u8 {
        self as u8
    }
    /// The version with that byte.
    pub fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.byte() == byte)
    }
    /// Number of sections.
    pub fn sections(self) -> usize {
        match self {
            Self::V30 => 101,
            Self::V33 | Self::V40 => 102,
            Self::V42 => 137,
            Self::V50 => 152,
            Self::V53 => 167,
        }
    }
    /// Slots of the section offset table.
    pub(crate) fn slots(self) -> usize {
        if self == Self::V53 { 480 } else { 160 }
    }
    /// Where the first section starts: header, offset table and the space that the Core fills with pointers.
    pub(crate) fn body(self) -> usize {
        HEADER + 12 * self.slots()
    }
    /// `u32` entries of the count table.
    pub(crate) fn count_entries(self) -> usize {
        if self >= Self::V50 { 64 } else { 32 }
    }
}

/// Bytes before the section offset table.
pub(crate) const HEADER: usize = 0x40;

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V30 => "3.0",
            Self::V33 => "3.3",
            Self::V40 => "4.0",
            Self::V42 => "4.2",
            Self::V50 => "5.0",
            Self::V53 => "5.3",
        })
    }
}
