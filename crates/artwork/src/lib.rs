//! A PSD layer tree to clean layers: stable ids, pixels, bounds, notes.
//!
//! [`clean`] does, in this order: walk the tree ([`walk`](mod@walk)), multiply masks in and trim, settle clipping,
//! measure, name the alternatives, give stable ids. Every decision becomes a [`Note`].

mod blend;
mod clean;
mod clip;
pub mod components;
mod error;
mod ids;
mod layer;
mod mask;
mod measure;
mod names;
mod notes;
mod settings;
mod variants;
mod walk;

pub use clean::clean;
pub use error::Error;
pub use layer::{Artwork, BlendMode, Layer, LayerId, Note, NoteLevel, Variant};
pub use measure::{Measure, content_digest, measure, trim};
pub use names::is_default_name;
pub use settings::{Clipping, Islands, Settings};
