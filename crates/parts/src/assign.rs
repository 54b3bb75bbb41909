//! The cast, step by step: names, overrides, pairs, sides, places, measures.

use std::sync::Arc;

use artwork::{Artwork, Layer, Note, NoteLevel};
use raster::Rgba;
use rayon::prelude::*;

use crate::name::{NameReading, read_name};
use crate::settings::Settings;
use crate::sides::Centers;
use crate::split::{self, Half, SplitRule};
use crate::{Cast, Error, Group, Member, Side, Tag, anchors, face, overrides, place, sides, tilt, warnings};

/// A member in the making.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) member: Member,
    pub(crate) reading: NameReading,
    pub(crate) image: Arc<Rgba>,
    /// The user set the tag.
    pub(crate) tag_fixed: bool,
    /// The user set the side, or that there is none.
    pub(crate) side_fixed: bool,
    /// The user wants a split, or none.
    pub(crate) split: Option<bool>,
    /// The user set what it moves with.
    pub(crate) parent: Option<Group>,
}

/// Casts clean layers: one member per layer, two where a pair was drawn in one, bottom to top, with one image each.
///
/// # Errors
/// [`Error::NothingShown`] when nothing but backgrounds and hidden layers is left; [`Error::ImagesMismatch`] when
/// `images` is not one per layer.
pub fn cast(
    artwork: &Artwork,
    images: &[Arc<Rgba>],
    settings: &Settings,
) -> Result<(Cast, Vec<Arc<Rgba>>), Error> {
    if images.len() != artwork.layers.len() {
        return Err(Error::ImagesMismatch { layers: artwork.layers.len(), images: images.len() });
    }
    let mut notes = Vec::new();
    let mut drafts = drafts(artwork, images, settings, &mut notes);
    place::settle_words(&mut drafts, &mut notes);
    place::keep_one_face(&mut drafts, &mut notes);
    place::free_far_features(&mut drafts, &mut notes);
    place::free_whole_figures(&mut drafts, &mut notes);
    place::hide_visemes(&mut drafts, &mut notes);
    sides::turn_viewer_sides(&mut drafts, &mut notes);
    let centers = sides::centers(&drafts);
    let mut drafts = split_pairs(drafts, &centers, settings, &mut notes);
    sides::by_place(&mut drafts, &centers, &mut notes);
    place::settle_places(&mut drafts, &mut notes);
    resolve_clips(&mut drafts);

    let (members, images): (Vec<Member>, Vec<Arc<Rgba>>) =
        drafts.into_iter().map(|draft| (draft.member, draft.image)).unzip();
    let anchors = anchors::measure(&members).ok_or(Error::NothingShown { layers: artwork.layers.len() })?;
    let tilt = tilt::estimate(&members, &anchors, settings.head_tilt);
    let face = face::measure(&members, &anchors, &tilt, settings);
    let frames = face::frames(&members, &anchors, &tilt, &face, settings);
    warnings::missing(&members, &anchors, &mut notes);
    let cast =
        Cast { width: artwork.width, height: artwork.height, members, anchors, tilt, face, frames, notes };
    Ok((cast, images))
}

fn drafts(artwork: &Artwork, images: &[Arc<Rgba>], settings: &Settings, notes: &mut Vec<Note>) -> Vec<Draft> {
    let mut used = std::collections::BTreeSet::new();
    let drafts = artwork.layers.iter().zip(images).map(|(layer, image)| {
        let mut draft = draft(layer, image);
        let said =
            artwork.notes.iter().any(|n| n.code == "background" && n.layer.as_ref() == Some(&layer.id));
        let named = draft.member.confidence >= 0.85;
        draft.member.background = said && !named;
        if draft.member.background {
            draft.member.visible = false;
            notes.push(warnings::note(
                NoteLevel::Info,
                "background-hidden",
                &draft.member,
                format!("`{}` is a background and hidden", layer.name),
                "layers.visible",
            ));
        }
        if let Some((key, found)) = overrides::find(settings, layer) {
            used.insert(key.to_owned());
            overrides::apply(&mut draft, key, found, notes);
        }
        draft
    });
    let drafts = drafts.collect();
    for key in settings.layers.keys().filter(|key| !used.contains(*key)) {
        notes.push(Note {
            code: "override-unused".into(),
            level: NoteLevel::Warning,
            layer: None,
            message: format!("no layer has the id, path or name `{key}`"),
            setting: format!("layers.\"{key}\""),
        });
    }
    drafts
}

fn draft(layer: &Layer, image: &Arc<Rgba>) -> Draft {
    let reading = read_name(&layer.path, &layer.name);
    Draft {
        member: Member {
            id: layer.id.as_str().to_owned(),
            layer: layer.id.clone(),
            name: layer.name.clone(),
            path: layer.path.clone(),
            tag: reading.tag,
            group: reading.tag.group(),
            side: reading.side,
            suffix: reading.suffix.clone(),
            variant: layer.variant.clone(),
            confidence: reading.confidence,
            rect: layer.rect,
            bounds: layer.bounds.to_rect(),
            centroid: layer.centroid,
            opaque_pixels: layer.opaque_pixels,
            opacity: layer.opacity,
            blend: layer.blend,
            visible: layer.visible,
            clip_to: layer.clip_to.as_ref().map(|id| id.as_str().to_owned()),
            background: false,
            content: layer.content.clone(),
        },
        reading,
        image: Arc::clone(image),
        tag_fixed: false,
        side_fixed: false,
        split: None,
        parent: None,
    }
}

