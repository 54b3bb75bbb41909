//! From the model to the tables of a file.

use super::axes::{Interner, Keys, group_by_parameter};
use super::colors::ColorRows;
use super::{
    AxisTable, Blend, Deformer, DeformerKind, DrawOrderGroup, DrawOrderObject, DrawOrderRange, Drawable,
};
use super::{
    Glue, Limit, Model, Offscreen, Parameter, ParameterKind, Part, PartKeyform, Rotation, RotationKeyform,
};
use super::{Warp, WarpKeyform};
use crate::blend::ExtendedBlend;
use crate::element::Id;
use crate::schema::Tables;
use crate::{Error, File, Version};

/// Keyform positions are padded to this many floats.
const POSITION_BLOCK: usize = 16;
/// Bounds of a group without objects, as the editor stores them.
const EMPTY_RANGE: DrawOrderRange = DrawOrderRange { min: i32::MAX, max: -i32::MAX };
/// Draw orders of objects with blend shapes are clamped to this.
const BLENDED_RANGE: DrawOrderRange = DrawOrderRange { min: 0, max: 1000 };

/// Builds the tables of a valid model that its version can hold.
pub(super) fn write(model: &Model) -> Result<File, Error> {
    let mut writer = Writer::new(model);
    model.offscreens.iter().for_each(|offscreen| writer.offscreen(offscreen));
    for (index, part) in model.parts.iter().enumerate() {
        writer.part(index, part);
    }
    for (index, deformer) in model.deformers.iter().enumerate() {
        writer.deformer(index, deformer);
    }
    for (index, drawable) in model.drawables.iter().enumerate() {
        writer.drawable(index, drawable);
    }
    for (index, glue) in model.glues.iter().enumerate() {
        writer.glue(index, glue);
    }
    writer.bindings();
    writer.groups();
    if model.version >= Version::V42 {
        writer.blends();
    }
    writer.parameters();
    writer.offscreen_owners();
    let mut tables = writer.tables;
    writer.colors.store(model.version, &mut tables);
    check_size(&tables)?;
    Ok(File { version: model.version, canvas: model.canvas, tables })
}

/// The bounds of the draw orders that the keyforms of a group's children reach (MOC3_FORMAT 6.9).
pub(super) fn derive_range(model: &Model, group: &DrawOrderGroup) -> DrawOrderRange {
    let mut range = EMPTY_RANGE;
    let mut reach = |order: i32| {
        range = DrawOrderRange { min: range.min.min(order), max: range.max.max(order) };
    };
    for object in &group.objects {
        let blended = match *object {
            DrawOrderObject::Drawable(index) => model.drawables.get(index).is_some_and(|drawable| {
                drawable.keyforms.iter().for_each(|form| reach(truncate(form.draw_order.into())));
                drawable.blends.iter().flat_map(|blend| &blend.deltas).any(|delta| delta.draw_order != 0.0)
            }),
            DrawOrderObject::Part { part, .. } => model.parts.get(part).is_some_and(|part| {
                part.keyforms.iter().for_each(|form| reach(truncate(form.draw_order.into())));
                part.blends.iter().flat_map(|blend| &blend.deltas).any(|delta| delta.draw_order != 0.0)
            }),
        };
        if blended && model.version >= Version::V50 {
            reach(BLENDED_RANGE.min);
            reach(BLENDED_RANGE.max);
        }
    }
    range
}

/// The whole draw order of an interpolated one (MOC3_FORMAT 7.10).
pub(crate) fn truncate(draw_order: f64) -> i32 {
    (draw_order + 0.001) as i32
}

