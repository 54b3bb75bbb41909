//! Faults that no packer could write, each with a path.

use std::collections::{BTreeMap, BTreeSet};

use geom::Point;

use crate::{Channels, CurveTarget, DeformerKind, Drawable, Grid, Parameter, ParameterKind, Puppet, Segment};

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where: `drawables/ArtMeshNose/forms`.
    pub path: String,
    /// What.
    pub message: String,
}

/// All faults of a puppet; empty when it can be packed.
pub fn validate(puppet: &Puppet) -> Vec<Fault> {
    let mut v = Validator {
        faults: Vec::new(),
        parameters: puppet.parameters.iter().map(|p| (p.id.as_str(), p)).collect(),
    };
    v.parameters(puppet);
    v.parts(puppet);
    v.deformers(puppet);
    v.drawables(puppet);
    v.glues(puppet);
    v.blend_shapes(puppet);
    v.driven(puppet);
    v.poses(puppet);
    v.motions(puppet);
    v.faults
}

struct Validator<'p> {
    faults: Vec<Fault>,
    parameters: BTreeMap<&'p str, &'p Parameter>,
}

impl<'p> Validator<'p> {
    fn fault(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.faults.push(Fault { path: path.into(), message: message.into() });
    }

    /// Ids that are there once, in order.
    fn unique(&mut self, folder: &str, ids: impl Iterator<Item = &'p str>) -> BTreeSet<&'p str> {
        let mut seen = BTreeSet::new();
        for id in ids {
            if id.is_empty() || id.len() > 63 || !id.is_ascii() {
                self.fault(format!("{folder}/{id}"), "an id has 1 to 63 ASCII characters");
            }
            if !seen.insert(id) {
                self.fault(format!("{folder}/{id}"), "id is taken");
            }
        }
        seen
    }

    fn parameters(&mut self, puppet: &'p Puppet) {
        self.unique("parameters", puppet.parameters.iter().map(|p| p.id.as_str()));
        for p in &puppet.parameters {
            let finite = p.min.is_finite() && p.max.is_finite() && p.default.is_finite();
            if !finite || p.min >= p.max || p.default < p.min || p.default > p.max {
                let message = format!("range {}..{} with default {} is none", p.min, p.max, p.default);
                self.fault(format!("parameters/{}", p.id), message);
            }
        }
        for (a, b) in &puppet.combined {
            for id in [a, b] {
                self.known("combined", id.as_str());
            }
        }
    }

    fn known(&mut self, path: &str, id: &str) {
        if !self.parameters.contains_key(id) {
            self.fault(path, format!("parameter {id} is not there"));
        }
    }

    fn parts(&mut self, puppet: &'p Puppet) {
        self.unique("parts", puppet.parts.iter().map(|p| p.id.as_str()));
        let mut seen = BTreeSet::new();
        for part in &puppet.parts {
            if let Some(parent) = &part.parent
                && !seen.contains(parent)
            {
                self.fault(format!("parts/{}", part.id), format!("parent {parent} does not stand before it"));
            }
            seen.insert(&part.id);
        }
    }

    fn deformers(&mut self, puppet: &'p Puppet) {
        self.unique("deformers", puppet.deformers.iter().map(|d| d.id.as_str()));
        let parts: BTreeSet<_> = puppet.parts.iter().map(|p| &p.id).collect();
        let mut seen = BTreeSet::new();
        for deformer in &puppet.deformers {
            let path = format!("deformers/{}", deformer.id);
            if let Some(parent) = &deformer.parent
                && !seen.contains(parent)
            {
                self.fault(&path, format!("parent {parent} does not stand before it"));
            }
            seen.insert(&deformer.id);
            if let Some(part) = &deformer.part
                && !parts.contains(part)
            {
                self.fault(&path, format!("part {part} is not there"));
            }
            match &deformer.kind {
                DeformerKind::Warp(warp) => {
                    if warp.columns == 0 || warp.rows == 0 {
                        self.fault(&path, "a lattice has at least one cell");
                    }
                    let points = (warp.columns + 1).saturating_mul(warp.rows + 1);
                    self.grid(&path, &warp.forms);
                    self.points(&path, &warp.forms, points);
                }
                DeformerKind::Rotation(rotation) => {
                    self.grid(&path, &rotation.forms);
                    let finite = |f: &crate::RotationForm| {
                        f.pivot.is_finite() && f.angle.is_finite() && f.scale.is_finite()
                    };
                    if !rotation.base_angle.is_finite() || !rotation.forms.cells.iter().all(finite) {
                        self.fault(&path, "a form is not finite");
                    }
                }
            }
            self.channels(&path, &deformer.channels);
        }
    }

    fn drawables(&mut self, puppet: &'p Puppet) {
        let ids = self.unique("drawables", puppet.drawables.iter().map(|d| d.id.as_str()));
        let parts: BTreeSet<_> = puppet.parts.iter().map(|p| &p.id).collect();
        let deformers: BTreeSet<_> = puppet.deformers.iter().map(|d| &d.id).collect();
        let tiles: BTreeSet<_> = puppet.tiles.iter().map(|t| &t.id).collect();
        for drawable in &puppet.drawables {
            let path = format!("drawables/{}", drawable.id);
            if drawable.part.as_ref().is_some_and(|p| !parts.contains(p)) {
                self.fault(&path, "its part is not there");
            }
            if drawable.deformer.as_ref().is_some_and(|d| !deformers.contains(d)) {
                self.fault(&path, "its deformer is not there");
            }
            if !tiles.contains(&drawable.tile) {
                self.fault(&path, format!("tile {} is not there", drawable.tile));
            }
            for mask in &drawable.masks {
                if !ids.contains(mask.as_str()) || *mask == drawable.id {
                    self.fault(&path, format!("mask {mask} is not another drawable"));
                }
            }
            self.mesh(&path, drawable);
        }
    }

    fn mesh(&mut self, path: &str, drawable: &Drawable) {
        let n = drawable.uvs.len();
        if n > 65_535 {
            self.fault(path, format!("{n} vertices are more than 65535"));
        }
        if drawable.uvs.iter().any(|p| !p.is_finite()) {
            self.fault(path, "a texture coordinate is not finite");
        }
        if drawable.triangles.iter().flatten().any(|&i| i as usize >= n) {
            self.fault(path, "a triangle names a vertex that is not there");
        }
        self.grid(path, &drawable.forms);
        self.points(path, &drawable.forms, n);
        self.channels(path, &drawable.channels);
        if drawable.channels.draw_order.cells.iter().any(|o| !(0.0..=1000.0).contains(o)) {
            self.fault(path, "a draw order is outside 0..=1000");
        }
    }

    fn points(&mut self, path: &str, grid: &Grid<Vec<Point>>, count: usize) {
        for (i, form) in grid.cells.iter().enumerate() {
            if form.len() != count || form.iter().any(|p| !p.is_finite()) {
                self.fault(format!("{path}/forms[{i}]"), format!("needs {count} finite points"));
            }
        }
    }

    fn channels(&mut self, path: &str, channels: &Channels) {
        self.grid(&format!("{path}/opacity"), &channels.opacity);
        self.grid(&format!("{path}/draw_order"), &channels.draw_order);
        self.grid(&format!("{path}/multiply"), &channels.multiply);
        self.grid(&format!("{path}/screen"), &channels.screen);
        let numbers = channels.opacity.cells.iter().chain(&channels.draw_order.cells);
        let colors = channels.multiply.cells.iter().chain(&channels.screen.cells).flatten();
        if numbers.chain(colors).any(|v| !v.is_finite()) {
            self.fault(path, "a channel is not finite");
        }
        if channels.opacity.cells.iter().any(|o| !(0.0..=1.0).contains(o)) {
            self.fault(path, "an opacity is outside 0..=1");
        }
    }

    /// Cells for all keys, and keys that span their parameter's range: outside them a runtime hides the object.
    fn grid<T>(&mut self, path: &str, grid: &Grid<T>) {
        if grid.cells.len() != grid.expected_cells() {
            let message =
                format!("{} cells for {} key combinations", grid.cells.len(), grid.expected_cells());
            self.fault(path, message);
        }
        let mut seen = BTreeSet::new();
        for axis in &grid.axes {
            let id = axis.parameter.as_str();
            if !seen.insert(id) {
                self.fault(path, format!("two axes of {id}"));
            }
            if axis.keys.is_empty() || axis.keys.windows(2).any(|w| w[0] >= w[1] || w[1].is_nan()) {
                self.fault(path, format!("keys of {id} are not strictly ascending"));
                continue;
            }
            let Some(parameter) = self.parameters.get(id).copied() else {
                self.fault(path, format!("parameter {id} is not there"));
                continue;
            };
            let (first, last) = (axis.keys[0], axis.keys[axis.keys.len() - 1]);
            if first > parameter.min || last < parameter.max {
                let range = format!("{}..{}", parameter.min, parameter.max);
                self.fault(path, format!("keys {first}..{last} of {id} do not span {range}"));
            }
            if parameter.kind == ParameterKind::BlendShape {
                self.fault(path, format!("{id} drives blend shapes, so it cannot drive a grid"));
            }
        }
    }

    fn glues(&mut self, puppet: &'p Puppet) {
        self.unique("glues", puppet.glues.iter().map(|g| g.id.as_str()));
        for glue in &puppet.glues {
            let path = format!("glues/{}", glue.id);
            self.grid(&path, &glue.intensity);
            let size = |id: &crate::DrawableId| puppet.drawable(id).map(|d| d.uvs.len());
            let (Some(a), Some(b)) = (size(&glue.a), size(&glue.b)) else {
                self.fault(&path, "a drawable is not there");
                continue;
            };
            if glue.a == glue.b || glue.pairs.iter().any(|p| p.a as usize >= a || p.b as usize >= b) {
                self.fault(&path, "pairs two vertices that cannot be welded");
            }
        }
    }

    fn blend_shapes(&mut self, puppet: &'p Puppet) {
        for (i, shape) in puppet.blend_shapes.iter().enumerate() {
            let path = format!("blend_shapes[{i}]");
            self.known(&path, shape.parameter.as_str());
            let ascending = shape.keys.windows(2).all(|w| w[0] < w[1]);
            if shape.deltas.len() != shape.keys.len() || shape.base_key >= shape.keys.len() || !ascending {
                self.fault(path, "needs one list of differences for each of its ascending keys");
            }
        }
    }

    /// What runtimes drive by name.
    fn driven(&mut self, puppet: &'p Puppet) {
        for group in &puppet.physics {
            let path = format!("physics/{}", group.id);
            for id in
                group.inputs.iter().map(|i| &i.parameter).chain(group.outputs.iter().map(|o| &o.parameter))
            {
                self.known(&path, id.as_str());
            }
            if group.outputs.iter().any(|o| o.vertex == 0 || o.vertex >= group.pendulums.len()) {
                self.fault(&path, "an output reads a vertex that is not there");
            }
        }
        for e in &puppet.expressions {
            for value in &e.values {
                self.known(&format!("expressions/{}", e.name), value.parameter.as_str());
            }
        }
        for id in puppet.eye_blink.iter().chain(&puppet.lip_sync) {
            self.known("groups", id.as_str());
        }
    }

    /// Every part of a pose is there and in one group, and a group has a choice.
    fn poses(&mut self, puppet: &'p Puppet) {
        let parts: BTreeSet<_> = puppet.parts.iter().map(|p| &p.id).collect();
        let mut seen = BTreeSet::new();
        for (i, group) in puppet.poses.iter().enumerate() {
            let path = format!("poses[{i}]");
            if group.members.len() < 2 {
                self.fault(&path, "a pose group needs two parts to choose from");
            }
            for id in group.members.iter().flat_map(|(id, links)| std::iter::once(id).chain(links)) {
                if !parts.contains(id) {
                    self.fault(&path, format!("part {id} is not there"));
                }
            }
            for (id, _) in &group.members {
                if !seen.insert(id) {
                    self.fault(&path, format!("part {id} is in two groups"));
                }
            }
        }
        let curves = puppet.motions.iter().flat_map(|m| m.curves.iter().map(move |c| (m, c)));
        for (motion, curve) in curves {
            if let CurveTarget::PartOpacity(id) = &curve.target
                && !parts.contains(id)
            {
                self.fault(format!("motions/{}/{id}", motion.name), format!("part {id} is not there"));
            }
        }
    }

    fn motions(&mut self, puppet: &'p Puppet) {
        for motion in &puppet.motions {
            for curve in &motion.curves {
                let name = match &curve.target {
                    CurveTarget::Parameter(id) => id.as_str(),
                    CurveTarget::PartOpacity(id) => id.as_str(),
                };
                let path = format!("motions/{}/{name}", motion.name);
                if let CurveTarget::Parameter(id) = &curve.target {
                    self.known(&path, id.as_str());
                }
                let ends = curve.segments.iter().map(|s| match s {
                    Segment::Linear(k) | Segment::Bezier(_, _, k) => *k,
                    Segment::Stepped(k) | Segment::InverseStepped(k) => *k,
                });
                let keys: Vec<_> = std::iter::once(curve.start).chain(ends).collect();
                if keys.iter().any(|k| !k.time.is_finite() || !k.value.is_finite())
                    || keys.windows(2).any(|w| w[0].time > w[1].time)
                {
                    self.fault(&path, "key times do not ascend");
                }
                if motion.looping && keys.first().map(|k| k.value) != keys.last().map(|k| k.value) {
                    self.fault(&path, "a loop ends on another value than it starts with");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Canvas};

    fn puppet(keys: &[f64]) -> Puppet {
        Puppet {
            canvas: Canvas { width: 10.0, height: 10.0 },
            parameters: vec![Parameter {
                id: "P".into(),
                name: String::new(),
                min: -1.0,
                max: 1.0,
                default: 0.0,
                kind: ParameterKind::Normal,
                repeat: false,
                group: String::new(),
            }],
            deformers: vec![crate::Deformer {
                id: "D".into(),
                name: String::new(),
                part: None,
                parent: None,
                kind: DeformerKind::Warp(crate::Warp {
                    columns: 1,
                    rows: 1,
                    forms: Grid::build(vec![Axis::new("P", keys)], |_| vec![Point::default(); 4]),
                }),
                channels: Channels::default(),
            }],
            ..Puppet::default()
        }
    }

    #[test]
    fn faults_are_found() {
        assert_eq!(validate(&puppet(&[-1.0, 1.0])), []);
        let cases: [(&[f64], &str); 3] =
            [(&[-1.0, 0.5], "do not span"), (&[1.0, -1.0], "ascending"), (&[0.0, 0.0], "ascending")];
        for (keys, want) in cases {
            let faults = validate(&puppet(keys));
            assert!(faults.iter().any(|f| f.message.contains(want)), "{keys:?}: {faults:?}");
        }
        let mut twice = puppet(&[-1.0, 1.0]);
        twice.deformers.push(twice.deformers[0].clone());
        assert_eq!(validate(&twice).len(), 1);
    }
}
