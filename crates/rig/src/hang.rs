//! What hangs: which layers swing by themselves, from where, and how far.
//!
//! A class and side has one parameter (long ones two: the whole and the lower half); all layers of it move as one. The
//! root, where the art is attached, does not move. Bangs and the mass of the back hair swing in their warps
//! ([`crate::hair`]); everything else does so in its meshes.

use std::collections::BTreeMap;

use geom::{Point, Rect, maths};
use parts::{Side, Tag};
use puppet::Axis;

use crate::hair_locks;
use crate::lappets;
use crate::layer::{Layer, Scene};
use crate::piece::{Motion, Piece};
use crate::spine::{self, Shape, Spine};
use crate::tree::sided;

/// What hangs how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// Locks beside the face in layers of their own.
    SideHair,
    /// Ponytails and twin tails.
    HairTail,
    /// Small things on the head and at the collar: they rock.
    Ribbon,
    Neckwear,
    Earring,
    /// Ears on top of the head.
    AnimalEar,
    Tail,
    Wing,
    Skirt,
    Arm,
}

/// The class of every member of the cast; `None` for what does not hang by itself.
pub(crate) type Classes = Vec<Option<Class>>;

/// Degrees at the tip at 1, of the whole and of the lower half.
fn angles(class: Class) -> (f64, f64) {
    match class {
        Class::SideHair => (10.0, 0.0),
        Class::HairTail => (8.0, 12.0),
        Class::Tail => (9.0, 14.0),
        Class::Wing => (6.0, 0.0),
        Class::AnimalEar => (9.0, 0.0),
        Class::Arm => (2.5, 0.0),
        Class::Earring => (14.0, 0.0),
        Class::Ribbon => (6.0, 0.0),
        Class::Neckwear => (5.0, 0.0),
        Class::Skirt => (0.0, 0.0),
    }
}

/// Parameters of a class on a side: the whole, then the lower half of long ones.
fn parameters(class: Class, side: Option<Side>) -> Vec<String> {
    match class {
        Class::SideHair => vec![sided("ParamHairSide", side)],
        Class::HairTail => vec![sided("ParamHairTail", side), sided("ParamHairTailTip", side)],
        Class::Ribbon => vec![sided("ParamRibbon", side)],
        Class::Neckwear => vec!["ParamNeckwear".to_owned()],
        Class::Earring => vec![sided("ParamEarring", side)],
        Class::AnimalEar => vec![sided("ParamEar", side)],
        Class::Tail => vec!["ParamTail1".to_owned(), "ParamTail2".to_owned()],
        Class::Wing => vec![sided("ParamWing", side)],
        Class::Skirt => vec!["ParamSkirt".to_owned()],
        Class::Arm => vec![sided("ParamArmSway", side)],
    }
}

/// Finds what hangs.
pub(crate) fn classes(scene: &Scene<'_>) -> Classes {
    let mut found: Classes = vec![None; scene.cast.members.len()];
    if !scene.settings.natural() || scene.settings.sway_strength <= 0.0 {
        return found;
    }
    for layer in scene.layers.iter().filter(|l| !scene.boned.contains(&l.index)) {
        found[layer.index] = class_of(scene, layer);
    }
    let skirt = scene.tagged(&[Tag::Bottomwear]).filter(|l| flared(scene, l)).map(|l| l.bounds);
    if let Some(skirt) = Rect::union_all(skirt) {
        add_skirt(scene, skirt, &mut found);
    }
    // A hand that holds something stays where the thing is.
    let held: Vec<Point> = scene.tagged(&[Tag::Objects]).map(|l| l.bounds.center()).collect();
    for layer in &scene.layers {
        let b = layer.bounds;
        let hand = Rect { top: b.top + 0.6 * b.height(), ..b };
        let holds = held.iter().any(|&h| hand.contains(h));
        if found[layer.index] == Some(Class::Arm) && holds {
            found[layer.index] = None;
        }
    }
    found
}