/// Number of slots that each group takes in the render order: drawables and offscreens of its subtree.
pub(crate) fn group_totals(model: &Model) -> Vec<usize> {
    let mut totals = vec![0usize; model.groups.len()];
    let mut owns_offscreen = vec![false; model.parts.len()];
    for offscreen in &model.offscreens {
        if let Some(owns) = owns_offscreen.get_mut(offscreen.owner) {
            *owns = true;
        }
    }
    for (index, group) in model.groups.iter().enumerate().rev() {
        let slots = |object: &DrawOrderObject| match *object {
            DrawOrderObject::Drawable(_) => 1,
            DrawOrderObject::Part { part, group } => {
                let offscreen = owns_offscreen.get(part).copied();
                usize::from(offscreen.unwrap_or(false))
                    + group.and_then(|group| totals.get(group)).copied().unwrap_or(0)
            }
        };
        totals[index] = group.objects.iter().map(slots).fold(0, usize::saturating_add);
    }
    totals
}

/// A blend parameter binding: parameter, keys, base key.
type BlendBinding<'m> = (usize, Keys<'m>, usize);

struct Writer<'m> {
    model: &'m Model,
    tables: Tables,
    colors: ColorRows,
    axes: AxisTable<'m>,
    blend_bindings: Vec<BlendBinding<'m>>,
    /// Limits stored so far.
    limits: Vec<&'m Limit>,
}

/// Stores values from a usize; sizes are checked at the end.
fn int(value: usize) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

fn index(value: Option<usize>) -> i32 {
    value.map_or(-1, int)
}

impl<'m> Writer<'m> {
    fn new(model: &'m Model) -> Self {
        let axes = AxisTable::new(model);
        Self {
            model,
            tables: Tables::default(),
            colors: ColorRows::default(),
            axes,
            blend_bindings: Vec::new(),
            limits: Vec::new(),
        }
    }
    fn has(&self, version: Version) -> bool {
        self.model.version >= version
    }
    /// Validated ids fit.
    fn id(text: &str) -> Id {
        Id::new(text).unwrap_or(Id([0; Id::SIZE]))
    }

    fn part(&mut self, place: usize, part: &Part) {
        let begin = self.tables.partkf_draw_order.len();
        part.keyforms.iter().for_each(|form| self.part_keyform(form));
        let t = &mut self.tables;
        t.part_id.push(Self::id(&part.id));
        t.part_binding.push(int(self.axes.parts[place]));
        t.part_kf_begin.push(int(begin));
        t.part_kf_count.push(int(part.keyforms.len()));
        t.part_visible.push(part.visible.into());
        t.part_enabled.push(part.enabled.into());
        t.part_parent.push(index(part.parent));
    }
    fn part_keyform(&mut self, form: &PartKeyform) {
        self.tables.partkf_draw_order.push(form.draw_order);
        if self.has(Version::V53) {
            self.tables.partkf_offkf.push(-1);
        }
    }

