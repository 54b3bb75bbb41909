//! The named parts of one character and the measures taken of them.

use artwork::{BlendMode, LayerId, Note, Variant};
use geom::{IntRect, Point, Rect};
use serde::{Deserialize, Serialize};

use crate::{Group, Side, Tag};

/// Every layer with its role, and the measures the rig stands on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cast {
    /// Canvas width in pixels.
    pub width: u32,
    /// Canvas height in pixels.
    pub height: u32,
    /// Bottom to top. Images travel beside it, one per member in the same order.
    pub members: Vec<Member>,
    /// Anchors (RIG section 3).
    pub anchors: Anchors,
    /// Drawn tilt of the head.
    pub tilt: HeadTilt,
    /// Face measures, in head-aligned space.
    pub face: FaceRig,
    /// Normalisation frames; head frames in head-aligned space.
    pub frames: Frames,
    /// What was decided and what is missing.
    pub notes: Vec<Note>,
}

/// One layer (or one half of a split layer) and what it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Stable id: the layer's, with `:l` / `:r` (or another suffix) for pieces of a split.
    pub id: String,
    /// The artwork layer it came from.
    pub layer: LayerId,
    /// Shown name.
    pub name: String,
    /// Folder names, outermost first.
    pub path: Vec<String>,
    /// What it shows.
    pub tag: Tag,
    /// Body region, with `Unknown` settled by position: never [`Group::Unknown`].
    pub group: Group,
    /// Side, if any.
    pub side: Option<Side>,
    /// Number or word that tells repeats apart (`front hair_2`, `mouth.smile`), if any.
    pub suffix: Option<String>,
    /// Alternatives it belongs to, if any.
    pub variant: Option<Variant>,
    /// 0..=1: exact name 1, prefix 0.85, geometry lower, unknown 0.
    pub confidence: f64,
    /// Rectangle of its image on the canvas (alpha > 0).
    pub rect: IntRect,
    /// Rectangle of alpha >= threshold, canvas px.
    pub bounds: Rect,
    /// Mean position of those pixels, canvas px.
    pub centroid: Point,
    /// Number of those pixels.
    pub opaque_pixels: u64,
    /// Opacity 0..=1.
    pub opacity: f64,
    /// Blend mode.
    pub blend: BlendMode,
    /// Shown at rest.
    pub visible: bool,
    /// Member that clips it, by id.
    pub clip_to: Option<String>,
    /// A solid background that fills the canvas: kept hidden unless the settings show it.
    pub background: bool,
    /// Hex digest of its image.
    pub content: String,
}

/// Anchors (RIG section 3), canvas px.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anchors {
    /// The whole character, expanded 0.015.
    pub character: Rect,
    /// Face anchor, expanded 0.04.
    pub face: Rect,
    /// Unexpanded face box.
    pub face_raw: Rect,
    /// Body anchor, expanded 0.025.
    pub body: Rect,
    /// Centre of the face.
    pub face_center: Point,
    /// Chin.
    pub chin: Point,
    /// y of the shoulders.
    pub shoulder_y: f64,
    /// y of the hips.
    pub hip_y: f64,
    /// Box of the neck layers, if any.
    pub neck: Option<Rect>,
    /// A face layer was found.
    pub has_face: bool,
}

/// Tilt of the head as drawn (RIG 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadTilt {
    /// Degrees, clockwise on screen positive, within +-45; 0 inside the dead zone.
    pub degrees: f64,
    /// Pivot of head-aligned space: the face centre, canvas px.
    pub pivot: Point,
}

impl HeadTilt {
    /// Canvas to head-aligned space (RIG section 2, item 4).
    pub fn align(&self, p: Point) -> Point {
        p.rotated(self.pivot, -self.degrees.to_radians())
    }
    /// Head-aligned space to canvas.
    pub fn unalign(&self, p: Point) -> Point {
        p.rotated(self.pivot, self.degrees.to_radians())
    }
    /// A canvas box re-boxed in aligned space by its corners.
    pub fn align_rect(&self, r: Rect) -> Rect {
        Rect::bounding(r.corners().map(|p| self.align(p))).unwrap_or(r)
    }
}

/// Face measures in head-aligned space (RIG 3.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaceRig {
    /// Aligned face anchor.
    pub face: Rect,
    /// Centre of the face surface.
    pub center: Point,
    /// Horizontal radius, at least 1.
    pub radius_x: f64,
    /// Vertical radius, at least 1.
    pub radius_y: f64,
    /// y of the eye line.
    pub eye_line: f64,
    /// y of the nose line.
    pub nose_line: f64,
    /// y of the mouth line.
    pub mouth_line: f64,
    /// Regions of the features, expanded (RIG 3.2; EYE by 0.30 as RIG_PRACTICE 12).
    pub regions: Regions,
}

/// Feature regions in head-aligned space.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Regions {
    /// Eyes with their irises.
    pub eye: Vec<SidedRegion>,
    /// Irises.
    pub iris: Vec<SidedRegion>,
    /// Brows.
    pub brow: Vec<SidedRegion>,
    /// Nose.
    pub nose: Vec<SidedRegion>,
    /// Mouth.
    pub mouth: Vec<SidedRegion>,
    /// Ears and earwear.
    pub ear: Vec<SidedRegion>,
}

/// A region of one side, or of both when the art is not split.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SidedRegion {
    /// `None`: both sides or the centre.
    pub side: Option<Side>,
    /// The expanded box, head-aligned px.
    pub rect: Rect,
    /// The box before expansion.
    pub raw: Rect,
}

/// Normalisation frames (RIG section 3); head frames in head-aligned space, the character frame on the canvas.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frames {
    /// Frame of the body warps.
    pub character: Rect,
    /// Frame of the head container.
    pub head: Rect,
    /// Frame of the face surface.
    pub face: Rect,
    /// Frame of the front hair, if any.
    pub hair_front: Option<Rect>,
    /// Frame of the back hair, if any.
    pub hair_back: Option<Rect>,
}
