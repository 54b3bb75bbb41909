//! The moc3 format: read, write, validate and evaluate. Usable alone.
//!
//! [`File`] is the format itself: its sections as columns, byte for byte. [`model::Model`] is the same as objects that
//! refer to each other by index; it is what one builds, validates, writes and evaluates.
//!
//! ```
//! use moc3::canvas::Canvas;
//! use moc3::evaluate::{Evaluator, Pose};
//! use moc3::model::Model;
//! use moc3::{Error, Version};
//!
//! let model = Model::new(Version::V40, Canvas::centred(1000.0, 1400.0));
//! let bytes = model.to_bytes()?;
//! let again = Model::from_bytes(&bytes)?;
//! assert_eq!(again, model);
//! let frame = Evaluator::new(&again)?.evaluate(&Pose::rest(&again));
//! assert!(frame.drawables.is_empty());
//! # Ok::<(), Error>(())
//! ```
//!
//! Bytes may be anything: reading never panics and takes memory in proportion to them.

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