fn class_of(scene: &Scene<'_>, layer: &Layer<'_>) -> Option<Class> {
    if layer.member.background || cut_off(scene, layer) {
        return None;
    }
    let surface = &scene.surface;
    let b = layer.bounds;
    let face = surface.face;
    match layer.tag() {
        Tag::FrontHair => {
            let aside = (b.center().x - surface.center.x).abs() > 0.45 * surface.radius.x;
            let tall = b.height() > 0.75 * face.height() && b.bottom > surface.mouth_line;
            let lock = aside && tall && b.width() < 0.6 * face.width() && b.height() > 1.8 * b.width();
            lock.then_some(Class::SideHair)
        }
        Tag::BackHair => {
            let pixels = |l: &Layer<'_>| (l.member.opaque_pixels, std::cmp::Reverse(l.index));
            let main =
                scene.tagged(&[Tag::BackHair]).filter(|l| l.side().is_none()).max_by_key(|l| pixels(l));
            let other = layer.side().is_some() || main.is_some_and(|m| m.index != layer.index);
            let shape = other.then(|| shape(&[layer])).flatten()?;
            let spine = Spine::of(&shape, crown(scene), |p| scene.working(true, p))?;
            let long = spine.length > 2.2 * spine.width && spine.length > 0.5 * face.height();
            long.then_some(Class::HairTail)
        }
        Tag::Headwear => {
            let small = b.width() < 0.6 * face.width() && b.height() < 0.6 * face.height();
            let bow = is_bow(&layer.member.name) || layer.side().is_some();
            (small && bow).then_some(Class::Ribbon)
        }
        Tag::Neckwear if !layer.head => {
            let small = b.width() < 0.45 * face.width() && b.height() > 0.04 * face.height();
            (scene.cast.anchors.has_face && small).then_some(Class::Neckwear)
        }
        Tag::Earwear if layer.side().is_some() => Some(Class::Earring),
        Tag::Ears => {
            let above = b.center().y < face.top + 0.2 * face.height() && b.bottom < surface.eye_line;
            (above && layer.side().is_some()).then_some(Class::AnimalEar)
        }
        Tag::Tail => Some(Class::Tail),
        Tag::Wings => Some(Class::Wing),
        Tag::Handwear if layer.side().is_some() => (b.height() > 1.4 * b.width()).then_some(Class::Arm),
        _ => None,
    }
}

/// Ends at an edge of the canvas that it would leave.
pub(crate) fn cut_off(scene: &Scene<'_>, layer: &Layer<'_>) -> bool {
    let b = layer.member.bounds;
    let (width, height) = (f64::from(scene.cast.width), f64::from(scene.cast.height));
    let near = 0.01 * height;
    b.bottom >= height - near || b.left <= 1.5 || b.right >= width - 1.5
}

fn is_bow(name: &str) -> bool {
    const WORDS: [&str; 8] = ["ribbon", "リボン", "りぼん", "蝴蝶结", "蝴蝶結", "丝带", "絲帶", "리본"];
    let name = name.to_lowercase();
    let word = name.split(|c: char| !c.is_ascii_alphabetic()).any(|w| w == "bow" || w == "bows");
    word || WORDS.iter().any(|w| name.contains(w))
}

/// Where hair grows: the middle of the head at the eyes.
fn crown(scene: &Scene<'_>) -> Point {
    Point::new(scene.surface.center.x, scene.surface.eye_line)
}

/// One piece of cloth down to its hem, wider below than above: no trousers, no belt.
fn flared(scene: &Scene<'_>, layer: &Layer<'_>) -> bool {
    let b = layer.bounds;
    if cut_off(scene, layer) || b.height() < 0.3 * b.width() {
        return false;
    }
    // Mean extent and filled share of some rows.
    let rows = |from: f64, to: f64| {
        let top = b.top - f64::from(layer.member.rect.top);
        let at = |v: f64| (top + v * b.height()).max(0.0) as u32;
        let (mut extent, mut filled, mut n) = (0.0, 0.0, 0.0);
        for y in at(from)..at(to).min(layer.image.height()) {
            let opaque = |p: &[u8]| p[3] >= 64;
            let pixels = || layer.image.row(y).chunks_exact(4);
            let (Some(first), Some(last)) = (pixels().position(opaque), pixels().rposition(opaque)) else {
                continue;
            };
            extent += (last + 1 - first) as f64;
            filled += pixels().filter(|p| opaque(p)).count() as f64;
            n += 1.0;
        }
        (extent / f64::max(n, 1.0), filled / f64::max(extent, 1.0))
    };
    let (waist, hem) = (rows(0.05, 0.3), rows(0.75, 0.92));
    hem.0 > 1.04 * waist.0 && hem.1 > 0.93
}

