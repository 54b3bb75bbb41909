//! Settings of the cast.

use std::collections::BTreeMap;

use canonical::Canonical;
use serde::{Deserialize, Serialize};

/// How layers become parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Canonical)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Pixels with at least this alpha count, 1..=255; as at import.
    pub alpha_threshold: u8,
    /// Components with fewer pixels do not make a half of a pair (CONTEXT 1.5).
    pub split_min_pixels: u64,
    /// Split eyes, lashes, whites, irises, brows and ears drawn in one layer (RIG_PRACTICE 10).
    pub split_face: bool,
    /// Split arms, legs, feet and wings drawn in one layer, when they clearly are two.
    pub split_limbs: bool,
    /// Expansion of the eye region: 0.30 (RIG_PRACTICE 12), classic 0.18.
    pub eye_expand: f64,
    /// Expansion of the head frame: 0.045 (RIG_PRACTICE 12), classic 0.025.
    pub head_expand: f64,
    /// Head tilt in degrees instead of the estimate.
    pub head_tilt: Option<f64>,
    /// By layer id, `folder/name` path, or name; `*` and `?` match as in file globs. The most exact key wins.
    pub layers: BTreeMap<String, LayerOverride>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            alpha_threshold: 8,
            split_min_pixels: 12,
            split_face: true,
            split_limbs: true,
            eye_expand: 0.30,
            head_expand: 0.045,
            head_tilt: None,
            layers: BTreeMap::new(),
        }
    }
}

/// What the user says about a layer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Canonical)]
#[serde(default, deny_unknown_fields)]
pub struct LayerOverride {
    /// Canonical tag name, or any name the reader knows.
    pub tag: Option<String>,
    /// `left`, `right` (the character's own) or `none`.
    pub side: Option<String>,
    /// `head` or `body`: what it moves with.
    pub parent: Option<String>,
    /// Shown at rest.
    pub visible: Option<bool>,
    /// Split into left and right, or not.
    pub split: Option<bool>,
}
