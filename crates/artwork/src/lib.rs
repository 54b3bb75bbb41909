//! A PSD layer tree to clean layers: stable ids, pixels, bounds, notes.
//!
//! [`clean`] walks the tree, multiplies masks in and trims, settles clipping, measures, gives stable ids, names the
//! alternatives. Every decision becomes a [`Note`].
//!
//! # What becomes of clipping
//! Shading (layers named so or by the program, fills over the whole base, blend modes no runtime knows) directly above
//! its base is painted into it: exact at rest. Other fills, colour alternatives, and whatever is clipped to a folder
//! of several layers are cut to the outline. A part of its own, as an iris in its white, keeps all its pixels and
//! names its base in [`Layer::clip_to`]: whoever draws it must clip it, or it shows more than the artist drew.

mod error;
mod layer;
mod settings;

mod blend;
mod clean;
mod clip;
pub mod components;
mod ids;
mod mask;
mod measure;
mod names;
mod notes;
mod variants;
mod walk;

pub use clean::clean;
pub use error::Error;
pub use layer::{Artwork, BlendMode, Layer, LayerId, Note, NoteLevel, Variant};
pub use measure::{Measure, content_digest, measure, trim};
pub use names::is_default_name;
pub use settings::{Clipping, Islands, Settings};