/// The skirt with what lies on it.
fn add_skirt(scene: &Scene<'_>, skirt: Rect, found: &mut Classes) {
    let around = skirt.expand(0.02);
    let first = scene.tagged(&[Tag::Bottomwear]).map(|l| l.index).min().unwrap_or(0);
    for layer in scene.layers.iter().filter(|l| !l.head && l.index >= first) {
        let b = layer.bounds;
        let on = b.left >= around.left && b.right <= around.right && b.bottom <= around.bottom;
        let cloth = matches!(layer.tag(), Tag::Bottomwear | Tag::Objects | Tag::Unknown);
        if cloth && on && b.top >= skirt.top - 0.25 * skirt.height() {
            found[layer.index] = Some(Class::Skirt);
        }
    }
}

fn shape(layers: &[&Layer<'_>]) -> Option<Shape> {
    let pictures: Vec<_> =
        layers.iter().map(|l| ((l.member.rect.left, l.member.rect.top), l.image)).collect();
    Shape::of(&pictures)
}

/// How a point moves at the values of the group's parameters; working space.
#[derive(Clone, Debug)]
pub(crate) enum Field {
    /// Bends along a line; the angles in radians, signed so that positive leads to larger x (or up, when it points
    /// aside).
    Bend { spine: Spine, angle: f64, lower: f64, gate: Option<f64> },
    /// Turns like a plate about a point, fully from a distance on.
    Rock { pivot: Point, angle: f64, reach: f64 },
    /// Rows slide; the further down the more.
    Sway { top: f64, length: f64, by: f64, lift: f64, aside: Option<Aside> },
    /// Turns about a point what lies beyond one side.
    Flap { pivot: Point, angle: f64, aside: Aside },
}

/// The part of a row beyond one side of the face.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aside {
    pub(crate) from: f64,
    pub(crate) to: f64,
}

impl Field {
    fn apply(&self, values: &[f64], p: Point) -> Point {
        let value = |i: usize| values.get(i).copied().unwrap_or(0.0);
        match self {
            Self::Bend { spine, angle, lower, gate } => {
                let free = gate.map_or(1.0, |soft| {
                    maths::smoothstep((p - spine.root()).dot(spine.direction()) / soft.max(1e-3) + 1.0)
                });
                if free <= 0.0 {
                    return p;
                }
                let turn = |s: f64| value(0) * angle * spine::whole(s) + value(1) * lower * spine::lower(s);
                p.lerp(spine.bend(p, turn), free)
            }
            Self::Rock { pivot, angle, reach } => {
                let far = maths::smoothstep((p - *pivot).length() / reach.max(1e-3));
                p.rotated(*pivot, value(0) * angle * far)
            }
            Self::Sway { top, length, by, lift, aside } => {
                let t = ((p.y - top) / length.max(1e-3)).clamp(0.0, 1.15);
                let share = aside.map_or(1.0, |a| maths::smoothstep((p.x - a.from) / (a.to - a.from)));
                let square = t * t * share;
                Point::new(p.x + value(0) * by * square, p.y - value(0) * value(0) * lift * square)
            }
            Self::Flap { pivot, angle, aside } => {
                let share = maths::smoothstep((p.x - aside.from) / (aside.to - aside.from));
                p.rotated(*pivot, value(0) * angle * share)
            }
        }
    }
}

/// Lets the pieces of what hangs swing.
pub(crate) fn apply<'a>(scene: &'a Scene<'_>, pieces: &mut [Piece<'a>]) {
    let mut groups: BTreeMap<(Class, Option<Side>, Option<String>), Vec<usize>> = BTreeMap::new();
    for (i, piece) in pieces.iter().enumerate() {
        let Some(class) = scene.hanging.get(piece.member).copied().flatten() else { continue };
        let Some(layer) = scene.layers.iter().find(|l| l.index == piece.member) else { continue };
        let variant = layer.member.variant.as_ref().map(|v| v.name.clone());
        groups.entry((class, side(scene, class, layer), variant)).or_default().push(i);
    }
    for ((class, side, _), members) in groups {
        let layers: Vec<&Layer<'_>> = members
            .iter()
            .filter_map(|&i| scene.layers.iter().find(|l| l.index == pieces[i].member))
            .collect();
        let Some(field) = field(scene, class, &layers) else { continue };
        let ids = parameters(class, side);
        for i in members {
            add(&mut pieces[i], &ids, field.clone());
        }
    }
    if scene.settings.natural() && scene.settings.sway_strength > 0.0 {
        for piece in pieces.iter_mut() {
            let layer = scene.layers.iter().find(|l| l.index == piece.member);
            match layer.filter(|l| l.head).map(Layer::tag) {
                Some(Tag::FrontHair) => {
                    layer.into_iter().for_each(|l| hair_locks::front_hair(scene, l, piece))
                }
                Some(Tag::BackHair) => hair_locks::back_hair(scene, piece),
                Some(Tag::Headwear) => layer.into_iter().for_each(|l| lappets::headwear(scene, l, piece)),
                _ => {}
            }
        }
    }
}

