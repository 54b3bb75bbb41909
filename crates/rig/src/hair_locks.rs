//! Locks and an ahoge drawn in one layer with the bangs, and the back hair that shares their outline.

use geom::{Point, maths};
use parts::{Side, Tag};

use crate::hang::{Aside, Field, add, cut_off, sign};
use crate::layer::{Layer, Scene};
use crate::piece::Piece;
use crate::spine::Spine;
use crate::tree::sided;

/// A lock of the front hair whose outline is that of the back hair behind it: both move as one, or it would double.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coupled {
    pub(crate) side: Side,
    /// Members of the cast.
    front: usize,
    back: usize,
}

/// The locks that share their outline with the back hair.
pub(crate) fn coupled(scene: &Scene<'_>) -> Vec<Coupled> {
    let free = |l: &&Layer<'_>| scene.hanging.get(l.index).copied().flatten().is_none() && !cut_off(scene, l);
    let backs = scene.tagged(&[Tag::BackHair]).filter(|l| l.head && l.side().is_none()).filter(free);
    let Some(back) = backs.max_by_key(|l| (l.member.opaque_pixels, std::cmp::Reverse(l.index))) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for front in scene.tagged(&[Tag::FrontHair]).filter(|l| l.head).filter(free) {
        for side in [Side::Right, Side::Left] {
            if lock(scene, front, side).is_some() && same_outline(scene, front, back, side) {
                found.push(Coupled { side, front: front.index, back: back.index });
            }
        }
    }
    found
}

/// Most rows of the lock end on this side where those of the back hair do.
fn same_outline(scene: &Scene<'_>, front: &Layer<'_>, back: &Layer<'_>, side: Side) -> bool {
    let face = scene.surface.face;
    let near = (0.03 * face.width()).max(3.0);
    let top = scene.surface.eye_line.max(front.bounds.top);
    let (mut same, mut all) = (0u32, 0u32);
    for y in top.max(0.0) as i64..front.bounds.bottom.max(0.0) as i64 {
        let (Some(a), Some(b)) = (outermost(front, y, side), outermost(back, y, side)) else { continue };
        all += 1;
        same += u32::from((a - b).abs() <= near);
    }
    all > 0 && 2 * same >= all
}

/// Canvas x where a row of a layer ends on a side.
fn outermost(layer: &Layer<'_>, y: i64, side: Side) -> Option<f64> {
    let rect = layer.member.rect;
    let row = u32::try_from(y - i64::from(rect.top)).ok().filter(|&r| r < layer.image.height())?;
    let opaque = |p: &[u8]| p[3] >= 64;
    let mut pixels = layer.image.row(row).chunks_exact(4);
    let x = if side == Side::Left { pixels.rposition(opaque) } else { pixels.position(opaque) }?;
    Some(f64::from(rect.left) + x as f64)
}

/// How freely back hair at canvas `x` of a frame swings by itself: not at all at an outline that it shares.
pub(crate) fn freedom(coupled: &[Coupled], middle: f64, half: f64, x: f64) -> f64 {
    let side = |c: &Coupled| if c.side == Side::Left { 1.0 } else { -1.0 };
    let held = |c: &Coupled| maths::smoothstep((side(c) * (x - middle) / half.max(1.0) - 0.25) / 0.5);
    coupled.iter().map(|c| 1.0 - held(c)).fold(1.0, f64::min)
}

/// Lets a piece of the back hair go along with the locks whose outline it shares.
pub(crate) fn back_hair(scene: &Scene<'_>, piece: &mut Piece<'_>) {
    let member = piece.member;
    for c in scene.coupled.iter().filter(|c| c.back == member) {
        let Some(front) = scene.layers.iter().find(|l| l.index == c.front) else { continue };
        if let Some(field) = lock(scene, front, c.side) {
            add(piece, &[sided("ParamHairSide", Some(c.side))], field);
        }
    }
}

/// Locks and an ahoge that are drawn in one layer with the bangs.
pub(crate) fn front_hair(scene: &Scene<'_>, layer: &Layer<'_>, piece: &mut Piece<'_>) {
    let class = scene.hanging.get(layer.index).copied().flatten();
    if class.is_none() && !cut_off(scene, layer) {
        for side in [Side::Right, Side::Left] {
            if let Some(field) = lock(scene, layer, side) {
                add(piece, &[sided("ParamHairSide", Some(side))], field);
            }
        }
    }
    if let Some(field) = ahoge(scene, layer) {
        add(piece, &["ParamHairAhoge".to_owned()], field);
    }
}

