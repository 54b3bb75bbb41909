//! Valid models of every shape, each seed another one.

use moc3::Version;
use moc3::blend::{AlphaBlend, BlendMode, ColorBlend, ExtendedBlend, Flags};
use moc3::canvas::Canvas;
use moc3::evaluate::Pose;
use moc3::model::*;

/// Random numbers that are the same everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }
    fn optional(&mut self, end: usize) -> Option<usize> {
        if end == 0 || self.chance(25) { None } else { Some(self.below(end)) }
    }
}

/// A valid model that its version can hold.
pub fn model(seed: u64) -> Model {
    let mut random = Random::new(seed);
    let version = Version::ALL[random.below(Version::ALL.len())];
    Generator { random, model: Model::new(version, Canvas::centred(1000.0, 1400.0)) }.run()
}

/// A pose inside and a little outside of the ranges.
pub fn pose(model: &Model, random: &mut Random) -> Pose {
    let mut pose = Pose::rest(model);
    for (value, parameter) in pose.parameters.iter_mut().zip(&model.parameters) {
        let reach = 0.2 * (parameter.maximum - parameter.minimum);
        let snapped = random.chance(20);
        let free = random.between(parameter.minimum - reach, parameter.maximum + reach);
        *value = if snapped { free.round() } else { free };
    }
    for opacity in &mut pose.part_opacities {
        *opacity = if random.chance(70) { 1.0 } else { random.between(-0.1, 1.1) };
    }
    pose
}

struct Generator {
    random: Random,
    model: Model,
}

impl Generator {
    fn run(mut self) -> Model {
        for index in 0..1 + self.random.below(5) {
            let parameter = self.parameter(index);
            self.model.parameters.push(parameter);
        }
        for index in 0..self.random.below(5) {
            let part = self.part(index);
            self.model.parts.push(part);
        }
        for index in 0..self.random.below(6) {
            let deformer = self.deformer(index);
            self.model.deformers.push(deformer);
        }
        for index in 0..self.random.below(7) {
            let drawable = self.drawable(index);
            self.model.drawables.push(drawable);
        }
        if self.model.drawables.len() > 1 {
            for index in 0..self.random.below(3) {
                let glue = self.glue(index);
                self.model.glues.push(glue);
            }
        }
        self.groups();
        if self.has(Version::V53) {
            self.offscreens();
        }
        self.model
    }
    fn has(&self, version: Version) -> bool {
        self.model.version >= version
    }