/// The side whose parameter moves a layer.
fn side(scene: &Scene<'_>, class: Class, layer: &Layer<'_>) -> Option<Side> {
    match class {
        Class::Tail | Class::Skirt | Class::Neckwear => None,
        Class::SideHair | Class::Wing => layer.side().or_else(|| {
            let middle = if layer.head { scene.surface.center.x } else { scene.cast.anchors.body.center().x };
            Some(if layer.bounds.center().x > middle { Side::Left } else { Side::Right })
        }),
        _ => layer.side(),
    }
}

fn field(scene: &Scene<'_>, class: Class, layers: &[&Layer<'_>]) -> Option<Field> {
    let bounds = Rect::union_all(layers.iter().map(|l| l.bounds))?;
    let strength = scene.settings.sway_strength;
    let (angle, lower) = angles(class);
    let (angle, lower) = ((strength * angle).to_radians(), (strength * lower).to_radians());
    let anchors = &scene.cast.anchors;
    let body = anchors.body.center().x;
    let attach = match class {
        Class::Skirt => {
            let by = strength * (0.05 * bounds.height()).min(0.04 * bounds.width());
            let length = bounds.height();
            return Some(Field::Sway { top: bounds.top, length, by, lift: 0.1 * by, aside: None });
        }
        Class::Earring => {
            let pivot = Point::new(bounds.center().x, bounds.top);
            return Some(Field::Rock { pivot, angle: -angle, reach: 0.3 * bounds.height() });
        }
        Class::Ribbon | Class::Neckwear => {
            let reach = 0.5 * bounds.width().max(bounds.height());
            return Some(Field::Rock { pivot: bounds.center(), angle, reach });
        }
        Class::SideHair | Class::HairTail => Point::new(scene.surface.center.x, scene.surface.face.top),
        Class::AnimalEar => scene.surface.center,
        Class::Tail => Point::new(body, anchors.hip_y),
        Class::Wing => Point::new(body, maths::lerp(anchors.shoulder_y, anchors.hip_y, 0.25)),
        Class::Arm => Point::new(body, anchors.shoulder_y),
    };
    let head = layers.first()?.head;
    let spine = Spine::of(&shape(layers)?, attach, |p| scene.working(head, p))?;
    // Wide shapes must not fold on the inside of the bend.
    let limit = 0.5 * spine.length / spine.width.max(1.0);
    let sign = sign(&spine);
    Some(Field::Bend {
        angle: sign * angle.min(limit),
        lower: sign * lower.min(0.5 * limit),
        spine,
        gate: None,
    })
}

/// Sense in which a positive angle leads the tip to larger x, or up when the line points aside.
pub(crate) fn sign(spine: &Spine) -> f64 {
    let d = spine.tip() - spine.root();
    if d.y.abs() >= d.x.abs() { -d.y.signum() } else { -d.x.signum() }
}

/// Adds a movement on axes of its own.
pub(crate) fn add(piece: &mut Piece<'_>, ids: &[String], field: Field) {
    let old = std::mem::replace(&mut piece.motion, Motion::still());
    let before = old.axes.len();
    let mut axes = old.axes;
    axes.extend(ids.iter().map(|id| Axis::new(id.as_str(), [-1.0, 0.0, 1.0])));
    let to = old.to;
    piece.motion = Motion {
        axes,
        to: Box::new(move |k, p| {
            let (first, own) = k.split_at(before.min(k.len()));
            to(first, p) + (field.apply(own, p) - p)
        }),
    };
}
