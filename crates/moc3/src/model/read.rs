//! From the tables of a file to the model.

mod blends;

use std::ops::Range;

use super::cells::{Budget, Column, col};
use super::colors::row as color_row;
use super::{
    Axis, Colors, Deformer, DeformerKind, DrawOrderGroup, DrawOrderObject, DrawOrderRange, Drawable,
};
use super::{DrawableKeyform, Glue, GlueKeyform, GluePair, Model, Offscreen, OffscreenKeyform};
use super::{Parameter, ParameterKind, Part, PartKeyform, Rotation, RotationKeyform, Warp, WarpKeyform};
use crate::blend::{ExtendedBlend, Flags};
use crate::schema::Tables;
use crate::{Error, File, Version};

/// Resolves all tables.
pub(super) fn read(file: &File) -> Result<Model, Error> {
    let mut reader = Reader::new(file)?;
    let t = &file.tables;
    let mut model = Model::new(file.version, file.canvas);
    model.parameters = collect(t.param_id.len(), |row| reader.parameter(row))?;
    model.parts = collect(t.part_id.len(), |row| reader.part(row))?;
    model.deformers = collect(t.def_id.len(), |row| reader.deformer(row))?;
    model.drawables = collect(t.mesh_id.len(), |row| reader.drawable(row))?;
    model.glues = collect(t.glue_id.len(), |row| reader.glue(row))?;
    model.groups = collect(t.dog_obj_begin.len(), |row| reader.group(row))?;
    model.offscreens = collect(t.off_owner.len(), |row| reader.offscreen(row))?;
    reader.blends(&mut model)?;
    unread_links(t)?;
    forget_derived_ranges(&mut model);
    Ok(model)
}

fn collect<T>(count: usize, read: impl FnMut(usize) -> Result<T, Error>) -> Result<Vec<T>, Error> {
    (0..count).map(read).collect()
}

/// Links that the model does not need, but that the Core refuses when they lead nowhere.
fn unread_links(t: &Tables) -> Result<(), Error> {
    for row in 0..t.part_offscreen.len() {
        let offscreen = col!(t.part_offscreen).optional(row, t.off_owner.len())?;
        if offscreen.is_some_and(|offscreen| t.off_owner[offscreen] != row as i32) {
            let fault = "names an offscreen of another part";
            return Err(Error::Row { section: "part_offscreen", row, value: row as i64, fault });
        }
    }
    for row in 0..t.partkf_offkf.len() {
        col!(t.partkf_offkf).optional(row, t.offkf_opacity.len())?;
    }
    let first_colors = [
        (col!(t.warp_color_begin), &t.warp_kf_count, t.warp_color_begin.len()),
        (col!(t.rot_color_begin), &t.rot_kf_count, t.rot_color_begin.len()),
        (col!(t.mesh_color_begin), &t.mesh_kf_count, t.mesh_color_begin.len()),
    ];
    for (column, counts, rows) in first_colors {
        for row in 0..rows {
            let count = counts.get(row).and_then(|count| usize::try_from(*count).ok()).unwrap_or(0);
            column.begin(row, count, t.mul_r.len())?;
        }
    }
    Ok(())
}

/// Bounds that follow from the keyforms need not be kept.
fn forget_derived_ranges(model: &mut Model) {
    let derived: Vec<_> = model.groups.iter().map(|group| super::order::derive_range(model, group)).collect();
    for (group, derived) in model.groups.iter_mut().zip(derived) {
        group.range = group.range.filter(|range| *range != derived);
    }
}

struct Reader<'f> {
    t: &'f Tables,
    version: Version,
    budget: Budget,
    /// Parameter of each parameter binding.
    binding_parameters: Vec<Option<usize>>,
    /// Parameter of each blend parameter binding.
    blend_parameters: Vec<Option<usize>>,
    /// Version 4.2 maps no colours to blend deltas; their rows follow those of the keyforms.
    next_delta_color: usize,
}

