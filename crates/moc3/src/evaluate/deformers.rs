//! Deformers, parents first (MOC3_FORMAT 7.4-7.8).

use super::blends::{each_delta, moves_all};
use super::grids::{ColorSum, Corner, add_points, points, scalar};
use super::rotation::{RotationMap, inherited_angle};
use super::warp::WarpMap;
use super::{Evaluator, Scratch};
use crate::model::{DeformerKind, Rotation, Warp};

/// A posed deformer.
#[derive(Clone, Debug)]
pub(super) struct DeformerState {
    /// Enabled and in range, as are its part and its parents; nothing else counts otherwise.
    pub(super) on: bool,
    /// With that of the parents.
    pub(super) opacity: f64,
    /// With those of the parents.
    pub(super) colors: ColorSum,
    /// Scale of all rotations up to the root.
    scale: f64,
    pub(super) map: Map,
}

impl Default for DeformerState {
    fn default() -> Self {
        Self {
            on: false,
            opacity: 1.0,
            colors: ColorSum::default(),
            scale: 1.0,
            map: Map::Rotation(RotationMap::default()),
        }
    }
}

/// From a deformer's space to model space.
#[derive(Clone, Debug)]
pub(super) enum Map {
    Warp(WarpMap),
    Rotation(RotationMap),
}

impl Map {
    /// Maps points in place.
    pub(super) fn apply(&self, points: &mut [[f64; 2]]) {
        match self {
            Self::Warp(warp) => warp.apply(points),
            Self::Rotation(rotation) => points.iter_mut().for_each(|point| *point = rotation.map(*point)),
        }
    }
    fn map(&self, point: [f64; 2]) -> [f64; 2] {
        match self {
            Self::Warp(warp) => warp.map(point),
            Self::Rotation(rotation) => rotation.map(point),
        }
    }
    /// First step of the probe for the inherited angle.
    fn probe(&self) -> f64 {
        match self {
            Self::Warp(_) => 0.1,
            Self::Rotation(_) => 10.0,
        }
    }
    /// The lattice memory of an earlier pose.
    fn into_points(self) -> Vec<[f64; 2]> {
        match self {
            Self::Warp(warp) => warp.points,
            Self::Rotation(_) => Vec::new(),
        }
    }
}

/// What the keyforms of a deformer give before its parent counts.
struct Own {
    opacity: f64,
    colors: ColorSum,
    scale: f64,
    map: Map,
}

impl Evaluator<'_> {
    pub(super) fn deformers(&self, scratch: &mut Scratch) {
        scratch.deformers.resize_with(self.model.deformers.len(), DeformerState::default);
        for &index in &self.deformer_order {
            let deformer = &self.model.deformers[index];
            let memory = std::mem::take(&mut scratch.deformers[index]).map.into_points();
            let parent = deformer.parent.map(|parent| &scratch.deformers[parent]);
            let part_on = deformer.parent_part.is_none_or(|part| scratch.parts[part].on);
            let corners = scratch.grids.corners(self.grids.deformers[index]);
            let on = deformer.enabled && part_on && parent.is_none_or(|parent| parent.on);
            let Some(corners) = corners.filter(|_| on) else {
                scratch.deformers[index].map = Map::Warp(WarpMap::idle(memory));
                continue;
            };
            let own = match &deformer.kind {
                DeformerKind::Warp(warp) => self.warp(warp, corners, &scratch.values, parent, memory),
                DeformerKind::Rotation(rotation) => self.rotation(rotation, corners, &scratch.values, parent),
            };
            let above = parent.map_or_else(ColorSum::default, |parent| parent.colors);
            scratch.deformers[index] = DeformerState {
                on,
                opacity: own.opacity * parent.map_or(1.0, |parent| parent.opacity),
                colors: own.colors.clamped().under(above),
                scale: own.scale,
                map: own.map,
            };
        }
    }

    fn warp(
        &self,
        warp: &Warp,
        corners: &[Corner],
        values: &[f64],
        parent: Option<&DeformerState>,
        mut lattice: Vec<[f64; 2]>,
    ) -> Own {
        let all = moves_all(self.model.version);
        let mut opacity = scalar(corners, &warp.keyforms, |form| form.opacity);
        let mut colors = ColorSum::interpolate(corners, &warp.keyforms, |form| form.colors);
        points(corners, |row| &warp.keyforms[row].positions, &mut lattice);
        each_delta(&warp.blends, values, |delta, weight| {
            add_points(&delta.positions, weight, &mut lattice);
            if all {
                opacity += weight * f64::from(delta.opacity);
                colors.add(delta.colors, weight);
            }
        });
        if all && !warp.blends.is_empty() {
            opacity = opacity.clamp(0.0, 1.0);
        }
        if let Some(parent) = parent {
            parent.map.apply(&mut lattice);
        }
        let map = WarpMap::new(warp.rows, warp.columns, warp.bilinear, lattice);
        Own { opacity, colors, scale: parent.map_or(1.0, |parent| parent.scale), map: Map::Warp(map) }
    }

    fn rotation(
        &self,
        rotation: &Rotation,
        corners: &[Corner],
        values: &[f64],
        parent: Option<&DeformerState>,
    ) -> Own {
        let forms = &rotation.keyforms;
        let all = moves_all(self.model.version);
        let mut opacity = scalar(corners, forms, |form| form.opacity);
        let mut colors = ColorSum::interpolate(corners, forms, |form| form.colors);
        let mut angle = scalar(corners, forms, |form| form.angle) + f64::from(rotation.base_angle);
        let mut origin =
            [scalar(corners, forms, |form| form.origin[0]), scalar(corners, forms, |form| form.origin[1])];
        let mut scale = scalar(corners, forms, |form| form.scale);
        if all {
            each_delta(&rotation.blends, values, |delta, weight| {
                opacity += weight * f64::from(delta.opacity);
                colors.add(delta.colors, weight);
                angle += weight * f64::from(delta.angle);
                origin[0] += weight * f64::from(delta.origin[0]);
                origin[1] += weight * f64::from(delta.origin[1]);
                scale += weight * f64::from(delta.scale);
            });
            if !rotation.blends.is_empty() {
                opacity = opacity.clamp(0.0, 1.0);
            }
        }
        let mut radians = angle.to_radians();
        if let Some(parent) = parent {
            radians += inherited_angle(|point| parent.map.map(point), origin, parent.map.probe());
            origin = parent.map.map(origin);
            scale *= parent.scale;
        }
        // Reflections come from the lowest corner, unblended.
        let first = corners.first().map(|corner| &forms[corner.row]);
        let (reflect_x, reflect_y) = first.map_or((false, false), |form| (form.reflect_x, form.reflect_y));
        let map = RotationMap::new(origin, radians, scale, reflect_x, reflect_y);
        Own { opacity, colors, scale, map: Map::Rotation(map) }
    }
}
