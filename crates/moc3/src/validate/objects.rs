//! Canvas, parameters, ids, keys, meshes, glues.

use std::collections::{BTreeMap, BTreeSet};

use super::Faults;
use super::values::{all_finite, ascending, finite_points, tolerance};
use crate::element::Id;
use crate::model::{Axis, Blend, DeformerKind, Drawable, Glue, Model, Parameter, ParameterKind};
use crate::path::Path;

/// Most vertices of a drawable: indices have 16 bits.
const VERTICES: usize = u16::MAX as usize;

pub(super) fn check(model: &Model, faults: &mut Faults) {
    canvas(model, faults);
    ids(model, faults);
    for (index, parameter) in model.parameters.iter().enumerate() {
        check_parameter(&Path::parameter(model, index), parameter, faults);
    }
    let mut objects = Objects { model, faults };
    for (index, part) in model.parts.iter().enumerate() {
        objects.driven(&Path::part(model, index), &part.axes, &part.blends);
    }
    for (index, deformer) in model.deformers.iter().enumerate() {
        let path = Path::deformer(model, index);
        match &deformer.kind {
            DeformerKind::Warp(warp) => objects.driven(&path, &deformer.axes, &warp.blends),
            DeformerKind::Rotation(rotation) => objects.driven(&path, &deformer.axes, &rotation.blends),
        }
    }
    for (index, drawable) in model.drawables.iter().enumerate() {
        let path = Path::drawable(model, index);
        objects.driven(&path, &drawable.axes, &drawable.blends);
        objects.mesh(&path, index, drawable);
    }
    for (index, glue) in model.glues.iter().enumerate() {
        let path = Path::glue(model, index);
        objects.driven(&path, &glue.axes, &glue.blends);
        objects.glue(&path, glue);
    }
}

fn canvas(model: &Model, faults: &mut Faults) {
    let canvas = &model.canvas;
    let positive =
        [("pixels_per_unit", canvas.pixels_per_unit), ("width", canvas.width), ("height", canvas.height)];
    for (what, value) in positive {
        if !(value.is_finite() && value > 0.0) {
            faults.error(format!("canvas: {what}"), format!("is {value}, not a positive number"));
        }
    }
    for (what, value) in [("origin_x", canvas.origin_x), ("origin_y", canvas.origin_y)] {
        if !value.is_finite() {
            faults.error(format!("canvas: {what}"), format!("is {value}"));
        }
    }
    if canvas.flags != 0 {
        faults.warning("canvas: flags", format!("is {:#x}, not 0", canvas.flags));
    }
}

fn ids(model: &Model, faults: &mut Faults) {
    check_ids(
        model.parameters.iter().map(|object| &object.id),
        |index| Path::parameter(model, index),
        faults,
    );
    check_ids(model.parts.iter().map(|object| &object.id), |index| Path::part(model, index), faults);
    check_ids(model.deformers.iter().map(|object| &object.id), |index| Path::deformer(model, index), faults);
    check_ids(model.drawables.iter().map(|object| &object.id), |index| Path::drawable(model, index), faults);
    check_ids(model.glues.iter().map(|object| &object.id), |index| Path::glue(model, index), faults);
}

/// Ids of one kind: storable, plain and different from each other.
fn check_ids<'m>(ids: impl Iterator<Item = &'m String>, path: impl Fn(usize) -> Path, faults: &mut Faults) {
    let mut known = BTreeMap::new();
    for (index, id) in ids.enumerate() {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if id.is_empty() {
            faults.error(path(index).with("id"), "is empty");
        } else if Id::new(id).is_none() {
            let message = format!("has {} bytes, more than {} or a zero byte", id.len(), Id::LONGEST);
            faults.error(path(index).with("id"), message);
        } else if !id.bytes().all(plain) || !id.as_bytes()[0].is_ascii_alphabetic() {
            faults.warning(
                path(index).with("id"),
                "is not a letter followed by letters, digits and underscores",
            );
        }
        if let Some(first) = known.insert(id, index) {
            faults.error(path(index).with("id"), format!("is the id of {} too", path(first).text()));
            known.insert(id, first);
        }
    }
}

fn check_parameter(path: &Path, parameter: &Parameter, faults: &mut Faults) {
    let Parameter { minimum, maximum, default, .. } = *parameter;
    all_finite(faults, path, "", &[("minimum", minimum), ("maximum", maximum), ("default", default)]);
    if minimum > maximum {
        faults.error(path.with("minimum"), format!("is {minimum}, more than the maximum {maximum}"));
    } else if minimum == maximum {
        faults.warning(path.with("minimum"), format!("is the maximum, {maximum}"));
    } else if default < minimum || default > maximum {
        faults.error(path.with("default"), format!("is {default}, outside of {minimum} to {maximum}"));
    }
    if i32::try_from(parameter.decimals).is_err() {
        faults.error(path.with("decimals"), "is larger than a file can hold");
    }
}

struct Objects<'m, 'f> {
    model: &'m Model,
    faults: &'f mut Faults,
}

