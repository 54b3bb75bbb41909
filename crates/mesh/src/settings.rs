//! How fine and how tight a mesh is.

use canonical::Canonical;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::error::within;

/// Settings of [`crate::triangulate`] and [`crate::outline`]. All lengths are in canvas pixels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Canonical)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Wanted distance of interior vertices, 2..=4096; grows by itself where `max_vertices` demands it.
    /// RIG_PRACTICE "Meshes": 24 is enough, about 16 on face and hair.
    pub spacing: f64,
    /// The mesh covers everything within this distance of a pixel with alpha > 0, 1..=64.
    pub margin: f64,
    /// Largest deviation of the simplified outline from the grown contour, 1..=32: below 1 the stairs of pixels would
    /// show. Its cost is reach: the mesh extends up to `margin + 2 * simplify + 1.5` beyond the last visible pixel.
    pub simplify: f64,
    /// Refinement aims at no angle below this, 0..=30 degrees; 0 switches it off.
    pub min_angle_deg: f64,
    /// Upper bound of the vertex count, 64..=65534. Spacing and simplification are coarsened until it holds.
    pub max_vertices: u32,
    /// Holes of the outline smaller than this many square pixels are filled; >= 0.
    pub min_hole_area: f64,
    /// Fill every hole.
    pub fill_holes: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            spacing: 24.0,
            margin: 2.0,
            simplify: 1.0,
            min_angle_deg: 25.0,
            max_vertices: 4000,
            min_hole_area: 64.0,
            fill_holes: false,
        }
    }
}

impl Settings {
    /// Checks every range. Errors: [`Error::Setting`] for the first one broken.
    pub fn validate(&self) -> Result<(), Error> {
        within("spacing", self.spacing, 2.0, 4096.0, "within 2..=4096 pixels")?;
        within("margin", self.margin, 1.0, 64.0, "within 1..=64 pixels")?;
        within("simplify", self.simplify, 1.0, 32.0, "within 1..=32 pixels")?;
        within("min_angle_deg", self.min_angle_deg, 0.0, 30.0, "within 0..=30 degrees")?;
        within("max_vertices", f64::from(self.max_vertices), 64.0, 65534.0, "within 64..=65534")?;
        within("min_hole_area", self.min_hole_area, 0.0, f64::MAX, "at least 0 square pixels")?;
        Ok(())
    }
}
