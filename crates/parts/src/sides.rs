//! Left and right: from names, and from places where names say nothing.

use artwork::{Note, NoteLevel};
use geom::Rect;

use crate::anchors::{EYE_TAGS, MOUTH_TAGS, shows};
use crate::assign::Draft;
use crate::{Group, Member, Side, Tag, warnings};

/// Centre lines to judge sides by, canvas px.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Centers {
    /// Of the face.
    pub(crate) face: f64,
    /// Of the body.
    pub(crate) body: f64,
}

/// Comes in pairs.
pub(crate) fn is_paired(tag: Tag) -> bool {
    is_paired_limb(tag)
        || matches!(
            tag,
            Tag::Irides
                | Tag::Eyebrow
                | Tag::Eyewhite
                | Tag::Eyelash
                | Tag::EyeClose
                | Tag::Ears
                | Tag::Earwear
        )
}

/// Comes in pairs on the body.
pub(crate) fn is_paired_limb(tag: Tag) -> bool {
    matches!(tag, Tag::Handwear | Tag::Legwear | Tag::Footwear | Tag::Wings)
}

/// Centre lines: the face layer's centroid, else the middle of eyes and mouth, else of the character.
pub(crate) fn centers(drafts: &[Draft]) -> Centers {
    let shown = || drafts.iter().map(|d| &d.member).filter(|m| shows(m));
    let middle = |pass: &dyn Fn(&Member) -> bool| {
        Rect::union_all(shown().filter(|m| pass(m)).map(|m| m.bounds)).map(|r| r.center().x)
    };
    let largest =
        |tag: Tag| shown().filter(|m| m.tag == tag).max_by_key(|m| m.opaque_pixels).map(|m| m.centroid.x);
    let character = middle(&|_| true).unwrap_or(0.0);
    let features = middle(&|m| EYE_TAGS.contains(&m.tag) || MOUTH_TAGS.contains(&m.tag));
    Centers {
        face: largest(Tag::Face).or(features).unwrap_or(character),
        body: largest(Tag::Topwear).or(largest(Tag::Neck)).unwrap_or(character),
    }
}

/// Some artists name sides as the viewer sees them. When most labelled pairs say so, all sides are turned.
pub(crate) fn turn_viewer_sides(drafts: &mut [Draft], notes: &mut Vec<Note>) {
    let (mut own, mut viewer) = (0u32, 0u32);
    for &tag in Tag::ALL {
        let mean = |side: Side| {
            let of_side =
                || drafts.iter().map(|d| &d.member).filter(|m| m.tag == tag && m.side == Some(side));
            let count = of_side().count();
            (count > 0).then(|| of_side().map(|m| m.centroid.x).sum::<f64>() / count as f64)
        };
        let (Some(left), Some(right)) = (mean(Side::Left), mean(Side::Right)) else { continue };
        let weight = if tag.group() == Group::Head { 2 } else { 1 };
        if left > right {
            own += weight;
        } else if left < right {
            viewer += weight;
        }
    }
    if viewer <= own {
        return;
    }
    for draft in drafts.iter_mut().filter(|draft| !draft.side_fixed) {
        draft.member.side = draft.member.side.map(Side::other);
    }
    notes.push(Note {
        code: "viewer-sides".into(),
        level: NoteLevel::Info,
        layer: None,
        message: "left and right in the names are the viewer's; they are turned to the character's own"
            .into(),
        setting: "layers.\"<name>\".side".into(),
    });
}

/// Gives a side to what is one half of a pair and lies on one side of the centre but for 15 % of its width.
pub(crate) fn by_place(drafts: &mut [Draft], centers: &Centers, notes: &mut Vec<Note>) {
    for draft in drafts {
        let member = &mut draft.member;
        if !is_paired(member.tag) || member.side.is_some() || draft.side_fixed || member.background {
            continue;
        }
        let center = if is_paired_limb(member.tag) { centers.body } else { centers.face };
        let slack = 0.15 * member.bounds.width();
        let side = if member.bounds.left + slack >= center {
            Side::Left
        } else if member.bounds.right - slack <= center {
            Side::Right
        } else {
            continue;
        };
        member.side = Some(side);
        let word = if side == Side::Left { "left" } else { "right" };
        let message = format!("`{}` has no side in its name; it lies on the {word} one", member.name);
        let setting = format!("layers.\"{}\".side", member.name);
        notes.push(warnings::note(
            NoteLevel::Info,
            "side-by-place",
            member,
            message.to_lowercase(),
            &setting,
        ));
    }
}
