//! What every character must have, whatever its seed.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use geom::IntRect;
use psd::{Document, Layer, LayerKind, Pixels};
use raster::Rgba;
use sample::{Request, draw};

const SEEDS: std::ops::Range<u64> = 0..16;

/// The characters of [`SEEDS`] by seed, drawn once.
fn all() -> &'static [Document] {
    static ALL: OnceLock<Vec<Document>> = OnceLock::new();
    ALL.get_or_init(|| SEEDS.map(small).collect())
}

fn small(seed: u64) -> Document {
    draw(&Request { seed, size: 400 })
}

fn pixels(layer: &Layer) -> &Pixels {
    match &layer.kind {
        LayerKind::Pixels(p) => p,
        other => panic!("{} is {other:?}", layer.name),
    }
}

fn find<'a>(doc: &'a Document, name: &str) -> &'a Pixels {
    pixels(doc.layers.iter().find(|l| l.name == name).unwrap_or_else(|| panic!("no layer {name}")))
}

/// Alpha of a layer at a place of the canvas.
fn alpha(p: &Pixels, x: i32, y: i32) -> u8 {
    p.image.get(i64::from(x - p.rect.left), i64::from(y - p.rect.top))[3]
}

fn flattened(doc: &Document) -> Rgba {
    let mut out = Rgba::new(doc.width, doc.height);
    for p in doc.layers.iter().filter(|l| l.visible).map(pixels) {
        for y in 0..p.image.height() {
            for x in 0..p.image.width() {
                let at = (i64::from(p.rect.left) + i64::from(x), i64::from(p.rect.top) + i64::from(y));
                let (s, d) = (p.image.get(i64::from(x), i64::from(y)), out.get(at.0, at.1));
                out.set(at.0, at.1, over(s, d));
            }
        }
    }
    out
}

/// Straight-alpha `s` over `d` in integers.
fn over(s: [u8; 4], d: [u8; 4]) -> [u8; 4] {
    let (sa, da) = (u32::from(s[3]) * 255, u32::from(d[3]) * (255 - u32::from(s[3])));
    let total = sa + da;
    if total == 0 {
        return [0; 4];
    }
    let mut out = [0; 4];
    for c in 0..3 {
        out[c] = ((u32::from(s[c]) * sa + u32::from(d[c]) * da + total / 2) / total) as u8;
    }
    out[3] = ((total + 127) / 255) as u8;
    out
}

/// FNV-1a over all pixels of a document, layer by layer.
fn fingerprint(doc: &Document) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut eat = |bytes: &[u8]| {
        for &b in bytes {
            hash = (hash ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    for layer in &doc.layers {
        let p = pixels(layer);
        eat(layer.name.as_bytes());
        eat(&p.rect.left.to_le_bytes());
        eat(&p.rect.top.to_le_bytes());
        eat(p.image.pixels());
    }
    hash
}

#[test]
fn same_seed_same_pixels_as_ever() {
    // When a drawing was changed on purpose: put the new numbers here.
    let golden: [(u64, u64); 3] =
        [(0, 0x22e7_5b51_fc92_242b), (7, 0x5666_1f58_7686_080b), (41, 0x7580_bfed_6613_a602)];
    let now = golden.map(|(seed, _)| (seed, fingerprint(&draw(&Request { seed, size: 300 }))));
    assert_eq!(now.map(|(s, h)| format!("{s}: {h:016x}")), golden.map(|(s, h)| format!("{s}: {h:016x}")));
}

#[test]
fn threads_do_not_matter() {
    let with = |n| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| fingerprint(&small(5)))
    };
    assert_eq!(with(1), with(5));
}

#[test]
fn seeds_differ() {
    let all: BTreeSet<u64> = all().iter().map(fingerprint).collect();
    assert_eq!(all.len(), SEEDS.count());
}

#[test]
fn layers_are_many_named_once_and_inside_the_canvas() {
    for (seed, doc) in all().iter().enumerate() {
        let canvas = IntRect::new(0, 0, doc.width as i32, doc.height as i32);
        let names: BTreeSet<&str> = doc.layers.iter().map(|l| l.name.as_str()).collect();
        assert!(doc.layers.len() >= 35, "seed {seed}: {} layers", doc.layers.len());
        assert_eq!(names.len(), doc.layers.len(), "seed {seed}: repeated names");
        for layer in &doc.layers {
            let p = pixels(layer);
            let solid = p.image.opaque_bounds(128);
            assert!(solid.is_some(), "seed {seed}: {} has no solid pixel", layer.name);
            assert_eq!(p.rect.union(canvas), canvas, "seed {seed}: {} leaves the canvas", layer.name);
            assert_eq!((p.rect.width(), p.rect.height()), (p.image.width(), p.image.height()));
        }
    }
}