/// Replaces each layer that holds a pair by its halves.
fn split_pairs(
    drafts: Vec<Draft>,
    centers: &Centers,
    settings: &Settings,
    notes: &mut Vec<Note>,
) -> Vec<Draft> {
    let halves: Vec<Option<[Half; 2]>> = drafts
        .par_iter()
        .map(|draft| {
            let (center, ratio) = pair_to_split(draft, centers, settings)?;
            let rule = SplitRule {
                threshold: settings.alpha_threshold,
                min_pixels: settings.split_min_pixels,
                ratio,
            };
            split::split(&draft.image, draft.member.rect, center, rule)
        })
        .collect();
    let mut out = Vec::with_capacity(drafts.len());
    for (draft, halves) in drafts.into_iter().zip(halves) {
        match halves {
            Some([left, right]) => {
                let name = &draft.member.name;
                let message = format!("`{name}` holds both sides and is split into left and right");
                let setting = format!("layers.\"{name}\".split");
                notes.push(warnings::note(NoteLevel::Info, "split", &draft.member, message, &setting));
                out.push(half_draft(&draft, left, Side::Left));
                out.push(half_draft(&draft, right, Side::Right));
            }
            None => {
                if pair_to_split(&draft, centers, settings).is_some() {
                    note_unsplit(&draft, centers, notes);
                }
                out.push(draft);
            }
        }
    }
    out
}

/// Centre line and ratio to split by, when the draft may hold a pair.
fn pair_to_split(draft: &Draft, centers: &Centers, settings: &Settings) -> Option<(f64, f64)> {
    let limb = sides::is_paired_limb(draft.member.tag);
    let wanted = if limb { settings.split_limbs } else { settings.split_face };
    let may = sides::is_paired(draft.member.tag)
        && draft.split.unwrap_or(wanted)
        && draft.member.side.is_none()
        && !draft.side_fixed
        && !draft.member.background;
    // Arms are alike; an eye may be hidden to a sliver.
    may.then_some(if limb { (centers.body, 0.25) } else { (centers.face, 0.08) })
}

fn half_draft(draft: &Draft, half: Half, side: Side) -> Draft {
    let mut out = draft.clone();
    let letter = if side == Side::Left { "l" } else { "r" };
    out.member.id = format!("{}:{letter}", draft.member.id);
    out.member.side = Some(side);
    out.member.rect = half.rect;
    out.member.bounds = half.measure.bounds.to_rect();
    out.member.centroid = half.measure.centroid;
    out.member.opaque_pixels = half.measure.opaque_pixels;
    out.member.content = artwork::content_digest(&half.image);
    out.image = Arc::new(half.image);
    out
}

/// Says that a facial pair stays one when it lies on both sides of the face.
fn note_unsplit(draft: &Draft, centers: &Centers, notes: &mut Vec<Note>) {
    let member = &draft.member;
    let share = (centers.face - member.bounds.left) / member.bounds.width().max(1.0);
    if member.tag.group() == Group::Head && (0.2..=0.8).contains(&share) {
        let message =
            format!("`{}` lies on both sides of the face but does not separate into two", member.name);
        let setting = format!("layers.\"{}\".side", member.name);
        notes.push(warnings::note(NoteLevel::Warning, "pair-not-split", member, message, &setting));
    }
}

/// Points clipped members at the halves of split bases.
fn resolve_clips(drafts: &mut [Draft]) {
    let bases: Vec<(String, Option<Side>, geom::Rect, artwork::LayerId)> = (drafts.iter())
        .map(|d| (d.member.id.clone(), d.member.side, d.member.bounds, d.member.layer.clone()))
        .collect();
    for draft in drafts {
        let Some(wanted) = draft.member.clip_to.clone() else { continue };
        let pieces = || bases.iter().filter(|base| base.3.as_str() == wanted);
        let common = |base: &geom::Rect| {
            base.intersection(&draft.member.bounds).map_or(0.0, |r| r.width() * r.height())
        };
        let best = pieces()
            .find(|base| base.0 == wanted || base.1.is_some() && base.1 == draft.member.side)
            .or_else(|| pieces().max_by(|a, b| common(&a.2).total_cmp(&common(&b.2))));
        draft.member.clip_to = best.map(|base| base.0.clone());
    }
}

/// The tag is one the user can see on a face.
pub(crate) fn is_feature(tag: Tag) -> bool {
    anchors::EYE_TAGS.contains(&tag)
        || anchors::MOUTH_TAGS.contains(&tag)
        || matches!(tag, Tag::Eyebrow | Tag::Nose)
}
