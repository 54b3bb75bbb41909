//! Every object of a puppet as the moc3 model's.

use std::collections::BTreeMap;

use atlas::{Layout, Placement};
use geom::Point;
use moc3::Version;
use moc3::blend::Flags;
use moc3::canvas::Canvas;
use moc3::model::{
    Axis, Blend, Colors, Deformer, DeformerKind, DrawOrderGroup, DrawOrderObject, Drawable, DrawableKeyform,
    Glue, GlueKeyform, GluePair, Limit, LimitPoint, Model, Parameter, ParameterKind, Part, PartKeyform,
    Rotation, RotationKeyform, Warp, WarpKeyform,
};
use puppet::{BlendMode, BlendTarget, Puppet, Tile};

use crate::Error;
use crate::space::{Space, Tree};
use crate::unite;

/// Runtime the file is for: the writer lowers to the oldest version that holds what is used, or to the forced one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Runtime {
    /// The lowest version that can hold the model.
    #[default]
    Auto,
    /// Exactly this version; an error when the model needs a newer one.
    Forced(Version),
}

/// Packs a final, unbound puppet onto its pages.
///
/// # Errors
/// [`Error::Puppet`] with every fault found, [`Error::Missing`] for a tile without a place, [`Error::Format`] when the
/// forced runtime cannot hold the model.
pub fn pack(puppet: &Puppet, layout: &Layout, runtime: Runtime) -> Result<Model, Error> {
    let faults = puppet::validate::validate(puppet);
    if !faults.is_empty() {
        return Err(Error::Puppet(faults));
    }
    let packer = Packer::new(puppet, layout);
    let mut canvas = Canvas::centred(puppet.canvas.width as f32, puppet.canvas.height as f32);
    canvas.pixels_per_unit = packer.tree.pixels_per_unit() as f32;
    let mut model = Model::new(Version::V50, canvas);
    model.parameters = puppet.parameters.iter().map(parameter).collect();
    model.parts = puppet.parts.iter().map(|p| packer.part(p)).collect::<Result<_, _>>()?;
    model.deformers = puppet.deformers.iter().map(|d| packer.deformer(d)).collect::<Result<_, _>>()?;
    model.drawables = puppet.drawables.iter().map(|d| packer.drawable(d)).collect::<Result<_, _>>()?;
    model.glues = puppet.glues.iter().map(|g| packer.glue(g)).collect::<Result<_, _>>()?;
    model.groups = vec![root_group(puppet)];
    model.set_version(match runtime {
        Runtime::Auto => None,
        Runtime::Forced(version) => Some(version),
    })?;
    Ok(model)
}

/// All drawables, backmost first at rest: equal draw orders keep this order.
fn root_group(puppet: &Puppet) -> DrawOrderGroup {
    let order = |i: &usize| puppet.drawables[*i].channels.draw_order.cells.first().copied().unwrap_or(500.0);
    let mut objects: Vec<usize> = (0..puppet.drawables.len()).collect();
    objects.sort_by(|a, b| order(a).total_cmp(&order(b)));
    DrawOrderGroup { objects: objects.into_iter().map(DrawOrderObject::Drawable).collect(), range: None }
}

fn parameter(p: &puppet::Parameter) -> Parameter {
    Parameter {
        id: p.id.as_str().to_owned(),
        minimum: p.min as f32,
        maximum: p.max as f32,
        default: p.default as f32,
        repeat: p.repeat,
        decimals: 3,
        kind: match p.kind {
            puppet::ParameterKind::Normal => ParameterKind::Normal,
            puppet::ParameterKind::BlendShape => ParameterKind::BlendShape,
        },
    }
}

struct Packer<'a> {
    puppet: &'a Puppet,
    tree: Tree<'a>,
    parameters: BTreeMap<&'a str, usize>,
    parts: BTreeMap<&'a str, usize>,
    drawables: BTreeMap<&'a str, usize>,
    tiles: BTreeMap<&'a str, &'a Tile>,
    places: BTreeMap<&'a str, &'a Placement>,
    page_size: f64,
}

