//! The delivered folder: model3, cdi3, physics3, motion3 and report documents.
//!
//! Every document is a pure function of the puppet and names; JSON is written the way the official frameworks can read
//! it (see [`json`]). Reading takes any bundle, also one made elsewhere.

pub mod codes;
pub mod diff;
mod display;
mod documents;
pub mod json;
mod language;
mod motion;
mod physics;
pub mod read;
pub mod report;
pub mod sound;

pub use documents::{File, Names, bundle_stem, documents};
pub use language::Language;
