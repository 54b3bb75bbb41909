//! The four ways a channel's samples are stored.

pub(crate) mod packbits;
pub(crate) mod plane;
pub(crate) mod predict;
pub(crate) mod zip;

/// How channels are stored in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    Raw,
    /// PackBits, row by row; what Photoshop writes for 8 bits.
    #[default]
    Rle,
    /// Deflate.
    Zip,
    /// Deflate of the differences within each row; what Photoshop writes for 16 and 32 bits.
    ZipPrediction,
}

impl Compression {
    pub(crate) fn from_word(word: u16) -> Option<Self> {
        Some(match word {
            0 => Self::Raw,
            1 => Self::Rle,
            2 => Self::Zip,
            3 => Self::ZipPrediction,
            _ => return None,
        })
    }

    pub(crate) fn word(self) -> u16 {
        match self {
            Self::Raw => 0,
            Self::Rle => 1,
            Self::Zip => 2,
            Self::ZipPrediction => 3,
        }
    }
}
