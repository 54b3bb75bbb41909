//! What names leave open, settled by the other layers and by place.

use artwork::{Note, NoteLevel};
use geom::Rect;

use crate::anchors::{self, EYE_TAGS, shows};
use crate::assign::{Draft, is_feature};
use crate::{Anchors, Group, Member, Tag, warnings};

/// Settles words of two meanings by what else is drawn: `eye` and `hair`.
pub(crate) fn settle_words(drafts: &mut [Draft], notes: &mut Vec<Note>) {
    let has =
        |tag: Tag| drafts.iter().any(|d| d.member.tag == tag && !d.reading.whole_eye && !d.member.background);
    let (whites, irises) = (has(Tag::Eyewhite), has(Tag::Irides));
    let face_at = drafts.iter().position(|d| d.member.tag == Tag::Face);
    let front_named = drafts.iter().any(|d| d.member.tag == Tag::FrontHair && !d.reading.any_hair);
    for (index, draft) in drafts.iter_mut().enumerate() {
        if draft.tag_fixed {
            continue;
        }
        if draft.reading.whole_eye {
            settle_eye(draft, whites, irises, notes);
        }
        // Hair below the face, or beside hair named front hair, is the back hair.
        let below = face_at.is_some_and(|face| index < face);
        if draft.reading.any_hair && (below || face_at.is_none() && front_named && index == 0) {
            set_tag(draft, Tag::BackHair, 0.7);
            tell(draft, "hair-by-place", "lies below the face: back hair", notes);
        }
    }
}

/// An eye drawn whole closes like a white; beside a white it is the iris, beside both the lash.
fn settle_eye(draft: &mut Draft, whites: bool, irises: bool, notes: &mut Vec<Note>) {
    if !whites {
        let confidence = draft.member.confidence.min(0.7);
        set_tag(draft, Tag::Eyewhite, confidence);
        tell(draft, "whole-eye", "is an eye drawn whole; it closes by narrowing", notes);
    } else if irises && draft.member.tag == Tag::Irides {
        tell(draft, "eye-as-iris", "is read as an iris, as whites are drawn apart", notes);
    }
}

/// Several faces side by side: the largest is the character's; the others stay rigid.
pub(crate) fn keep_one_face(drafts: &mut [Draft], notes: &mut Vec<Note>) {
    let faces = || drafts.iter().filter(|d| d.member.tag == Tag::Face && shows(&d.member));
    let Some(main) = faces().max_by_key(|d| d.member.opaque_pixels).map(|d| d.member.clone()) else { return };
    let apart = |m: &Member| {
        m.bounds.intersection(&main.bounds).is_none() && m.opaque_pixels * 4 >= main.opaque_pixels
    };
    let others: Vec<Rect> = faces().filter(|d| apart(&d.member)).map(|d| d.member.bounds).collect();
    if others.is_empty() {
        return;
    }
    for draft in drafts.iter_mut().filter(|d| !d.tag_fixed) {
        let center = draft.member.bounds.center();
        let inside = others.iter().any(|other| other.expand(0.1).contains(center));
        if inside && draft.member.tag.group() == Group::Head && !main.bounds.contains(center) {
            set_tag(draft, Tag::Unknown, 0.0);
            draft.parent = draft.parent.or(Some(Group::Body));
        }
    }
    let message =
        format!("{} faces; only `{}` is rigged, the others stay rigid", others.len() + 1, main.name);
    notes.push(warnings::note(NoteLevel::Warning, "several-faces", &main, message, "layers.\"<name>\".tag"));
}

/// An eye or a mouth as large as the whole figure is a picture of the figure, one frame of a swap: it stays rigid.
pub(crate) fn free_whole_figures(drafts: &mut [Draft], notes: &mut Vec<Note>) {
    let figure = Rect::union_all(drafts.iter().filter(|d| shows(&d.member)).map(|d| d.member.bounds));
    let Some(figure) = figure else { return };
    // A file that holds nothing but eyes, or a mouth, is not a figure.
    if !drafts.iter().any(|d| shows(&d.member) && !is_feature(d.member.tag)) {
        return;
    }
    for draft in drafts.iter_mut().filter(|d| is_feature(d.member.tag) && !d.tag_fixed) {
        let bounds = draft.member.bounds;
        if bounds.width() >= 0.6 * figure.width() && bounds.height() >= 0.5 * figure.height() {
            set_tag(draft, Tag::Unknown, 0.0);
            draft.parent = draft.parent.or(Some(Group::Body));
            let message = format!(
                "`{}` is named as a part of the face but shows the whole figure; it stays rigid",
                draft.member.name
            );
            let setting = format!("layers.\"{}\".tag", draft.member.name);
            let (level, code) = (NoteLevel::Warning, "whole-figure");
            notes.push(warnings::note(level, code, &draft.member, message, &setting));
        }
    }
}