    fn deformer(&mut self, place: usize, deformer: &Deformer) {
        let binding = int(self.axes.deformers[place]);
        let (kind, specific) = match &deformer.kind {
            DeformerKind::Warp(warp) => (0, self.warp(binding, warp)),
            DeformerKind::Rotation(rotation) => (1, self.rotation(binding, rotation)),
        };
        let t = &mut self.tables;
        t.def_id.push(Self::id(&deformer.id));
        t.def_binding.push(binding);
        t.def_visible.push(deformer.visible.into());
        t.def_enabled.push(deformer.enabled.into());
        t.def_parent_part.push(index(deformer.parent_part));
        t.def_parent_def.push(index(deformer.parent));
        t.def_type.push(kind);
        t.def_specific.push(int(specific));
    }
    fn warp(&mut self, binding: i32, warp: &Warp) -> usize {
        let begin = self.tables.warpkf_opacity.len();
        let color_begin = self.colors.len();
        warp.keyforms.iter().for_each(|form| self.warp_keyform(form));
        let (has_quad, has_colors) = (self.has(Version::V33), self.has(Version::V42));
        let t = &mut self.tables;
        t.warp_binding.push(binding);
        t.warp_kf_begin.push(int(begin));
        t.warp_kf_count.push(int(warp.keyforms.len()));
        t.warp_vcount.push(int(warp.points()));
        t.warp_rows.push(int(warp.rows));
        t.warp_cols.push(int(warp.columns));
        if has_quad {
            t.warp_quad.push(warp.bilinear.into());
        }
        if has_colors {
            t.warp_color_begin.push(int(color_begin));
        }
        t.warp_binding.len() - 1
    }
    fn warp_keyform(&mut self, form: &WarpKeyform) {
        let positions = self.positions(&form.positions);
        self.tables.warpkf_opacity.push(form.opacity);
        self.tables.warpkf_pos_begin.push(positions);
        let row = self.colors.add(form.colors);
        if self.has(Version::V50) {
            self.tables.warpkf_mul.push(row);
            self.tables.warpkf_scr.push(row);
        }
    }
    fn rotation(&mut self, binding: i32, rotation: &Rotation) -> usize {
        let begin = self.tables.rotkf_opacity.len();
        let color_begin = self.colors.len();
        rotation.keyforms.iter().for_each(|form| self.rotation_keyform(form));
        let has_colors = self.has(Version::V42);
        let t = &mut self.tables;
        t.rot_binding.push(binding);
        t.rot_kf_begin.push(int(begin));
        t.rot_kf_count.push(int(rotation.keyforms.len()));
        t.rot_base_angle.push(rotation.base_angle);
        if has_colors {
            t.rot_color_begin.push(int(color_begin));
        }
        t.rot_binding.len() - 1
    }
    fn rotation_keyform(&mut self, form: &RotationKeyform) {
        let t = &mut self.tables;
        t.rotkf_opacity.push(form.opacity);
        t.rotkf_angle.push(form.angle);
        t.rotkf_ox.push(form.origin[0]);
        t.rotkf_oy.push(form.origin[1]);
        t.rotkf_scale.push(form.scale);
        t.rotkf_reflect_x.push(form.reflect_x.into());
        t.rotkf_reflect_y.push(form.reflect_y.into());
        let row = self.colors.add(form.colors);
        if self.has(Version::V50) {
            self.tables.rotkf_mul.push(row);
            self.tables.rotkf_scr.push(row);
        }
    }

    fn drawable(&mut self, place: usize, drawable: &Drawable) {
        let begin = self.tables.meshkf_opacity.len();
        let color_begin = self.colors.len();
        drawable.keyforms.iter().for_each(|form| self.drawable_keyform(form));
        let (has_colors, has_blend) = (self.has(Version::V42), self.has(Version::V53));
        let t = &mut self.tables;
        t.mesh_id.push(Self::id(&drawable.id));
        t.mesh_binding.push(int(self.axes.drawables[place]));
        t.mesh_kf_begin.push(int(begin));
        t.mesh_kf_count.push(int(drawable.keyforms.len()));
        t.mesh_visible.push(drawable.visible.into());
        t.mesh_enabled.push(drawable.enabled.into());
        t.mesh_parent_part.push(index(drawable.parent_part));
        t.mesh_parent_def.push(index(drawable.parent_deformer));
        t.mesh_texture.push(int(drawable.texture as usize));
        t.mesh_flags.push(drawable.flags.0);
        t.mesh_vcount.push(int(drawable.uvs.len()));
        t.mesh_uv_begin.push(int(t.uv.len()));
        t.mesh_idx_begin.push(int(t.idx.len()));
        t.mesh_idx_count.push(int(drawable.indices.len()));
        t.mesh_mask_begin.push(int(t.mask.len()));
        t.mesh_mask_count.push(int(drawable.masks.len()));
        t.uv.extend_from_slice(drawable.uvs.as_flattened());
        t.idx.extend_from_slice(&drawable.indices);
        t.mask.extend(drawable.masks.iter().map(|mask| int(*mask)));
        if has_colors {
            t.mesh_color_begin.push(int(color_begin));
        }
        if has_blend {
            let blend =
                drawable.extended_blend.unwrap_or_else(|| ExtendedBlend::from(drawable.flags.blend()));
            t.mesh_blend.push(blend.code());
        }
    }
    fn drawable_keyform(&mut self, form: &super::DrawableKeyform) {
        let positions = self.positions(&form.positions);
        self.tables.meshkf_opacity.push(form.opacity);
        self.tables.meshkf_draw_order.push(form.draw_order);
        self.tables.meshkf_pos_begin.push(positions);
        let row = self.colors.add(form.colors);
        if self.has(Version::V50) {
            self.tables.meshkf_mul.push(row);
            self.tables.meshkf_scr.push(row);
        }
    }
    /// Appends positions, padded with zeros; gives their first float.
    fn positions(&mut self, positions: &[[f32; 2]]) -> i32 {
        let pos = &mut self.tables.pos;
        let begin = pos.len();
        pos.extend_from_slice(positions.as_flattened());
        pos.resize(pos.len().next_multiple_of(POSITION_BLOCK), 0.0);
        int(begin)
    }