impl<'a> Packer<'a> {
    fn new(puppet: &'a Puppet, layout: &'a Layout) -> Self {
        Self {
            puppet,
            tree: Tree::new(puppet),
            parameters: puppet.parameters.iter().enumerate().map(|(i, p)| (p.id.as_str(), i)).collect(),
            parts: puppet.parts.iter().enumerate().map(|(i, p)| (p.id.as_str(), i)).collect(),
            drawables: puppet.drawables.iter().enumerate().map(|(i, d)| (d.id.as_str(), i)).collect(),
            tiles: puppet.tiles.iter().map(|t| (t.id.as_str(), t)).collect(),
            places: layout.placements.iter().map(|p| (p.tile.as_str(), p)).collect(),
            page_size: f64::from(layout.page_size.max(1)),
        }
    }

    fn axes(&self, axes: &[puppet::Axis]) -> Result<Vec<Axis>, Error> {
        axes.iter()
            .map(|a| {
                let parameter = find(&self.parameters, a.parameter.as_str(), "axis")?;
                Ok(Axis { parameter, keys: a.keys.iter().map(|&k| k as f32).collect() })
            })
            .collect()
    }

    fn part_index(&self, part: Option<&puppet::PartId>, path: &str) -> Result<Option<usize>, Error> {
        part.map(|p| find(&self.parts, p.as_str(), path)).transpose()
    }

    fn part(&self, part: &puppet::Part) -> Result<Part, Error> {
        Ok(Part {
            id: part.id.as_str().to_owned(),
            parent: self.part_index(part.parent.as_ref(), part.id.as_str())?,
            visible: part.visible,
            enabled: true,
            axes: Vec::new(),
            keyforms: vec![PartKeyform { draw_order: 500.0 }],
            blends: Vec::new(),
        })
    }

    fn deformer(&self, deformer: &puppet::Deformer) -> Result<Deformer, Error> {
        let space = Tree::space(deformer.parent.as_ref());
        let channels = &deformer.channels;
        let colored = [&channels.opacity.axes, &channels.multiply.axes, &channels.screen.axes];
        let geometry = match &deformer.kind {
            puppet::DeformerKind::Warp(warp) => &warp.forms.axes,
            puppet::DeformerKind::Rotation(rotation) => &rotation.forms.axes,
        };
        let axes = unite::axes([geometry].into_iter().chain(colored).map(Vec::as_slice));
        let opacity = unite::expand(&channels.opacity, &axes);
        let colors = colors(channels, &axes);
        let kind = match &deformer.kind {
            puppet::DeformerKind::Warp(warp) => DeformerKind::Warp(Warp {
                rows: warp.rows,
                columns: warp.columns,
                bilinear: true,
                keyforms: unite::expand(&warp.forms, &axes)
                    .into_iter()
                    .enumerate()
                    .map(|(i, points)| WarpKeyform {
                        opacity: opacity[i] as f32,
                        positions: points.iter().map(|&p| self.tree.point(space, p)).collect(),
                        colors: colors[i],
                    })
                    .collect(),
                blends: self.warp_blends(deformer, space)?,
            }),
            puppet::DeformerKind::Rotation(rotation) => DeformerKind::Rotation(Rotation {
                base_angle: rotation.base_angle as f32,
                keyforms: unite::expand(&rotation.forms, &axes)
                    .into_iter()
                    .enumerate()
                    .map(|(i, form)| RotationKeyform {
                        opacity: opacity[i] as f32,
                        angle: form.angle as f32,
                        origin: self.tree.point(space, form.pivot),
                        scale: self.tree.rotation_scale(deformer.parent.as_ref(), form.scale) as f32,
                        reflect_x: form.reflect_x,
                        reflect_y: form.reflect_y,
                        colors: colors[i],
                    })
                    .collect(),
                blends: Vec::new(),
            }),
        };
        Ok(Deformer {
            id: deformer.id.as_str().to_owned(),
            parent_part: self.part_index(deformer.part.as_ref(), deformer.id.as_str())?,
            parent: deformer.parent.as_ref().and_then(|p| self.tree.index(p)),
            visible: true,
            enabled: true,
            axes: self.axes(&axes)?,
            kind,
        })
    }

