//! The order of the layers and their painting.

use geom::{IntRect, Point};
use psd::{Blend, Layer, LayerKind};
use rayon::prelude::{IntoParallelIterator, ParallelIterator};

use crate::design::{Design, HairStyle, Headwear};
use crate::ink::sheet::{Sheet, View};
use crate::{arms, eyes, face, hair, legs, mouth, ornaments, skirt, top};

type Painter = Box<dyn Fn(&mut Sheet, &Design) + Send + Sync>;

/// One layer to be painted.
struct Part {
    name: &'static str,
    visible: bool,
    body: bool,
    paint: Painter,
}

fn head(name: &'static str, paint: impl Fn(&mut Sheet, &Design) + Send + Sync + 'static) -> Part {
    Part { name, visible: true, body: false, paint: Box::new(paint) }
}

fn body(name: &'static str, paint: impl Fn(&mut Sheet, &Design) + Send + Sync + 'static) -> Part {
    Part { name, visible: true, body: true, paint: Box::new(paint) }
}

/// Width of the canvas as a fraction of its height.
const ASPECT: f64 = 0.66;
/// Free units above the skull and below the soles.
const MARGIN: (f64, f64) = (44.0, 14.0);
/// Units of the heads height the body is drawn for, and the height of its soles.
const DRAWN: (f64, f64) = (5.55, 555.0);

/// Paints every layer, bottom to top.
pub(crate) fn layers(d: &Design, height: u32) -> (u32, Vec<Layer>) {
    let width = ((f64::from(height) * ASPECT / 2.0).round() as u32 * 2).max(2);
    let (head_view, body_view) = views(d, width, height);
    let painted: Vec<Option<Layer>> = order(d)
        .into_par_iter()
        .map(|part| {
            let mut sheet = Sheet::new(if part.body { body_view } else { head_view });
            (part.paint)(&mut sheet, d);
            sheet.finish().map(|pixels| Layer {
                id: None,
                name: part.name.to_owned(),
                visible: part.visible,
                opacity: 255,
                fill: 255,
                blend: Blend::Normal,
                clipping: false,
                mask: None,
                kind: LayerKind::Pixels(pixels),
            })
        })
        .collect();
    (width, painted.into_iter().flatten().collect())
}

fn views(d: &Design, width: u32, height: u32) -> (View, View) {
    let tall = (d.heads - 1.0) / (DRAWN.0 - 1.0);
    let soles = 100.0 + (DRAWN.1 - 100.0) * tall;
    let scale = f64::from(height) / (MARGIN.0 + soles + MARGIN.1);
    let head = View {
        scale,
        origin: Point::new(f64::from(width) / 2.0, MARGIN.0 * scale),
        stretch: (1.0, 1.0),
        fixed_y: 100.0,
        canvas: IntRect::new(0, 0, width as i32, height as i32),
    };
    (head, View { stretch: (0.62 + 0.38 * tall, tall), ..head })
}

/// All layers of a character, bottom to top.
fn order(d: &Design) -> Vec<Part> {
    let mut parts = behind(d);
    parts.extend([
        body("legwear-r", |s, d| legs::leg(s, d, -1.0)),
        body("legwear-l", |s, d| legs::leg(s, d, 1.0)),
        body("footwear-r", |s, d| legs::shoe(s, d, -1.0)),
        body("footwear-l", |s, d| legs::shoe(s, d, 1.0)),
        body("neck", face::neck),
        body("bottomwear", skirt::skirt),
        body("topwear", top::top),
        body("handwear-r", |s, d| arms::arm(s, d, -1.0)),
        body("handwear-l", |s, d| arms::arm(s, d, 1.0)),
        body("neckwear", top::neckwear),
    ]);
    parts.extend(faces(d));
    parts.extend(in_front(d));
    parts
}

