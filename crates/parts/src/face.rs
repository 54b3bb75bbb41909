//! Face measures and normalisation frames in head-aligned space (RIG 3 and 3.2, RIG_PRACTICE 12).

use geom::{Point, Rect};

use crate::anchors::{MOUTH_TAGS, shows};
use crate::settings::Settings;
use crate::{Anchors, FaceRig, Frames, Group, HeadTilt, Member, Regions, Side, SidedRegion, Tag};

const FACE_TAGS: [Tag; 18] = [
    Tag::Face,
    Tag::FaceDetail,
    Tag::Irides,
    Tag::Eyebrow,
    Tag::Eyewhite,
    Tag::Eyelash,
    Tag::EyeClose,
    Tag::Eyewear,
    Tag::Ears,
    Tag::Earwear,
    Tag::Nose,
    Tag::Mouth,
    Tag::MouthOpen,
    Tag::MouthClose,
    Tag::ToothT,
    Tag::ToothB,
    Tag::Tongue,
    Tag::EyeClose,
];

/// Boxes of members in head-aligned space.
struct Aligned<'a> {
    members: &'a [Member],
    tilt: &'a HeadTilt,
}

impl Aligned<'_> {
    fn union(&self, pass: impl Fn(&Member) -> bool) -> Option<Rect> {
        let boxes = self.members.iter().filter(|m| !m.background && pass(m));
        Rect::union_all(boxes.map(|m| self.tilt.align_rect(m.bounds)))
    }

    /// Regions of some tags: left, right, then what has no side. Hidden alternatives hang on the same warps, so
    /// they count.
    fn regions(&self, tags: &[Tag], expand: f64) -> Vec<SidedRegion> {
        [Some(Side::Left), Some(Side::Right), None]
            .into_iter()
            .filter_map(|side| {
                let raw = self.union(|m| tags.contains(&m.tag) && m.side == side)?;
                Some(SidedRegion { side, rect: raw.expand(expand), raw })
            })
            .collect()
    }
}

/// Measures the face.
pub(crate) fn measure(
    members: &[Member],
    anchors: &Anchors,
    tilt: &HeadTilt,
    settings: &Settings,
) -> FaceRig {
    let aligned = Aligned { members, tilt };
    let face = tilt.align_rect(anchors.face);
    let regions = regions(&aligned, settings);
    let eye_bounds = Rect::union_all(regions.eye.iter().map(|region| region.raw));
    let mouth = aligned.union(|m| MOUTH_TAGS.contains(&m.tag));
    let nose = aligned.union(|m| m.tag == Tag::Nose);

    let eye_line = eye_bounds.map_or(face.top + 0.38 * face.height(), |eyes| eyes.center().y);
    let mouth_line = mouth.map_or(face.top + 0.70 * face.height(), |mouth| mouth.center().y);
    let nose_line = nose.map_or(eye_line + 0.52 * (mouth_line - eye_line), |nose| nose.center().y);
    let eye_x = eye_center_x(&regions, eye_bounds, tilt.align(anchors.face_center).x);
    let center_x = match (nose, mouth) {
        (Some(nose), _) => 0.72 * eye_x + 0.28 * nose.center().x,
        (None, Some(mouth)) => 0.82 * eye_x + 0.18 * mouth.center().x,
        (None, None) => eye_x,
    };
    let margin = 0.30 * face.width();
    let center = Point::new(
        center_x.clamp(face.left + margin, face.right - margin),
        (eye_line + 0.38 * (mouth_line - eye_line))
            .clamp(face.top + 0.30 * face.height(), face.top + 0.58 * face.height()),
    );
    FaceRig {
        face,
        center,
        radius_x: (center.x - face.left).max(face.right - center.x).max(1.0),
        radius_y: (center.y - face.top).max(face.bottom - center.y).max(1.0),
        eye_line,
        nose_line,
        mouth_line,
        regions,
    }
}

fn regions(aligned: &Aligned, settings: &Settings) -> Regions {
    let lids = [Tag::Eyewhite, Tag::Eyelash, Tag::EyeClose];
    let eyes = [Tag::Eyewhite, Tag::Eyelash, Tag::EyeClose, Tag::Irides];
    let mut eye = aligned.regions(&eyes, settings.eye_expand);
    // A side with an iris alone is an eye only when no eye has lids.
    if aligned.union(|m| lids.contains(&m.tag)).is_some() {
        eye.retain(|region| aligned.union(|m| lids.contains(&m.tag) && m.side == region.side).is_some());
    }
    Regions {
        eye,
        iris: aligned.regions(&[Tag::Irides], 0.28),
        brow: aligned.regions(&[Tag::Eyebrow], 0.22),
        nose: aligned.regions(&[Tag::Nose], 0.30),
        mouth: aligned.regions(&MOUTH_TAGS, 0.22),
        ear: aligned.regions(&[Tag::Ears, Tag::Earwear], 0.12),
    }
}

fn eye_center_x(regions: &Regions, eye_bounds: Option<Rect>, fallback: f64) -> f64 {
    let sided: Vec<f64> = regions.eye.iter().filter(|r| r.side.is_some()).map(|r| r.raw.center().x).collect();
    match (sided.len(), eye_bounds) {
        (2.., _) => sided.iter().sum::<f64>() / sided.len() as f64,
        (_, Some(eyes)) => eyes.center().x,
        (_, None) => fallback,
    }
}

/// Measures the frames. Layers hidden at rest hang in them too.
pub(crate) fn frames(
    members: &[Member],
    anchors: &Anchors,
    tilt: &HeadTilt,
    face: &FaceRig,
    settings: &Settings,
) -> Frames {
    let aligned = Aligned { members, tilt };
    let counts = |m: &Member| shows(m) || m.tag != Tag::Unknown;
    let head = aligned.union(|m| m.group == Group::Head && counts(m));
    let of_face = aligned.union(|m| FACE_TAGS.contains(&m.tag));
    let hair = |tag: Tag| aligned.union(|m| m.tag == tag).map(|r| r.expand(0.04));
    Frames {
        character: anchors.character,
        head: head.map_or(face.face, |head| head.expand(settings.head_expand)),
        face: of_face.map_or(face.face, |r| r.union(face.face)).expand(0.025),
        hair_front: hair(Tag::FrontHair),
        hair_back: hair(Tag::BackHair),
    }
}
