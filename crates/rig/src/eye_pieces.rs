//! The drawables of an eye: white, mask, irises, lash parts, closed art, lid line.

use geom::{IntRect, Point, Rect};
use mesh::Mesh;
use puppet::{Axis, Grid};
use raster::{Alpha, Rgba};

use crate::aligned::AlignedAlpha;
use crate::error::Error;
use crate::eyes::{
    self, Eye, Lids, close_band, close_flat, eye_opacity, main_lash, open_axes, open_ramp, openness, squint,
    strip_columns,
};
use crate::lash::{CenterLine, split};
use crate::layer::Layer;
use crate::lid_line;
use crate::piece::{Motion, Piece, Role, product};
use crate::pieces::{Pictures, Workshop};
use crate::slot::whole_eye;

/// Opacity of what must be gone when the eye is closed.
const GONE_WHEN_CLOSED: [(f64, f64); 4] = [(0.0, 0.0), (0.05, 0.0), (0.18, 1.0), (1.0, 1.0)];
/// Opacity of the open art where closed art takes over (RIG_PRACTICE 8; narrower, as both lie on one line by then).
pub(crate) const OPEN_ART: [(f64, f64); 4] = [(0.0, 0.0), (0.19, 0.0), (0.23, 1.0), (1.0, 1.0)];
/// Opacity of the closed art.
const CLOSED_ART: [(f64, f64); 4] = [(0.0, 1.0), (0.2, 1.0), (0.25, 0.0), (1.0, 0.0)];
/// To the letter: opacity 1 - open.
const CLOSED_ART_CLASSIC: [(f64, f64); 2] = [(0.0, 1.0), (1.0, 0.0)];
/// Pixels beyond which no picture is made: whites and irises lie far apart, it is no eye.
const LARGEST_PICTURE: u64 = 16 << 20;
/// Reach of the mask beyond the resting iris, pixels.
const FEATHER: i32 = 4;
/// Share of the lid's move that the crease above it makes.
const CREASE_SHARE: f64 = 0.3;
/// Share of the way to the closed line that the lower lash rises.
const LOWER_SHARE: f64 = 0.25;
/// Shift of the middle of an eye drawn in one layer at full gaze, as shares of half its width and height.
const GAZE: Point = Point { x: 0.24, y: 0.18 };

/// Adds the pieces of one eye.
pub(crate) fn add<'a>(
    shop: &Workshop<'a, '_>,
    eye: &'a Eye,
    pieces: &mut Vec<Piece<'a>>,
    pictures: &mut Pictures,
) -> Result<(), Error> {
    let scene = shop.scene;
    let own = |i: &&usize| {
        let l = &scene.layers[**i];
        l.side() == eye.side && scene.switches.state(l.index) == eye.state
    };
    for &i in eye.whites.iter().filter(own) {
        pieces.push(white(shop, eye, &scene.layers[i])?);
    }
    let natural = scene.settings.natural();
    if natural && scene.settings.eyes.mask && !eye.irises.is_empty() && !eye.whites.is_empty() {
        pieces.extend(mask(shop, eye, pictures)?);
    }
    for &i in &eye.irises {
        pieces.push(iris(shop, eye, &scene.layers[i])?);
    }
    for (&i, line) in eye.lashes.iter().zip(&eye.lines) {
        lash(shop, eye, &scene.layers[i], line, pieces, pictures)?;
    }
    for &i in eye.closed.iter().filter(own) {
        let layer = &scene.layers[i];
        let points: &[(f64, f64)] = if natural { &CLOSED_ART } else { &CLOSED_ART_CLASSIC };
        let mut piece = shop.plain(layer)?;
        piece.opacity = eye_opacity(scene, layer, points);
        pieces.push(piece);
    }
    let has_line = !eye.lashes.is_empty() || !eye.closed.is_empty();
    if natural
        && scene.settings.eyes.lid_line
        && !has_line
        && (!eye.whites.is_empty() || !eye.irises.is_empty())
    {
        lid(shop, eye, pieces, pictures)?;
    }
    Ok(())
}

