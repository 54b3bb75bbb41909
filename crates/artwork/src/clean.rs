//! From a document to artwork.

use std::sync::Arc;

use geom::IntRect;
use psd::{Blend, Document, Notice};
use raster::Rgba;
use rayon::prelude::*;

use crate::components::{self, Components};
use crate::mask::{self, OwnMask};
use crate::measure::{Measure, content_digest, measure, trim};
use crate::settings::{Islands, Settings};
use crate::walk::{Leaf, walk};
use crate::{Artwork, Error, Layer, LayerId, Note, blend, clip, ids, names, notes, variants};

/// Fewer opaque pixels than this are a marker or dust, not art.
const FEWEST_PIXELS: u64 = 5;

/// Cleans a document: its leaves with pixels, bottom to top, and one image per layer in the same order.
///
/// # Errors
/// [`Error::NoPixels`], [`Error::NothingLeft`] and [`Error::AllHidden`] when there is nothing to show.
pub fn clean(document: Document, settings: &Settings) -> Result<(Artwork, Vec<Arc<Rgba>>), Error> {
    let (width, height) = (document.width, document.height);
    let walked = walk(document.layers);
    let (mut leaves, mut out) = (walked.leaves, walked.notes);
    pixels_with_masks(&mut leaves, keep_area(width, height, settings.margin), &mut out);
    let clip_to = clip::settle(&mut leaves, settings, &mut out);
    let finished = finish(&mut leaves, settings);
    tell_finished(&leaves, &finished, &mut out);

    let nothing = nothing_left(&finished);
    let mut art = assemble(leaves, finished, &clip_to, &mut out);
    if art.layers.is_empty() {
        return Err(nothing.unwrap_or(Error::NoPixels { folders: walked.folders, others: walked.others }));
    }
    ids::tell_apart(&mut art.layers, &art.photoshop_ids);
    resolve_clips(&mut art);
    variants::mark(&mut art.layers, &art.eyes, &mut out);
    note_backgrounds(&art, (width, height), &mut out);
    out.extend(document.notices.into_iter().map(|notice| passed_on(notice, &art.layers)));
    if !art.layers.iter().any(|layer| layer.visible && layer.opacity > 0.0) {
        return Err(Error::AllHidden {
            hidden: art.layers.len(),
            first: art.layers[0].id.as_str().to_owned(),
        });
    }
    Ok((Artwork { width, height, layers: art.layers, notes: out }, art.images))
}

/// The canvas and a margin around it.
fn keep_area(width: u32, height: u32, margin: f64) -> IntRect {
    let share = if margin.is_finite() { margin.clamp(0.0, 4.0) } else { 0.0 };
    let reach = |side: u32| (f64::from(side) * share).ceil() as i32;
    let edge = |side: u32| i32::try_from(side).unwrap_or(i32::MAX).saturating_add(reach(side));
    IntRect::new(-reach(width), -reach(height), edge(width), edge(height))
}

/// Multiplies masks into alpha and trims. Leaves without pixels end with an empty rectangle.
fn pixels_with_masks(leaves: &mut [Leaf], keep: IntRect, out: &mut Vec<Note>) {
    let found: Vec<Vec<(&'static str, &'static str)>> =
        leaves.par_iter_mut().map(|leaf| prepare(leaf, keep)).collect();
    for (leaf, found) in leaves.iter().zip(found) {
        for (code, what) in found {
            let note = if code == "beyond-canvas" { notes::warning } else { notes::info };
            out.push(note(code, Some(plain_id(leaf)), format!("`{}` {what}", leaf.name), ""));
        }
    }
}

fn prepare(leaf: &mut Leaf, keep: IntRect) -> Vec<(&'static str, &'static str)> {
    let mut found = Vec::new();
    let rect = leaf.rect;
    let mut image = std::mem::take(&mut leaf.image);
    leaf.rect = IntRect::default();
    let sound = (image.width(), image.height()) == (rect.width(), rect.height());
    if !sound || rect.is_empty() {
        return found;
    }
    if let Some(own) = &leaf.own_mask
        && mask::apply_own(&mut image, rect, own) == OwnMask::EqualsAlpha
    {
        found.push(("mask-equals-alpha", "has a mask equal to its alpha, which is used once"));
    }
    for group_mask in &leaf.masks {
        mask::apply(&mut image, rect, group_mask);
    }
    let beyond = rect.intersection(&keep) != Some(rect);
    match trim(image, rect, keep) {
        Some((image, rect)) => (leaf.image, leaf.rect) = (image, rect),
        None if beyond => {
            leaf.gone = true;
            found.push(("beyond-canvas", "lies far outside the canvas and is left out"));
        }
        None => {}
    }
    if beyond && !leaf.rect.is_empty() && touches_edge(leaf.rect, keep) {
        found.push(("beyond-canvas", "reaches far outside the canvas and is cropped"));
    }
    found
}

