//! How much of a machine a file may ask for.

use crate::Error;

/// Upper bounds checked before anything is allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest side of the canvas, a layer or a mask, in pixels.
    pub max_side: u32,
    /// Layer records of the file, folders and their ends included.
    pub max_layers: u32,
    /// Folders inside folders.
    pub max_depth: u32,
    /// Bytes of all decoded pixels and masks together, which beside the file itself is about what reading needs.
    pub max_pixel_bytes: u64,
}

impl Limits {
    /// What [`Error::OverLimit`] calls the pixels of [`Limits::max_pixel_bytes`].
    pub const PIXELS: &str = "the bytes of all decoded pixels";
    /// The default, as a constant.
    pub const DEFAULT: Self =
        Self { max_side: 300_000, max_layers: 16_384, max_depth: 64, max_pixel_bytes: 1 << 30 };
}

impl Default for Limits {
    /// 300 000 pixels (the format's own bound), 16 384 layers, 64 levels, 1 GiB of pixels.
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Limits {
    /// `value <= limit`, or the error that names both.
    pub(crate) fn check(what: &'static str, value: u64, limit: u64) -> Result<(), Error> {
        if value > limit {
            return Err(Error::OverLimit { what, value, limit });
        }
        Ok(())
    }
}