/// A feature far from the face is a thing of that name: an eye on a shield, a mouth on a bag.
pub(crate) fn free_far_features(drafts: &mut [Draft], notes: &mut Vec<Note>) {
    let faces = drafts.iter().filter(|d| d.member.tag == Tag::Face && shows(&d.member));
    let Some(face) = Rect::union_all(faces.map(|d| d.member.bounds)) else { return };
    let near = face.expand(0.6);
    for draft in drafts.iter_mut().filter(|d| is_feature(d.member.tag) && !d.tag_fixed) {
        if !near.contains(draft.member.centroid) {
            set_tag(draft, Tag::Objects, 0.3);
            tell(
                draft,
                "far-from-face",
                "is named as a part of the face but lies far from it: an object",
                notes,
            );
        }
    }
}

/// Of several open mouths shown at once, as lip-sync files hold them, the plainest stays: without a suffix, else the
/// largest. The others become hidden alternatives.
pub(crate) fn hide_visemes(drafts: &mut [Draft], notes: &mut Vec<Note>) {
    let open = |d: &Draft| d.member.tag == Tag::MouthOpen && shows(&d.member);
    let plainest = (drafts.iter().enumerate())
        .filter(|(_, d)| open(d))
        .max_by_key(|(_, d)| (d.member.suffix.is_none(), d.member.opaque_pixels))
        .map(|(index, d)| (index, d.member.bounds));
    let Some((plainest, bounds)) = plainest else { return };
    for (index, draft) in drafts.iter_mut().enumerate() {
        if index == plainest || !open(draft) || draft.member.bounds.intersection(&bounds).is_none() {
            continue;
        }
        let member = &mut draft.member;
        member.visible = false;
        let alternative = artwork::Variant { set: member.path.clone(), name: member.name.clone() };
        member.variant.get_or_insert(alternative);
        let message = format!("`{}` is one of several open mouths; it is kept hidden", member.name);
        let setting = format!("layers.\"{}\".visible", member.name);
        notes.push(warnings::note(NoteLevel::Info, "viseme-hidden", member, message, &setting));
    }
}

/// Settles ornaments, glasses, stray features and the unknown by place, then gives every member its group.
pub(crate) fn settle_places(drafts: &mut [Draft], notes: &mut Vec<Note>) {
    let members: Vec<Member> = drafts.iter().map(|d| d.member.clone()).collect();
    let Some(anchors) = anchors::measure(&members) else {
        drafts.iter_mut().for_each(|draft| settle_group(draft, f64::NEG_INFINITY));
        return;
    };
    let eyes = anchors::tagged(&members, &EYE_TAGS);
    let face_at = members.iter().position(|m| m.tag == Tag::Face && shows(m));
    for index in 0..drafts.len() {
        let draft = &mut drafts[index];
        if draft.tag_fixed || draft.member.background {
            continue;
        }
        if draft.member.tag == Tag::Eyewear {
            settle_glasses(draft, eyes, &anchors, notes);
        } else if draft.reading.ornament {
            settle_ornament(drafts, index, &anchors, notes);
        } else if draft.member.tag == Tag::Unknown && draft.parent.is_none() {
            settle_unknown(drafts, index, &anchors, face_at, notes);
        }
    }
    for draft in drafts {
        settle_group(draft, anchors.face.bottom);
    }
}

/// Glasses are worn before the eyes; pushed up they are headwear.
fn settle_glasses(draft: &mut Draft, eyes: Option<Rect>, anchors: &Anchors, notes: &mut Vec<Note>) {
    let Some(eyes) = eyes else { return };
    let bounds = draft.member.bounds;
    let common = bounds.bottom.min(eyes.bottom) - bounds.top.max(eyes.top);
    if common >= 0.3 * eyes.height().min(bounds.height()) {
        return;
    }
    let (tag, what) = if bounds.center().y <= anchors.face.bottom {
        (Tag::Headwear, "is pushed up from the eyes: headwear")
    } else {
        (Tag::Objects, "is not before the eyes: an object")
    };
    set_tag(draft, tag, 0.7);
    tell(draft, "ornament-by-place", what, notes);
}

/// A ribbon on the head is headwear, below the chin neckwear, on a sleeve part of it, elsewhere part of the clothes.
fn settle_ornament(drafts: &mut [Draft], index: usize, anchors: &Anchors, notes: &mut Vec<Note>) {
    let (center, face) = (drafts[index].member.bounds.center(), anchors.face);
    let aside = (center.x - anchors.chin.x).abs();
    let below_chin = center.y <= face.bottom + 0.35 * face.height() && aside <= 0.3 * face.width();
    let limb = || {
        let base = &drafts[drawn_on(drafts, index)?].member;
        (base.tag.group() == Group::Body).then(|| (base.tag, base.side, base.name.clone()))
    };
    let (tag, side, what) = if center.y <= face.bottom {
        (Tag::Headwear, None, "lies on the head: headwear".into())
    } else if below_chin {
        (Tag::Neckwear, None, "lies below the chin: neckwear".into())
    } else if let Some((tag, side, base)) = limb() {
        (tag, side, format!("lies on `{base}` and goes with it"))
    } else if anchors.body.contains(center) {
        (Tag::Topwear, None, "lies on the body: part of the clothes".into())
    } else {
        (Tag::Objects, None, "lies beside the body: an object".into())
    };
    let draft = &mut drafts[index];
    let confidence = draft.member.confidence.min(0.7);
    set_tag(draft, tag, confidence);
    draft.member.side = draft.member.side.or(side);
    tell(draft, "ornament-by-place", &what, notes);
}

