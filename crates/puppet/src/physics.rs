//! Physics groups, as physics3 files hold them (MOC3_FORMAT 8.2).

use serde::{Deserialize, Serialize};

use crate::ParameterId;

/// One pendulum chain and what drives it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhysicsGroup {
    /// Id, e.g. `PhysicsHairFront`.
    pub id: String,
    /// Shown name.
    pub name: String,
    /// Driving parameters.
    pub inputs: Vec<PhysicsInput>,
    /// Driven parameters.
    pub outputs: Vec<PhysicsOutput>,
    /// Vertex 0 is the anchor.
    pub pendulums: Vec<Pendulum>,
    /// Range that position inputs are normalised to.
    pub position: PhysicsRange,
    /// Range that angle inputs are normalised to.
    pub angle: PhysicsRange,
}

/// One input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhysicsInput {
    /// Source parameter.
    pub parameter: ParameterId,
    /// 0..=100.
    pub weight: f64,
    /// What it moves.
    pub source: PhysicsSource,
    /// Keeps the sign (the framework negates otherwise).
    pub reflect: bool,
}

/// How an input or output is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PhysicsSource {
    /// Sideways.
    X,
    /// Downwards.
    Y,
    /// Turn.
    Angle,
}

/// One output; only angles work in the official framework, so there is no other kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhysicsOutput {
    /// Driven parameter.
    pub parameter: ParameterId,
    /// Pendulum vertex, 1..n-1.
    pub vertex: usize,
    /// Parameter units per radian.
    pub scale: f64,
    /// 0..=100.
    pub weight: f64,
    /// Negates.
    pub reflect: bool,
}

/// One vertex of a pendulum chain.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pendulum {
    /// Length from the previous vertex; 0 for the anchor.
    pub radius: f64,
    /// Kept share of velocity, 0..=1.
    pub mobility: f64,
    /// Reaction speed.
    pub delay: f64,
    /// Pull of gravity.
    pub acceleration: f64,
}

/// A normalisation range.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhysicsRange {
    /// Smallest.
    pub min: f64,
    /// At rest.
    pub default: f64,
    /// Largest.
    pub max: f64,
}
