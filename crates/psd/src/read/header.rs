//! The first 26 bytes.

use super::cursor::Cursor;
use crate::{ColorMode, Error, Limits};

/// What the first 26 bytes say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// PSB ("large document"): sections have 8-byte lengths.
    pub psb: bool,
    /// Channels of the merged image, 1..=64; the format speaks of 56, Photoshop writes one or two more.
    pub channels: u16,
    /// Canvas width in pixels, at least 1.
    pub width: u32,
    /// Canvas height in pixels, at least 1.
    pub height: u32,
    /// Bits per channel: 1, 8, 16 or 32.
    pub depth: u16,
    /// Colour mode.
    pub mode: ColorMode,
}

impl Header {
    pub(crate) fn read(cursor: &mut Cursor) -> Result<Self, Error> {
        if cursor.peek(0).get(..4) != Some(b"8BPS") {
            return Err(Error::NotPsd);
        }
        cursor.skip(4);
        let psb = match cursor.u16()? {
            1 => false,
            2 => true,
            other => return Err(Error::UnknownVersion(other)),
        };
        cursor.take(6)?;
        let channels = cursor.u16()?;
        let (height, width) = (cursor.u32()?, cursor.u32()?);
        let depth = cursor.u16()?;
        let mode = cursor.u16()?;
        let bad = |field, value| Err(Error::BadHeader { field, value });
        if !(1..=64).contains(&channels) {
            return bad("channel count", channels.into());
        }
        if width == 0 {
            return bad("width", 0);
        }
        if height == 0 {
            return bad("height", 0);
        }
        let Some(mode) = ColorMode::from_word(mode) else { return bad("colour mode", mode.into()) };
        if !matches!(depth, 1 | 8 | 16 | 32) || (depth == 1) != (mode == ColorMode::Bitmap) {
            return bad("bits per channel", depth.into());
        }
        Ok(Self { psb, channels, width, height, depth, mode })
    }

    pub(crate) fn check(&self, limits: &Limits) -> Result<(), Error> {
        let side = self.width.max(self.height);
        Limits::check("the longest side of the canvas", side.into(), limits.max_side.into())
    }
}

impl ColorMode {
    /// From the header's word.
    pub(crate) fn from_word(word: u16) -> Option<Self> {
        Some(match word {
            0 => Self::Bitmap,
            1 => Self::Grayscale,
            2 => Self::Indexed,
            3 => Self::Rgb,
            4 => Self::Cmyk,
            7 => Self::Multichannel,
            8 => Self::Duotone,
            9 => Self::Lab,
            _ => return None,
        })
    }

    /// Colour channels of a layer or of the merged image, alpha not counted; 0 when there is no fixed number.
    pub(crate) fn inks(self) -> usize {
        match self {
            Self::Bitmap | Self::Grayscale | Self::Indexed | Self::Duotone => 1,
            Self::Rgb | Self::Lab => 3,
            Self::Cmyk => 4,
            Self::Multichannel => 0,
        }
    }
}
