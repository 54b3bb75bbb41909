//! One limb tree: all that its bake reads (DOCUMENT_LAYER 7).

use geom::Point;
use puppet::DrawableId;
use serde::{Deserialize, Serialize};

use crate::chain::Chain;

/// A limb with its meshes. What is not in here - textures, other limbs, names of layers, the deformers above - does not
/// change its bake.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limb {
    /// Unique in the figure, e.g. `arm-l`.
    pub name: String,
    /// Its bones.
    pub chain: Chain,
    /// The meshes that follow them.
    pub meshes: Vec<Bound>,
    /// Largest difference in pixels between a movement and the blend of its keyforms.
    pub tolerance: f64,
}

/// A mesh that follows a chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// The drawable.
    pub drawable: DrawableId,
    /// Rest positions, canvas pixels.
    pub rest: Vec<Point>,
    /// Vertex indices, three per triangle.
    pub triangles: Vec<[u32; 3]>,
}
