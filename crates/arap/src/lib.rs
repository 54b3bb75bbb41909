//! Meshes bent by bones.
//!
//! Plain meshes in canvas px (x right, y down), no rig types. [`Bones`] turn about their heads, [`Weights`] say which
//! vertices are rigid and which bend, a [`Skin`] makes positions from the bones of many poses, [`keys`] chooses the
//! fewest poses that are worth keeping. Beneath it a [`Solver`] bends a [`Mesh`] as rigidly as possible towards guide
//! positions. Results have the same bits on every machine and for any number of threads.

mod error;
mod mesh;

mod bones;
mod heat;
mod profile;
mod refine;
mod subdivide;
mod weights;

mod envelope;
mod isa;
mod lane;
mod lanes;
mod mend;
mod order;
mod solver;
mod system;

mod fair;
mod skin;

pub mod keys;

pub use bones::{Bone, Bones, Joint};
pub use error::Error;
pub use mend::{flips, mend};
pub use mesh::Mesh;
pub use refine::{Blend, Refined, refine};
pub use skin::Skin;
pub use solver::{Lanes, Pose, Settings, Solved, Solver};
pub use weights::{Weight, Weights};
