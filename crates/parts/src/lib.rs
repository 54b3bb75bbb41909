//! Clean layers to named body parts: tags, sides, anchors, head tilt, face measures.
//!
//! [`cast`](cast()) reads names first ([`read_name`]), then folders, then places: what a name leaves open is settled
//! by where the layer lies. It splits pairs drawn in one layer and measures the face. Every decision becomes a note.

mod cast;
mod error;
mod settings;
mod tag;

mod alias;
mod anchors;
mod assign;
mod face;
mod name;
mod overrides;
mod place;
mod sides;
mod split;
mod tilt;
mod warnings;

pub use assign::cast;
pub use cast::{Anchors, Cast, FaceRig, Frames, HeadTilt, Member, Regions, SidedRegion};
pub use error::Error;
pub use name::{Context, NameReading, Site, read_name};
pub use overrides::glob_matches;
pub use settings::{LayerOverride, Settings};
pub use tag::{Group, Side, Tag};
