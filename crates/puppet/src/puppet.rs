//! The whole model.

use serde::{Deserialize, Serialize};

use crate::{
    BlendShape, Deformer, Drawable, DrawableId, Expression, Glue, Grid, Motion, Parameter, ParameterGroup,
    ParameterId, PartId, PhysicsGroup, PoseGroup, Tile,
};

/// A model: what stages hand on and packers write.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Puppet {
    /// Canvas size.
    pub canvas: Canvas,
    /// Parameters, in display order.
    pub parameters: Vec<Parameter>,
    /// Folders of parameters, in display order.
    pub parameter_groups: Vec<ParameterGroup>,
    /// Pairs shown as one two-dimensional control.
    pub combined: Vec<(ParameterId, ParameterId)>,
    /// Parts, parents before children.
    pub parts: Vec<Part>,
    /// Deformers, parents before children.
    pub deformers: Vec<Deformer>,
    /// Drawables, in a stable order (stacking is by draw order).
    pub drawables: Vec<Drawable>,
    /// Tiles, sorted by id.
    pub tiles: Vec<Tile>,
    /// Glues, in the order in which they act.
    pub glues: Vec<Glue>,
    /// Blend shapes.
    pub blend_shapes: Vec<BlendShape>,
    /// Physics, in the order in which it runs.
    pub physics: Vec<PhysicsGroup>,
    /// Motions.
    pub motions: Vec<Motion>,
    /// Expressions.
    pub expressions: Vec<Expression>,
    /// Parts of which one shows.
    pub poses: Vec<PoseGroup>,
    /// Parameters that a runtime closes to blink.
    pub eye_blink: Vec<ParameterId>,
    /// Parameters that a runtime opens to speak.
    pub lip_sync: Vec<ParameterId>,
    /// Drawables that a runtime may hit, with the area's name (`Head`, `Body`).
    pub hit_areas: Vec<(DrawableId, String)>,
}

/// Canvas size in pixels; the model's origin is its centre.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Canvas {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// A folder of drawables and deformers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Id, e.g. `PartHead`.
    pub id: PartId,
    /// Shown name.
    pub name: String,
    /// The part it lies in.
    pub parent: Option<PartId>,
    /// Shown at the start.
    pub visible: bool,
}

/// Values that ride on an object beside its geometry, each on its own axes; packing unites them with the geometry's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Channels {
    /// 0..=1, usually.
    pub opacity: Grid<f64>,
    /// 0..=1000, integers; larger is nearer to the viewer. Drawables only.
    pub draw_order: Grid<f64>,
    /// Multiply colour, RGB 0..=1; neutral (1,1,1).
    pub multiply: Grid<[f64; 3]>,
    /// Screen colour, RGB 0..=1; neutral (0,0,0).
    pub screen: Grid<[f64; 3]>,
}

impl Default for Channels {
    fn default() -> Self {
        Self {
            opacity: Grid::constant(1.0),
            draw_order: Grid::constant(500.0),
            multiply: Grid::constant([1.0; 3]),
            screen: Grid::constant([0.0; 3]),
        }
    }
}

impl Puppet {
    /// The parameter with this id.
    pub fn parameter(&self, id: &ParameterId) -> Option<&Parameter> {
        self.parameters.iter().find(|p| p.id == *id)
    }
    /// The drawable with this id.
    pub fn drawable(&self, id: &DrawableId) -> Option<&Drawable> {
        self.drawables.iter().find(|d| d.id == *id)
    }
}