fn touches_edge(rect: IntRect, keep: IntRect) -> bool {
    rect.left == keep.left || rect.top == keep.top || rect.right == keep.right || rect.bottom == keep.bottom
}

fn plain_id(leaf: &Leaf) -> LayerId {
    LayerId::new(ids::plain(&leaf.path, &leaf.name))
}

/// What a leaf came to.
enum Finished {
    Layer {
        image: Rgba,
        rect: IntRect,
        measure: Measure,
        content: String,
        islands: usize,
    },
    /// Without a pixel.
    Empty,
    /// Without a pixel that counts.
    Faint,
    /// Without pixels, which is told already.
    Told,
    Marker,
}

fn finish(leaves: &mut [Leaf], settings: &Settings) -> Vec<Finished> {
    leaves.par_iter_mut().map(|leaf| finish_one(leaf, settings)).collect()
}

fn finish_one(leaf: &mut Leaf, settings: &Settings) -> Finished {
    let (image, rect) = (std::mem::take(&mut leaf.image), leaf.rect);
    if rect.is_empty() {
        return if leaf.gone { Finished::Told } else { Finished::Empty };
    }
    let (mut image, mut rect) = if leaf.clips.is_empty() {
        (image, rect)
    } else {
        match trim(image, rect, rect) {
            Some(trimmed) => trimmed,
            None => return Finished::Empty,
        }
    };
    let components = components::of_image(&image, settings.alpha_threshold);
    let Some(mut measured) = components.measure(rect) else { return Finished::Faint };
    if measured.opaque_pixels < FEWEST_PIXELS || (names::is_pivot_name(&leaf.name) && rect.area() <= 64) {
        return Finished::Marker;
    }
    let stray = stray_islands(&components);
    if !stray.is_empty() && settings.islands == Islands::Remove {
        erase(&mut image, &components, &stray);
        match trim(image, rect, rect) {
            Some(trimmed) => (image, rect) = trimmed,
            None => return Finished::Empty,
        }
        if let Some(again) = measure(&image, rect, settings.alpha_threshold) {
            measured = again;
        }
    }
    let content = content_digest(&image);
    Finished::Layer { image, rect, measure: measured, content, islands: stray.len() }
}

/// What to say when no layer came of leaves that had pixels; `None` when none had any.
fn nothing_left(finished: &[Finished]) -> Option<Error> {
    let count = |is: fn(&Finished) -> bool| finished.iter().filter(|one| is(one)).count();
    let specks = count(|one| matches!(one, Finished::Marker));
    let faint = count(|one| matches!(one, Finished::Faint));
    let beyond = count(|one| matches!(one, Finished::Told));
    let layers = specks + faint + beyond;
    (layers > 0).then_some(Error::NothingLeft { layers, specks, faint, beyond })
}

/// The components that are small (under 0.2 % of the largest, at most 64 px) and far (more than a tenth of the
/// layer's size) from the box of those that are not small.
fn stray_islands(components: &Components) -> Vec<u32> {
    let largest = components.list.iter().map(|c| c.pixels).max().unwrap_or(0);
    let small = |pixels: u64| pixels <= 64 && pixels * 500 < largest;
    let list = &components.list;
    let main =
        list.iter().filter(|c| !small(c.pixels)).fold(IntRect::default(), |all, c| all.union(c.bounds));
    let reach = i64::from(main.width().max(main.height()) / 10).max(8);
    let far = |b: IntRect| {
        let dx = (i64::from(main.left) - i64::from(b.right)).max(i64::from(b.left) - i64::from(main.right));
        let dy = (i64::from(main.top) - i64::from(b.bottom)).max(i64::from(b.top) - i64::from(main.bottom));
        dx.max(dy) > reach
    };
    (0u32..).zip(list).filter(|(_, c)| small(c.pixels) && far(c.bounds)).map(|(i, _)| i).collect()
}

fn erase(image: &mut Rgba, components: &Components, stray: &[u32]) {
    for run in &components.runs {
        if stray.binary_search(&run.component).is_ok() {
            for x in run.start..run.end {
                image.set(i64::from(x), i64::from(run.y), [0; 4]);
            }
        }
    }
}

fn tell_finished(leaves: &[Leaf], finished: &[Finished], out: &mut Vec<Note>) {
    for (leaf, finished) in leaves.iter().zip(finished) {
        let name = &leaf.name;
        let (code, message, setting) = match finished {
            Finished::Told | Finished::Layer { islands: 0, .. } => continue,
            Finished::Empty | Finished::Faint => {
                ("empty-layer", format!("`{name}` has no visible pixel and is left out"), "")
            }
            Finished::Marker => {
                ("marker-layer", format!("`{name}` is a pivot marker or a speck and is left out"), "")
            }
            Finished::Layer { islands, .. } => {
                let message = format!("`{name}` has {islands} specks far from its main mass");
                ("stray-islands", message, "import.islands")
            }
        };
        out.push(notes::info(code, Some(plain_id(leaf)), message, setting));
    }
}