impl Objects<'_, '_> {
    /// What drives an object: its axes and blend shapes.
    fn driven<K>(&mut self, path: &Path, axes: &[Axis], blends: &[Blend<K>]) {
        for (place, axis) in axes.iter().enumerate() {
            self.axis(path, place, axis);
        }
        for (place, blend) in blends.iter().enumerate() {
            self.blend(path, place, blend);
        }
    }
    fn axis(&mut self, path: &Path, place: usize, axis: &Axis) {
        let what = format!("axes[{place}].keys");
        ascending(self.faults, path, &what, axis.keys.iter().copied());
        let Some(parameter) = self.model.parameters.get(axis.parameter) else { return };
        if parameter.kind == ParameterKind::BlendShape {
            let message = format!(
                "is {}, which drives blend shapes; a parameter drives one or the other",
                parameter.id
            );
            self.faults.error(path.with(&format!("axes[{place}].parameter")), message);
        }
        if !spans(parameter, &axis.keys) {
            let message = format!(
                "do not span {} to {} of {}: the object hides outside of them",
                parameter.minimum, parameter.maximum, parameter.id
            );
            self.faults.warning(path.with(&what), message);
        }
        let reach = 2.0 * tolerance(parameter.decimals);
        let close = |pair: &[f32]| pair[1] > pair[0] && f64::from(pair[1]) - f64::from(pair[0]) < reach;
        if axis.keys.windows(2).any(close) {
            let message = format!("lie closer together than {reach}, where they snap");
            self.faults.warning(path.with(&what), message);
        }
    }
    fn blend<K>(&mut self, path: &Path, place: usize, blend: &Blend<K>) {
        let of = |what: &str| format!("blends[{place}].{what}");
        ascending(self.faults, path, &of("keys"), blend.keys.iter().copied());
        for (nth, limit) in blend.limits.iter().enumerate() {
            let values = limit.points.iter().map(|point| point.value);
            ascending(self.faults, path, &of(&format!("limits[{nth}].points")), values);
            for (at, point) in limit.points.iter().enumerate() {
                let prefix = of(&format!("limits[{nth}].points[{at}]."));
                all_finite(self.faults, path, &prefix, &[("weight", point.weight)]);
            }
        }
        let Some(parameter) = self.model.parameters.get(blend.parameter) else { return };
        if parameter.kind == ParameterKind::Normal {
            let message = format!("is {}, which is not a blend shape parameter", parameter.id);
            self.faults.error(path.with(&of("parameter")), message);
        }
        if let Some(base) = blend.keys.get(blend.base).filter(|base| **base != parameter.default) {
            let message =
                format!("is the key {base}, not the default {} of {}", parameter.default, parameter.id);
            self.faults.warning(path.with(&of("base")), message);
        }
    }

    fn mesh(&mut self, path: &Path, index: usize, drawable: &Drawable) {
        let vertices = drawable.uvs.len();
        finite_points(self.faults, path, "uvs", &drawable.uvs);
        if vertices > VERTICES {
            self.faults.error(path.with("uvs"), format!("has {vertices} vertices, more than {VERTICES}"));
        }
        if drawable.indices.is_empty() {
            self.faults.warning(path.with("indices"), "is empty: nothing is drawn");
        }
        if !drawable.indices.len().is_multiple_of(3) {
            let message = format!("has {} entries, not three per triangle", drawable.indices.len());
            self.faults.error(path.with("indices"), message);
        }
        let outside = |(_, vertex): &(usize, &u16)| usize::from(**vertex) >= vertices;
        for (place, vertex) in drawable.indices.iter().enumerate().filter(outside) {
            let message = format!("is {vertex}, there are only {vertices} vertices");
            self.faults.error(path.with(&format!("indices[{place}]")), message);
        }
        if i32::try_from(drawable.texture).is_err() {
            self.faults.error(path.with("texture"), "is larger than a file can hold");
        }
        let mut seen = BTreeSet::new();
        for (place, mask) in drawable.masks.iter().enumerate() {
            let what = path.with(&format!("masks[{place}]"));
            if *mask == index {
                self.faults.warning(what, "is the drawable itself");
            } else if !seen.insert(mask) {
                self.faults.warning(what, "is listed already");
            }
        }
    }

    fn glue(&mut self, path: &Path, glue: &Glue) {
        if glue.drawable_a == glue.drawable_b {
            self.faults.error(path.with("drawable_b"), "is drawable_a too");
        }
        if glue.pairs.is_empty() {
            self.faults.warning(path.with("pairs"), "is empty: nothing is welded");
        }
        for (place, pair) in glue.pairs.iter().enumerate() {
            for (what, weight) in [("weight_a", pair.weight_a), ("weight_b", pair.weight_b)] {
                let what = format!("pairs[{place}].{what}");
                if !weight.is_finite() {
                    all_finite(self.faults, path, "", &[(&what, weight)]);
                } else if !(0.0..=1.0).contains(&weight) {
                    self.faults.warning(path.with(&what), format!("is {weight}, outside of 0 to 1"));
                }
            }
        }
    }
}

/// No value of the parameter lies outside of the keys.
pub(super) fn spans(parameter: &Parameter, keys: &[f32]) -> bool {
    let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return true };
    let reach = tolerance(parameter.decimals);
    let below = f64::from(parameter.minimum) >= f64::from(*first) - reach;
    let above = f64::from(parameter.maximum) < f64::from(*last) + reach;
    // A wrapped parameter never takes its maximum.
    below && (above || parameter.repeat && parameter.maximum <= *last)
}
