//! Parameters and their folders.

use serde::{Deserialize, Serialize};

use crate::ParameterId;

/// A model parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Id.
    pub id: ParameterId,
    /// Shown name.
    pub name: String,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Value at rest, inside `min..=max`.
    pub default: f64,
    /// Whether it drives grids or blend shapes; never both (MOC3_FORMAT 6.12).
    pub kind: ParameterKind,
    /// Wraps instead of clamping.
    pub repeat: bool,
    /// Id of the folder it is listed in; empty for none.
    pub group: String,
}

/// What a parameter drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParameterKind {
    /// Keyform grids.
    Normal,
    /// Blend shapes.
    BlendShape,
}

/// A folder of parameters, for display.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParameterGroup {
    /// Id, e.g. `ParamGroupFace`.
    pub id: String,
    /// Shown name.
    pub name: String,
}