#[test]
fn parts_reach_behind_each_other() {
    for (seed, doc) in all().iter().enumerate() {
        let (face, neck, top) = (find(doc, "face"), find(doc, "neck"), find(doc, "topwear"));
        let high = f64::from(face.rect.bottom - neck.rect.top) / f64::from(face.rect.height());
        assert!(high > 0.25, "seed {seed}: the neck ends {high:.2} face heights above the chin");
        let deep = neck.rect.bottom - top.rect.top;
        assert!(deep * 3 > neck.rect.height() as i32, "seed {seed}: the neck goes {deep} px into the top");
        let skirt = find(doc, "bottomwear");
        assert!(skirt.rect.top < top.rect.bottom, "seed {seed}: a gap at the waist");
        for side in ["l", "r"] {
            let arm = find(doc, &format!("handwear-{side}"));
            let shared = arm.rect.intersection(&top.rect).map_or(0, |r| r.width());
            assert!(shared * 8 > top.rect.width(), "seed {seed}: arm {side} overlaps the top by {shared} px");
            let leg = find(doc, &format!("legwear-{side}"));
            let under = skirt.rect.bottom - leg.rect.top;
            assert!(
                under * 4 > leg.rect.height() as i32,
                "seed {seed}: leg {side} under the skirt {under} px"
            );
            let shoe = find(doc, &format!("footwear-{side}"));
            assert!(shoe.rect.top < leg.rect.bottom, "seed {seed}: a gap at the ankle {side}");
        }
    }
}

#[test]
fn the_face_is_complete_under_the_hair() {
    for (seed, doc) in all().iter().enumerate() {
        let (face, back) = (find(doc, "face"), find(doc, "back hair"));
        let (cx, h) = ((face.rect.left + face.rect.right) / 2, face.rect.height() as i32);
        for (dx, dy) in [(0, 10), (-30, 30), (30, 30), (-36, 55), (36, 55), (0, 90)] {
            let (x, y) = (cx + h * dx / 100, face.rect.top + h * dy / 100);
            assert_eq!(alpha(face, x, y), 255, "seed {seed}: hole in the face at {dx} {dy}");
            if dy < 60 {
                assert_eq!(alpha(back, x, y), 255, "seed {seed}: no hair behind the face at {dx} {dy}");
            }
        }
    }
}

#[test]
fn eyes_and_mouth_can_be_rigged() {
    for (seed, doc) in all().iter().enumerate() {
        for side in ["l", "r"] {
            let part = |name: &str| find(doc, &format!("{name}-{side}")).rect;
            let (white, iris, lash) = (part("eyewhite"), part("irides"), part("eyelash"));
            assert!(iris.width() < white.width(), "seed {seed}: the iris is wider than the white");
            let round = f64::from(iris.height()) / f64::from(iris.width());
            assert!((1.0..1.4).contains(&round), "seed {seed}: iris {round:.2} times as high as wide");
            let (low, half) = (lash.bottom, white.top + white.height() as i32 * 4 / 5);
            assert!(low < half, "seed {seed}: the lash reaches down to {low}, below {half}");
            let middle = doc.width as i32 / 2;
            assert_eq!(white.left > middle, side == "l", "seed {seed}: -l is the character's own left");
        }
        let (mouth, teeth, tongue) =
            (find(doc, "mouth").rect, find(doc, "tooth-t").rect, find(doc, "tongue").rect);
        let open = f64::from(mouth.height()) / f64::from(mouth.width());
        assert!(open >= 0.45, "seed {seed}: mouth {open:.2}");
        assert_eq!(mouth.union(teeth).union(tongue), mouth, "seed {seed}: teeth and tongue leave the mouth");
        let hidden: Vec<&str> = doc.layers.iter().filter(|l| !l.visible).map(|l| l.name.as_str()).collect();
        assert_eq!(hidden, ["eye_close-r", "eye_close-l"]);
    }
}

#[test]
fn the_figure_fills_the_canvas_and_stands_free() {
    for (seed, doc) in all().iter().enumerate() {
        let bounds = flattened(doc).opaque_bounds(1).unwrap();
        assert!(bounds.top > 0 && bounds.bottom < doc.height as i32, "seed {seed}: {bounds:?}");
        assert!(bounds.left > 0 && bounds.right < doc.width as i32, "seed {seed}: {bounds:?}");
        assert!(bounds.height() * 10 > doc.height * 9, "seed {seed}: {bounds:?}");
    }
}

#[test]
fn any_size_is_drawn() {
    for size in [0, 1, 63, 64, 65, 127] {
        let doc = draw(&Request { seed: 3, size });
        assert_eq!(doc.height, size.max(64));
        assert_eq!(doc.width % 2, 0);
        assert!(doc.layers.len() >= 35, "{size}: {}", doc.layers.len());
    }
}

#[test]
fn the_written_psd_reads_back() {
    let doc = small(2);
    let bytes = psd::write(&doc, &psd::WriteOptions::default()).unwrap();
    let back = psd::read(&bytes, &psd::Limits::default()).unwrap();
    let brief = |d: &Document| -> Vec<(String, bool, IntRect, Rgba)> {
        let one = |l: &Layer| (l.name.clone(), l.visible, pixels(l).rect, pixels(l).image.clone());
        d.layers.iter().map(one).collect()
    };
    assert!(brief(&doc) == brief(&back));
}
