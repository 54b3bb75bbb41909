//! Import settings.

use canonical::Canonical;
use serde::{Deserialize, Serialize};

/// How a document is cleaned. All of it enters the key of the `ingest` job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Canonical)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Pixels with at least this alpha count for bounds, centroid and components, 1..=255 (RIG section 3).
    pub alpha_threshold: u8,
    /// What becomes of clipping layers.
    pub clipping: Clipping,
    /// What becomes of small stray islands far from a layer's main mass.
    pub islands: Islands,
    /// How far beyond the canvas pixels are kept, as a share of its width and height.
    pub margin: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { alpha_threshold: 8, clipping: Clipping::Auto, islands: Islands::Keep, margin: 0.5 }
    }
}

/// What becomes of clipping layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Canonical)]
#[serde(rename_all = "lowercase")]
pub enum Clipping {
    /// Shading is merged into its base, fills are cut to its outline, parts of their own keep the clipping.
    Auto,
    /// Everything is cut to its base's outline and stays a layer; nothing merged, nothing kept clipped.
    Cut,
    /// Everything keeps the clipping where a single layer is the base, else is cut.
    Keep,
}

/// What becomes of small stray islands far from a layer's main mass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Canonical)]
#[serde(rename_all = "lowercase")]
pub enum Islands {
    /// They stay and are noted.
    Keep,
    /// They are erased and noted.
    Remove,
}
