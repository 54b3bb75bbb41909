//! What is painted over the eyes without saying so: glowing eyes, a second pair of open eyes. It goes with the eyes, or a
//! closed eye would stay open above its lid.

use artwork::{Note, NoteLevel};
use geom::{IntRect, Point, Rect};
use parts::Tag;
use puppet::Grid;
use raster::Rgba;

use crate::error::Error;
use crate::eye_pieces::{OPEN_ART, closing, strip};
use crate::eyes::{Eye, close_flat, open_ramp};
use crate::layer::{Layer, Scene};
use crate::piece::{Piece, Role};
use crate::pieces::{Pictures, Workshop};

/// Share of the box of each eye that it covers.
const LEAST_COVER: f64 = 0.12;
/// Share of its pixels that lie on or about the eyes.
const LEAST_WITHIN: f64 = 0.5;
/// How far about the box of an eye its pixels go along.
const ABOUT: f64 = 0.35;
/// Confidence from which a name is believed: glasses and tears are what they are called.
const NAMED: f64 = 0.7;

/// Layers (by index into the scene's layers) that lie over the eyes.
pub(crate) fn find(scene: &Scene<'_>, eyes: &[Eye]) -> Vec<usize> {
    let pairs: Vec<&Eye> = eyes.iter().filter(|e| plain(e)).collect();
    if !scene.settings.natural() || pairs.is_empty() {
        return Vec::new();
    }
    let drawn = |e: &&Eye| {
        let all = e.whites.iter().chain(&e.irises).chain(&e.lashes);
        all.map(|&i| scene.layers[i].index).max()
    };
    let top = pairs.iter().filter_map(drawn).max().unwrap_or(usize::MAX);
    let over = |l: &Layer<'_>| {
        let unnamed = matches!(l.tag(), Tag::FaceDetail | Tag::Unknown) && l.member.confidence < NAMED;
        l.head && unnamed && l.index > top && scene.switches.state(l.index).is_none()
    };
    (0..scene.layers.len())
        .filter(|&i| over(&scene.layers[i]) && covers(scene, &scene.layers[i], &pairs))
        .collect()
}

/// An eye of one side, in the state as drawn.
fn plain(eye: &Eye) -> bool {
    eye.side.is_some() && eye.state.is_none() && eye.white.width() > 0.0 && eye.white.height() > 0.0
}

/// Whether the layer lies on each of the eyes, and hardly elsewhere.
fn covers(scene: &Scene<'_>, layer: &Layer<'_>, eyes: &[&Eye]) -> bool {
    let mut on = vec![0u64; eyes.len()];
    let (mut within, mut all) = (0u64, 0u64);
    for (p, alpha) in pixels(scene, layer) {
        if alpha < 128 {
            continue;
        }
        all += 1;
        within += u64::from(eyes.iter().any(|e| about(e).contains(p)));
        for (count, eye) in on.iter_mut().zip(eyes) {
            *count += u64::from(eye.white.contains(p));
        }
    }
    let area = |e: &Eye| e.white.width() * e.white.height();
    let covered = on.iter().zip(eyes).all(|(&n, eye)| n as f64 >= LEAST_COVER * area(eye));
    all > 0 && covered && within as f64 >= LEAST_WITHIN * all as f64
}

fn about(eye: &Eye) -> Rect {
    eye.white.expand(ABOUT)
}

/// Middles of the layer's pixels in working space, with their alpha.
fn pixels(scene: &Scene<'_>, layer: &Layer<'_>) -> impl Iterator<Item = (Point, u8)> {
    let corner = Point::new(f64::from(layer.member.rect.left) + 0.5, f64::from(layer.member.rect.top) + 0.5);
    (0..layer.image.height()).flat_map(move |y| {
        let row = layer.image.row(y).chunks_exact(4).enumerate();
        row.map(move |(x, p)| (scene.working(true, corner + Point::new(x as f64, f64::from(y))), p[3]))
    })
}

