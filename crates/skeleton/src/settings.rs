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
}

impl Default for Settings {
    fn default() -> Self {
        Self { enabled: true, tolerance: 1.0, ranges: BTreeMap::new() }
    }
}
