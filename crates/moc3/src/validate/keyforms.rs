//! Values of keyforms and of blend shape deltas.

use super::Faults;
use super::values::{all_finite, finite_points};
use crate::model::{Blend, Colors, DeformerKind, DrawableKeyform, GlueKeyform, Model, OffscreenKeyform};
use crate::model::{PartKeyform, RotationKeyform, WarpKeyform};
use crate::path::Path;

pub(super) fn check(model: &Model, faults: &mut Faults) {
    for (index, part) in model.parts.iter().enumerate() {
        check_object(&Path::part(model, index), &part.keyforms, &part.blends, faults);
    }
    for (index, deformer) in model.deformers.iter().enumerate() {
        let path = Path::deformer(model, index);
        match &deformer.kind {
            DeformerKind::Warp(warp) => check_object(&path, &warp.keyforms, &warp.blends, faults),
            DeformerKind::Rotation(rotation) => {
                all_finite(faults, &path, "", &[("base_angle", rotation.base_angle)]);
                check_object(&path, &rotation.keyforms, &rotation.blends, faults);
            }
        }
    }
    for (index, drawable) in model.drawables.iter().enumerate() {
        check_object(&Path::drawable(model, index), &drawable.keyforms, &drawable.blends, faults);
    }
    for (index, glue) in model.glues.iter().enumerate() {
        check_object(&Path::glue(model, index), &glue.keyforms, &glue.blends, faults);
    }
    for (index, offscreen) in model.offscreens.iter().enumerate() {
        for (place, form) in offscreen.keyforms.iter().enumerate() {
            match form {
                Some(form) => {
                    check_keyform(&Path::offscreen(index), &format!("keyforms[{place}]"), form, faults)
                }
                None => {
                    let what = Path::offscreen(index).with(&format!("keyforms[{place}]"));
                    faults.warning(what, "is missing: it counts as opacity 0");
                }
            }
        }
    }
}

fn check_object<K: Keyform>(path: &Path, keyforms: &[K], blends: &[Blend<K>], faults: &mut Faults) {
    for (place, form) in keyforms.iter().enumerate() {
        check_keyform(path, &format!("keyforms[{place}]"), form, faults);
    }
    for (nth, blend) in blends.iter().enumerate() {
        for (place, delta) in blend.deltas.iter().enumerate() {
            let what = format!("blends[{nth}].deltas[{place}]");
            finite(path, &what, delta, faults);
            if delta.reflects() {
                faults.error(path.with(&what), "reflects; only keyforms can");
            }
        }
        if blend.deltas.get(blend.base).is_some_and(|base| !base.is_zero()) {
            let what = format!("blends[{nth}].deltas[{}]", blend.base);
            faults.warning(path.with(&what), "belongs to the base key and is not zero: it has no effect");
        }
    }
}

fn check_keyform<K: Keyform>(path: &Path, what: &str, form: &K, faults: &mut Faults) {
    finite(path, what, form, faults);
    for (name, value) in form.shares() {
        if value.is_finite() && !(0.0..=1.0).contains(&value) {
            faults.warning(path.with(&format!("{what}.{name}")), format!("is {value}, outside of 0 to 1"));
        }
    }
}

fn finite<K: Keyform>(path: &Path, what: &str, form: &K, faults: &mut Faults) {
    let prefix = format!("{what}.");
    all_finite(faults, path, &prefix, &form.shares());
    all_finite(faults, path, &prefix, &form.others());
    if let Some(colors) = form.colors() {
        let channels = [("multiply", colors.multiply), ("screen", colors.screen)];
        for (name, channel) in channels {
            for (value, letter) in channel.into_iter().zip(["r", "g", "b"]) {
                all_finite(faults, path, &prefix, &[(&format!("{name}.{letter}"), value)]);
            }
        }
    }
    finite_points(faults, path, &format!("{what}.positions"), form.positions());
}

/// What keyforms of all kinds have in common.
trait Keyform {
    /// Values between 0 and 1.
    fn shares(&self) -> Vec<(&'static str, f32)>;
    /// Other values.
    fn others(&self) -> Vec<(&'static str, f32)> {
        Vec::new()
    }
    fn positions(&self) -> &[[f32; 2]] {
        &[]
    }
    fn colors(&self) -> Option<Colors> {
        None
    }
    fn reflects(&self) -> bool {
        false
    }
    /// As a delta it adds nothing.
    fn is_zero(&self) -> bool {
        let values = self.shares().into_iter().chain(self.others());
        values
            .map(|(_, value)| value)
            .chain(self.positions().as_flattened().iter().copied())
            .all(|value| value == 0.0)
            && self.colors().is_none_or(|colors| colors == Colors::ZERO)
    }
}

impl Keyform for PartKeyform {
    fn shares(&self) -> Vec<(&'static str, f32)> {
        Vec::new()
    }
    fn others(&self) -> Vec<(&'static str, f32)> {
        vec![("draw_order", self.draw_order)]
    }
}

impl Keyform for WarpKeyform {
    fn shares(&self) -> Vec<(&'static str, f32)> {
        vec![("opacity", self.opacity)]
    }
    fn positions(&self) -> &[[f32; 2]] {
        &self.positions
    }
    fn colors(&self) -> Option<Colors> {
        Some(self.colors)
    }
}

impl Keyform for RotationKeyform {
    fn shares(&self) -> Vec<(&'static str, f32)> {
        vec![("opacity", self.opacity)]
    }
    fn others(&self) -> Vec<(&'static str, f32)> {
        let [x, y] = self.origin;
        vec![("angle", self.angle), ("origin.x", x), ("origin.y", y), ("scale", self.scale)]
    }
    fn colors(&self) -> Option<Colors> {
        Some(self.colors)
    }
    fn reflects(&self) -> bool {
        self.reflect_x || self.reflect_y
    }
}

impl Keyform for DrawableKeyform {
    fn shares(&self) -> Vec<(&'static str, f32)> {
        vec![("opacity", self.opacity)]
    }
    fn others(&self) -> Vec<(&'static str, f32)> {
        vec![("draw_order", self.draw_order)]
    }
    fn positions(&self) -> &[[f32; 2]] {
        &self.positions
    }
    fn colors(&self) -> Option<Colors> {
        Some(self.colors)
    }
}

impl Keyform for GlueKeyform {
    fn shares(&self) -> Vec<(&'static str, f32)> {
        vec![("intensity", self.intensity)]
    }
}

impl Keyform for OffscreenKeyform {
    fn shares(&self) -> Vec<(&'static str, f32)> {
        vec![("opacity", self.opacity)]
    }
    fn colors(&self) -> Option<Colors> {
        Some(self.colors)
    }
}