/// A lock on a side: hair that reaches below the mouth beside the face.
fn lock(scene: &Scene<'_>, layer: &Layer<'_>, side: Side) -> Option<Field> {
    let surface = &scene.surface;
    let sign = if side == Side::Left { 1.0 } else { -1.0 };
    let (from, to) = (0.42 * surface.radius.x, 0.8 * surface.radius.x);
    let beside = |p: Point| (scene.working(true, p).x - surface.center.x) * sign > from;
    let bottom = lowest(layer, |p| beside(p).then(|| scene.working(true, p).y))?;
    let top = surface.eye_line - 0.15 * surface.face.height();
    let length = bottom - top;
    if bottom < surface.mouth_line || length < 0.4 * surface.face.height() {
        return None;
    }
    let by = scene.settings.sway_strength * scene.backing * (0.085 * length).min(0.11 * surface.face.width());
    let aside = Aside { from: surface.center.x + sign * from, to: surface.center.x + sign * to };
    Some(Field::Sway { top, length, by, lift: 0.12 * by, aside: Some(aside) })
}

/// The largest value of the layer's opaque pixels.
fn lowest(layer: &Layer<'_>, value: impl Fn(Point) -> Option<f64>) -> Option<f64> {
    let (left, top) = (f64::from(layer.member.rect.left), f64::from(layer.member.rect.top));
    let mut most: Option<f64> = None;
    for y in 0..layer.image.height() {
        for (x, pixel) in layer.image.row(y).chunks_exact(4).enumerate() {
            if pixel[3] < 64 {
                continue;
            }
            if let Some(v) = value(Point::new(left + x as f64 + 0.5, top + f64::from(y) + 0.5)) {
                most = Some(most.map_or(v, |m| m.max(v)));
            }
        }
    }
    most
}

/// A strand that stands up from the crown: the narrow top of the picture.
fn ahoge(scene: &Scene<'_>, layer: &Layer<'_>) -> Option<Field> {
    if scene.cast.tilt.degrees.abs() > 20.0 || layer.bounds.top > scene.surface.face.top {
        return None;
    }
    let rect = layer.member.rect;
    let rows: Vec<Option<(usize, usize)>> = (0..layer.image.height())
        .map(|y| {
            let opaque = |p: &[u8]| p[3] >= 64;
            let pixels = || layer.image.row(y).chunks_exact(4);
            pixels().position(opaque).zip(pixels().rposition(opaque))
        })
        .collect();
    let width = |row: &Option<(usize, usize)>| row.map_or(0.0, |(a, b)| (b + 1 - a) as f64);
    let widest = rows.iter().map(width).fold(0.0, f64::max);
    let first = rows.iter().position(Option::is_some)?;
    let crown = rows.iter().position(|row| width(row) >= 0.45 * widest)?;
    // The dome of the skull itself is narrow above, too.
    let end = crown.saturating_sub((0.06 * widest) as usize);
    if (end as f64) < first as f64 + 0.1 * widest {
        return None;
    }
    let start = first + (end - first) * 2 / 5;
    let base = (start..=end)
        .filter(|&row| rows[row].is_some())
        .min_by(|&a, &b| width(&rows[a]).total_cmp(&width(&rows[b])))?;
    let (a, b) = rows[base]?;
    let at = |x: f64, y: f64| Point::new(f64::from(rect.left) + x, f64::from(rect.top) + y);
    let root = scene.working(true, at((a + b + 1) as f64 / 2.0, base as f64));
    let others = scene.tagged(&[Tag::FrontHair, Tag::BackHair]).filter(|l| l.index != layer.index);
    let skull = others.map(|l| l.bounds.top).fold(f64::INFINITY, f64::min).min(scene.surface.face.top);
    let face = scene.surface.face.height();
    if root.y > skull + 0.06 * face || layer.bounds.top > skull - 0.06 * face {
        return None;
    }
    let (c, d) = rows[first]?;
    let top = scene.working(true, at((c + d + 1) as f64 / 2.0, first as f64));
    // (Straight up: a loop has no middle line.)
    let tip = Point::new(maths::lerp(root.x, top.x, 0.5), top.y);
    let spine = Spine::straight(root, tip, (b + 1 - a) as f64)?;
    let gate = Some(0.2 * spine.length);
    Some(Field::Bend {
        angle: sign(&spine) * (scene.settings.sway_strength * 16.0).to_radians(),
        lower: 0.0,
        spine,
        gate,
    })
}
