//! Points, rectangles and affine maps in canvas pixels, and the deterministic maths everything uses.
//!
//! Canvas space: origin at the top left, x right, y down, one unit per canvas pixel. All geometry is `f64`.

mod affine;
pub mod maths;
mod point;
mod rect;

pub use affine::Affine;
pub use point::Point;
pub use rect::{IntRect, Rect};
