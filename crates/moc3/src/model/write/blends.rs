//! Blend records (MOC3_FORMAT 6.12).

use super::{Writer, index, int};
use crate::model::axes::{Interner, Keys, group_by_parameter};
use crate::model::{Blend, DeformerKind, Limit, Model};

impl<'m> Writer<'m> {
    /// Blend records: warps, drawables, parts, rotations, glues; each kind by target (MOC3_FORMAT 6.12).
    pub(super) fn blends(&mut self) {
        let model = self.model;
        self.collect_blend_bindings();
        let warps = model.deformers.iter().filter_map(|deformer| match &deformer.kind {
            DeformerKind::Warp(warp) => Some(warp),
            DeformerKind::Rotation(_) => None,
        });
        let rotations = model.deformers.iter().filter_map(|deformer| match &deformer.kind {
            DeformerKind::Warp(_) => None,
            DeformerKind::Rotation(rotation) => Some(rotation),
        });
        for (target, warp) in warps.enumerate() {
            let records = self.records(&warp.blends, |w| w.tables.warpkf_opacity.len(), Self::warp_keyform);
            let t = &mut self.tables;
            records.store(target, &mut t.bswarp_target, &mut t.bswarp_bskb_begin, &mut t.bswarp_bskb_count);
        }
        for (target, mesh) in model.drawables.iter().enumerate() {
            let records =
                self.records(&mesh.blends, |w| w.tables.meshkf_opacity.len(), Self::drawable_keyform);
            let t = &mut self.tables;
            records.store(target, &mut t.bsmesh_target, &mut t.bsmesh_bskb_begin, &mut t.bsmesh_bskb_count);
        }
        for (target, part) in model.parts.iter().enumerate() {
            let records =
                self.records(&part.blends, |w| w.tables.partkf_draw_order.len(), Self::part_keyform);
            let t = &mut self.tables;
            records.store(target, &mut t.bspart_target, &mut t.bspart_bskb_begin, &mut t.bspart_bskb_count);
        }
        for (target, rotation) in rotations.enumerate() {
            let records =
                self.records(&rotation.blends, |w| w.tables.rotkf_opacity.len(), Self::rotation_keyform);
            let t = &mut self.tables;
            records.store(target, &mut t.bsrot_target, &mut t.bsrot_bskb_begin, &mut t.bsrot_bskb_count);
        }
        for (target, glue) in model.glues.iter().enumerate() {
            let begin = |w: &Self| w.tables.gkf_intensity.len();
            let records =
                self.records(&glue.blends, begin, |w, form| w.tables.gkf_intensity.push(form.intensity));
            let t = &mut self.tables;
            records.store(target, &mut t.bsglue_target, &mut t.bsglue_bskb_begin, &mut t.bsglue_bskb_count);
        }
    }
    /// Numbers the distinct bindings of blend shapes, grouped by parameter; stores their keys.
    fn collect_blend_bindings(&mut self) {
        let mut interner = Interner::default();
        for_each_blend(self.model, |parameter, keys, base| {
            interner.add((parameter, Keys(keys), base));
        });
        (self.blend_bindings, _) = group_by_parameter(interner.values, |binding| binding.0);
        let t = &mut self.tables;
        for (_, keys, base) in &self.blend_bindings {
            t.bspb_key_begin.push(int(t.key.len()));
            t.bspb_key_count.push(int(keys.0.len()));
            t.bspb_base_key.push(int(*base));
            t.key.extend_from_slice(keys.0);
        }
    }
    /// Appends the blend records of one target.
    fn records<K>(
        &mut self,
        blends: &'m [Blend<K>],
        rows: impl Fn(&Self) -> usize,
        keyform: impl Fn(&mut Self, &K),
    ) -> Records {
        let begin = self.tables.bskb_bspb.len();
        for blend in blends {
            let wanted = (blend.parameter, Keys(&blend.keys), blend.base);
            let binding = self.blend_bindings.iter().position(|binding| *binding == wanted);
            let first = rows(self);
            blend.deltas.iter().for_each(|delta| keyform(self, delta));
            let limits: Vec<i32> = blend.limits.iter().map(|limit| self.limit(limit)).collect();
            let t = &mut self.tables;
            t.bskb_bspb.push(index(binding));
            t.bskb_kf_begin.push(int(first));
            t.bskb_kf_count.push(int(blend.deltas.len()));
            t.bskb_ci_begin.push(int(t.bsci.len()));
            t.bskb_ci_count.push(int(limits.len()));
            t.bsci.extend(limits);
        }
        Records { begin, count: blends.len() }
    }
    /// The row of a limit; equal ones share it.
    fn limit(&mut self, limit: &'m Limit) -> i32 {
        if let Some(known) = self.limits.iter().position(|known| *known == limit) {
            return int(known);
        }
        let t = &mut self.tables;
        t.bsc_param.push(int(limit.parameter));
        t.bsc_val_begin.push(int(t.bscv_key.len()));
        t.bsc_val_count.push(int(limit.points.len()));
        t.bscv_key.extend(limit.points.iter().map(|point| point.value));
        t.bscv_weight.extend(limit.points.iter().map(|point| point.weight));
        self.limits.push(limit);
        int(self.limits.len() - 1)
    }
}

/// A target's run of blend records.
struct Records {
    begin: usize,
    count: usize,
}

impl Records {
    fn store(self, target: usize, targets: &mut Vec<i32>, begins: &mut Vec<i32>, counts: &mut Vec<i32>) {
        if self.count > 0 {
            targets.push(int(target));
            begins.push(int(self.begin));
            counts.push(int(self.count));
        }
    }
}

/// Calls `found` with parameter, keys and base key of every blend shape, in the order of the records.
fn for_each_blend<'m>(model: &'m Model, mut found: impl FnMut(usize, &'m [f32], usize)) {
    fn all<'m, K>(blends: &'m [Blend<K>], found: &mut impl FnMut(usize, &'m [f32], usize)) {
        blends.iter().for_each(|blend| found(blend.parameter, &blend.keys, blend.base));
    }
    for deformer in &model.deformers {
        if let DeformerKind::Warp(warp) = &deformer.kind {
            all(&warp.blends, &mut found);
        }
    }
    model.drawables.iter().for_each(|drawable| all(&drawable.blends, &mut found));
    model.parts.iter().for_each(|part| all(&part.blends, &mut found));
    for deformer in &model.deformers {
        if let DeformerKind::Rotation(rotation) = &deformer.kind {
            all(&rotation.blends, &mut found);
        }
    }
    model.glues.iter().for_each(|glue| all(&glue.blends, &mut found));
}
