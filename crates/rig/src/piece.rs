//! A drawable in the making: where it hangs, how it moves, in working coordinates.

use geom::{IntRect, Point};
use mesh::Mesh;
use parts::Side;
use puppet::{Axis, Grid, PartId, TileId};

use crate::slot::Slot;

/// What a piece is, for masks and stacking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    White,
    EyeMask,
    Iris,
    LowerLash,
    Lash,
    Crease,
    LidLine,
    Mouth,
    MouthInside,
    Other,
}

/// Moves a vertex of the working space at given key values.
pub(crate) type Move<'a> = Box<dyn Fn(&[f64], Point) -> Point + Send + Sync + 'a>;

/// How a piece's vertices move.
pub(crate) struct Motion<'a> {
    pub(crate) axes: Vec<Axis>,
    pub(crate) to: Move<'a>,
}

impl Motion<'_> {
    /// No move of its own.
    pub(crate) fn still() -> Self {
        Self { axes: Vec::new(), to: Box::new(|_, p| p) }
    }
}

/// A drawable in the making.
pub(crate) struct Piece<'a> {
    /// Member it is made of.
    pub(crate) member: usize,
    /// Id words after `ArtMesh`.
    pub(crate) stem: String,
    pub(crate) side: Option<Side>,
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) slot: Slot,
    pub(crate) part: PartId,
    pub(crate) tile: TileId,
    /// Canvas rectangle of the tile's pixels.
    pub(crate) rect: IntRect,
    /// Raster-local.
    pub(crate) mesh: Mesh,
    pub(crate) motion: Motion<'a>,
    pub(crate) opacity: Grid<f64>,
    /// Stacking: place of the member, then place within it.
    pub(crate) order: (usize, i32),
}

/// The product of two numbers that ride on different parameters.
pub(crate) fn product(a: &Grid<f64>, b: &Grid<f64>) -> Grid<f64> {
    let axes: Vec<Axis> = a.axes.iter().chain(&b.axes).cloned().collect();
    let mut cells = Vec::with_capacity(a.cells.len() * b.cells.len());
    for y in &b.cells {
        cells.extend(a.cells.iter().map(|x| x * y));
    }
    Grid { axes, cells }
}

/// A number that follows one parameter along the given (key, value) points.
pub(crate) fn ramp(parameter: &str, points: &[(f64, f64)]) -> Grid<f64> {
    let keys: Vec<f64> = points.iter().map(|p| p.0).collect();
    Grid { axes: vec![Axis::new(parameter, keys)], cells: points.iter().map(|p| p.1).collect() }
}
