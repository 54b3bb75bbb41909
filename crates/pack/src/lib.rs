//! A final puppet and a layout to a moc3 model.
//!
//! [`pack`] binds texture coordinates to pages, unites each object's geometry grid with its channels' axes, and turns
//! canvas pixels into the format's units (MOC3_FORMAT 4 and 7.5). [`pendulums`] does the same for physics.

mod error;
mod objects;
mod pendulums;
mod space;
mod unite;

pub use error::Error;
pub use objects::{Runtime, pack};
pub use pendulums::pendulums;