fn white<'a>(shop: &Workshop<'a, '_>, eye: &'a Eye, layer: &'a Layer<'a>) -> Result<Piece<'a>, Error> {
    let mut piece = shop.base(layer, Role::White);
    let height = layer.bounds.height().max(1.0);
    let keep = (1.2 / height).clamp(0.015, 0.55);
    let anchor = shop.scene.cast.tilt.align(layer.member.centroid).y;
    let whole = shop.scene.settings.natural() && eye.irises.is_empty();
    piece.mesh = strip(shop, layer, &layer.image.alpha(), eye, if whole { 6 } else { 4 })?;
    piece.motion = closing(shop, eye, layer.side(), move |p, lids| close_flat(eye, anchor, keep, p, lids));
    if whole {
        piece.motion = gazing(piece.motion, layer.bounds);
    }
    if shop.scene.settings.natural() {
        piece.opacity = eye_opacity(shop.scene, layer, open_eye(eye));
    }
    Ok(piece)
}

/// Opacity of the open eye along its opening: gone before the lid lies on its line, or where closed art takes over.
fn open_eye(eye: &Eye) -> &'static [(f64, f64)] {
    if eye.closed.is_empty() { &GONE_WHEN_CLOSED } else { &OPEN_ART }
}

/// Columns over an eye layer.
pub(crate) fn strip(
    shop: &Workshop<'_, '_>,
    layer: &Layer<'_>,
    alpha: &Alpha,
    eye: &Eye,
    rows: usize,
) -> Result<Mesh, Error> {
    let columns = strip_columns(0.5 * eye.white.height(), f64::from(alpha.width()));
    shop.columns(&layer.member.name, alpha, columns, rows)
}

/// A motion along the opening of an eye, and along its smile when the eye is one side's and has no closed art.
pub(crate) fn closing<'a>(
    shop: &Workshop<'a, '_>,
    eye: &Eye,
    side: Option<parts::Side>,
    to: impl Fn(Point, Lids) -> Point + Send + Sync + 'a,
) -> Motion<'a> {
    let center_x = shop.scene.surface.center.x;
    let mut axes = open_axes(side, &[0.0, 1.0]);
    let smiling = smile_axis(eye, side);
    let smiles = smiling.is_some();
    axes.extend(smiling);
    Motion {
        axes,
        to: Box::new(move |k, p| {
            let smile = if smiles { k[1] } else { 0.0 };
            to(p, Lids { open: openness(side, k, p.x, center_x), smile })
        }),
    }
}

fn smile_axis(eye: &Eye, side: Option<parts::Side>) -> Option<Axis> {
    side.filter(|_| eye.curve.smiles()).map(eyes::smile_axis)
}

/// An eye drawn in one layer looks aside by shifting what is within its outline, which stays.
fn gazing<'a>(motion: Motion<'a>, b: Rect) -> Motion<'a> {
    let before = motion.axes.len();
    let (mut axes, to) = (motion.axes, motion.to);
    axes.extend(["ParamEyeBallX", "ParamEyeBallY"].map(|id| Axis::new(id, [-1.0, 0.0, 1.0])));
    let (c, half) = (b.center(), Point::new((b.width() / 2.0).max(1e-4), (b.height() / 2.0).max(1e-4)));
    Motion {
        axes,
        to: Box::new(move |k, p| {
            let (lids, gaze) = k.split_at(before.min(k.len()));
            let (u, v) = ((p.x - c.x) / half.x, (p.y - c.y) / half.y);
            let inner = (1.0 - u * u - v * v).max(0.0);
            let share = inner * inner;
            let looked = Point::new(GAZE.x * half.x * gaze[0], -GAZE.y * half.y * gaze[1]);
            to(lids, p + looked * share)
        }),
    }
}

