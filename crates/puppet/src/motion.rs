//! Motions, expressions and pose groups (MOC3_FORMAT 8.3 to 8.5).

use serde::{Deserialize, Serialize};

use crate::{ParameterId, PartId};

/// One motion file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motion {
    /// File stem, e.g. `idle`.
    pub name: String,
    /// Group in model3.json, e.g. `Idle`.
    pub group: String,
    /// Seconds.
    pub duration: f64,
    /// Frames per second.
    pub fps: f64,
    /// Loops; then every curve starts and ends with the same value.
    pub looping: bool,
    /// Seconds; `None` for the runtime's default.
    pub fade_in: Option<f64>,
    /// Seconds; `None` for the runtime's default.
    pub fade_out: Option<f64>,
    /// Curves: parameters first, then part opacities.
    pub curves: Vec<Curve>,
}

/// One curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// What it drives.
    pub target: CurveTarget,
    /// First key.
    pub start: Key,
    /// The following segments, times ascending.
    pub segments: Vec<Segment>,
}

/// What a curve drives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum CurveTarget {
    /// A parameter.
    Parameter(ParameterId),
    /// A part's opacity.
    PartOpacity(PartId),
}

/// A time and a value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Key {
    /// Seconds.
    pub time: f64,
    /// Parameter units.
    pub value: f64,
}

/// The way to the next key.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Segment {
    /// Straight.
    Linear(Key),
    /// Cubic bezier with control times at one and two thirds (restricted).
    Bezier(Key, Key, Key),
    /// Holds the old value until the key.
    Stepped(Key),
    /// Takes the new value at once.
    InverseStepped(Key),
}

/// One expression file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expression {
    /// Name and file stem.
    pub name: String,
    /// Seconds.
    pub fade_in: f64,
    /// Seconds.
    pub fade_out: f64,
    /// What it sets.
    pub values: Vec<ExpressionValue>,
}

/// One parameter of an expression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpressionValue {
    /// Parameter.
    pub parameter: ParameterId,
    /// Value.
    pub value: f64,
    /// How it combines.
    pub blend: ExpressionBlend,
}

/// How an expression value combines with the current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExpressionBlend {
    /// Sum.
    Add,
    /// Product.
    Multiply,
    /// Replacement.
    Overwrite,
}

/// Parts of which exactly one shows: each with the parts that follow it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoseGroup {
    /// (part, linked parts).
    pub members: Vec<(PartId, Vec<PartId>)>,
}
