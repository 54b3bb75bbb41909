//! What a user may tune.

use std::collections::BTreeMap;

use canonical::Canonical;
use serde::{Deserialize, Serialize};

/// Settings of skeletons; every key is optional.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Canonical)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Finds bones in the art.
    pub enabled: bool,
    /// Largest difference in pixels between a movement and the blend of its keyforms, 0.25..=16.
    pub tolerance: f64,
    /// Ranges in degrees by parameter, e.g. `ParamArmLA = [-30, 90]`; `[0, 0]` leaves a bone out.
    pub ranges: BTreeMap<String, (f64, f64)>,
    /// Bones given by hand; what they bind gets no others. At most 128.
    pub bones: Vec<BoneSettings>,
}

/// Most bones given by hand.
pub(crate) const MOST_GIVEN: usize = 128;

/// A bone given by hand. Bones that follow each other from parent to child make one limb.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Canonical)]
#[serde(default, deny_unknown_fields)]
pub struct BoneSettings {
    /// ASCII letters, digits and `_`; unique.
    pub name: String,
    /// The bone that carries it; empty for the first of a limb.
    pub parent: String,
    /// Its joint, canvas pixels.
    pub head: (f64, f64),
    /// Its end, canvas pixels.
    pub tail: (f64, f64),
    /// Layers that it moves, by name, path or id; those of all bones of a limb follow the whole limb.
    pub binds: Vec<String>,
    /// Smallest and largest angle in degrees, away from the body positive.
    pub range: (f64, f64),
    /// Driving parameter; `Param` and the name when empty.
    pub parameter: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self { enabled: true, tolerance: 1.0, ranges: BTreeMap::new(), bones: Vec::new() }
    }
}
