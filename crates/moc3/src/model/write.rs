//! From the model to the tables of a file.

mod blends;

use super::axes::Keys;
use super::colors::ColorRows;
use super::order::group_totals;
use super::{AxisTable, Deformer, DeformerKind, DrawOrderObject, Drawable};
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
        let mut tables = Tables::default();
        // The long columns would be copied again and again as they grow.
        tables.pos.reserve(position_floats(model));
        tables.uv.reserve(model.drawables.iter().map(|drawable| 2 * drawable.uvs.len()).sum());
        tables.idx.reserve(model.drawables.iter().map(|drawable| drawable.indices.len()).sum());
        Self {
            model,
            tables,
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

/// Floats of all keyforms and deltas, with their padding.
fn position_floats(model: &Model) -> usize {
    let padded = |positions: &Vec<[f32; 2]>| (2 * positions.len()).next_multiple_of(POSITION_BLOCK);
    let warps = model.deformers.iter().filter_map(|deformer| match &deformer.kind {
        DeformerKind::Warp(warp) => Some(warp),
        DeformerKind::Rotation(_) => None,
    });
    let in_warp = |warp: &Warp| -> usize {
        let deltas = warp.blends.iter().flat_map(|blend| &blend.deltas);
        warp.keyforms.iter().chain(deltas).map(|form| padded(&form.positions)).sum()
    };
    let in_drawable = |drawable: &Drawable| -> usize {
        let deltas = drawable.blends.iter().flat_map(|blend| &blend.deltas);
        drawable.keyforms.iter().chain(deltas).map(|form| padded(&form.positions)).sum()
    };
    warps.map(in_warp).sum::<usize>() + model.drawables.iter().map(in_drawable).sum::<usize>()
}

/// Where `wanted` stands in a list grouped by value.
fn run_of(values: impl Iterator<Item = usize>, wanted: usize) -> std::ops::Range<usize> {
    let places: Vec<usize> =
        values.enumerate().filter(|(_, value)| *value == wanted).map(|(place, _)| place).collect();
    places.first().map_or(0..0, |first| *first..first + places.len())
}

/// Rows and floats are addressed by 31 bits.
fn check_size(tables: &Tables) -> Result<(), Error> {
    let longest = tables.columns().iter().map(|column| column.len()).max().unwrap_or(0);
    if longest > i32::MAX as usize { Err(Error::TooLarge { size: longest }) } else { Ok(()) }
}
