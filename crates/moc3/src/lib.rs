//! The moc3 format: read, write, validate and evaluate. Usable alone.
//!
//! [`File`] is the format itself: its sections as columns, byte for byte. [`model::Model`] is the same as objects that
//! refer to each other by index; it is what one builds, validates, writes and evaluates.

pub mod blend;
pub mod canvas;
pub mod element;
mod error;
pub mod evaluate;
pub mod file;
pub mod model;
mod path;
pub mod physics;
pub mod schema;
mod tree;
pub mod validate;
mod version;

pub use error::Error;
pub use file::File;
pub use version::Version;
