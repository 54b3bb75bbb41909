//! A PSD layer tree to clean layers: stable ids, pixels, bounds, notes.

mod layer;

pub use layer::{Artwork, BlendMode, Layer, LayerId, Note, NoteLevel, Variant};