impl<'f> Reader<'f> {
    fn new(file: &'f File) -> Result<Self, Error> {
        let t = &file.tables;
        let size =
            t.columns().iter().zip(crate::schema::COLUMNS).map(|(c, s)| c.len() * s.element.size()).sum();
        let mut budget = Budget::new(size);
        let mut binding_parameters = vec![None; t.pb_key_begin.len()];
        let mut blend_parameters = vec![None; t.bspb_key_begin.len()];
        for parameter in 0..t.param_id.len() {
            let (begins, counts) = (col!(t.param_pb_begin), col!(t.param_pb_count));
            budget.take::<u64>(own(parameter, begins, counts, &mut binding_parameters)?)?;
            if file.version >= Version::V42 {
                let (begins, counts) = (col!(t.param_bspb_begin), col!(t.param_bspb_count));
                budget.take::<u64>(own(parameter, begins, counts, &mut blend_parameters)?)?;
            }
        }
        let next_delta_color =
            [(&t.warp_color_begin, &t.warp_kf_count), (&t.rot_color_begin, &t.rot_kf_count)]
                .into_iter()
                .chain([(&t.mesh_color_begin, &t.mesh_kf_count)])
                .flat_map(|(begins, counts)| begins.iter().zip(counts))
                .map(|(begin, count)| i64::from(*begin) + i64::from(*count))
                .max();
        Ok(Self {
            t,
            version: file.version,
            budget,
            binding_parameters,
            blend_parameters,
            next_delta_color: usize::try_from(next_delta_color.unwrap_or(0)).unwrap_or(0),
        })
    }

    fn parameter(&mut self, row: usize) -> Result<Parameter, Error> {
        let t = self.t;
        let blend = self.version >= Version::V42 && col!(t.param_type).flag(row)?;
        Ok(Parameter {
            id: col!(t.param_id).text(row)?,
            minimum: col!(t.param_min).at(row)?,
            maximum: col!(t.param_max).at(row)?,
            default: col!(t.param_def).at(row)?,
            repeat: col!(t.param_repeat).flag(row)?,
            decimals: col!(t.param_decimals).size(row)? as u32,
            kind: if blend { ParameterKind::BlendShape } else { ParameterKind::Normal },
        })
    }

