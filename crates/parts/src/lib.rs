//! Clean layers to named body parts: tags, sides, anchors, head tilt, face measures.

mod cast;
mod tag;

pub use cast::{Anchors, Cast, FaceRig, Frames, HeadTilt, Member, Regions, SidedRegion};
pub use tag::{Group, Side, Tag};