    fn parameter(&mut self, index: usize) -> Parameter {
        let blend = index > 0 && self.has(Version::V42) && self.random.chance(40);
        let (minimum, maximum) =
            if blend { (0.0, 1.0) } else { [(-30.0, 30.0), (0.0, 1.0), (-1.0, 1.0)][self.random.below(3)] };
        Parameter {
            id: format!("Param{index}"),
            minimum,
            maximum,
            default: 0.0,
            repeat: !blend && self.random.chance(10),
            decimals: 3,
            kind: if blend { ParameterKind::BlendShape } else { ParameterKind::Normal },
        }
    }
    /// Up to three axes; now and then one that hides the object.
    fn axes(&mut self) -> Vec<Axis> {
        let mut axes = Vec::new();
        for parameter in 0..self.model.parameters.len() {
            let Parameter { minimum, maximum, kind, .. } = self.model.parameters[parameter];
            if kind == ParameterKind::BlendShape || axes.len() == 3 || self.random.chance(50) {
                continue;
            }
            let middle = (minimum + maximum) / 2.0;
            let keys = match self.random.below(10) {
                0 => vec![minimum, middle],
                1..5 => vec![minimum, maximum],
                5 => vec![minimum, minimum * 0.5 + middle * 0.5, middle, maximum],
                _ => vec![minimum, middle, maximum],
            };
            axes.push(Axis { parameter, keys });
        }
        if self.random.chance(30) {
            axes.reverse();
        }
        axes
    }
    /// Blend shapes along one blend shape parameter, should there be one.
    fn blends<K>(&mut self, since: Version, mut delta: impl FnMut(&mut Self, bool) -> K) -> Vec<Blend<K>> {
        let blend = |parameter: &Parameter| parameter.kind == ParameterKind::BlendShape;
        let Some(parameter) = self.model.parameters.iter().position(blend) else { return Vec::new() };
        if !self.has(since) || self.random.chance(50) {
            return Vec::new();
        }
        let keys = if self.random.chance(50) { vec![0.0, 1.0] } else { vec![-1.0, 0.0, 1.0] };
        let base = keys.len() - 2;
        let deltas = (0..keys.len()).map(|key| delta(self, key == base)).collect();
        let mut limits = Vec::new();
        if self.random.chance(50) {
            let points =
                vec![LimitPoint { value: 0.0, weight: 0.25 }, LimitPoint { value: 1.0, weight: 1.0 }];
            limits.push(Limit { parameter: 0, points });
        }
        vec![Blend { parameter, keys, base, deltas, limits }]
    }
    /// A value of a keyform around `middle`, or a delta of it.
    fn delta(&mut self, zero: bool, reach: f32) -> f32 {
        if zero { 0.0 } else { self.random.between(-reach, reach) }
    }
    fn colors(&mut self) -> Colors {
        if !self.has(Version::V42) || self.random.chance(60) {
            return Colors::NEUTRAL;
        }
        let mut color = || [0; 3].map(|_| self.random.between(0.0, 1.0));
        Colors { multiply: color(), screen: color() }
    }
    fn delta_colors(&mut self, zero: bool) -> Colors {
        let mut color = || [0; 3].map(|_| self.delta(zero, 0.5));
        Colors { multiply: color(), screen: color() }
    }
    fn cells(axes: &[Axis]) -> usize {
        axes.iter().map(|axis| axis.keys.len()).product()
    }