/// An unnamed layer within the face is a detail of it (RIG_PRACTICE 13); one drawn on another part belongs to that.
fn settle_unknown(
    drafts: &mut [Draft],
    index: usize,
    anchors: &Anchors,
    face_at: Option<usize>,
    notes: &mut Vec<Note>,
) {
    let member = &drafts[index].member;
    let above_face = face_at.is_some_and(|face| index > face);
    let inside = |outer: Rect, inner: Rect| {
        outer.left <= inner.left
            && outer.top <= inner.top
            && outer.right >= inner.right
            && outer.bottom >= inner.bottom
    };
    let region = drafts[index].reading.region;
    if above_face && region != Some(Group::Body) && inside(anchors.face_raw.expand(0.01), member.bounds) {
        let draft = &mut drafts[index];
        set_tag(draft, Tag::FaceDetail, 0.5);
        tell(draft, "detail-by-place", "lies within the face: a detail of it", notes);
        return;
    }
    let Some(base) = drawn_on(drafts, index) else { return };
    let (tag, side, name) =
        (drafts[base].member.tag, drafts[base].member.side, drafts[base].member.name.clone());
    let draft = &mut drafts[index];
    set_tag(draft, tag, 0.4);
    draft.member.side = draft.member.side.or(side);
    let what = format!("is drawn on `{name}` and goes with it");
    tell(draft, "part-by-place", &what, notes);
}

/// The topmost lower member that carries at least 85 % of a layer's opaque pixels on opaque ones.
fn drawn_on(drafts: &[Draft], index: usize) -> Option<usize> {
    const CARRIERS: [Tag; 11] = [
        Tag::FrontHair,
        Tag::BackHair,
        Tag::Headwear,
        Tag::Neckwear,
        Tag::Topwear,
        Tag::Bottomwear,
        Tag::Handwear,
        Tag::Legwear,
        Tag::Footwear,
        Tag::Tail,
        Tag::Wings,
    ];
    let top = &drafts[index];
    (0..index).rev().find(|&below| {
        let base = &drafts[below];
        shows(&base.member)
            && CARRIERS.contains(&base.member.tag)
            && base.member.opaque_pixels >= top.member.opaque_pixels
            && carried(top, base) >= 0.85
    })
}

/// Share of sampled opaque pixels that lie on opaque pixels of a base.
fn carried(top: &Draft, base: &Draft) -> f64 {
    // Most layers lie elsewhere: not worth a look at the pixels.
    if top.member.rect.intersection(&base.member.rect).is_none() {
        return 0.0;
    }
    let (mut on, mut all) = (0u32, 0u32);
    let step = (top.image.height().max(top.image.width()) / 64).max(1);
    let (dx, dy) = (
        i64::from(top.member.rect.left) - i64::from(base.member.rect.left),
        i64::from(top.member.rect.top) - i64::from(base.member.rect.top),
    );
    for y in (0..top.image.height()).step_by(step as usize) {
        for x in (0..top.image.width()).step_by(step as usize) {
            let (x, y) = (i64::from(x), i64::from(y));
            if top.image.get(x, y)[3] >= 8 {
                all += 1;
                on += u32::from(base.image.get(x + dx, y + dy)[3] >= 128);
            }
        }
    }
    if all == 0 { 0.0 } else { f64::from(on) / f64::from(all) }
}

/// RIG 1.1: what is unknown moves with the head when its centre lies above the face's bottom.
fn settle_group(draft: &mut Draft, face_bottom: f64) {
    let by_place = || {
        if draft.member.bounds.center().y <= face_bottom { Group::Head } else { Group::Body }
    };
    let by_tag = match draft.member.tag.group() {
        Group::Unknown => draft.reading.region.filter(|&g| g != Group::Unknown).unwrap_or_else(by_place),
        group => group,
    };
    draft.member.group = draft.parent.unwrap_or(by_tag);
}

fn set_tag(draft: &mut Draft, tag: Tag, confidence: f64) {
    draft.member.tag = tag;
    draft.member.group = tag.group();
    draft.member.confidence = confidence;
}

fn tell(draft: &Draft, code: &str, what: &str, notes: &mut Vec<Note>) {
    let message = format!("`{}` {what}", draft.member.name);
    let setting = format!("layers.\"{}\".tag", draft.member.name);
    notes.push(warnings::note(NoteLevel::Info, code, &draft.member, message, &setting));
}