/// Adds the pieces of the layers over the eyes: one for each eye, which closes with it, and the rest, which stays.
pub(crate) fn add<'a>(
    shop: &Workshop<'a, '_>,
    eyes: &'a [Eye],
    overlays: &[usize],
    pieces: &mut Vec<Piece<'a>>,
    pictures: &mut Pictures,
) -> Result<Vec<Note>, Error> {
    let scene = shop.scene;
    let mut notes = Vec::new();
    for &i in overlays {
        let layer = &scene.layers[i];
        let mut rest = layer.image.clone();
        for eye in eyes.iter().filter(|e| plain(e)) {
            let Some((rect, picture)) = take(scene, layer, eye, &mut rest) else { continue };
            pieces.push(over(shop, layer, eye, rect, picture, pictures)?);
        }
        if let Some((rect, picture)) = tight(layer.member.rect, &rest) {
            let mut piece = shop.base(layer, Role::Other);
            piece.mesh = shop.columns(&layer.member.name, &picture.alpha(), 8, 8)?;
            piece.rect = rect;
            piece.tile = pictures.add(&layer.member.id, "beside", rect, picture);
            pieces.push(piece);
        }
        notes.push(note(layer));
    }
    Ok(notes)
}

fn note(layer: &Layer<'_>) -> Note {
    let name = &layer.member.name;
    Note {
        code: "eye-overlay".to_owned(),
        level: NoteLevel::Info,
        layer: Some(layer.member.layer.clone()),
        message: format!("`{name}` is painted over the open eyes: it closes with them"),
        setting: format!("layers.\"{name}\".tag"),
    }
}

fn over<'a>(
    shop: &Workshop<'a, '_>,
    layer: &'a Layer<'a>,
    eye: &'a Eye,
    rect: IntRect,
    picture: Rgba,
    pictures: &mut Pictures,
) -> Result<Piece<'a>, Error> {
    let mut piece = shop.base(layer, Role::LidLine);
    let anchor = eye.white.center().y;
    let keep = (1.2 / f64::from(rect.height()).max(1.0)).clamp(0.015, 0.55);
    piece.mesh = strip(shop, layer, &picture.alpha(), eye, 4)?;
    piece.motion = closing(shop, eye, eye.side, move |p, lids| close_flat(eye, anchor, keep, p, lids));
    piece.opacity = opacity(eye);
    piece.slot = crate::slot::eye_slot(shop.scene, eye.side);
    piece.stem = "EyeOverlay".to_owned();
    piece.side = eye.side;
    piece.rect = rect;
    piece.tile = pictures.add(&layer.member.id, "eye", rect, picture);
    Ok(piece)
}

fn opacity(eye: &Eye) -> Grid<f64> {
    open_ramp(eye.side, &OPEN_ART)
}

/// Moves the pixels about an eye out of the rest of the picture.
fn take(scene: &Scene<'_>, layer: &Layer<'_>, eye: &Eye, rest: &mut Rgba) -> Option<(IntRect, Rgba)> {
    let mut taken = Rgba::new(rest.width(), rest.height());
    let width = rest.width().max(1) as usize;
    for (n, (p, alpha)) in pixels(scene, layer).enumerate() {
        let (x, y) = ((n % width) as i64, (n / width) as i64);
        if alpha > 0 && about(eye).contains(p) && rest.get(x, y)[3] > 0 {
            taken.set(x, y, rest.get(x, y));
            rest.set(x, y, [0; 4]);
        }
    }
    tight(layer.member.rect, &taken)
}

/// The smallest picture that shows all pixels; `None` without any.
fn tight(rect: IntRect, image: &Rgba) -> Option<(IntRect, Rgba)> {
    let b = image.alpha().bounds(1)?;
    let mut out = Rgba::new(b.width(), b.height());
    for y in 0..b.height() {
        for x in 0..b.width() {
            let from = (i64::from(b.left) + i64::from(x), i64::from(b.top) + i64::from(y));
            out.set(x.into(), y.into(), image.get(from.0, from.1));
        }
    }
    let at = |x: i32, y: i32| (rect.left + x, rect.top + y);
    let ((left, top), (right, bottom)) = (at(b.left, b.top), at(b.right, b.bottom));
    Some((IntRect::new(left, top, right, bottom), out))
}
