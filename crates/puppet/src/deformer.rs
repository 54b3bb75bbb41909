//! Deformers.

use geom::Point;
use serde::{Deserialize, Serialize};

use crate::{Channels, DeformerId, Grid, PartId};

/// A deformer; parents stand before their children in [`crate::Puppet::deformers`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Deformer {
    /// Id.
    pub id: DeformerId,
    /// Shown name.
    pub name: String,
    /// The part it is listed in; `None` for the root.
    pub part: Option<PartId>,
    /// The deformer whose space it lives in; `None` for canvas pixels.
    pub parent: Option<DeformerId>,
    /// Warp or rotation.
    pub kind: DeformerKind,
    /// Opacity and colours; draw order is ignored here.
    pub channels: Channels,
}

/// What a deformer does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum DeformerKind {
    /// A lattice.
    Warp(Warp),
    /// A turning frame.
    Rotation(Rotation),
}

/// A lattice of `(columns + 1) * (rows + 1)` control points, bilinear inside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Warp {
    /// Cells horizontally.
    pub columns: usize,
    /// Cells vertically.
    pub rows: usize,
    /// Control points in the parent's space, row by row from the top, left to right.
    pub forms: Grid<Vec<Point>>,
}

/// A turning frame; children are canvas-pixel offsets from the pivot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rotation {
    /// Degrees added to every form's angle, clockwise on screen.
    pub base_angle: f64,
    /// The forms.
    pub forms: Grid<RotationForm>,
}

/// One keyform of a rotation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RotationForm {
    /// Pivot in the parent's space.
    pub pivot: Point,
    /// Degrees, clockwise on screen.
    pub angle: f64,
    /// Scale; 1 keeps the size in canvas pixels (packing turns it into the format's units).
    pub scale: f64,
    /// Mirrors the child's x.
    pub reflect_x: bool,
    /// Mirrors the child's y.
    pub reflect_y: bool,
}