fn behind(d: &Design) -> Vec<Part> {
    let mut parts = Vec::new();
    if d.wings {
        parts.push(body("wings-r", |s, d| ornaments::wing(s, d, -1.0)));
        parts.push(body("wings-l", |s, d| ornaments::wing(s, d, 1.0)));
    }
    if d.tail {
        parts.push(body("tail", ornaments::tail));
    }
    match d.style {
        HairStyle::Twin => {
            parts.push(head("back hair-r", |s, d| hair::twin_tail(s, d, -1.0)));
            parts.push(head("back hair-l", |s, d| hair::twin_tail(s, d, 1.0)));
        }
        HairStyle::Pony => parts.push(head("back hair_2", hair::pony_tail)),
        HairStyle::Long | HairStyle::Bob | HairStyle::Short => {}
    }
    parts.push(head("back hair", hair::back));
    parts
}

fn faces(d: &Design) -> Vec<Part> {
    let mut parts =
        vec![head("ears-r", |s, d| face::ear(s, d, -1.0)), head("ears-l", |s, d| face::ear(s, d, 1.0))];
    if d.earrings {
        parts.push(head("earwear-r", |s, d| ornaments::earring(s, d, -1.0)));
        parts.push(head("earwear-l", |s, d| ornaments::earring(s, d, 1.0)));
    }
    parts.extend([
        head("face", face::face),
        head("facedetail", face::blush),
        head("nose", face::nose),
        head("mouth", mouth::mouth),
        head("tongue", mouth::tongue),
        head("tooth-t", mouth::teeth),
        head("eyewhite-r", |s, d| eyes::white(s, d, -1.0)),
        head("eyewhite-l", |s, d| eyes::white(s, d, 1.0)),
        head("irides-r", |s, d| eyes::iris(s, d, -1.0)),
        head("irides-l", |s, d| eyes::iris(s, d, 1.0)),
        head("eyelash-r", |s, d| eyes::lash(s, d, -1.0)),
        head("eyelash-l", |s, d| eyes::lash(s, d, 1.0)),
        Part { visible: false, ..head("eye_close-r", |s, d| eyes::closed_eye(s, d, -1.0)) },
        Part { visible: false, ..head("eye_close-l", |s, d| eyes::closed_eye(s, d, 1.0)) },
        head("eyebrow-r", |s, d| face::brow(s, d, -1.0)),
        head("eyebrow-l", |s, d| face::brow(s, d, 1.0)),
    ]);
    parts
}

fn in_front(d: &Design) -> Vec<Part> {
    let mut parts = Vec::new();
    if d.headwear == Headwear::CatEars {
        parts.push(head("headwear-r", |s, d| ornaments::cat_ear(s, d, -1.0)));
        parts.push(head("headwear-l", |s, d| ornaments::cat_ear(s, d, 1.0)));
    }
    parts.push(head("front hair_1", hair::cap));
    parts.push(head("side hair-r", |s, d| hair::side(s, d, -1.0)));
    parts.push(head("side hair-l", |s, d| hair::side(s, d, 1.0)));
    parts.push(head("front hair_2", |s, d| hair::fringe_layer(s, d, 0..1)));
    parts.push(head("front hair_3", |s, d| hair::fringe_layer(s, d, 1..2)));
    parts.push(head("front hair_4", |s, d| hair::fringe_layer(s, d, 2..3)));
    parts.push(head("front hair_5", |s, d| hair::fringe_layer(s, d, 3..4)));
    let last = hair::bangs(d).len();
    parts.push(head("front hair_6", move |s, d| hair::fringe_layer(s, d, 4..last)));
    if d.ahoge {
        parts.push(head("front hair_7", hair::ahoge));
    }
    if d.style == HairStyle::Twin {
        parts.push(head("headwear_2-r", |s, d| ornaments::side_bow(s, d, -1.0, (42.0, 20.0), 0.62)));
        parts.push(head("headwear_2-l", |s, d| ornaments::side_bow(s, d, 1.0, (42.0, 20.0), 0.62)));
    }
    match d.headwear {
        Headwear::SideRibbon if d.style != HairStyle::Twin => {
            parts.push(head("headwear", |s, d| ornaments::side_bow(s, d, d.side, (33.0, 18.0), 0.75)));
        }
        Headwear::BigRibbon => parts.push(head("headwear", ornaments::crown_bow)),
        Headwear::HairBand | Headwear::SideRibbon => parts.push(head("headwear", ornaments::hair_band)),
        Headwear::Flower => parts.push(head("headwear", ornaments::flower)),
        Headwear::CatEars => {}
    }
    parts
}
