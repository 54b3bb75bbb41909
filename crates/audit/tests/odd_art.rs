//! Whatever the art is, the rig passes the audits: it moves less rather than folding.

use std::sync::Arc;

use artwork::{Artwork, BlendMode, Layer, LayerId};
use geom::{IntRect, Point, Rect};
use raster::Rgba;
use rig::{Direct, Settings};

const WIDTH: i32 = 300;
const HEIGHT: i32 = 350;
const HELD_BACK: &str = "movement-held-back";

/// A layer: name, corner and size, shape.
type Drawn = (&'static str, [i32; 4], Shape);

#[derive(Clone, Copy)]
enum Shape {
    Oval,
    Box,
    Diagonal,
    /// One pixel in thirty-one or so.
    Dust,
}

const FIGURE: [Drawn; 15] = [
    ("back hair", [75, 30, 150, 200], Shape::Oval),
    ("body", [90, 190, 120, 150], Shape::Oval),
    ("neck", [132, 165, 35, 55], Shape::Oval),
    ("face", [95, 55, 110, 125], Shape::Oval),
    ("eyewhite-r", [112, 105, 30, 20], Shape::Oval),
    ("eyewhite-l", [157, 105, 30, 20], Shape::Oval),
    ("irides-r", [120, 106, 15, 18], Shape::Oval),
    ("irides-l", [165, 106, 15, 18], Shape::Oval),
    ("eyelash-r", [111, 101, 33, 7], Shape::Oval),
    ("eyelash-l", [156, 101, 33, 7], Shape::Oval),
    ("eyebrow-r", [111, 90, 33, 5], Shape::Oval),
    ("eyebrow-l", [156, 90, 33, 5], Shape::Oval),
    ("nose", [146, 130, 8, 8], Shape::Oval),
    ("mouth", [135, 147, 30, 12], Shape::Oval),
    ("front hair", [90, 40, 120, 65], Shape::Oval),
];

#[test]
fn good_art_moves_freely() {
    assert!(!check("figure", &FIGURE).iter().any(|c| c == HELD_BACK));
}

#[test]
fn missing_parts() {
    for left_out in [
        &["eyewhite"][..],
        &["eyewhite", "eyelash"],
        &["irides"],
        &["-l"],
        &["mouth"],
        &["face"],
        &["neck", "body"],
        &["neck"],
        &["nose", "eyebrow"],
    ] {
        let stays = |d: &&Drawn| !left_out.iter().any(|n| d.0.starts_with(n) || d.0.ends_with(n));
        let drawn: Vec<Drawn> = FIGURE.iter().filter(stays).copied().collect();
        check(&format!("without {left_out:?}"), &drawn);
    }
}

/// A layer that is a line, a dot, a diagonal or dust.
#[test]
fn thin_and_broken_layers() {
    let names =
        ["face", "front hair", "eyewhite-l", "irides-l", "eyelash-l", "mouth", "neck", "nose", "body"];
    for (index, name) in names.into_iter().enumerate() {
        let shapes = [
            ("line down", [150, 5, 1, 340], Shape::Box),
            ("line across", [5, 150, 290, 1], Shape::Box),
            ("dot", [150, 150, 2, 2], Shape::Box),
            ("diagonal", [60, 60, 180, 200], Shape::Diagonal),
            ("cloud of dust", [100, 100, 90, 90], Shape::Dust),
        ];
        // Both lines for all, one of the others in turn.
        for (word, place, shape) in [shapes[0], shapes[1], shapes[2 + index % 3]] {
            check(&format!("{name} as a {word}"), &with(name, place, shape));
        }
    }
}

/// Parts in places where nobody has them.
#[test]
fn odd_figures() {
    let moved = |to: &dyn Fn(&'static str, [i32; 4]) -> Drawn| -> Vec<Drawn> {
        FIGURE.iter().map(|&(name, place, _)| to(name, place)).collect()
    };
    let two = [FIGURE.to_vec(), moved(&|n, [x, y, w, h]| (n, [x + 300, y, w, h], Shape::Oval))].concat();
    let upside = moved(&|n, [x, y, w, h]| (n, [x, HEIGHT - y - h, w, h], Shape::Oval));
    let lying = moved(&|n, [x, y, w, h]| (n, [HEIGHT - y - h, x, h, w], Shape::Oval));
    let necks = moved(&|_, place| ("neck", place, Shape::Oval));
    let turned = moved(&|n, [x, y, w, h]| match n {
        "eyewhite-r" | "irides-r" | "eyelash-r" | "eyebrow-r" => (n, [x - 12, y, w / 2, h], Shape::Oval),
        "nose" | "mouth" => (n, [x - 20, y, w, h], Shape::Oval),
        _ => (n, [x, y, w, h], Shape::Oval),
    });
    let animal = [
        ("tail", [10, 200, 100, 30], Shape::Oval),
        ("body", [60, 150, 200, 125], Shape::Oval),
        ("leg-l", [90, 240, 20, 80], Shape::Box),
        ("leg-r", [200, 240, 20, 80], Shape::Box),
        ("head", [190, 60, 100, 90], Shape::Oval),
        ("ear-l", [260, 30, 25, 45], Shape::Oval),
        ("ear-r", [200, 30, 25, 45], Shape::Oval),
        ("eye-l", [250, 90, 13, 13], Shape::Oval),
        ("eye-r", [215, 90, 13, 13], Shape::Oval),
        ("nose", [240, 112, 10, 7], Shape::Oval),
    ];
    let props = [("eye-l", [5, 5, 15, 300], Shape::Box), ("mouth", [5, 320, 20, 20], Shape::Oval)];
    let props = [&FIGURE[..], &props].concat();
    let neck_above = with("neck", [0, 0, 250, 30], Shape::Oval);
    let huge = with("face", [-250, -250, 750, 750], Shape::Oval);
    for (title, drawn) in [
        ("two figures", &two[..]),
        ("upside down", &upside),
        ("lying", &lying),
        ("all necks", &necks),
        ("three-quarter view", &turned),
        ("animal", &animal),
        ("props", &props),
        ("neck above", &neck_above),
        ("face beyond the canvas", &huge),
    ] {
        check(title, drawn);
    }
    let wide = with("neck", [0, 175, 300, 3], Shape::Box);
    assert!(check("neck wide", &wide).iter().any(|c| c == HELD_BACK), "it is told");
}

/// The figure with one layer drawn otherwise.
fn with(name: &str, place: [i32; 4], shape: Shape) -> Vec<Drawn> {
    FIGURE.iter().map(|&d| if d.0 == name { (d.0, place, shape) } else { d }).collect()
}

/// Rigs, packs and audits; returns the codes of the rig's notes.
#[track_caller]
fn check(title: &str, drawn: &[Drawn]) -> Vec<String> {
    let (artwork, images) = art(drawn);
    let (cast, images) = parts::cast(&artwork, &images, &parts::Settings::default()).expect(title);
    let settings = Settings::default();
    let rigged = rig::rig(&cast, &images, &settings, &Direct).expect(title);
    let puppet = rig::finish(rigged.puppet, &settings.finish()).expect(title);
    let item = |t: &puppet::Tile| atlas::Item {
        id: t.id.as_str().to_owned(),
        width: t.width,
        height: t.height,
        density: t.density,
        lock: t.lock,
        pin: t.pin,
    };
    let items: Vec<atlas::Item> = puppet.tiles.iter().map(item).collect();
    let layout = atlas::layout(&items, &atlas::Settings::default());
    let model = pack::pack(&puppet, &layout, pack::Runtime::Auto).expect(title);
    let expected = |d: &puppet::Drawable| {
        let tile = puppet.tiles.iter().find(|t| t.id == d.tile).expect("tile");
        let corner = Point::new(tile.rect.left, tile.rect.top);
        let rect = Rect::bounding(d.uvs.iter().map(|uv| corner + *uv)).expect("vertices");
        audit::Expected { drawable: d.id.to_string(), rect }
    };
    let expected: Vec<audit::Expected> = puppet.drawables.iter().map(expected).collect();
    for found in audit::audit(&model, &expected) {
        assert!(found.ok, "{title}: {found:?}");
    }
    rigged.notes.iter().map(|n| n.code.clone()).collect()
}

fn art(drawn: &[Drawn]) -> (Artwork, Vec<Arc<Rgba>>) {
    let (mut layers, mut images) = (Vec::new(), Vec::new());
    for (index, &(name, [x, y, w, h], shape)) in drawn.iter().enumerate() {
        let rect = IntRect::new(x, y, x + w, y + h);
        let (image, rect) = artwork::trim(paint(shape, w, h), rect, rect).expect("pixels");
        let measure = artwork::measure(&image, rect, 8).expect("pixels");
        layers.push(Layer {
            id: LayerId::new(format!("{name} {index}")),
            name: name.to_owned(),
            path: Vec::new(),
            rect,
            bounds: measure.bounds,
            centroid: measure.centroid,
            opaque_pixels: measure.opaque_pixels,
            opacity: 1.0,
            blend: BlendMode::Normal,
            visible: true,
            clip_to: None,
            variant: None,
            content: artwork::content_digest(&image),
        });
        images.push(Arc::new(image));
    }
    (Artwork { width: WIDTH as u32, height: HEIGHT as u32, layers, notes: Vec::new() }, images)
}

fn paint(shape: Shape, w: i32, h: i32) -> Rgba {
    let mut image = Rgba::new(w as u32, h as u32);
    for y in 0..h {
        for x in 0..w {
            let u = (f64::from(x) + 0.5) / f64::from(w) * 2.0 - 1.0;
            let v = (f64::from(y) + 0.5) / f64::from(h) * 2.0 - 1.0;
            let set = match shape {
                Shape::Oval => u * u + v * v <= 1.0,
                Shape::Box => true,
                Shape::Diagonal => (u - v).abs() <= 2.0 / f64::from(w.min(h)),
                Shape::Dust => (x * 7 + y * 13 + x * y) % 31 == 0,
            };
            if set {
                image.set(x.into(), y.into(), [180, 120, 90, 255]);
            }
        }
    }
    image
}