    fn part(&mut self, index: usize) -> Part {
        let axes = if self.random.chance(70) { Vec::new() } else { self.axes() };
        let keyform = |random: &mut Random| PartKeyform { draw_order: random.between(300.0, 700.0).round() };
        let keyforms = (0..Self::cells(&axes)).map(|_| keyform(&mut self.random)).collect();
        Part {
            id: format!("Part{index}"),
            parent: self.random.optional(index),
            visible: self.random.chance(90),
            enabled: self.random.chance(95),
            axes,
            keyforms,
            blends: self.blends(Version::V50, |generator, zero| PartKeyform {
                draw_order: generator.delta(zero, 90.0),
            }),
        }
    }
    fn deformer(&mut self, index: usize) -> Deformer {
        let parent = self.random.optional(index);
        let axes = self.axes();
        let kind = if self.random.chance(50) {
            DeformerKind::Warp(self.warp(parent, Self::cells(&axes)))
        } else {
            DeformerKind::Rotation(self.rotation(parent, Self::cells(&axes)))
        };
        Deformer {
            id: format!("Deform{index}"),
            parent_part: self.random.optional(self.model.parts.len()),
            parent,
            visible: true,
            enabled: self.random.chance(95),
            axes,
            kind,
        }
    }
    /// Points spread over the space of a parent: its middle and half its size.
    fn space(&self, parent: Option<usize>) -> (f32, f32) {
        match parent.map(|parent| &self.model.deformers[parent].kind) {
            None => (0.0, 0.4),
            Some(DeformerKind::Warp(_)) => (0.5, 0.4),
            Some(DeformerKind::Rotation(_)) => (0.0, 200.0),
        }
    }
    fn points(&mut self, count: usize, parent: Option<usize>) -> Vec<[f32; 2]> {
        let (middle, half) = self.space(parent);
        (0..count).map(|_| [0; 2].map(|_| middle + half * self.random.between(-1.0, 1.0))).collect()
    }
    fn delta_points(&mut self, count: usize, parent: Option<usize>, zero: bool) -> Vec<[f32; 2]> {
        let reach = self.space(parent).1 * 0.2;
        (0..count).map(|_| [0; 2].map(|_| self.delta(zero, reach))).collect()
    }
    fn warp(&mut self, parent: Option<usize>, cells: usize) -> Warp {
        let (rows, columns) = (1 + self.random.below(4), 1 + self.random.below(4));
        let points = (rows + 1) * (columns + 1);
        let (middle, half) = self.space(parent);
        // A regular lattice, shaken: random ones fold and amplify without bound.
        let keyform = |generator: &mut Self| WarpKeyform {
            opacity: generator.random.between(0.5, 1.0),
            positions: (0..points)
                .map(|point| {
                    let (row, column) = (point / (columns + 1), point % (columns + 1));
                    let place = |at: usize, of: usize| middle + half * (2.0 * at as f32 / of as f32 - 1.0);
                    let mut shake = || half * generator.random.between(-0.2, 0.2);
                    [place(column, columns) + shake(), place(row, rows) + shake()]
                })
                .collect(),
            colors: generator.colors(),
        };
        Warp {
            rows,
            columns,
            bilinear: self.has(Version::V33) && self.random.chance(50),
            keyforms: (0..cells).map(|_| keyform(self)).collect(),
            blends: self.blends(Version::V42, |generator, zero| WarpKeyform {
                opacity: generator.delta(zero, 0.3),
                positions: generator.delta_points(points, parent, zero),
                colors: generator.delta_colors(zero),
            }),
        }
    }
    fn rotation(&mut self, parent: Option<usize>, cells: usize) -> Rotation {
        let unit = if self.under_rotation(parent) { 1.0 } else { 1.0 / self.model.canvas.pixels_per_unit };
        let keyform = |generator: &mut Self| RotationKeyform {
            opacity: generator.random.between(0.5, 1.0),
            angle: generator.random.between(-90.0, 90.0),
            origin: generator.points(1, parent)[0],
            scale: unit * generator.random.between(0.7, 1.3),
            reflect_x: generator.random.chance(10),
            reflect_y: generator.random.chance(10),
            colors: generator.colors(),
        };
        Rotation {
            base_angle: self.random.between(-20.0, 20.0),
            keyforms: (0..cells).map(|_| keyform(self)).collect(),
            blends: self.blends(Version::V50, |generator, zero| RotationKeyform {
                opacity: generator.delta(zero, 0.3),
                angle: generator.delta(zero, 20.0),
                origin: generator.delta_points(1, parent, zero)[0],
                scale: generator.delta(zero, 0.2 * unit),
                reflect_x: false,
                reflect_y: false,
                colors: generator.delta_colors(zero),
            }),
        }
    }
    fn under_rotation(&self, mut at: Option<usize>) -> bool {
        while let Some(deformer) = at.map(|deformer| &self.model.deformers[deformer]) {
            if matches!(deformer.kind, DeformerKind::Rotation(_)) {
                return true;
            }
            at = deformer.parent;
        }
        false
    }