    fn drawable(&self, drawable: &puppet::Drawable) -> Result<Drawable, Error> {
        let id = drawable.id.as_str();
        if drawable.uvs.len() > usize::from(u16::MAX) {
            return Err(Error::TooManyVertices(id.to_owned()));
        }
        let space = Tree::space(drawable.deformer.as_ref());
        let channels = &drawable.channels;
        let grids = [
            &drawable.forms.axes,
            &channels.opacity.axes,
            &channels.draw_order.axes,
            &channels.multiply.axes,
            &channels.screen.axes,
        ];
        let axes = unite::axes(grids.map(Vec::as_slice));
        let opacity = unite::expand(&channels.opacity, &axes);
        let draw_order = unite::expand(&channels.draw_order, &axes);
        let colors = colors(channels, &axes);
        let keyforms = unite::expand(&drawable.forms, &axes)
            .into_iter()
            .enumerate()
            .map(|(i, points)| DrawableKeyform {
                opacity: opacity[i] as f32,
                draw_order: draw_order[i] as f32,
                positions: points.iter().map(|&p| self.tree.point(space, p)).collect(),
                colors: colors[i],
            })
            .collect();
        let (texture, uvs) = self.bind(drawable)?;
        Ok(Drawable {
            id: id.to_owned(),
            parent_part: self.part_index(drawable.part.as_ref(), id)?,
            parent_deformer: drawable.deformer.as_ref().and_then(|d| self.tree.index(d)),
            visible: true,
            enabled: true,
            texture,
            flags: Flags::new(blend_mode(drawable.blend), drawable.invert_mask),
            extended_blend: None,
            uvs,
            indices: drawable.triangles.iter().flatten().map(|&i| i as u16).collect(),
            masks: drawable
                .masks
                .iter()
                .map(|m| find(&self.drawables, m.as_str(), id))
                .collect::<Result<_, _>>()?,
            axes: self.axes(&axes)?,
            keyforms,
            blends: self.drawable_blends(drawable, space)?,
        })
    }

    /// Page index and page coordinates 0..1 of a drawable's vertices.
    fn bind(&self, drawable: &puppet::Drawable) -> Result<(u32, Vec<[f32; 2]>), Error> {
        let id = drawable.tile.as_str();
        let missing = || Error::Missing { path: drawable.id.to_string(), id: id.to_owned() };
        let tile = self.tiles.get(id).ok_or_else(missing)?;
        let place = self.places.get(id).ok_or_else(missing)?;
        let scale_x = f64::from(place.width) / tile.rect.width().max(1e-6);
        let scale_y = f64::from(place.height) / tile.rect.height().max(1e-6);
        let uv = |p: &Point| {
            [
                ((f64::from(place.x) + p.x * scale_x) / self.page_size) as f32,
                ((f64::from(place.y) + p.y * scale_y) / self.page_size) as f32,
            ]
        };
        Ok((place.page, drawable.uvs.iter().map(uv).collect()))
    }

    fn blends<'b>(&'b self, target: &'b BlendTarget) -> impl Iterator<Item = &'b puppet::BlendShape> {
        self.puppet.blend_shapes.iter().filter(move |b| b.target == *target)
    }

