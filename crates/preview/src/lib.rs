//! A deterministic CPU renderer of a posed model.
//!
//! [`Scene`] holds a model and its texture pages and draws any pose: textured triangles, masks, all blend modes,
//! opacity, multiply and screen colours, the way the official renderer's shaders do (straight-alpha textures sampled
//! bilinearly from two of the page's halved copies, then premultiplied). The pixels do not depend on the machine or on
//! the number of threads. Offscreens of version 5.3 are not composed on their own: what is in them takes their opacity.
//! [`sheet`] puts many poses on one picture, [`grid`] any pictures.

mod error;
mod grid;
mod scene;
mod sheet;

mod band;
mod blend;
mod mesh;
mod texture;

mod label;
mod picture;

pub use error::Error;
pub use grid::{GridStyle, grid};
pub use picture::encode_apng;
pub use scene::{Scene, View};
pub use sheet::{NamedPose, SheetStyle, head_crop, sheet, standard_poses};