    fn drawable(&mut self, index: usize) -> Drawable {
        let vertices = 3 + self.random.below(9);
        let parent = self.random.optional(self.model.deformers.len());
        let axes = self.axes();
        let keyform = |generator: &mut Self| DrawableKeyform {
            opacity: generator.random.between(0.2, 1.0),
            draw_order: generator.random.between(200.0, 800.0),
            positions: generator.points(vertices, parent),
            colors: generator.colors(),
        };
        let flags = Flags::new(
            [BlendMode::Normal, BlendMode::Additive, BlendMode::Multiplicative][self.random.below(3)],
            self.random.chance(20),
        );
        let extended = ExtendedBlend {
            color: ColorBlend::ALL[3 + self.random.below(15)],
            alpha: AlphaBlend::ALL[self.random.below(5)],
        };
        Drawable {
            id: format!("ArtMesh{index}"),
            parent_part: self.random.optional(self.model.parts.len()),
            parent_deformer: parent,
            visible: self.random.chance(90),
            enabled: self.random.chance(95),
            texture: self.random.below(3) as u32,
            flags,
            extended_blend: Some(extended).filter(|_| self.has(Version::V53) && self.random.chance(40)),
            uvs: (0..vertices).map(|_| [0; 2].map(|_| self.random.between(0.0, 1.0))).collect(),
            indices: (0..3 * (vertices - 2)).map(|_| self.random.below(vertices) as u16).collect(),
            masks: if index > 0 && self.random.chance(30) {
                vec![self.random.below(index)]
            } else {
                Vec::new()
            },
            keyforms: (0..Self::cells(&axes)).map(|_| keyform(self)).collect(),
            axes,
            blends: self.blends(Version::V42, |generator, zero| DrawableKeyform {
                opacity: generator.delta(zero, 0.3),
                draw_order: generator.delta(zero, 50.0),
                positions: generator.delta_points(vertices, parent, zero),
                colors: generator.delta_colors(zero),
            }),
        }
    }
    fn glue(&mut self, index: usize) -> Glue {
        let drawable_a = self.random.below(self.model.drawables.len() - 1);
        let drawable_b = drawable_a + 1;
        let axes = if self.random.chance(50) { Vec::new() } else { self.axes() };
        let pair = |random: &mut Random| GluePair {
            vertex_a: random.below(3) as u16,
            vertex_b: random.below(3) as u16,
            weight_a: random.between(0.0, 1.0),
            weight_b: random.between(0.0, 1.0),
        };
        let pairs = (0..1 + self.random.below(3)).map(|_| pair(&mut self.random)).collect();
        let keyforms =
            (0..Self::cells(&axes)).map(|_| GlueKeyform { intensity: self.random.between(0.0, 1.0) });
        let keyforms = keyforms.collect();
        Glue {
            id: format!("Glue{index}"),
            drawable_a,
            drawable_b,
            pairs,
            axes,
            keyforms,
            blends: self.blends(Version::V50, |generator, zero| GlueKeyform {
                intensity: generator.delta(zero, 0.5),
            }),
        }
    }
    /// Drawables of some parts in a group of their own, the others in the root.
    fn groups(&mut self) {
        if self.model.drawables.is_empty() {
            return;
        }
        let grouped: Vec<bool> = self.model.parts.iter().map(|_| self.random.chance(30)).collect();
        let mut groups = vec![DrawOrderGroup { objects: Vec::new(), range: None }];
        for (part, _) in grouped.iter().enumerate().filter(|(_, grouped)| **grouped) {
            let inside = |drawable: &Drawable| drawable.parent_part == Some(part);
            let drawables = self.model.drawables.iter().enumerate().filter(|(_, drawable)| inside(drawable));
            let objects: Vec<_> =
                drawables.map(|(index, _)| DrawOrderObject::Drawable(index)).rev().collect();
            if !objects.is_empty() {
                let group = Some(groups.len());
                groups[0].objects.push(DrawOrderObject::Part { part, group });
                groups.push(DrawOrderGroup { objects, range: None });
            }
        }
        for (index, drawable) in self.model.drawables.iter().enumerate() {
            if drawable.parent_part.is_none_or(|part| !grouped[part]) {
                groups[0].objects.insert(0, DrawOrderObject::Drawable(index));
            }
        }
        if self.random.chance(30) {
            groups[0].range = Some(DrawOrderRange { min: -5, max: 1200 });
        }
        self.model.groups = groups;
    }
    /// Offscreens for some of the parts that have a group.
    fn offscreens(&mut self) {
        let objects = self.model.groups.first().map(|group| group.objects.clone()).unwrap_or_default();
        for object in objects {
            let DrawOrderObject::Part { part: owner, .. } = object else { continue };
            if self.random.chance(50) {
                continue;
            }
            let colors = self.colors();
            let form = OffscreenKeyform { opacity: self.random.between(0.2, 1.0), colors };
            let blend = ExtendedBlend { color: ColorBlend::Multiply, alpha: AlphaBlend::Atop };
            let keyforms = vec![Some(form); self.model.parts[owner].keyforms.len()];
            self.model.offscreens.push(Offscreen {
                owner,
                flags: Flags::default(),
                blend,
                masks: vec![0],
                keyforms,
            });
        }
    }
}
