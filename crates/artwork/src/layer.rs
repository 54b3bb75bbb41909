//! Clean layers as plain values.

use geom::{IntRect, Point};
use serde::{Deserialize, Serialize};

/// A layer's stable id: from its path and name, never from its order. Unique within one artwork.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LayerId(String);

impl LayerId {
    /// From its text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for LayerId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Every layer that holds pixels, cleaned; pixels travel beside it, one image per layer in the same order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Artwork {
    /// Canvas width in pixels.
    pub width: u32,
    /// Canvas height in pixels.
    pub height: u32,
    /// Leaf layers, bottom to top, hidden ones too.
    pub layers: Vec<Layer>,
    /// What was dropped, merged, approximated or decided.
    pub notes: Vec<Note>,
}

/// One clean layer. Masks are in its pixels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layer {
    /// Stable id.
    pub id: LayerId,
    /// Name as drawn by the artist.
    pub name: String,
    /// Names of its folders, outermost first.
    pub path: Vec<String>,
    /// Rectangle of its image on the canvas: tight to alpha > 0; may reach beyond the canvas.
    pub rect: IntRect,
    /// Rectangle of the pixels with alpha >= the import threshold (default 8).
    pub bounds: IntRect,
    /// Mean position of the pixels of `bounds` (canvas px, pixel indices, RIG section 3).
    pub centroid: Point,
    /// Number of those pixels.
    pub opaque_pixels: u64,
    /// Effective opacity 0..=1: own, fill and folders.
    pub opacity: f64,
    /// Blend mode, reduced to what runtimes know.
    pub blend: BlendMode,
    /// Shown by the PSD as saved: own eye and every folder's.
    pub visible: bool,
    /// The layer below that this one is clipped to, when the clipping was kept rather than baked into the pixels.
    pub clip_to: Option<LayerId>,
    /// Set when the layer is one of several alternatives.
    pub variant: Option<Variant>,
    /// SHA-256 of size and pixels, hex.
    pub content: String,
}

/// Membership in a set of alternatives (`*name` siblings, hidden siblings).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// Path of the folder whose children exclude one another.
    pub set: Vec<String>,
    /// Name of this alternative.
    pub name: String,
}

/// How a layer blends: what every runtime knows. (Own words: art knows no model.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlendMode {
    /// Source over.
    Normal,
    /// Adds light.
    Additive,
    /// Darkens.
    Multiply,
}

/// Something a rigger should read in the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Stable code, e.g. `clipping-baked`.
    pub code: String,
    /// How grave.
    pub level: NoteLevel,
    /// The layer concerned; `None` for the whole file.
    pub layer: Option<LayerId>,
    /// One sentence.
    pub message: String,
    /// The setting that changes it, e.g. `layers."hair".side`; empty for none.
    pub setting: String,
}

/// How grave a note is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum NoteLevel {
    /// A decision worth knowing.
    Info,
    /// Something is lost or doubtful.
    Warning,
    /// The result is not what the artist wants.
    Error,
}
