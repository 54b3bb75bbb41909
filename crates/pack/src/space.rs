//! The spaces of the format.

use std::collections::BTreeMap;

use geom::Point;
use puppet::{Canvas, DeformerId, DeformerKind, Puppet};

/// What an object's coordinates mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    /// Canvas pixels here, units in the file.
    Canvas,
    /// 0..1 of a warp, or pixel offsets below a rotation: the same in the file.
    Local,
}

/// Indices of deformers and where their children live.
pub(crate) struct Tree<'a> {
    canvas: Canvas,
    index: BTreeMap<&'a str, usize>,
    below_rotation: Vec<bool>,
}

impl<'a> Tree<'a> {
    pub(crate) fn new(puppet: &'a Puppet) -> Self {
        let mut index = BTreeMap::new();
        let mut below_rotation = Vec::new();
        for (i, deformer) in puppet.deformers.iter().enumerate() {
            let parent = deformer.parent.as_ref().and_then(|p| index.get(p.as_str()));
            let inherited = parent.is_some_and(|&p: &usize| below_rotation[p]);
            below_rotation.push(inherited || matches!(deformer.kind, DeformerKind::Rotation(_)));
            index.insert(deformer.id.as_str(), i);
        }
        Self { canvas: puppet.canvas, index, below_rotation }
    }

    pub(crate) fn index(&self, id: &DeformerId) -> Option<usize> {
        self.index.get(id.as_str()).copied()
    }

    pub(crate) fn space(parent: Option<&DeformerId>) -> Space {
        if parent.is_some() { Space::Local } else { Space::Canvas }
    }

    /// Pixels per unit: the canvas width, as the editor writes it.
    pub(crate) fn pixels_per_unit(&self) -> f64 {
        self.canvas.width.max(1.0)
    }

    /// Scale of a rotation in the file: the first one below the root carries pixels into units (MOC3_FORMAT 7.5).
    pub(crate) fn rotation_scale(&self, parent: Option<&DeformerId>, scale: f64) -> f64 {
        let inherited = parent.and_then(|p| self.index(p)).is_some_and(|i| self.below_rotation[i]);
        if inherited { scale } else { scale / self.pixels_per_unit() }
    }

    /// A point of the puppet as the file stores it.
    pub(crate) fn point(&self, space: Space, p: Point) -> [f32; 2] {
        match space {
            Space::Local => [p.x as f32, p.y as f32],
            Space::Canvas => {
                let unit = self.pixels_per_unit();
                [
                    ((p.x - self.canvas.width / 2.0) / unit) as f32,
                    ((p.y - self.canvas.height / 2.0) / unit) as f32,
                ]
            }
        }
    }

    /// A difference of points as the file stores it.
    pub(crate) fn delta(&self, space: Space, d: Point) -> [f32; 2] {
        let unit = if space == Space::Canvas { self.pixels_per_unit() } else { 1.0 };
        [(d.x / unit) as f32, (d.y / unit) as f32]
    }
}
