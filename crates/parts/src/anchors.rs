//! Anchors of the character (RIG section 3).

use geom::{Point, Rect};

use crate::{Anchors, Group, Member, Tag};

/// Tags of the eyes without the brows.
pub(crate) const EYE_TAGS: [Tag; 4] = [Tag::Eyewhite, Tag::Irides, Tag::Eyelash, Tag::EyeClose];
/// Tags of the mouth and its inside.
pub(crate) const MOUTH_TAGS: [Tag; 6] =
    [Tag::Mouth, Tag::MouthOpen, Tag::MouthClose, Tag::ToothT, Tag::ToothB, Tag::Tongue];

/// A member that shows: the measures of the character are taken of these.
pub(crate) fn shows(member: &Member) -> bool {
    member.visible && !member.background && member.opacity > 0.0
}

/// Box of the shown members that pass.
pub(crate) fn union(members: &[Member], pass: impl Fn(&Member) -> bool) -> Option<Rect> {
    Rect::union_all(members.iter().filter(|m| shows(m) && pass(m)).map(|m| m.bounds))
}

/// Box of the shown members of some tags; of the hidden ones when none shows.
pub(crate) fn tagged(members: &[Member], tags: &[Tag]) -> Option<Rect> {
    let hidden = || Rect::union_all(members.iter().filter(|m| tags.contains(&m.tag)).map(|m| m.bounds));
    union(members, |m| tags.contains(&m.tag)).or_else(hidden)
}

/// Measures the anchors. `None` when no member shows.
pub(crate) fn measure(members: &[Member]) -> Option<Anchors> {
    let all = union(members, |_| true)?;
    let character = all.expand(0.015);
    let face_layers = || members.iter().filter(|m| shows(m) && m.tag == Tag::Face);
    let face_union = Rect::union_all(face_layers().map(|m| m.bounds));
    let face_raw = face_union.unwrap_or_else(|| guessed_face(members, character));
    let face = face_raw.expand(0.04);
    let first_face = face_layers().next();
    let center = first_face.map_or(face_raw.center(), |m| m.centroid);
    let body_from = face.bottom.max(character.top + 0.35 * character.height()).min(character.bottom - 1.0);
    let body_raw = union(members, |m| m.group == Group::Body && m.tag != Tag::Unknown).unwrap_or(Rect::new(
        character.left,
        body_from,
        character.right,
        character.bottom,
    ));
    let top = union(members, |m| m.tag == Tag::Topwear);
    let bottom = union(members, |m| m.tag == Tag::Bottomwear);
    Some(Anchors {
        character,
        face,
        face_raw,
        body: body_raw.expand(0.025),
        face_center: center,
        chin: Point::new(center.x, face_raw.bottom),
        shoulder_y: top.map_or(face.bottom.max(body_raw.top), |t| t.top + 0.12 * t.height()),
        hip_y: bottom.map_or(body_raw.top + 0.62 * body_raw.height(), |b| b.top + 0.2 * b.height()),
        neck: union(members, |m| m.tag == Tag::Neck),
        has_face: first_face.is_some(),
    })
}

/// A face box without a face layer: from eyes and mouth when both are there (the chin lies about 0.75 eye-mouth
/// distances below and not above the neck's top, the hairline 2.4 above), else the head's layers down to 52 % of the character, else its top 42 %.
fn guessed_face(members: &[Member], character: Rect) -> Rect {
    let head = union(members, |m| m.group == Group::Head);
    let eyes = tagged(members, &EYE_TAGS);
    let mouth = tagged(members, &MOUTH_TAGS);
    if let (Some(head), Some(eyes), Some(mouth)) = (head, eyes, mouth) {
        let distance = mouth.center().y - eyes.center().y;
        let spread = eyes.width() * (1.0 / 0.78 - 1.0) / 2.0;
        let neck_top = union(members, |m| m.tag == Tag::Neck).map_or(f64::NEG_INFINITY, |neck| neck.top);
        let chin = mouth.center().y + 0.75 * distance;
        let guess = Rect::new(
            eyes.left - spread,
            eyes.center().y - 2.4 * distance,
            eyes.right + spread,
            chin.max(neck_top.min(chin + 0.75 * distance)),
        );
        if distance > 0.0
            && let Some(face) = guess.intersection(&head)
        {
            return face;
        }
    }
    let top = Rect { bottom: character.top + 0.42 * character.height(), ..character };
    let lowest = character.top + 0.52 * character.height();
    head.map_or(top, |head| Rect { bottom: head.bottom.min(lowest).max(head.top + 1.0), ..head })
}
