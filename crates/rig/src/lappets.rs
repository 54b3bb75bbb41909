//! Lappets: what hangs aside from headwear that is worn across the head.

use geom::Point;
use parts::Side;

use crate::hang::{Aside, Field, add};
use crate::layer::{Layer, Scene};
use crate::piece::Piece;
use crate::tree::sided;

/// Degrees at 1.
const ANGLE: f64 = 7.0;
/// Height in the face above which nothing hangs: a brim, a frill.
const HANGS_BELOW: f64 = 0.2;
/// Least width and height, in widths and heights of the face.
const LEAST: (f64, f64) = (0.25, 0.12);

/// Lets lappets on both sides swing.
pub(crate) fn headwear(scene: &Scene<'_>, layer: &Layer<'_>, piece: &mut Piece<'_>) {
    let own = scene.hanging.get(layer.index).copied().flatten().is_some();
    if own || scene.cast.tilt.degrees.abs() > 20.0 || !scene.cast.anchors.has_face {
        return;
    }
    for side in [Side::Right, Side::Left] {
        if let Some(field) = lappet(scene, layer, side) {
            add(piece, &[sided("ParamRibbon", Some(side))], field);
        }
    }
}

/// The outer columns of a side that begin below the brow.
fn lappet(scene: &Scene<'_>, layer: &Layer<'_>, side: Side) -> Option<Field> {
    let face = scene.surface.face;
    let sign = if side == Side::Left { 1.0 } else { -1.0 };
    let edge = if side == Side::Left { face.right } else { face.left };
    let limit = face.top + HANGS_BELOW * face.height();
    let columns = columns(scene, layer);
    let hangs = |c: &&Column| c.top > limit && (c.x - edge) * sign > 0.0;
    // From the outermost column inwards as far as everything hangs.
    let outwards: Vec<&Column> =
        if side == Side::Left { columns.iter().rev().collect() } else { columns.iter().collect() };
    let run: Vec<&Column> = outwards.into_iter().take_while(hangs).collect();
    let (outer, root) = (run.first()?, run.last()?);
    let width = (outer.x - root.x).abs();
    let top = run.iter().map(|c| c.top).fold(f64::INFINITY, f64::min);
    let bottom = run.iter().map(|c| c.bottom).fold(f64::NEG_INFINITY, f64::max);
    if width < LEAST.0 * face.width()
        || bottom - top < LEAST.1 * face.height()
        || bottom > face.bottom + face.height()
    {
        return None;
    }
    let pivot = Point::new(root.x, (root.top + root.bottom) / 2.0);
    let aside = Aside { from: root.x, to: root.x + sign * 0.6 * width };
    let angle = (-sign * ANGLE * scene.settings.sway_strength).to_radians();
    Some(Field::Flap { pivot, angle, aside })
}

/// What a column of the picture spans, head-aligned.
#[derive(Clone, Copy, Debug)]
struct Column {
    x: f64,
    top: f64,
    bottom: f64,
}

fn columns(scene: &Scene<'_>, layer: &Layer<'_>) -> Vec<Column> {
    let (left, top) = (f64::from(layer.member.rect.left), f64::from(layer.member.rect.top));
    let at =
        |x: u32, y: u32| scene.working(true, Point::new(left + f64::from(x) + 0.5, top + f64::from(y) + 0.5));
    let column = |x: u32| {
        let opaque = |&y: &u32| layer.image.get(x.into(), y.into())[3] >= 64;
        let first = (0..layer.image.height()).find(opaque)?;
        let last = (0..layer.image.height()).rev().find(opaque)?;
        let (a, b) = (at(x, first), at(x, last));
        Some(Column { x: a.x, top: a.y, bottom: b.y })
    };
    (0..layer.image.width()).filter_map(column).collect()
}