/// Layers and what is needed of their leaves until the end.
struct Art {
    layers: Vec<Layer>,
    images: Vec<Arc<Rgba>>,
    photoshop_ids: Vec<Option<u32>>,
    eyes: Vec<bool>,
    /// Index of the layer each is clipped to.
    clip_to: Vec<Option<usize>>,
}

fn assemble(
    leaves: Vec<Leaf>,
    finished: Vec<Finished>,
    clip_to: &[Option<usize>],
    out: &mut Vec<Note>,
) -> Art {
    let mut art = Art {
        layers: Vec::new(),
        images: Vec::new(),
        photoshop_ids: Vec::new(),
        eyes: Vec::new(),
        clip_to: Vec::new(),
    };
    let mut layer_of_leaf: Vec<Option<usize>> = vec![None; leaves.len()];
    for (index, (leaf, finished)) in leaves.into_iter().zip(finished).enumerate() {
        let Finished::Layer { image, rect, measure, content, .. } = finished else { continue };
        let id = plain_id(&leaf);
        note_blend(&leaf, &id, out);
        layer_of_leaf[index] = Some(art.layers.len());
        // A base lies below what is clipped to it, so it is already there, unless it had no pixels.
        art.clip_to.push(clip_to[index].and_then(|base| layer_of_leaf[base]));
        art.photoshop_ids.push(leaf.photoshop_id);
        art.eyes.push(leaf.eye);
        art.images.push(Arc::new(image));
        art.layers.push(Layer {
            id,
            name: leaf.name,
            path: leaf.path,
            rect,
            bounds: measure.bounds,
            centroid: measure.centroid,
            opaque_pixels: measure.opaque_pixels,
            opacity: leaf.opacity.clamp(0.0, 1.0),
            blend: blend::reduce(leaf.blend).mode,
            visible: leaf.visible,
            clip_to: None,
            variant: None,
            content,
        });
    }
    art
}

fn note_blend(leaf: &Leaf, id: &LayerId, out: &mut Vec<Note>) {
    let Some(became) = blend::reduce(leaf.blend).loss else { return };
    let mode = match leaf.blend {
        Blend::Unknown(bytes) => format!("unknown mode {}", bytes.escape_ascii()),
        known => format!("{known:?}"),
    };
    let message = format!("`{}` blends as {mode}, which no runtime knows; drawn as {became}", leaf.name);
    out.push(notes::warning("blend-approximated", Some(id.clone()), message, ""));
}

fn resolve_clips(art: &mut Art) {
    for index in 0..art.layers.len() {
        art.layers[index].clip_to = art.clip_to[index].map(|base| art.layers[base].id.clone());
    }
}

/// Notes `background`: an opaque layer that fills the canvas and is named so, of one colour, or the bottom one.
fn note_backgrounds(art: &Art, (width, height): (u32, u32), out: &mut Vec<Note>) {
    for (index, layer) in art.layers.iter().enumerate() {
        let canvas = IntRect::new(0, 0, width.min(1 << 30) as i32, height.min(1 << 30) as i32);
        let covered = layer.rect.intersection(&canvas).map_or(0, |r| r.area());
        if covered * 100 < canvas.area() * 98 || layer.opaque_pixels * 100 < covered * 98 {
            continue;
        }
        let named = names::is_background_name(&layer.name);
        let solid = || is_solid(&art.images[index]);
        let bottom = || index == 0 && names::is_default_name(&layer.name);
        if named || bottom() || solid() {
            let message = format!("`{}` fills the canvas: a background", layer.name);
            out.push(notes::info("background", Some(layer.id.clone()), message, "layers.visible"));
        }
    }
}

/// All sampled pixels are within 6 of the first.
fn is_solid(image: &Rgba) -> bool {
    let pixels = image.pixels().as_chunks::<4>().0;
    let Some(first) = pixels.first() else { return false };
    pixels.iter().step_by(7).all(|p| (0..4).all(|c| p[c].abs_diff(first[c]) <= 6))
}

/// A reader's notice as a note, with the layer when its path names exactly one.
fn passed_on(notice: Notice, layers: &[Layer]) -> Note {
    let mut same = layers.iter().filter(|layer| {
        notice.path.split_last().is_some_and(|(name, path)| layer.name == *name && layer.path == path)
    });
    let layer = match (same.next(), same.next()) {
        (Some(one), None) => Some(one.id.clone()),
        _ => None,
    };
    let message = match (&layer, notice.path.is_empty()) {
        (None, false) => format!("`{}`: {}", notice.path.join("/"), notice.message),
        _ => notice.message,
    };
    notes::warning(notice.code, layer, message, "")
}