    fn glue(&mut self, place: usize, glue: &Glue) {
        let t = &mut self.tables;
        t.glue_id.push(Self::id(&glue.id));
        t.glue_binding.push(int(self.axes.glues[place]));
        t.glue_kf_begin.push(int(t.gkf_intensity.len()));
        t.glue_kf_count.push(int(glue.keyforms.len()));
        t.glue_mesh_a.push(int(glue.drawable_a));
        t.glue_mesh_b.push(int(glue.drawable_b));
        t.glue_info_begin.push(int(t.gi_index.len()));
        t.glue_info_count.push(int(2 * glue.pairs.len()));
        t.gkf_intensity.extend(glue.keyforms.iter().map(|form| form.intensity));
        for pair in &glue.pairs {
            t.gi_weight.extend([pair.weight_a, pair.weight_b]);
            t.gi_index.extend([pair.vertex_a, pair.vertex_b]);
        }
    }

    /// Keyform bindings, parameter bindings and the first region of the keys.
    fn bindings(&mut self) {
        let t = &mut self.tables;
        for grid in &self.axes.grids {
            t.kb_begin.push(int(t.pbi.len()));
            t.kb_count.push(int(grid.len()));
            t.pbi.extend(grid.iter().map(|binding| int(*binding)));
        }
        for (_, keys) in &self.axes.bindings {
            t.pb_key_begin.push(int(t.key.len()));
            t.pb_key_count.push(int(keys.len()));
            t.key.extend_from_slice(keys);
        }
    }

    fn groups(&mut self) {
        for (group, total) in self.model.groups.iter().zip(group_totals(self.model)) {
            let range = self.model.draw_order_range(group);
            let t = &mut self.tables;
            t.dog_obj_begin.push(int(t.dogo_type.len()));
            t.dog_obj_count.push(int(group.objects.len()));
            t.dog_total.push(int(total));
            t.dog_max.push(range.max);
            t.dog_min.push(range.min);
            for object in &group.objects {
                let (kind, place, inner) = match *object {
                    DrawOrderObject::Drawable(drawable) => (0, drawable, None),
                    DrawOrderObject::Part { part, group } => (1, part, group),
                };
                t.dogo_type.push(kind);
                t.dogo_index.push(int(place));
                t.dogo_group.push(index(inner));
            }
        }
    }

