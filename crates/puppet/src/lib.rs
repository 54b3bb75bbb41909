//! The model IR between stages: parts, parameters, deformers, drawables, keyforms.
//!
//! A [`Puppet`] is plain owned data that can be printed, compared and stored. It holds what both runtime (moc3) and
//! editor (cmo3) files need. An *unbound* puppet's texture coordinates are canvas offsets from the tile's top-left
//! corner; page coordinates exist only inside packing.
//!
//! Spaces (MOC3_FORMAT 7.5, RIG 2): objects without a parent deformer are in canvas pixels; children of a warp are in
//! the warp's 0..1 lattice frame; children of a rotation are canvas-pixel offsets from its pivot.

mod deformer;
mod drawable;
pub mod evaluate;
mod grid;
mod ids;
mod motion;
mod parameter;
mod physics;
mod puppet;
pub mod validate;

pub use deformer::{Deformer, DeformerKind, Rotation, RotationForm, Warp};
pub use drawable::{BlendMode, BlendShape, BlendTarget, Drawable, Glue, GluePair, Limit, Tile};
pub use grid::{Axis, Grid};
pub use ids::{DeformerId, DrawableId, GlueId, ParameterId, PartId, TileId};
pub use motion::{
    Curve, CurveTarget, Expression, ExpressionBlend, ExpressionValue, Key, Motion, PoseGroup, Segment,
};
pub use parameter::{Parameter, ParameterGroup, ParameterKind};
pub use physics::{Pendulum, PhysicsGroup, PhysicsInput, PhysicsOutput, PhysicsRange, PhysicsSource};
pub use puppet::{Canvas, Channels, Part, Puppet};
