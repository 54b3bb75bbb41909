//! Bones, joints and skin for limbs.
//!
//! [`find`] looks for limbs in the named parts of a figure and gives each a chain of bones; [`bake`] makes one limb's
//! turning frames and keyforms from its meshes; [`apply`] puts them into the puppet. Between them stands [`Limb`], the
//! projection that a bake reads: a change outside of it leaves the bake as it is (DOCUMENT_LAYER 7).

mod error;
mod settings;

mod cover;
mod line;

mod chain;
mod joint;

mod find;
mod given;
mod limb;

mod bake;
mod patch;

pub use bake::{MOST_BONES, bake};
pub use chain::{Bone, Chain, Sway};
pub use error::Error;
pub use find::{Figure, Found, find};
pub use limb::{Bound, Limb};
pub use line::Line;
pub use patch::{BoneParameter, FOLDER, Frame, Host, Narrowed, Patch, Skin, apply};
pub use settings::{BoneSettings, Settings};

#[cfg(test)]
mod tests;