/// The mask that clips the irises: the white, and all of the resting iris, so that nothing changes at rest
/// (RIG_PRACTICE "Rest picture").
fn mask<'a>(
    shop: &Workshop<'a, '_>,
    eye: &'a Eye,
    pictures: &mut Pictures,
) -> Result<Option<Piece<'a>>, Error> {
    let scene = shop.scene;
    let whites: Vec<&Layer<'_>> = eye.whites.iter().map(|&i| &scene.layers[i]).collect();
    let irises: Vec<&Layer<'_>> = eye.irises.iter().map(|&i| &scene.layers[i]).collect();
    let first = &scene.layers[eye.irises[0]];
    let rect =
        irises.iter().map(|l| grown(l.member.rect, FEATHER)).chain(whites.iter().map(|l| l.member.rect));
    let rect = rect.fold(IntRect::default(), |a, r| a.union(r));
    if rect.area() > LARGEST_PICTURE {
        return Ok(None);
    }
    let at = |l: &Layer<'_>, x: i32, y: i32| {
        l.image.get((x - l.member.rect.left).into(), (y - l.member.rect.top).into())[3]
    };
    let mut picture = Rgba::new(rect.width(), rect.height());
    for y in rect.top..rect.bottom {
        for x in rect.left..rect.right {
            let white = whites.iter().map(|l| at(l, x, y)).max().unwrap_or(0);
            let resting = irises
                .iter()
                .filter(|l| holds(grown(l.member.rect, FEATHER), x, y))
                .map(|l| feathered(|dx, dy| at(l, x + dx, y + dy) > 0))
                .max();
            let alpha = white.max(resting.unwrap_or(0));
            picture.set((x - rect.left).into(), (y - rect.top).into(), [255, 255, 255, alpha]);
        }
    }
    let mut piece = shop.base(first, Role::EyeMask);
    let columns = strip_columns(0.5 * eye.white.height(), f64::from(rect.width()));
    piece.mesh = shop.columns(&first.member.name, &picture.alpha(), columns, 4)?;
    let side = eye.side;
    let center = scene.cast.tilt.align(rect.to_rect().center()).y;
    let anchor =
        eye.whites.first().map_or(center, |&i| scene.cast.tilt.align(scene.layers[i].member.centroid).y);
    let keep = (1.2 / f64::from(rect.height()).max(1.0)).clamp(0.015, 0.55);
    piece.motion = closing(shop, eye, side, move |p, lids| close_flat(eye, anchor, keep, p, lids));
    piece.stem = "Eyemask".to_owned();
    piece.name = format!("{} (mask)", first.member.name);
    piece.opacity = Grid::constant(0.0);
    piece.slot = crate::slot::eye_slot(scene, eye.side);
    piece.order = (scene.layers[eye.whites[0]].index, -1);
    piece.rect = rect;
    piece.tile = pictures.add(&first.member.id, "eyemask", rect, picture);
    Ok(Some(piece))
}

fn holds(r: IntRect, x: i32, y: i32) -> bool {
    x >= r.left && x < r.right && y >= r.top && y < r.bottom
}

/// Full within two pixels of what is set, then softly out: where it fades nothing rests, and cuts stay smooth.
fn feathered(set: impl Fn(i32, i32) -> bool) -> u8 {
    if set(0, 0) {
        return 255;
    }
    let mut nearest = i32::MAX;
    for dy in -FEATHER..=FEATHER {
        for dx in -FEATHER..=FEATHER {
            let d = dx * dx + dy * dy;
            if d < nearest && set(dx, dy) {
                nearest = d;
            }
        }
    }
    match nearest {
        0..=5 => 255,
        6..=10 => 170,
        11..=16 => 70,
        _ => 0,
    }
}

fn grown(r: IntRect, by: i32) -> IntRect {
    IntRect::new(
        r.left.saturating_sub(by),
        r.top.saturating_sub(by),
        r.right.saturating_add(by),
        r.bottom.saturating_add(by),
    )
}

