//! Coordinate spaces (RIG 2): how rest positions are written below a deformer.

use geom::{Point, Rect};

/// The space in which a deformer's children are written. Inputs are working coordinates: canvas pixels for body parts,
/// head-aligned pixels for head parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Space {
    /// Pixels as they are.
    Canvas,
    /// 0..1 in a frame.
    Frame(Rect),
}

impl Space {
    /// A working-space position as it is stored.
    pub(crate) fn local(&self, p: Point) -> Point {
        match self {
            Self::Canvas => p,
            Self::Frame(frame) => frame.norm(p),
        }
    }
}
