//! Clipping layers: merged into their base, cut to its outline, or kept clipped.
//!
//! Merging is exact at rest and costs no mask, but gives up a layer; it is for shading: layers named so or by the
//! program, fills that cover their base, and blend modes no runtime knows. Only a run of such layers directly above
//! the base is merged, so the order never changes. A fill that cannot be merged (a colour variant, a folder as base)
//! is cut to the outline: it has no outline of its own that could show when it moves. What remains is a part of its
//! own (an iris in its white, a blush on a face): it keeps all its pixels and the clipping.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use geom::IntRect;
use psd::Blend;
use raster::Alpha;
use rayon::prelude::*;

use crate::settings::{Clipping, Settings};
use crate::walk::{Clip, Leaf};
use crate::{Note, blend, ids, mask, names, notes};

/// What becomes of one clipped leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Free,
    Merge { base: usize },
    Cut,
    Keep { base: usize },
}

/// Settles all clipping in place. Gives, for each leaf, the leaf it stays clipped to. A merged leaf is left without
/// pixels.
pub(crate) fn settle(leaves: &mut [Leaf], settings: &Settings, out: &mut Vec<Note>) -> Vec<Option<usize>> {
    let fates = fates(leaves, settings);
    let coverages = coverages(leaves, &fates);
    leaves.par_iter_mut().zip(&fates).for_each(|(leaf, fate)| {
        let kept = match fate {
            Fate::Cut => 0,
            Fate::Keep { .. } => 1,
            Fate::Free | Fate::Merge { .. } => return,
        };
        for clip in &leaf.clips[kept..] {
            if let Some(coverage) = coverages.get(&key(&clip.base)) {
                mask::apply(&mut leaf.image, leaf.rect, coverage);
            }
        }
    });
    for (index, fate) in fates.iter().enumerate() {
        tell(leaves, index, *fate, out);
        match fate {
            Fate::Merge { base } => merge(leaves, index, *base),
            Fate::Cut | Fate::Keep { .. } => inherit_blend(&mut leaves[index]),
            Fate::Free => {}
        }
    }
    let kept = |fate: &Fate| if let Fate::Keep { base } = fate { Some(*base) } else { None };
    fates.iter().map(kept).collect()
}

fn fates(leaves: &[Leaf], settings: &Settings) -> Vec<Fate> {
    let bases: BTreeSet<usize> =
        leaves.iter().flat_map(|leaf| leaf.clips.iter().flat_map(|clip| clip.base.clone())).collect();
    let mut broken: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut fates = Vec::with_capacity(leaves.len());
    for (index, leaf) in leaves.iter().enumerate() {
        let fate = match leaf.clips.first() {
            Some(clip) if !leaf.rect.is_empty() => {
                let may_merge = !broken.contains(&key(&clip.base)) && !bases.contains(&index);
                fate(leaves, leaf, clip, settings.clipping, may_merge)
            }
            _ => Fate::Free,
        };
        if let (Some(clip), Fate::Cut | Fate::Keep { .. }) = (leaf.clips.first(), fate) {
            broken.insert(key(&clip.base));
        }
        fates.push(fate);
    }
    fates
}

fn fate(leaves: &[Leaf], leaf: &Leaf, clip: &Clip, setting: Clipping, may_merge: bool) -> Fate {
    let Some(base) = single_base(leaves, &clip.base) else { return Fate::Cut };
    let base_leaf = &leaves[base];
    let fills = covers(leaf.rect, base_leaf.rect);
    let speechless = names::is_default_name(&leaf.name) || names::is_shading_name(&leaf.name);
    let alternative = leaf.name.starts_with('*') || leaf.path.iter().any(|name| name.starts_with('*'));
    let irreducible = blend::reduce(leaf.blend).loss.is_some();
    match setting {
        Clipping::Cut => Fate::Cut,
        Clipping::Keep => Fate::Keep { base },
        Clipping::Auto => {
            let mergeable = leaf.visible
                && base_leaf.visible
                && may_merge
                && !alternative
                && leaf.clips.len() == base_leaf.clips.len() + 1;
            if mergeable && (speechless || fills || irreducible) {
                Fate::Merge { base }
            } else if fills || speechless || alternative {
                Fate::Cut
            } else {
                Fate::Keep { base }
            }
        }
    }
}

/// The only leaf of a base that shows, or the only one at all.
fn single_base(leaves: &[Leaf], base: &Range<usize>) -> Option<usize> {
    let filled = || base.clone().filter(|&i| !leaves[i].rect.is_empty());
    let mut shown = filled().filter(|&i| leaves[i].visible);
    match (shown.next(), shown.next()) {
        (Some(one), None) => Some(one),
        (None, _) => {
            let mut any = filled();
            any.next().filter(|_| any.next().is_none())
        }
        _ => None,
    }
}

/// `outer` holds `inner` but for two pixels a side.
fn covers(outer: IntRect, inner: IntRect) -> bool {
    i64::from(outer.left) <= i64::from(inner.left) + 2
        && i64::from(outer.top) <= i64::from(inner.top) + 2
        && i64::from(outer.right) >= i64::from(inner.right) - 2
        && i64::from(outer.bottom) >= i64::from(inner.bottom) - 2
}

