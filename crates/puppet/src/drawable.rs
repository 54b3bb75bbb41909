//! Drawables, tiles, glue and blend shapes.

use geom::{Point, Rect};
use serde::{Deserialize, Serialize};

use crate::{Channels, DeformerId, DrawableId, GlueId, Grid, ParameterId, PartId, TileId};

/// A textured mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drawable {
    /// Id, e.g. `ArtMeshEyewhiteL`.
    pub id: DrawableId,
    /// Shown name.
    pub name: String,
    /// The part it belongs to; `None` for the root.
    pub part: Option<PartId>,
    /// The deformer whose space its vertices are in; `None` for canvas pixels.
    pub deformer: Option<DeformerId>,
    /// The picture it shows.
    pub tile: TileId,
    /// Texture coordinates, one per vertex: canvas-pixel offsets from the tile's top-left corner (may lie outside the tile).
    pub uvs: Vec<Point>,
    /// Vertex indices, three per triangle; positive area with y down.
    pub triangles: Vec<[u32; 3]>,
    /// Vertex positions in the parent's space, absolute, one per vertex in each cell.
    pub forms: Grid<Vec<Point>>,
    /// Opacity, draw order and colours.
    pub channels: Channels,
    /// How it blends.
    pub blend: BlendMode,
    /// Drawables whose united alpha clips this one.
    pub masks: Vec<DrawableId>,
    /// Clips to the outside of the masks.
    pub invert_mask: bool,
}

/// Blend modes that every runtime knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlendMode {
    /// Source over.
    Normal,
    /// Adds light.
    Additive,
    /// Darkens.
    Multiply,
}

/// A picture that drawables show: one layer's pixels, or a derived picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tile {
    /// Id.
    pub id: TileId,
    /// Where its pixels lie on the canvas at rest.
    pub rect: Rect,
    /// Raster width in pixels.
    pub width: u32,
    /// Raster height in pixels.
    pub height: u32,
    /// Texture density multiplier (DOCUMENT_LAYER 10.1).
    pub density: f64,
    /// Keeps its size when pages overflow.
    pub lock: bool,
    /// Fixed place: page, x, y in page pixels.
    pub pin: Option<(u32, u32, u32)>,
}

/// Welds vertices of two drawables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Glue {
    /// Id.
    pub id: GlueId,
    /// First drawable.
    pub a: DrawableId,
    /// Second drawable.
    pub b: DrawableId,
    /// Welded pairs.
    pub pairs: Vec<GluePair>,
    /// Strength, 0..=1.
    pub intensity: Grid<f64>,
}

/// A welded pair of vertices.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GluePair {
    /// Vertex of the first drawable.
    pub a: u32,
    /// Vertex of the second drawable.
    pub b: u32,
    /// How far the first moves to the second, 0..=1.
    pub weight_a: f64,
    /// How far the second moves to the first, 0..=1.
    pub weight_b: f64,
}

/// Differences added to a target along one parameter (Cubism 4.2 and later).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlendShape {
    /// What it moves.
    pub target: BlendTarget,
    /// Driving parameter, of kind [`crate::ParameterKind::BlendShape`].
    pub parameter: ParameterId,
    /// Keys, strictly ascending.
    pub keys: Vec<f64>,
    /// Index of the key that contributes nothing.
    pub base_key: usize,
    /// Point differences in the target's parent space, one list per key (empty at the base key).
    pub deltas: Vec<Vec<Point>>,
    /// Limits of its weight.
    pub limits: Vec<Limit>,
}

/// Target of a blend shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum BlendTarget {
    /// A drawable's vertices.
    Drawable(DrawableId),
    /// A warp's control points.
    Warp(DeformerId),
}

/// Limits a blend shape by another parameter: piecewise linear, clamped at the ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// The limiting parameter.
    pub parameter: ParameterId,
    /// (value, weight), ascending by value.
    pub points: Vec<(f64, f64)>,
}