    fn blend<K>(&self, shape: &puppet::BlendShape, deltas: Vec<K>) -> Result<Blend<K>, Error> {
        let limit = |l: &puppet::Limit| {
            Ok(Limit {
                parameter: find(&self.parameters, l.parameter.as_str(), "limit")?,
                points: l
                    .points
                    .iter()
                    .map(|&(value, weight)| LimitPoint { value: value as f32, weight: weight as f32 })
                    .collect(),
            })
        };
        Ok(Blend {
            parameter: find(&self.parameters, shape.parameter.as_str(), "blend shape")?,
            keys: shape.keys.iter().map(|&k| k as f32).collect(),
            base: shape.base_key,
            deltas,
            limits: shape.limits.iter().map(limit).collect::<Result<_, Error>>()?,
        })
    }

    fn points(&self, space: Space, deltas: &[Point], count: usize) -> Vec<[f32; 2]> {
        (0..count).map(|i| self.tree.delta(space, deltas.get(i).copied().unwrap_or_default())).collect()
    }

    fn warp_blends(
        &self,
        deformer: &puppet::Deformer,
        space: Space,
    ) -> Result<Vec<Blend<WarpKeyform>>, Error> {
        let puppet::DeformerKind::Warp(warp) = &deformer.kind else { return Ok(Vec::new()) };
        let count = (warp.columns + 1) * (warp.rows + 1);
        self.blends(&BlendTarget::Warp(deformer.id.clone()))
            .map(|shape| {
                let deltas = shape.deltas.iter().map(|d| WarpKeyform {
                    opacity: 0.0,
                    positions: self.points(space, d, count),
                    colors: Colors::ZERO,
                });
                self.blend(shape, deltas.collect())
            })
            .collect()
    }

    fn drawable_blends(
        &self,
        drawable: &puppet::Drawable,
        space: Space,
    ) -> Result<Vec<Blend<DrawableKeyform>>, Error> {
        self.blends(&BlendTarget::Drawable(drawable.id.clone()))
            .map(|shape| {
                let deltas = shape.deltas.iter().map(|d| DrawableKeyform {
                    opacity: 0.0,
                    draw_order: 0.0,
                    positions: self.points(space, d, drawable.uvs.len()),
                    colors: Colors::ZERO,
                });
                self.blend(shape, deltas.collect())
            })
            .collect()
    }

    fn glue(&self, glue: &puppet::Glue) -> Result<Glue, Error> {
        let id = glue.id.as_str();
        let pair = |p: &puppet::GluePair| GluePair {
            vertex_a: p.a as u16,
            vertex_b: p.b as u16,
            weight_a: p.weight_a as f32,
            weight_b: p.weight_b as f32,
        };
        Ok(Glue {
            id: id.to_owned(),
            drawable_a: find(&self.drawables, glue.a.as_str(), id)?,
            drawable_b: find(&self.drawables, glue.b.as_str(), id)?,
            pairs: glue.pairs.iter().map(pair).collect(),
            axes: self.axes(&glue.intensity.axes)?,
            keyforms: glue.intensity.cells.iter().map(|&i| GlueKeyform { intensity: i as f32 }).collect(),
            blends: Vec::new(),
        })
    }
}

fn find(map: &BTreeMap<&str, usize>, id: &str, path: &str) -> Result<usize, Error> {
    map.get(id).copied().ok_or_else(|| Error::Missing { path: path.to_owned(), id: id.to_owned() })
}

fn blend_mode(mode: BlendMode) -> moc3::blend::BlendMode {
    match mode {
        BlendMode::Normal => moc3::blend::BlendMode::Normal,
        BlendMode::Additive => moc3::blend::BlendMode::Additive,
        BlendMode::Multiply => moc3::blend::BlendMode::Multiplicative,
    }
}

/// Colours at every cell of the united axes.
fn colors(channels: &puppet::Channels, axes: &[puppet::Axis]) -> Vec<Colors> {
    let multiply = unite::expand(&channels.multiply, axes);
    let screen = unite::expand(&channels.screen, axes);
    multiply
        .iter()
        .zip(&screen)
        .map(|(m, s)| Colors { multiply: m.map(|v| v as f32), screen: s.map(|v| v as f32) })
        .collect()
}
