//! Which deformer a layer hangs from (RIG 1.1, RIG_PRACTICE 13).

use std::collections::BTreeSet;

use parts::{Side, SidedRegion, Tag};

use crate::features::Feature;
use crate::hair::Layering;
use crate::hang::Class;
use crate::layer::{Layer, Scene};

/// A place in the deformer tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Slot {
    /// The canvas itself: backgrounds.
    Canvas,
    Body,
    /// A figure drawn in one picture.
    Figure,
    Container,
    HairFollow(Layering),
    Hair(Layering),
    Face,
    Feature(Feature, Option<Side>),
    Gaze(Option<Side>),
}

/// The region that serves a side: its own, else one without a side.
pub(crate) fn region(regions: &[SidedRegion], side: Option<Side>) -> Option<&SidedRegion> {
    regions.iter().find(|r| r.side == side).or_else(|| regions.iter().find(|r| r.side.is_none()))
}

/// Regions of a feature.
pub(crate) fn regions<'s>(scene: &'s Scene<'_>, feature: Feature) -> &'s [SidedRegion] {
    let regions = &scene.cast.face.regions;
    match feature {
        Feature::Eye => &regions.eye,
        Feature::Iris => &regions.iris,
        Feature::Brow => &regions.brow,
        Feature::Nose => &regions.nose,
        Feature::Mouth => &regions.mouth,
        Feature::Ear => &regions.ear,
    }
}

/// Side of the region of a feature that serves a layer; `None` when there is no such region.
fn served(scene: &Scene<'_>, feature: Feature, side: Option<Side>) -> Option<Option<Side>> {
    let found = region(regions(scene, feature), side)?;
    (found.rect.width() > 0.0 && found.rect.height() > 0.0).then_some(found.side)
}

/// The slot of a layer.
pub(crate) fn slot_of(scene: &Scene<'_>, layer: &Layer<'_>) -> Slot {
    if layer.member.background {
        return Slot::Canvas;
    }
    if scene.one_picture {
        return Slot::Figure;
    }
    if !layer.head {
        return Slot::Body;
    }
    let feature = |f: Feature| served(scene, f, layer.side()).map_or(Slot::Face, |s| Slot::Feature(f, s));
    match scene.hanging.get(layer.index).copied().flatten() {
        Some(Class::HairTail) => return Slot::HairFollow(Layering::Back),
        Some(Class::SideHair) => return Slot::HairFollow(Layering::Front),
        _ => {}
    }
    match layer.tag() {
        Tag::Irides if whole_eye(scene, layer.side()) => feature(Feature::Eye),
        Tag::Irides => served(scene, Feature::Iris, layer.side()).map_or(Slot::Face, Slot::Gaze),
        Tag::Eyewhite | Tag::Eyelash | Tag::EyeClose => feature(Feature::Eye),
        Tag::Eyebrow => feature(Feature::Brow),
        Tag::Nose => feature(Feature::Nose),
        Tag::Mouth | Tag::MouthOpen | Tag::MouthClose | Tag::ToothT | Tag::ToothB | Tag::Tongue => {
            feature(Feature::Mouth)
        }
        Tag::Ears | Tag::Earwear => feature(Feature::Ear),
        Tag::FrontHair => Slot::Hair(Layering::Front),
        Tag::BackHair => Slot::Hair(Layering::Back),
        Tag::Face | Tag::FaceDetail | Tag::Eyewear => Slot::Face,
        _ if scene.settings.natural() => natural_other(scene, layer),
        _ => Slot::Container,
    }
}

/// Headwear and unknown pieces of the head, natural profile.
fn natural_other(scene: &Scene<'_>, layer: &Layer<'_>) -> Slot {
    let raw = scene.cast.tilt.align_rect(scene.cast.anchors.face_raw);
    let b = layer.bounds;
    let inside = b.left >= raw.left && b.right <= raw.right && b.top >= raw.top && b.bottom <= raw.bottom;
    let hair = scene.tagged(&[Tag::FrontHair]).next().is_some();
    if layer.tag() == Tag::Unknown && inside && scene.cast.anchors.has_face {
        Slot::Face
    } else if hair && scene.cast.frames.hair_front.is_some() {
        Slot::HairFollow(Layering::Front)
    } else {
        Slot::Container
    }
}

/// The irises of this side are the whole eye: there is neither a white nor a lash.
pub(crate) fn whole_eye(scene: &Scene<'_>, side: Option<Side>) -> bool {
    !scene.tagged(&[Tag::Eyewhite, Tag::Eyelash]).any(|l| crate::layer::serves(l.side(), side))
}

/// The slot of the eye on a side.
pub(crate) fn eye_slot(scene: &Scene<'_>, side: Option<Side>) -> Slot {
    served(scene, Feature::Eye, side).map_or(Slot::Face, |s| Slot::Feature(Feature::Eye, s))
}

/// The slots that layers use, with everything above them.
pub(crate) fn needed(slots: impl IntoIterator<Item = Slot>) -> BTreeSet<Slot> {
    let mut all = BTreeSet::new();
    for slot in slots {
        let mut next = Some(slot);
        while let Some(s) = next {
            all.insert(s);
            next = parent(s);
        }
    }
    all
}

/// The slot above; a gaze's iris slot has the same side.
pub(crate) fn parent(slot: Slot) -> Option<Slot> {
    Some(match slot {
        Slot::Canvas | Slot::Body => return None,
        Slot::Container | Slot::Figure => Slot::Body,
        Slot::HairFollow(_) | Slot::Face => Slot::Container,
        Slot::Hair(layering) => Slot::HairFollow(layering),
        Slot::Feature(Feature::Iris, side) => Slot::Feature(Feature::Eye, side),
        Slot::Feature(..) => Slot::Face,
        Slot::Gaze(side) => Slot::Feature(Feature::Iris, side),
    })
}
