//! Links between objects and the sizes of their lists.

use super::{Fault, Faults};
use crate::model::{Axis, Blend, DeformerKind, DrawOrderObject, Model};
use crate::path::Path;
use crate::tree::members_of_cycles;

pub(super) fn check(model: &Model) -> Vec<Fault> {
    let mut links = Links { model, faults: Faults(Vec::new()) };
    links.parts();
    links.deformers();
    links.drawables();
    links.glues();
    links.groups();
    links.offscreens();
    links.faults.0
}

struct Links<'m> {
    model: &'m Model,
    faults: Faults,
}

impl Links<'_> {
    /// An index that must be below `len`.
    fn link(&mut self, path: &Path, what: &str, index: Option<usize>, len: usize) {
        if let Some(index) = index.filter(|index| *index >= len) {
            self.faults.error(path.with(what), format!("is {index}, there are only {len}"));
        }
    }
    fn size(&mut self, path: &Path, what: &str, size: usize, expected: usize, why: &str) {
        if size != expected {
            self.faults.error(path.with(what), format!("has {size} entries, {why} ask for {expected}"));
        }
    }
    /// Axes exist, have keys, and ask for as many keyforms as there are.
    fn grid(&mut self, path: &Path, axes: &[Axis], keyforms: usize) {
        let parameters = self.model.parameters.len();
        for (place, axis) in axes.iter().enumerate() {
            self.link(path, &format!("axes[{place}].parameter"), Some(axis.parameter), parameters);
            if axis.keys.is_empty() {
                self.faults.error(path.with(&format!("axes[{place}].keys")), "is empty");
            }
            if axes[..place].iter().any(|other| other.parameter == axis.parameter) {
                let message = "is on an earlier axis too";
                self.faults.warning(path.with(&format!("axes[{place}].parameter")), message);
            }
        }
        let cells = axes.iter().map(|axis| axis.keys.len()).fold(1, usize::saturating_mul);
        self.size(path, "keyforms", keyforms, cells, "the keys of its axes");
    }
    fn blends<K>(&mut self, path: &Path, blends: &[Blend<K>]) {
        let parameters = self.model.parameters.len();
        for (place, blend) in blends.iter().enumerate() {
            let of = |what: &str| format!("blends[{place}].{what}");
            self.link(path, &of("parameter"), Some(blend.parameter), parameters);
            self.link(path, &of("base"), Some(blend.base), blend.keys.len());
            self.size(path, &of("deltas"), blend.deltas.len(), blend.keys.len(), "its keys");
            for (nth, limit) in blend.limits.iter().enumerate() {
                self.link(path, &of(&format!("limits[{nth}].parameter")), Some(limit.parameter), parameters);
                if limit.points.is_empty() {
                    self.faults.error(path.with(&of(&format!("limits[{nth}].points"))), "is empty");
                }
            }
        }
    }
    /// Every keyform and delta has `points` positions.
    fn positions<'p>(
        &mut self,
        path: &Path,
        points: usize,
        keyforms: impl Iterator<Item = &'p Vec<[f32; 2]>>,
        deltas: impl Iterator<Item = (usize, usize, &'p Vec<[f32; 2]>)>,
    ) {
        for (place, positions) in keyforms.enumerate() {
            self.size(path, &format!("keyforms[{place}].positions"), positions.len(), points, "its points");
        }
        for (blend, place, positions) in deltas {
            let what = format!("blends[{blend}].deltas[{place}].positions");
            self.size(path, &what, positions.len(), points, "its points");
        }
    }
    /// Parents exist, come first and never lead back.
    fn tree(&mut self, parents: &[Option<usize>], path: impl Fn(usize) -> Path, what: &str) {
        for child in members_of_cycles(parents) {
            self.faults.error(path(child).with(what), "leads back to itself");
        }
        for (child, parent) in parents.iter().enumerate() {
            self.link(&path(child), what, *parent, parents.len());
            if parent.is_some_and(|parent| parent > child && parent < parents.len()) {
                self.faults.warning(path(child).with(what), "comes later in the list than its child");
            }
        }
    }

    fn parts(&mut self) {
        let parents: Vec<_> = self.model.parts.iter().map(|part| part.parent).collect();
        let model = self.model;
        self.tree(&parents, |index| Path::part(model, index), "parent");
        for (index, part) in model.parts.iter().enumerate() {
            let path = Path::part(model, index);
            self.grid(&path, &part.axes, part.keyforms.len());
            self.blends(&path, &part.blends);
        }
    }
    fn deformers(&mut self) {
        let model = self.model;
        let parents: Vec<_> = model.deformers.iter().map(|deformer| deformer.parent).collect();
        self.tree(&parents, |index| Path::deformer(model, index), "parent");
        for (index, deformer) in model.deformers.iter().enumerate() {
            let path = Path::deformer(model, index);
            self.link(&path, "parent_part", deformer.parent_part, model.parts.len());
            match &deformer.kind {
                DeformerKind::Warp(warp) => {
                    self.grid(&path, &deformer.axes, warp.keyforms.len());
                    self.blends(&path, &warp.blends);
                    if warp.rows == 0 || warp.columns == 0 {
                        self.faults.error(path.with("rows and columns"), "are not at least 1");
                    }
                    let keyforms = warp.keyforms.iter().map(|form| &form.positions);
                    let deltas =
                        deltas(&warp.blends).map(|(blend, place, delta)| (blend, place, &delta.positions));
                    self.positions(&path, warp.points(), keyforms, deltas);
                }
                DeformerKind::Rotation(rotation) => {
                    self.grid(&path, &deformer.axes, rotation.keyforms.len());
                    self.blends(&path, &rotation.blends);
                }
            }
        }
    }
    fn drawables(&mut self) {
        let model = self.model;
        for (index, drawable) in model.drawables.iter().enumerate() {
            let path = Path::drawable(model, index);
            self.link(&path, "parent_part", drawable.parent_part, model.parts.len());
            self.link(&path, "parent_deformer", drawable.parent_deformer, model.deformers.len());
            for (place, mask) in drawable.masks.iter().enumerate() {
                self.link(&path, &format!("masks[{place}]"), Some(*mask), model.drawables.len());
            }
            self.grid(&path, &drawable.axes, drawable.keyforms.len());
            self.blends(&path, &drawable.blends);
            let keyforms = drawable.keyforms.iter().map(|form| &form.positions);
            let deltas =
                deltas(&drawable.blends).map(|(blend, place, delta)| (blend, place, &delta.positions));
            self.positions(&path, drawable.uvs.len(), keyforms, deltas);
        }
    }
    fn glues(&mut self) {
        let model = self.model;
        for (index, glue) in model.glues.iter().enumerate() {
            let path = Path::glue(model, index);
            self.link(&path, "drawable_a", Some(glue.drawable_a), model.drawables.len());
            self.link(&path, "drawable_b", Some(glue.drawable_b), model.drawables.len());
            self.grid(&path, &glue.axes, glue.keyforms.len());
            self.blends(&path, &glue.blends);
            let vertices = |drawable: usize| model.drawables.get(drawable).map(|drawable| drawable.uvs.len());
            let (a, b) = (vertices(glue.drawable_a), vertices(glue.drawable_b));
            for (place, pair) in glue.pairs.iter().enumerate() {
                let sides = [("vertex_a", pair.vertex_a, a), ("vertex_b", pair.vertex_b, b)];
                for (what, vertex, vertices) in sides {
                    if let Some(vertices) = vertices {
                        self.link(&path, &format!("pairs[{place}].{what}"), Some(vertex.into()), vertices);
                    }
                }
            }
        }
    }
    fn groups(&mut self) {
        let model = self.model;
        for (index, group) in model.groups.iter().enumerate() {
            let path = Path::group(index);
            for (place, object) in group.objects.iter().enumerate() {
                let what = format!("objects[{place}]");
                match *object {
                    DrawOrderObject::Drawable(drawable) => {
                        self.link(&path, &what, Some(drawable), model.drawables.len());
                    }
                    DrawOrderObject::Part { part, group } => {
                        self.link(&path, &what, Some(part), model.parts.len());
                        self.link(&path, &format!("{what}.group"), group, model.groups.len());
                        if group.is_some_and(|group| group <= index) {
                            let message = "does not come later than the group that holds it";
                            self.faults.error(path.with(&format!("{what}.group")), message);
                        }
                    }
                }
            }
        }
    }
    fn offscreens(&mut self) {
        let model = self.model;
        let mut owned = vec![false; model.parts.len()];
        for (index, offscreen) in model.offscreens.iter().enumerate() {
            let path = Path::offscreen(index);
            self.link(&path, "owner", Some(offscreen.owner), model.parts.len());
            for (place, mask) in offscreen.masks.iter().enumerate() {
                self.link(&path, &format!("masks[{place}]"), Some(*mask), model.drawables.len());
            }
            let Some(part) = model.parts.get(offscreen.owner) else { continue };
            let (keyforms, expected) = (offscreen.keyforms.len(), part.keyforms.len());
            self.size(&path, "keyforms", keyforms, expected, "the keyforms of its part");
            if std::mem::replace(&mut owned[offscreen.owner], true) {
                self.faults.error(path.with("owner"), "owns another offscreen already");
            }
        }
    }
}

/// Blend, place and value of every delta.
pub(super) fn deltas<K>(blends: &[Blend<K>]) -> impl Iterator<Item = (usize, usize, &K)> {
    let all = |(blend, deltas): (usize, &'_ Blend<K>)| (blend, deltas.deltas.len());
    blends
        .iter()
        .enumerate()
        .map(all)
        .flat_map(|(blend, count)| (0..count).map(move |place| (blend, place)))
        .map(|(blend, place)| (blend, place, &blends[blend].deltas[place]))
}