    /// The axes of keyform binding `row` of `bindings`.
    fn axes(&mut self, bindings: Column<'_, i32>, row: usize) -> Result<Vec<Axis>, Error> {
        let t = self.t;
        let binding = bindings.index(row, t.kb_begin.len())?;
        let count = col!(t.kb_count).size(binding)?;
        let run = col!(t.kb_begin).begin(binding, count, t.pbi.len())?;
        self.budget.take::<Axis>(count)?;
        run.map(|entry| {
            let binding = col!(t.pbi).index(entry, t.pb_key_begin.len())?;
            let parameter = owner("param_pb_begin", &self.binding_parameters, binding)?;
            let count = col!(t.pb_key_count).size(binding)?;
            let keys = self.keys(col!(t.pb_key_begin), binding, count)?;
            Ok(Axis { parameter, keys })
        })
        .collect()
    }
    fn keys(&mut self, begins: Column<'_, i32>, row: usize, count: usize) -> Result<Vec<f32>, Error> {
        let run = begins.begin(row, count, self.t.key.len())?;
        self.budget.take::<f32>(count)?;
        Ok(self.t.key[run].to_vec())
    }
    /// `count` pairs of floats from the one that `begins` names.
    fn points(
        &mut self,
        begins: Column<'_, i32>,
        row: usize,
        count: usize,
        table: &'f [f32],
    ) -> Result<Vec<[f32; 2]>, Error> {
        let run = begins.begin(row, count.saturating_mul(2), table.len())?;
        self.budget.take::<[f32; 2]>(count)?;
        Ok(table[run].as_chunks().0.to_vec())
    }
    /// Keyforms `begin..` of an object.
    fn keyforms(
        &mut self,
        begins: Column<'_, i32>,
        counts: Column<'_, i32>,
        row: usize,
        len: usize,
    ) -> Result<Range<usize>, Error> {
        let count = counts.size(row)?;
        self.budget.take::<DrawableKeyform>(count)?;
        begins.begin(row, count, len)
    }
    /// Colours of a keyform: mapped since 5.0, counted from `first` in 4.2.
    fn colors(&self, map: [Column<'_, i32>; 2], row: usize, first: Option<usize>) -> Result<Colors, Error> {
        if self.version >= Version::V50 {
            let rows = self.t.mul_r.len();
            let (multiply, screen) = (map[0].index(row, rows)?, map[1].index(row, self.t.scr_r.len())?);
            return Ok(color_row(self.t, multiply, screen).unwrap_or_default());
        }
        Ok(first.and_then(|row| color_row(self.t, row, row)).unwrap_or_default())
    }
    /// First colour row of an object in version 4.2.
    fn first_color(&self, begins: Column<'_, i32>, row: usize) -> Option<usize> {
        if self.version != Version::V42 {
            return None;
        }
        begins.size(row).ok()
    }

    fn part(&mut self, row: usize) -> Result<Part, Error> {
        let t = self.t;
        let forms =
            self.keyforms(col!(t.part_kf_begin), col!(t.part_kf_count), row, t.partkf_draw_order.len())?;
        Ok(Part {
            id: col!(t.part_id).text(row)?,
            parent: col!(t.part_parent).optional(row, t.part_id.len())?,
            visible: col!(t.part_visible).flag(row)?,
            enabled: col!(t.part_enabled).flag(row)?,
            axes: self.axes(col!(t.part_binding), row)?,
            keyforms: forms.map(|form| self.part_keyform(form)).collect::<Result<_, _>>()?,
            blends: Vec::new(),
        })
    }
    fn part_keyform(&mut self, form: usize) -> Result<PartKeyform, Error> {
        let t = self.t;
        Ok(PartKeyform { draw_order: col!(t.partkf_draw_order).at(form)? })
    }

    fn deformer(&mut self, row: usize) -> Result<Deformer, Error> {
        let t = self.t;
        let (kind, binding) = if col!(t.def_type).flag(row)? {
            let specific = col!(t.def_specific).index(row, t.rot_binding.len())?;
            (DeformerKind::Rotation(self.rotation(specific)?), t.rot_binding[specific])
        } else {
            let specific = col!(t.def_specific).index(row, t.warp_binding.len())?;
            (DeformerKind::Warp(self.warp(specific)?), t.warp_binding[specific])
        };
        if col!(t.def_binding).at(row)? != binding {
            let fault = "is not the binding of the warp or rotation behind the deformer";
            return Err(Error::Row { section: "def_binding", row, value: binding.into(), fault });
        }
        Ok(Deformer {
            id: col!(t.def_id).text(row)?,
            parent_part: col!(t.def_parent_part).optional(row, t.part_id.len())?,
            parent: col!(t.def_parent_def).optional(row, t.def_id.len())?,
            visible: col!(t.def_visible).flag(row)?,
            enabled: col!(t.def_enabled).flag(row)?,
            axes: self.axes(col!(t.def_binding), row)?,
            kind,
        })
    }
    fn warp(&mut self, row: usize) -> Result<Warp, Error> {
        let t = self.t;
        let len = t.warpkf_opacity.len();
        let forms = self.keyforms(col!(t.warp_kf_begin), col!(t.warp_kf_count), row, len)?;
        let points = col!(t.warp_vcount).size(row)?;
        let color = self.first_color(col!(t.warp_color_begin), row);
        let keyforms = forms
            .enumerate()
            .map(|(nth, form)| self.warp_keyform(form, points, color.map(|color| color + nth)))
            .collect::<Result<_, _>>()?;
        Ok(Warp {
            rows: col!(t.warp_rows).size(row)?,
            columns: col!(t.warp_cols).size(row)?,
            bilinear: self.version >= Version::V33 && col!(t.warp_quad).flag(row)?,
            keyforms,
            blends: Vec::new(),
        })
    }
    fn warp_keyform(
        &mut self,
        form: usize,
        points: usize,
        color: Option<usize>,
    ) -> Result<WarpKeyform, Error> {
        let t = self.t;
        Ok(WarpKeyform {
            opacity: col!(t.warpkf_opacity).at(form)?,
            positions: self.points(col!(t.warpkf_pos_begin), form, points, &t.pos)?,
            colors: self.colors([col!(t.warpkf_mul), col!(t.warpkf_scr)], form, color)?,
        })
    }
    fn rotation(&mut self, row: usize) -> Result<Rotation, Error> {
        let t = self.t;
        let forms = self.keyforms(col!(t.rot_kf_begin), col!(t.rot_kf_count), row, t.rotkf_opacity.len())?;
        let color = self.first_color(col!(t.rot_color_begin), row);
        let keyforms = forms
            .enumerate()
            .map(|(nth, form)| self.rotation_keyform(form, color.map(|color| color + nth)))
            .collect::<Result<_, _>>()?;
        Ok(Rotation { base_angle: col!(t.rot_base_angle).at(row)?, keyforms, blends: Vec::new() })
    }
    fn rotation_keyform(&mut self, form: usize, color: Option<usize>) -> Result<RotationKeyform, Error> {
        let t = self.t;
        Ok(RotationKeyform {
            opacity: col!(t.rotkf_opacity).at(form)?,
            angle: col!(t.rotkf_angle).at(form)?,
            origin: [col!(t.rotkf_ox).at(form)?, col!(t.rotkf_oy).at(form)?],
            scale: col!(t.rotkf_scale).at(form)?,
            reflect_x: col!(t.rotkf_reflect_x).flag(form)?,
            reflect_y: col!(t.rotkf_reflect_y).flag(form)?,
            colors: self.colors([col!(t.rotkf_mul), col!(t.rotkf_scr)], form, color)?,
        })
    }

    fn drawable(&mut self, row: usize) -> Result<Drawable, Error> {
        let t = self.t;
        let forms =
            self.keyforms(col!(t.mesh_kf_begin), col!(t.mesh_kf_count), row, t.meshkf_opacity.len())?;
        let vertices = col!(t.mesh_vcount).size(row)?;
        let color = self.first_color(col!(t.mesh_color_begin), row);
        let keyforms = forms
            .enumerate()
            .map(|(nth, form)| self.drawable_keyform(form, vertices, color.map(|color| color + nth)))
            .collect::<Result<_, _>>()?;
        let indices = col!(t.mesh_idx_count).size(row)?;
        let indices = col!(t.mesh_idx_begin).begin(row, indices, t.idx.len())?;
        self.budget.take::<u16>(indices.len())?;
        let flags = Flags(col!(t.mesh_flags).at(row)?);
        Ok(Drawable {
            id: col!(t.mesh_id).text(row)?,
            parent_part: col!(t.mesh_parent_part).optional(row, t.part_id.len())?,
            parent_deformer: col!(t.mesh_parent_def).optional(row, t.def_id.len())?,
            visible: col!(t.mesh_visible).flag(row)?,
            enabled: col!(t.mesh_enabled).flag(row)?,
            texture: col!(t.mesh_texture).size(row)? as u32,
            flags,
            extended_blend: self.extended_blend(row, flags)?,
            uvs: self.points(col!(t.mesh_uv_begin), row, vertices, &t.uv)?,
            indices: t.idx[indices].to_vec(),
            masks: self.masks(col!(t.mesh_mask_begin), col!(t.mesh_mask_count), row)?,
            axes: self.axes(col!(t.mesh_binding), row)?,
            keyforms,
            blends: Vec::new(),
        })
    }
    fn extended_blend(&self, row: usize, flags: Flags) -> Result<Option<ExtendedBlend>, Error> {
        if self.version < Version::V53 {
            return Ok(None);
        }
        let t = self.t;
        let blend = blend(col!(t.mesh_blend), row)?;
        Ok(Some(blend).filter(|blend| *blend != ExtendedBlend::from(flags.blend())))
    }
    /// Masks; entries of -1 mean nothing.
    fn masks(
        &mut self,
        begins: Column<'_, i32>,
        counts: Column<'_, i32>,
        row: usize,
    ) -> Result<Vec<usize>, Error> {
        let t = self.t;
        let run = begins.begin(row, counts.size(row)?, t.mask.len())?;
        self.budget.take::<usize>(run.len())?;
        run.filter_map(|entry| col!(t.mask).optional(entry, t.mesh_id.len()).transpose()).collect()
    }
    fn drawable_keyform(
        &mut self,
        form: usize,
        vertices: usize,
        color: Option<usize>,
    ) -> Result<DrawableKeyform, Error> {
        let t = self.t;
        Ok(DrawableKeyform {
            opacity: col!(t.meshkf_opacity).at(form)?,
            draw_order: col!(t.meshkf_draw_order).at(form)?,
            positions: self.points(col!(t.meshkf_pos_begin), form, vertices, &t.pos)?,
            colors: self.colors([col!(t.meshkf_mul), col!(t.meshkf_scr)], form, color)?,
        })
    }

    fn glue(&mut self, row: usize) -> Result<Glue, Error> {
        let t = self.t;
        let forms =
            self.keyforms(col!(t.glue_kf_begin), col!(t.glue_kf_count), row, t.gkf_intensity.len())?;
        let count = col!(t.glue_info_count).size(row)?;
        let infos = col!(t.glue_info_begin).begin(row, count, t.gi_index.len().min(t.gi_weight.len()))?;
        self.budget.take::<GluePair>(count)?;
        let pair = |(vertices, weights): (&[u16; 2], &[f32; 2])| GluePair {
            vertex_a: vertices[0],
            vertex_b: vertices[1],
            weight_a: weights[0],
            weight_b: weights[1],
        };
        let vertices = t.gi_index[infos.clone()].as_chunks().0;
        let weights = t.gi_weight[infos].as_chunks().0;
        Ok(Glue {
            id: col!(t.glue_id).text(row)?,
            drawable_a: col!(t.glue_mesh_a).index(row, t.mesh_id.len())?,
            drawable_b: col!(t.glue_mesh_b).index(row, t.mesh_id.len())?,
            pairs: vertices.iter().zip(weights).map(pair).collect(),
            axes: self.axes(col!(t.glue_binding), row)?,
            keyforms: forms.map(|form| self.glue_keyform(form)).collect::<Result<_, _>>()?,
            blends: Vec::new(),
        })
    }
    fn glue_keyform(&mut self, form: usize) -> Result<GlueKeyform, Error> {
        let t = self.t;
        Ok(GlueKeyform { intensity: col!(t.gkf_intensity).at(form)? })
    }

    fn group(&mut self, row: usize) -> Result<DrawOrderGroup, Error> {
        let t = self.t;
        let run = col!(t.dog_obj_begin).begin(row, col!(t.dog_obj_count).size(row)?, t.dogo_type.len())?;
        self.budget.take::<DrawOrderObject>(run.len())?;
        let object = |entry| {
            if !col!(t.dogo_type).flag(entry)? {
                // The Core refuses a file in which a drawable has a group of its own.
                if let Some(group) = col!(t.dogo_group).optional(entry, t.dog_obj_begin.len())? {
                    let fault = "is the group of a drawable, which has none";
                    return Err(Error::Row { section: "dogo_group", row: entry, value: group as i64, fault });
                }
                return Ok(DrawOrderObject::Drawable(col!(t.dogo_index).index(entry, t.mesh_id.len())?));
            }
            let part = col!(t.dogo_index).index(entry, t.part_id.len())?;
            Ok(DrawOrderObject::Part {
                part,
                group: col!(t.dogo_group).optional(entry, t.dog_obj_begin.len())?,
            })
        };
        Ok(DrawOrderGroup {
            objects: run.map(object).collect::<Result<_, _>>()?,
            range: Some(DrawOrderRange { min: col!(t.dog_min).at(row)?, max: col!(t.dog_max).at(row)? }),
        })
    }

    fn offscreen(&mut self, row: usize) -> Result<Offscreen, Error> {
        let t = self.t;
        let owner = col!(t.off_owner).index(row, t.part_id.len())?;
        if col!(t.part_offscreen).optional(owner, t.off_owner.len())? != Some(row) {
            let fault = "names a part that does not name the offscreen";
            return Err(Error::Row { section: "off_owner", row, value: owner as i64, fault });
        }
        let len = t.partkf_offkf.len();
        let forms = self.keyforms(col!(t.part_kf_begin), col!(t.part_kf_count), owner, len)?;
        Ok(Offscreen {
            owner,
            flags: Flags(col!(t.off_flags).at(row)?),
            blend: blend(col!(t.off_blend), row)?,
            masks: self.masks(col!(t.off_mask_begin), col!(t.off_mask_count), row)?,
            keyforms: forms.map(|form| self.offscreen_keyform(form)).collect::<Result<_, _>>()?,
        })
    }
    fn offscreen_keyform(&mut self, part_form: usize) -> Result<Option<OffscreenKeyform>, Error> {
        let t = self.t;
        let Some(form) = col!(t.partkf_offkf).optional(part_form, t.offkf_opacity.len())? else {
            return Ok(None);
        };
        Ok(Some(OffscreenKeyform {
            opacity: col!(t.offkf_opacity).at(form)?,
            colors: self.colors([col!(t.offkf_mul), col!(t.offkf_scr)], form, None)?,
        }))
    }
}

/// Notes the bindings that a parameter owns; gives their number.
fn own(
    parameter: usize,
    begins: Column<'_, i32>,
    counts: Column<'_, i32>,
    owners: &mut [Option<usize>],
) -> Result<usize, Error> {
    let run = begins.begin(parameter, counts.size(parameter)?, owners.len())?;
    owners[run.clone()].iter_mut().for_each(|owner| *owner = owner.or(Some(parameter)));
    Ok(run.len())
}

fn owner(section: &'static str, owners: &[Option<usize>], binding: usize) -> Result<usize, Error> {
    let fault = "is a binding that no parameter owns";
    let error = Error::Row { section, row: binding, value: binding as i64, fault };
    owners.get(binding).copied().flatten().ok_or(error)
}

fn blend(codes: Column<'_, i32>, row: usize) -> Result<ExtendedBlend, Error> {
    let code = codes.at(row)?;
    let error = Error::Row { section: codes.section, row, value: code.into(), fault: "is no known blending" };
    ExtendedBlend::from_code(code).ok_or(error)
}
