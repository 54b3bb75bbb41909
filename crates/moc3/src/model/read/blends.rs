//! Blend records (MOC3_FORMAT 6.12).

use std::ops::Range;

use super::{Reader, owner};
use crate::model::cells::{Column, col};
use crate::model::{Blend, Colors, DeformerKind, DrawableKeyform, Limit, LimitPoint, Model, WarpKeyform};
use crate::schema::Tables;
use crate::{Error, Version};

impl Reader<'_> {
    /// Blend shapes of all kinds, in the order of the file, which counts the colour rows of version 4.2.
    pub(super) fn blends(&mut self, model: &mut Model) -> Result<(), Error> {
        let t = self.t;
        let warps = specific_owners(t, 0, t.warp_binding.len());
        let rotations = specific_owners(t, 1, t.rot_binding.len());
        for row in 0..t.bswarp_target.len() {
            let target = warps[col!(t.bswarp_target).index(row, warps.len())?];
            let Some(DeformerKind::Warp(warp)) = target.map(|at| &mut model.deformers[at].kind) else {
                continue;
            };
            let points = warp.keyforms.first().map_or(0, |form| form.positions.len());
            let run = self.records(col!(t.bswarp_bskb_begin), col!(t.bswarp_bskb_count), row)?;
            warp.blends.extend(self.blend_list(run, t.warpkf_opacity.len(), |reader, form| {
                let color = reader.delta_color();
                let delta = reader.warp_keyform(form, points, color)?;
                Ok(WarpKeyform { colors: reader.delta_colors(delta.colors, color), ..delta })
            })?);
        }
        for row in 0..t.bsmesh_target.len() {
            let drawable = &mut model.drawables[col!(t.bsmesh_target).index(row, t.mesh_id.len())?];
            let vertices = drawable.uvs.len();
            let run = self.records(col!(t.bsmesh_bskb_begin), col!(t.bsmesh_bskb_count), row)?;
            drawable.blends.extend(self.blend_list(run, t.meshkf_opacity.len(), |reader, form| {
                let color = reader.delta_color();
                let delta = reader.drawable_keyform(form, vertices, color)?;
                Ok(DrawableKeyform { colors: reader.delta_colors(delta.colors, color), ..delta })
            })?);
        }
        for row in 0..t.bspart_target.len() {
            let part = &mut model.parts[col!(t.bspart_target).index(row, t.part_id.len())?];
            let run = self.records(col!(t.bspart_bskb_begin), col!(t.bspart_bskb_count), row)?;
            part.blends.extend(self.blend_list(run, t.partkf_draw_order.len(), Self::part_keyform)?);
        }
        for row in 0..t.bsrot_target.len() {
            let target = rotations[col!(t.bsrot_target).index(row, rotations.len())?];
            let kind = target.map(|at| &mut model.deformers[at].kind);
            let Some(DeformerKind::Rotation(rotation)) = kind else { continue };
            let run = self.records(col!(t.bsrot_bskb_begin), col!(t.bsrot_bskb_count), row)?;
            let keyform = |reader: &mut Self, form| reader.rotation_keyform(form, None);
            rotation.blends.extend(self.blend_list(run, t.rotkf_opacity.len(), keyform)?);
        }
        for row in 0..t.bsglue_target.len() {
            let glue = &mut model.glues[col!(t.bsglue_target).index(row, t.glue_id.len())?];
            let run = self.records(col!(t.bsglue_bskb_begin), col!(t.bsglue_bskb_count), row)?;
            glue.blends.extend(self.blend_list(run, t.gkf_intensity.len(), Self::glue_keyform)?);
        }
        Ok(())
    }
    /// The next colour row of a delta in version 4.2.
    fn delta_color(&mut self) -> Option<usize> {
        self.next_delta_color += 1;
        Some(self.next_delta_color - 1).filter(|_| self.version == Version::V42)
    }
    /// Deltas without a colour row add nothing.
    fn delta_colors(&self, colors: Colors, row: Option<usize>) -> Colors {
        let missing = row.is_some_and(|row| row >= self.t.mul_r.len());
        if missing { Colors::ZERO } else { colors }
    }
    /// A target's run of blend records.
    fn records(
        &mut self,
        begins: Column<'_, i32>,
        counts: Column<'_, i32>,
        row: usize,
    ) -> Result<Range<usize>, Error> {
        let count = counts.size(row)?;
        self.budget.take::<Blend<DrawableKeyform>>(count)?;
        begins.begin(row, count, self.t.bskb_bspb.len())
    }
    fn blend_list<K>(
        &mut self,
        records: Range<usize>,
        keyforms: usize,
        mut delta: impl FnMut(&mut Self, usize) -> Result<K, Error>,
    ) -> Result<Vec<Blend<K>>, Error> {
        let t = self.t;
        records
            .map(|record| {
                let binding = col!(t.bskb_bspb).index(record, t.bspb_key_begin.len())?;
                let forms = self.keyforms(col!(t.bskb_kf_begin), col!(t.bskb_kf_count), record, keyforms)?;
                let keys = col!(t.bspb_key_count).size(binding)?;
                Ok(Blend {
                    parameter: owner("param_bspb_begin", &self.blend_parameters, binding)?,
                    keys: self.keys(col!(t.bspb_key_begin), binding, keys)?,
                    base: col!(t.bspb_base_key).size(binding)?,
                    deltas: forms.map(|form| delta(self, form)).collect::<Result<_, _>>()?,
                    limits: self.limits(record)?,
                })
            })
            .collect()
    }
    fn limits(&mut self, record: usize) -> Result<Vec<Limit>, Error> {
        let t = self.t;
        let run = col!(t.bskb_ci_begin).begin(record, col!(t.bskb_ci_count).size(record)?, t.bsci.len())?;
        self.budget.take::<Limit>(run.len())?;
        run.map(|entry| {
            let limit = col!(t.bsci).index(entry, t.bsc_param.len())?;
            let count = col!(t.bsc_val_count).size(limit)?;
            let points =
                col!(t.bsc_val_begin).begin(limit, count, t.bscv_key.len().min(t.bscv_weight.len()))?;
            self.budget.take::<LimitPoint>(count)?;
            let point = |at: usize| LimitPoint { value: t.bscv_key[at], weight: t.bscv_weight[at] };
            let parameter = col!(t.bsc_param).index(limit, t.param_id.len())?;
            Ok(Limit { parameter, points: points.map(point).collect() })
        })
        .collect()
    }
}

/// The deformer behind each row of the warp table (kind 0) or the rotation table (kind 1).
fn specific_owners(t: &Tables, kind: i32, len: usize) -> Vec<Option<usize>> {
    let mut owners = vec![None; len];
    for (deformer, (own_kind, specific)) in t.def_type.iter().zip(&t.def_specific).enumerate() {
        let owner = usize::try_from(*specific).ok().and_then(|specific| owners.get_mut(specific));
        if let (true, Some(owner)) = (*own_kind == kind, owner) {
            *owner = Some(deformer);
        }
    }
    owners
}
