//! Straight-alpha RGBA and alpha images: crop, resample, compare. No file formats.

mod alpha;
mod rgba;

pub use alpha::Alpha;
pub use rgba::Rgba;
