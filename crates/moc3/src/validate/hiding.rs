//! Glued drawables hide together or not at all (MOC3_FORMAT 7.9).

use std::collections::BTreeMap;

use super::Faults;
use super::objects::spans;
use crate::model::{Axis, Model};
use crate::path::Path;
use crate::tree::parents_first;

/// Links must be sound.
pub(super) fn check(model: &Model, faults: &mut Faults) {
    if model.glues.is_empty() {
        return;
    }
    let drawables = causes(model);
    for (index, glue) in model.glues.iter().enumerate() {
        if drawables[glue.drawable_a] != drawables[glue.drawable_b] {
            let message = "can hide without each other; the one left would jump";
            faults.warning(Path::glue(model, index).with("drawable_a and drawable_b"), message);
        }
    }
}

/// What can hide each drawable, as numbers that are equal where it is the same; 0 for nothing.
fn causes(model: &Model) -> Vec<usize> {
    let mut causes = Causes { model, numbers: BTreeMap::new() };
    let parents: Vec<_> = model.parts.iter().map(|part| part.parent).collect();
    let mut parts = vec![0; model.parts.len()];
    for index in parents_first(&parents) {
        let part = &model.parts[index];
        let own = causes.own(part.enabled, &part.axes);
        parts[index] = causes.both(part.parent.map_or(0, |parent| parts[parent]), own);
    }
    let parents: Vec<_> = model.deformers.iter().map(|deformer| deformer.parent).collect();
    let mut deformers = vec![0; model.deformers.len()];
    for index in parents_first(&parents) {
        let deformer = &model.deformers[index];
        let own = causes.own(deformer.enabled, &deformer.axes);
        let own = causes.both(deformer.parent_part.map_or(0, |part| parts[part]), own);
        deformers[index] = causes.both(deformer.parent.map_or(0, |parent| deformers[parent]), own);
    }
    let drawable = |drawable: &crate::model::Drawable| {
        let own = causes.own(drawable.enabled, &drawable.axes);
        let own = causes.both(drawable.parent_part.map_or(0, |part| parts[part]), own);
        causes.both(drawable.parent_deformer.map_or(0, |deformer| deformers[deformer]), own)
    };
    model.drawables.iter().map(drawable).collect()
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Cause {
    Disabled,
    Axis(usize, Vec<u32>),
    Both(usize, usize),
}

struct Causes<'m> {
    model: &'m Model,
    numbers: BTreeMap<Cause, usize>,
}

impl Causes<'_> {
    fn number(&mut self, cause: Cause) -> usize {
        let next = self.numbers.len() + 1;
        *self.numbers.entry(cause).or_insert(next)
    }
    fn own(&mut self, enabled: bool, axes: &[Axis]) -> usize {
        let mut all = if enabled { 0 } else { self.number(Cause::Disabled) };
        for axis in axes {
            if !spans(&self.model.parameters[axis.parameter], &axis.keys) {
                let keys = axis.keys.iter().map(|key| key.to_bits()).collect();
                let axis = self.number(Cause::Axis(axis.parameter, keys));
                all = self.both(all, axis);
            }
        }
        all
    }
    fn both(&mut self, a: usize, b: usize) -> usize {
        match (a, b) {
            (0, other) | (other, 0) => other,
            (a, b) if a == b => a,
            (a, b) => self.number(Cause::Both(a.min(b), a.max(b))),
        }
    }
}
