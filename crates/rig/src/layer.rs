//! The members of the cast as the rig works on them.

use std::collections::BTreeSet;

use geom::{Point, Rect};
use parts::{Cast, Group, HeadTilt, Member, Side, Tag};
use raster::Rgba;

use crate::Settings;
use crate::face_surface::Surface;
use crate::hair_locks::Coupled;
use crate::hang::Classes;
use crate::variants::Switches;

/// One member with its picture.
pub(crate) struct Layer<'a> {
    /// Index in the cast.
    pub(crate) index: usize,
    pub(crate) member: &'a Member,
    pub(crate) image: &'a Rgba,
    /// Worked on in head-aligned space.
    pub(crate) head: bool,
    /// Visible box in working space.
    pub(crate) bounds: Rect,
}

impl Layer<'_> {
    pub(crate) fn tag(&self) -> Tag {
        self.member.tag
    }
    pub(crate) fn side(&self) -> Option<Side> {
        self.member.side
    }
}

/// Everything that the stages of one rig read.
pub(crate) struct Scene<'a> {
    pub(crate) cast: &'a Cast,
    pub(crate) settings: &'a Settings,
    pub(crate) surface: Surface,
    pub(crate) layers: Vec<Layer<'a>>,
    pub(crate) switches: Switches,
    /// What swings by itself.
    pub(crate) hanging: Classes,
    /// Members of the cast that follow bones.
    pub(crate) boned: &'a BTreeSet<usize>,
    /// Locks that share their outline with the back hair.
    pub(crate) coupled: Vec<Coupled>,
    /// Share of the swing of front hair that what is drawn behind it allows.
    pub(crate) backing: f64,
    /// No part of the head is drawn apart.
    pub(crate) one_picture: bool,
}

impl Scene<'_> {
    /// Canvas to the working space of a layer.
    pub(crate) fn working(&self, head: bool, p: Point) -> Point {
        if head { self.cast.tilt.align(p) } else { p }
    }
    /// Layers with one of these tags.
    pub(crate) fn tagged<'s>(&'s self, tags: &'s [Tag]) -> impl Iterator<Item = &'s Layer<'s>> {
        self.layers.iter().filter(|l| tags.contains(&l.tag()))
    }
    /// Canvas pixels per unit of the settings' lengths (canvas with a long side of 2048).
    pub(crate) fn scale(&self) -> f64 {
        f64::from(self.cast.width.max(self.cast.height)) / 2048.0
    }
}

/// Picks the members that can be drawn.
pub(crate) fn layers<'a>(
    cast: &'a Cast,
    images: &'a [std::sync::Arc<Rgba>],
    settings: &Settings,
) -> Vec<Layer<'a>> {
    cast.members
        .iter()
        .zip(images)
        .enumerate()
        .filter(|(_, (m, image))| {
            (settings.background || !m.background)
                && m.opaque_pixels > 0
                && image.width() > 0
                && image.height() > 0
        })
        .map(|(index, (member, image))| {
            let head = member.group == Group::Head && !member.background;
            let bounds = if head { aligned_bounds(member, image, &cast.tilt) } else { member.bounds };
            Layer { index, member, image, head, bounds }
        })
        .collect()
}

/// Box of the visible pixels in head-aligned space. The corners of the canvas box would give a larger one: a thin line
/// on a tilted head would seem tall.
fn aligned_bounds(member: &Member, image: &Rgba, tilt: &HeadTilt) -> Rect {
    if tilt.degrees == 0.0 {
        return member.bounds;
    }
    let corner = Point::new(f64::from(member.rect.left), f64::from(member.rect.top));
    let mut points = Vec::new();
    for y in 0..image.height() {
        let visible = |p: &[u8]| p[3] >= 8;
        let row = image.row(y);
        let Some(first) = row.chunks_exact(4).position(visible) else { continue };
        let last = row.chunks_exact(4).rposition(visible).unwrap_or(first) + 1;
        for x in [first as f64, last as f64] {
            for y in [f64::from(y), f64::from(y) + 1.0] {
                points.push(tilt.align(corner + Point::new(x, y)));
            }
        }
    }
    Rect::bounding(points).unwrap_or_else(|| tilt.align_rect(member.bounds))
}

/// The layer of a pair or group that a side asks for: the same side, else side-less, else (for a side-less asker) any.
pub(crate) fn serves(layer: Option<Side>, asking: Option<Side>) -> bool {
    layer == asking || layer.is_none() || asking.is_none()
}
