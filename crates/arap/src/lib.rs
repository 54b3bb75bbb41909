//! Meshes bent by bones.
//!
//! Plain meshes in canvas px (x right, y down), no rig types. A [`Solver`] bends a [`Mesh`] as rigidly as possible
//! towards guide positions, many poses at once. Results have the same bits on every machine and for any number of
//! threads.

mod error;
mod mesh;

mod envelope;
mod order;
mod solver;
mod system;

pub use error::Error;
pub use mesh::Mesh;
pub use solver::{Pose, Settings, Solved, Solver, flips};