    fn offscreen(&mut self, offscreen: &'m Offscreen) {
        let t = &mut self.tables;
        t.off_owner.push(int(offscreen.owner));
        t.off_flags.push(offscreen.flags.0);
        t.off_blend.push(offscreen.blend.code());
        t.off_mask_begin.push(int(t.mask.len()));
        t.off_mask_count.push(int(offscreen.masks.len()));
        t.mask.extend(offscreen.masks.iter().map(|mask| int(*mask)));
        for form in offscreen.keyforms.iter().flatten() {
            let row = self.colors.add(form.colors);
            t.offkf_opacity.push(form.opacity);
            t.offkf_mul.push(row);
            t.offkf_scr.push(row);
        }
    }
    /// Maps parts and their keyforms to offscreens, once the rows of both are known.
    fn offscreen_owners(&mut self) {
        if !self.has(Version::V53) {
            return;
        }
        let t = &mut self.tables;
        t.part_offscreen = vec![-1; t.part_id.len()];
        let mut row = 0;
        for (place, offscreen) in self.model.offscreens.iter().enumerate() {
            t.part_offscreen[offscreen.owner] = int(place);
            let begin = t.part_kf_begin[offscreen.owner] as usize;
            for (keyform, form) in offscreen.keyforms.iter().enumerate() {
                if form.is_some() {
                    t.partkf_offkf[begin + keyform] = row;
                    row += 1;
                }
            }
        }
    }

    /// Blend records: warps, drawables, parts, rotations, glues; each kind by target (MOC3_FORMAT 6.12).
    fn blends(&mut self) {
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

    fn parameters(&mut self) {
        for (place, parameter) in self.model.parameters.iter().enumerate() {
            self.parameter(place, parameter);
            if self.has(Version::V42) {
                self.blend_parameter(place, parameter);
            }
        }
    }
    fn parameter(&mut self, place: usize, parameter: &Parameter) {
        let owned = run_of(self.axes.bindings.iter().map(|binding| binding.0), place);
        let unused = if parameter.kind == ParameterKind::BlendShape { 0 } else { -1 };
        let t = &mut self.tables;
        t.param_id.push(Self::id(&parameter.id));
        t.param_max.push(parameter.maximum);
        t.param_min.push(parameter.minimum);
        t.param_def.push(parameter.default);
        t.param_repeat.push(parameter.repeat.into());
        t.param_decimals.push(int(parameter.decimals as usize));
        t.param_pb_begin.push(if owned.is_empty() { unused } else { int(owned.start) });
        t.param_pb_count.push(int(owned.len()));
    }
    /// Blend bindings of a parameter and the union of all its keys.
    fn blend_parameter(&mut self, place: usize, parameter: &Parameter) {
        let owned = run_of(self.blend_bindings.iter().map(|binding| binding.0), place);
        let blend = parameter.kind == ParameterKind::BlendShape;
        let unused = if blend { -1 } else { 0 };
        let t = &mut self.tables;
        t.param_type.push(blend.into());
        t.param_bspb_begin.push(if owned.is_empty() { unused } else { int(owned.start) });
        t.param_bspb_count.push(int(owned.len()));
        let normal =
            self.axes.bindings.iter().filter(|binding| binding.0 == place).flat_map(|binding| binding.1);
        let blended = self.blend_bindings[owned].iter().flat_map(|binding| binding.1.0);
        let mut union: Vec<f32> = normal.chain(blended).copied().collect();
        union.sort_by(f32::total_cmp);
        union.dedup();
        t.param_key_begin.push(int(t.key.len()));
        t.param_key_count.push(int(union.len()));
        t.key.extend(union);
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

/// Where `wanted` stands in a list grouped by value.
fn run_of(values: impl Iterator<Item = usize>, wanted: usize) -> std::ops::Range<usize> {
    let places: Vec<usize> =
        values.enumerate().filter(|(_, value)| *value == wanted).map(|(place, _)| place).collect();
    places.first().map_or(0..0, |first| *first..first + places.len())
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

/// Rows and floats are addressed by 31 bits.
fn check_size(tables: &Tables) -> Result<(), Error> {
    let longest = tables.columns().iter().map(|column| column.len()).max().unwrap_or(0);
    if longest > i32::MAX as usize { Err(Error::TooLarge { size: longest }) } else { Ok(()) }
}
