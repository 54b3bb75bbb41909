//! The TOML settings, checked and merged, as the stages' own settings.
//!
//! Sources are given as text, lowest precedence first (defaults < `--settings` < `mika.toml` beside the art < project <
//! `--set`); tables merge key by key. A key that no stage knows is an error with the nearest known name.

mod codes;
mod error;
mod merge;
mod nearest;
mod schema;

pub use codes::warning_code;
pub use error::Error;
pub use merge::{Source, extends, load};
pub use schema::{Checks, Export, Import, LayerOverride, Motions, Physics, Rig, Settings};
