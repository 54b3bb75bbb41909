//! A layer's alpha to an outline and a triangle mesh.
//!
//! [`triangulate`] is the whole road: silhouette grown outwards, contour, constrained Delaunay with refinement.
//! [`columns`] makes the regular strip that lashes, whites, eye masks and mouths need, [`grid`] a plain rectangle.
//! Everything is in raster-local pixels: (0, 0) is the top left corner of the raster, a pixel covers one unit square,
//! and vertices may lie outside the raster. Every mesh reaches at least one pixel beyond every pixel with alpha > 0
//! ([`coverage::uncovered`] checks it), and results have the same bits on every machine.

mod error;
mod settings;

mod bitmap;
mod contour;
mod simplify;

mod outline;

mod constrained;
mod delaunay;
mod exact;
mod interior;
mod refine;
mod triangulation;

mod columns;
mod grid;
mod triangle_mesh;

pub mod coverage;

pub use columns::{ColumnMesh, ColumnSettings, columns};
pub use delaunay::triangulate;
pub use error::Error;
pub use grid::grid;
pub use outline::{Outline, outline};
pub use settings::Settings;
pub use triangle_mesh::Mesh;

#[cfg(test)]
mod tests;