fn iris<'a>(shop: &Workshop<'a, '_>, eye: &'a Eye, layer: &'a Layer<'a>) -> Result<Piece<'a>, Error> {
    let scene = shop.scene;
    if scene.settings.natural() && eye.whites.is_empty() {
        return whole(shop, eye, layer);
    }
    let mut piece = shop.plain(layer)?;
    piece.role = Role::Iris;
    let center = scene.cast.tilt.align(scene.layers[eye.irises[0]].member.centroid);
    piece.motion = Motion {
        axes: vec![Axis::new("ParamEyeBallForm", [-1.0, 0.0, 1.0])],
        to: Box::new(move |k, p| {
            let d = p - center;
            center + Point::new(d.x * (1.0 - 0.045 * k[0]), d.y * (1.0 + 0.11 * k[0]))
        }),
    };
    if scene.settings.natural() {
        piece.opacity = eye_opacity(scene, layer, open_eye(eye));
    }
    Ok(piece)
}

/// An eye (or iris) without a white: it shrinks into the closed line itself.
fn whole<'a>(shop: &Workshop<'a, '_>, eye: &'a Eye, layer: &'a Layer<'a>) -> Result<Piece<'a>, Error> {
    let scene = shop.scene;
    let mut piece = shop.base(layer, Role::Iris);
    let height = layer.bounds.height().max(1.0);
    let keep = (2.5 / height).clamp(0.03, 0.55);
    let anchor = layer.bounds.center().y;
    piece.mesh = strip(shop, layer, &layer.image.alpha(), eye, 6)?;
    piece.motion = closing(shop, eye, layer.side(), move |p, lids| close_flat(eye, anchor, keep, p, lids));
    if whole_eye(scene, layer.side()) {
        piece.motion = gazing(piece.motion, layer.bounds);
    }
    let line = whole_eye(scene, layer.side()) && (scene.settings.eyes.lid_line || !eye.closed.is_empty());
    let points: &[(f64, f64)] = if line { &OPEN_ART } else { &GONE_WHEN_CLOSED };
    piece.opacity = eye_opacity(scene, layer, points);
    Ok(piece)
}

fn lash<'a>(
    shop: &Workshop<'a, '_>,
    eye: &'a Eye,
    layer: &'a Layer<'a>,
    line: &'a CenterLine,
    pieces: &mut Vec<Piece<'a>>,
    pictures: &mut Pictures,
) -> Result<(), Error> {
    let scene = shop.scene;
    let natural = scene.settings.natural();
    let opacity = if natural && !eye.closed.is_empty() {
        eye_opacity(scene, layer, &OPEN_ART)
    } else {
        scene.switches.opacity(layer.index)
    };
    let main = main_lash(scene, &eye.lashes);
    let is_main = main.is_none_or(|m| std::ptr::eq(&raw const scene.layers[m], layer));
    let center = layer.bounds.center().y;
    let whole = |role: Role| -> Result<Piece<'a>, Error> {
        let mut piece = shop.base(layer, role);
        piece.mesh = strip(shop, layer, &layer.image.alpha(), eye, 3)?;
        piece.motion = lash_motion(shop, eye, layer, line, role);
        piece.opacity = opacity.clone();
        Ok(piece)
    };
    if !natural || !scene.settings.eyes.split_lashes {
        pieces.push(whole(Role::Lash)?);
        return Ok(());
    }
    if !is_main && center > eye.white.top + 0.62 * eye.white.height() {
        pieces.push(whole(Role::LowerLash)?);
        return Ok(());
    }
    if !is_main && center < eye.white.top - 0.05 * eye.white.height() {
        pieces.push(whole(Role::Crease)?);
        return Ok(());
    }
    let aligned = AlignedAlpha::of(layer.image, layer.member.rect, &scene.cast.tilt);
    let Some(parts) = split(layer.image, layer.member.rect, &scene.cast.tilt, &aligned, line, eye.white)
    else {
        pieces.push(whole(Role::Lash)?);
        return Ok(());
    };
    for (picture, role, key, order) in [
        (parts.lower, Role::LowerLash, "lower", 0),
        (parts.band, Role::Lash, "band", 1),
        (parts.crease, Role::Crease, "crease", 2),
    ] {
        let Some((rect, picture)) = picture else { continue };
        let mut piece = shop.base(layer, role);
        piece.mesh = strip(shop, layer, &picture.alpha(), eye, 3)?;
        piece.motion = lash_motion(shop, eye, layer, line, role);
        piece.opacity = opacity.clone();
        piece.rect = rect;
        piece.order = (layer.index, order);
        let bottom = scene.cast.tilt.align_rect(rect.to_rect()).bottom;
        if role == Role::Crease && bottom < eye.white.top - 0.15 * eye.white.height() {
            // A brow drawn with the lashes: it stays.
            piece.motion = Motion::still();
            piece.opacity = scene.switches.opacity(layer.index);
        }
        if role != Role::Lash {
            let word = if role == Role::Crease { "Crease" } else { "Lower" };
            piece.stem = format!("Eyelash{word}");
            piece.name = format!("{} ({key})", layer.member.name);
        }
        piece.tile = pictures.add(&layer.member.id, key, rect, picture);
        pieces.push(piece);
    }
    Ok(())
}