fn key(base: &Range<usize>) -> (usize, usize) {
    (base.start, base.end)
}

/// The alpha of every base that something is cut to, as masks.
fn coverages(leaves: &[Leaf], fates: &[Fate]) -> BTreeMap<(usize, usize), psd::Mask> {
    let mut wanted = BTreeSet::new();
    for (leaf, fate) in leaves.iter().zip(fates) {
        match fate {
            Fate::Cut => wanted.extend(leaf.clips.iter().map(|clip| key(&clip.base))),
            Fate::Keep { .. } => wanted.extend(leaf.clips[1..].iter().map(|clip| key(&clip.base))),
            Fate::Free | Fate::Merge { .. } => {}
        }
    }
    wanted.into_iter().map(|(start, end)| ((start, end), coverage(&leaves[start..end]))).collect()
}

/// What a base covers: `1 - product of (1 - alpha)` over its shown leaves, or over all when none is shown.
fn coverage(base: &[Leaf]) -> psd::Mask {
    let any_shown = base.iter().any(|leaf| leaf.visible && !leaf.rect.is_empty());
    let shown = || base.iter().filter(|leaf| leaf.visible || !any_shown);
    let rect = shown().fold(IntRect::default(), |all, leaf| all.union(leaf.rect));
    let mut alpha = Alpha::new(rect.width(), rect.height());
    let width = rect.width() as usize;
    for leaf in shown() {
        for y in 0..leaf.image.height() {
            let start = (leaf.rect.top - rect.top + y as i32) as usize * width
                + (leaf.rect.left - rect.left) as usize;
            let pixels = leaf.image.row(y).as_chunks::<4>().0;
            for (value, pixel) in alpha.values_mut()[start..].iter_mut().zip(pixels) {
                *value = 255 - mask::multiply(255 - *value, 255 - pixel[3]);
            }
        }
    }
    psd::Mask { rect, alpha, outside: 0 }
}

/// Paints leaf `index` into leaf `base` within the base's alpha and takes its pixels away.
fn merge(leaves: &mut [Leaf], index: usize, base: usize) {
    let image = std::mem::take(&mut leaves[index].image);
    let rect = std::mem::take(&mut leaves[index].rect);
    leaves[index].gone = true;
    let (mode, opacity) = (leaves[index].blend, leaves[index].clips.first().map_or(1.0, |clip| clip.opacity));
    let target = &mut leaves[base];
    let Some(common) = rect.intersection(&target.rect) else { return };
    for y in common.top..common.bottom {
        let source = &image.row((y - rect.top) as u32)[(common.left - rect.left) as usize * 4..];
        let stride = target.image.width() as usize;
        let first = (y - target.rect.top) as usize * stride + (common.left - target.rect.left) as usize;
        let row = &mut target.image.pixels_mut()[first * 4..][..common.width() as usize * 4];
        for (below, above) in row.as_chunks_mut::<4>().0.iter_mut().zip(source.as_chunks::<4>().0) {
            if below[3] > 0 && above[3] > 0 {
                paint(below, *above, mode, opacity);
            }
        }
    }
}

fn paint(below: &mut [u8; 4], above: [u8; 4], mode: Blend, opacity: f64) {
    let share = f64::from(above[3]) / 255.0 * opacity;
    let unit = |p: [u8; 4]| [p[0], p[1], p[2]].map(|c| f64::from(c) / 255.0);
    let backdrop = unit(*below);
    let mixed = blend::mix(mode, backdrop, unit(above));
    for channel in 0..3 {
        let value = backdrop[channel] + (mixed[channel] - backdrop[channel]) * share;
        below[channel] = (value * 255.0).round() as u8;
    }
}

/// A base that does not blend normally takes what is clipped to it along.
fn inherit_blend(leaf: &mut Leaf) {
    let base = leaf.clips.first().map_or(Blend::Normal, |clip| clip.base_blend);
    if leaf.blend == Blend::Normal && !matches!(base, Blend::Normal | Blend::PassThrough) {
        leaf.blend = base;
    }
}

fn tell(leaves: &[Leaf], index: usize, fate: Fate, out: &mut Vec<Note>) {
    let leaf = &leaves[index];
    let id = || Some(crate::LayerId::new(ids::plain(&leaf.path, &leaf.name)));
    let name = &leaf.name;
    let (code, message) = match fate {
        Fate::Free => return,
        Fate::Merge { base } => (
            "clipping-merged",
            format!("`{name}` is painted into `{}`, to which it is clipped", leaves[base].name),
        ),
        Fate::Cut => ("clipping-cut", format!("`{name}` is cut to the outline it is clipped to")),
        Fate::Keep { base } => (
            "clipping-kept",
            format!("`{name}` stays a layer of its own, clipped to `{}`", leaves[base].name),
        ),
    };
    out.push(notes::info(code, id(), message, "import.clipping"));
    let translucent = leaf.clips.iter().any(|clip| clip.base_opacity < 0.98);
    if translucent && leaf.visible && !matches!(fate, Fate::Merge { .. }) {
        let message =
            format!("`{name}` is clipped to something translucent; drawn apart they cover a little more");
        out.push(notes::warning("clipping-translucent", id(), message, "import.clipping"));
    }
}