fn lash_motion<'a>(
    shop: &Workshop<'a, '_>,
    eye: &'a Eye,
    layer: &'a Layer<'a>,
    line: &'a CenterLine,
    role: Role,
) -> Motion<'a> {
    let natural = shop.scene.settings.natural();
    closing(shop, eye, layer.side(), move |p, lids| match role {
        Role::Crease => {
            let x = eye.curve.clamp_x(p.x);
            let drop = (eye.curve.smiling(x, lids.smile) - line.at(x)) * CREASE_SHARE;
            Point::new(p.x, p.y + drop * (1.0 - lids.open))
        }
        Role::LowerLash => {
            let x = eye.curve.clamp_x(p.x);
            let rise = ((eye.curve.at(x) - p.y) * LOWER_SHARE).min(0.0);
            let squint = squint(eye, p, lids.smile) * lids.open;
            Point::new(p.x, p.y + rise * (1.0 - lids.open) - squint)
        }
        _ => close_band(eye, line, 0.88, natural, p, lids),
    })
}

/// A painted closed lid for eyes that have no line of their own.
fn lid<'a>(
    shop: &Workshop<'a, '_>,
    eye: &'a Eye,
    pieces: &mut Vec<Piece<'a>>,
    pictures: &mut Pictures,
) -> Result<(), Error> {
    let scene = shop.scene;
    let shown: Vec<usize> = eye.irises.iter().chain(&eye.whites).copied().collect();
    let top = shown.iter().map(|&i| scene.layers[i].index).max().unwrap_or(0);
    let layer = &scene.layers[shown[0]];
    let dark = lid_line::darkest(shown.iter().map(|&i| scene.layers[i].image));
    let (rect, picture) = lid_line::paint(&eye.curve, eye.white, dark, &scene.cast.tilt);
    let Some(alpha) = picture.alpha().bounds(1).map(|_| picture.alpha()) else { return Ok(()) };
    let mut piece = shop.base(layer, Role::LidLine);
    piece.mesh = shop.columns(&layer.member.name, &alpha, 12, 2)?;
    piece.stem = "Eyelid".to_owned();
    piece.name = format!("{} (closed lid)", layer.member.name);
    piece.slot = crate::slot::eye_slot(scene, eye.side);
    piece.order = (top, 5);
    piece.rect = rect;
    piece.opacity = product(&open_ramp(eye.side, &CLOSED_ART), &scene.switches.opacity(layer.index));
    if let Some(axis) = smile_axis(eye, eye.side) {
        piece.motion = Motion {
            axes: vec![axis],
            to: Box::new(move |k, p| {
                let x = eye.curve.clamp_x(p.x);
                Point::new(p.x, p.y + eye.curve.smiling(x, k[0]) - eye.curve.at(x))
            }),
        };
    }
    piece.tile = pictures.add(&layer.member.id, "lid", rect, picture);
    pieces.push(piece);
    Ok(())
}
