//! Hand-made documents and what they clean to, as text.

use std::fmt::Write;

use artwork::{Clipping, Islands, Settings, clean};
use geom::IntRect;
use psd::{Blend, ColorMode, Document, Layer, LayerKind, Mask, Pixels};
use raster::{Alpha, Rgba};

type Rect = [i32; 4];

fn int_rect([left, top, right, bottom]: Rect) -> IntRect {
    IntRect::new(left, top, right, bottom)
}

fn filled(rect: Rect, color: [u8; 4]) -> Rgba {
    let rect = int_rect(rect);
    let pixels = color.repeat(rect.area() as usize);
    Rgba::from_pixels(rect.width(), rect.height(), pixels).unwrap()
}

fn layer(name: &str, rect: Rect, color: [u8; 4]) -> Layer {
    Layer {
        id: None,
        name: name.into(),
        visible: true,
        opacity: 255,
        fill: 255,
        blend: Blend::Normal,
        clipping: false,
        mask: None,
        kind: LayerKind::Pixels(Pixels { rect: int_rect(rect), image: filled(rect, color) }),
    }
}

fn folder(name: &str, children: Vec<Layer>) -> Layer {
    Layer { blend: Blend::PassThrough, kind: LayerKind::Group(children), ..layer(name, [0; 4], [0; 4]) }
}

fn hidden(layer: Layer) -> Layer {
    Layer { visible: false, ..layer }
}

fn clipped(layer: Layer) -> Layer {
    Layer { clipping: true, ..layer }
}

fn document(layers: Vec<Layer>) -> Document {
    Document { width: 100, height: 100, mode: ColorMode::Rgb, depth: 8, layers, notices: Vec::new() }
}

/// Each layer as `id [rect] rgba-of-its-middle marks`, then the codes of the notes.
fn text(document: Document, settings: &Settings) -> String {
    let (artwork, images) = match clean(document, settings) {
        Ok(clean) => clean,
        Err(error) => return format!("error: {error}"),
    };
    let mut out = String::new();
    for (layer, image) in artwork.layers.iter().zip(&images) {
        let r = layer.rect;
        assert_eq!((r.width(), r.height()), (image.width(), image.height()));
        let middle = image.get(i64::from(image.width() / 2), i64::from(image.height() / 2));
        let [red, green, blue, alpha] = middle;
        write!(out, "{} [{} {} {} {}]", layer.id, r.left, r.top, r.right, r.bottom).unwrap();
        write!(out, " {red:02x}{green:02x}{blue:02x}{alpha:02x}").unwrap();
        if layer.opacity != 1.0 {
            write!(out, " {:.2}", layer.opacity).unwrap();
        }
        if layer.blend != artwork::BlendMode::Normal {
            write!(out, " {:?}", layer.blend).unwrap();
        }
        if !layer.visible {
            out.push_str(" hidden");
        }
        if let Some(base) = &layer.clip_to {
            write!(out, " clip={base}").unwrap();
        }
        if let Some(variant) = &layer.variant {
            write!(out, " variant={}:{}", variant.set.join("/"), variant.name).unwrap();
        }
        out.push('\n');
    }
    for note in &artwork.notes {
        writeln!(out, "- {}", note.code).unwrap();
    }
    out
}

fn check(layers: Vec<Layer>, expected: &str) {
    check_with(&Settings::default(), layers, expected);
}

fn check_with(settings: &Settings, layers: Vec<Layer>, expected: &str) {
    let expected: String = expected.trim().lines().map(|line| format!("{}\n", line.trim())).collect();
    assert_eq!(text(document(layers), settings), expected);
}

const RED: [u8; 4] = [255, 0, 0, 255];
const BLUE: [u8; 4] = [0, 0, 255, 255];
const GREY: [u8; 4] = [128, 128, 128, 255];
const BODY: Rect = [20, 20, 60, 60];

#[test]
fn trims_and_keeps_order() {
    let mut soft = layer("soft", BODY, [9, 9, 9, 0]);
    if let LayerKind::Pixels(pixels) = &mut soft.kind {
        for x in 10..20 {
            pixels.image.set(x, 5, [1, 2, 3, 4]);
        }
        pixels.image.set(30, 30, [1, 2, 3, 255]);
        for x in 3..9 {
            pixels.image.set(x, 31, [1, 2, 3, 8]);
        }
    }
    let (artwork, images) =
        clean(document(vec![soft, layer("top", BODY, RED)]), &Settings::default()).unwrap();
    let soft = &artwork.layers[0];
    assert_eq!(soft.rect, IntRect::new(23, 25, 51, 52));
    assert_eq!(soft.bounds, IntRect::new(23, 50, 51, 52));
    assert_eq!(soft.opaque_pixels, 7);
    assert_eq!(soft.centroid, geom::Point::new(20.0 + 63.0 / 7.0, 20.0 + (30.0 + 6.0 * 31.0) / 7.0));
    assert_eq!(images[0].get(0, 0), [0; 4], "colour under alpha 0 is cleared");
    assert_eq!(soft.content, artwork::content_digest(&images[0]));
}

#[test]
fn opacity_eyes_and_blends_of_folders() {
    let mut group = folder("g", vec![layer("a", BODY, RED), hidden(layer("b", BODY, RED))]);
    (group.opacity, group.blend) = (128, Blend::Multiply);
    let mut screen = layer("glow", BODY, RED);
    (screen.blend, screen.fill) = (Blend::Screen, 51);
    check(
        vec![group, hidden(folder("off", vec![layer("c", BODY, RED)])), screen],
        "g/a [20 20 60 60] ff0000ff 0.50 Multiply variant=g:a
         g/b [20 20 60 60] ff0000ff 0.50 Multiply hidden variant=g:b
         off/c [20 20 60 60] ff0000ff hidden
         glow [20 20 60 60] ff0000ff 0.20 Additive
         - group-blend
         - blend-approximated",
    );
}

#[test]
fn masks_are_multiplied_once() {
    let half = |rect: Rect| {
        let r = int_rect(rect);
        let alpha = Alpha::from_values(r.width(), r.height(), vec![128; r.area() as usize]).unwrap();
        Some(Mask { rect: r, alpha, outside: 0 })
    };
    let plain = Layer { mask: half([30, 30, 60, 60]), ..layer("plain", BODY, [255, 0, 0, 200]) };
    let equal = Layer { mask: half(BODY), ..layer("equal", BODY, [255, 0, 0, 128]) };
    let mut group = folder("g", vec![layer("a", BODY, RED), layer("b", [0, 0, 30, 30], BLUE)]);
    group.mask = half([20, 20, 40, 40]);
    check(
        vec![plain, equal, group],
        "plain [30 30 60 60] ff000064
         equal [20 20 60 60] ff000080
         g/a [20 20 40 40] ff000080
         g/b [20 20 30 30] 0000ff80
         - mask-equals-alpha",
    );
}

#[test]
fn clipping_merges_shading_cuts_fills_keeps_parts() {
    // A part of its own keeps all pixels.
    let iris = clipped(layer("iris", [40, 40, 80, 50], BLUE));
    check(
        vec![layer("white", BODY, RED), iris.clone()],
        "white [20 20 60 60] ff0000ff
         iris [40 40 80 50] 0000ffff clip=white
         - clipping-kept",
    );
    // Shading directly above the base is painted in, exactly; what comes after a kept part is cut.
    let shade = Layer { blend: Blend::Multiply, ..clipped(layer("shadow", [40, 0, 90, 90], GREY)) };
    check(
        vec![layer("skin", BODY, RED), shade.clone(), iris.clone(), shade.clone()],
        "skin [20 20 60 60] 800000ff
         iris [40 40 80 50] 0000ffff clip=skin
         shadow [40 20 60 60] 808080ff Multiply
         - clipping-merged
         - clipping-kept
         - clipping-cut",
    );
    // Colour variants are cut to the outline, the base's opacity counts, a hidden base hides.
    let base = Layer { opacity: 51, ..layer("base", BODY, RED) };
    let colors = vec![layer("*a", [0, 0, 100, 100], BLUE), hidden(layer("*b", [0, 0, 100, 100], RED))];
    check(
        vec![
            base,
            clipped(folder("colors", colors)),
            hidden(layer("off", BODY, RED)),
            clipped(layer("brooch", [30, 30, 40, 40], RED)),
        ],
        "base [20 20 60 60] ff0000ff 0.20
         colors/*a [20 20 60 60] 0000ffff 0.20 variant=colors:a
         colors/*b [20 20 60 60] ff0000ff 0.20 hidden variant=colors:b
         off [20 20 60 60] ff0000ff hidden variant=:off
         brooch [30 30 40 40] ff0000ff hidden clip=off
         - clipping-cut
         - clipping-translucent
         - clipping-cut
         - clipping-kept",
    );
    // A folder of several layers as base: cut to what they cover together.
    let parts = vec![layer("a", BODY, RED), layer("b", [60, 20, 70, 60], BLUE)];
    check(
        vec![folder("hair", parts), clipped(layer("stripe", [0, 30, 100, 40], GREY))],
        "hair/a [20 20 60 60] ff0000ff
         hair/b [60 20 70 60] 0000ffff
         stripe [20 30 70 40] 808080ff
         - clipping-cut",
    );
    check(
        vec![clipped(layer("lone", BODY, RED))],
        "lone [20 20 60 60] ff0000ff
         - clipping-without-base",
    );
}

#[test]
fn clipping_settings() {
    let layers = || vec![layer("white", BODY, RED), clipped(layer("Layer 3", [40, 40, 80, 50], BLUE))];
    let with = |clipping| Settings { clipping, ..Settings::default() };
    check_with(&with(Clipping::Auto), layers(), "white [20 20 60 60] 0000ffff\n- clipping-merged");
    check_with(
        &with(Clipping::Cut),
        layers(),
        "white [20 20 60 60] ff0000ff\nLayer 3 [40 40 60 50] 0000ffff\n- clipping-cut",
    );
    check_with(
        &with(Clipping::Keep),
        layers(),
        "white [20 20 60 60] ff0000ff\nLayer 3 [40 40 80 50] 0000ffff clip=white\n- clipping-kept",
    );
}

#[test]
fn psdtool_trees() {
    check(
        vec![
            hidden(layer("!body", BODY, RED)),
            folder("目", vec![layer("*開き", BODY, RED), hidden(layer("*閉じ:flipx", BODY, BLUE))]),
            folder(
                "板",
                vec![
                    hidden(folder("*黒", vec![layer("!土台", BODY, RED)])),
                    folder("*白", vec![layer("枠", BODY, RED)]),
                ],
            ),
        ],
        "!body [20 20 60 60] ff0000ff
         目/*開き [20 20 60 60] ff0000ff variant=目:開き
         目/*閉じ_flipx~0d5ca862 [20 20 60 60] 0000ffff hidden variant=目:閉じ
         板/*黒/!土台 [20 20 60 60] ff0000ff hidden variant=板:黒
         板/*白/枠 [20 20 60 60] ff0000ff variant=板:白
         - always-shown
         - psdtool-flip",
    );
}

#[test]
fn hidden_siblings_are_alternatives() {
    check(
        vec![
            folder(
                "mouth",
                vec![
                    layer("normal", BODY, RED),
                    hidden(layer("smile", BODY, RED)),
                    layer("tooth", [0, 0, 9, 9], RED),
                ],
            ),
            hidden(layer("sketch", [0, 0, 90, 90], RED)),
        ],
        "mouth/normal [20 20 60 60] ff0000ff variant=mouth:normal
         mouth/smile [20 20 60 60] ff0000ff hidden variant=mouth:smile
         mouth/tooth [0 0 9 9] ff0000ff
         sketch [0 0 90 90] ff0000ff hidden variant=:sketch",
    );
}

#[test]
fn what_is_left_out() {
    let effect = Layer { kind: LayerKind::Effect("levels".into()), ..layer("tone", BODY, RED) };
    check(
        vec![
            layer("グリーンバック", [0, 0, 100, 100], [0, 255, 0, 255]),
            layer("empty", BODY, [0; 4]),
            layer("pivot_head", [50, 50, 51, 51], RED),
            layer("far", [900, 0, 950, 50], RED),
            layer("wide", [-80, 10, 300, 20], RED),
            effect,
            layer("body", BODY, RED),
        ],
        "グリーンバック [0 0 100 100] 00ff00ff
         wide [-50 10 150 20] ff0000ff
         body [20 20 60 60] ff0000ff
         - layer-without-pixels
         - beyond-canvas
         - beyond-canvas
         - empty-layer
         - marker-layer
         - background",
    );
}

#[test]
fn stray_islands_stay_unless_told() {
    let with_speck = || {
        let mut body = layer("hair", [0, 0, 100, 100], [0; 4]);
        if let LayerKind::Pixels(pixels) = &mut body.kind {
            for y in 30..70 {
                for x in 30..70 {
                    pixels.image.set(x, y, RED);
                }
            }
            pixels.image.set(95, 2, RED);
        }
        vec![body]
    };
    check(with_speck(), "hair [30 2 96 70] ff0000ff\n- stray-islands");
    let settings = Settings { islands: Islands::Remove, ..Settings::default() };
    check_with(&settings, with_speck(), "hair [30 30 70 70] ff0000ff\n- stray-islands");
}

#[test]
fn nothing_to_show_is_an_error() {
    let none = text(document(vec![layer("a", BODY, [0; 4]), folder("f", vec![])]), &Settings::default());
    assert!(
        none.starts_with("error: the file has no layer with visible pixels (1 folders, 0 layers"),
        "{none}"
    );
    let off = text(document(vec![hidden(layer("a", BODY, RED))]), &Settings::default());
    let dust = vec![
        layer("speck", [50, 50, 51, 51], RED),
        layer("breath", BODY, [255, 0, 0, 1]),
        layer("far", [900, 0, 950, 50], RED),
    ];
    let dust = text(document(dust), &Settings::default());
    assert!(
        dust.starts_with(
            "error: no layer is left of 3: 1 hold fewer than 5 visible pixels, 1 are fainter than import.alpha_threshold, 1 lie"
        ),
        "{dust}"
    );
    assert!(off.starts_with("error: none of the 1 layers is shown (first: `a`)"), "{off}");
}

fn ids(layers: Vec<Layer>) -> Vec<String> {
    let (artwork, _) = clean(document(layers), &Settings::default()).unwrap();
    artwork.layers.iter().map(|layer| layer.id.to_string()).collect()
}

#[test]
fn odd_names_give_safe_ids() {
    let long = "長".repeat(5000);
    let names = ["a/b", "..", "nul\0", "😀", "", "  tidy  ", "////", "C:\\x", "が", long.as_str()];
    let ids = ids(names.iter().map(|name| layer(name, BODY, RED)).collect());
    for (name, id) in names.iter().zip(&ids) {
        assert!(id.len() <= 96 && !id.contains(['\0', '\\', ':', '/']), "{name:?} -> {id}");
        assert_ne!(id, "..");
    }
    let mut unique = ids.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), ids.len());
    assert_eq!((ids[4].as_str(), ids[5].as_str()), ("unnamed", "tidy"));
}

#[test]
fn namesakes_keep_their_ids_when_reordered_or_repainted() {
    let eye = |x: i32, color| layer("eye", [x, 10, x + 20, 30], color);
    assert_eq!(ids(vec![eye(10, RED), eye(60, RED)]), ["eye", "eye#2"]);
    assert_eq!(ids(vec![eye(60, RED), eye(10, RED)]), ["eye#2", "eye"]);
    assert_eq!(ids(vec![eye(60, BLUE), eye(10, GREY)]), ["eye#2", "eye"]);
    // Photoshop's ids rule: the oldest keeps the plain one, a new copy changes nothing.
    let with_id = |id, layer: Layer| Layer { id: Some(id), ..layer };
    assert_eq!(ids(vec![with_id(9, eye(10, RED)), with_id(4, eye(60, RED))]), ["eye#9", "eye"]);
    assert_eq!(
        ids(vec![with_id(4, eye(60, RED)), with_id(12, eye(0, RED)), with_id(9, eye(10, RED))]),
        ["eye", "eye#12", "eye#9"]
    );
    // Copies may repeat Photoshop's id: then the place tells.
    assert_eq!(ids(vec![with_id(4, eye(60, RED)), with_id(4, eye(10, RED))]), ["eye#2", "eye"]);
}

#[test]
fn deep_folders_are_left_out() {
    let mut deep = layer("leaf", BODY, RED);
    for _ in 0..150 {
        deep = folder("f", vec![deep]);
    }
    check(vec![layer("body", BODY, RED), deep], "body [20 20 60 60] ff0000ff\n- too-deep");
}

#[test]
fn clipped_blends_are_painted_in() {
    // Backdrop 0x80 in every channel, source 0x40 0x80 0xc0: W3C compositing and Photoshop's own modes.
    let cases = [
        (Blend::Normal, "4080c0"),
        (Blend::Multiply, "204060"),
        (Blend::Screen, "a0c0e0"),
        (Blend::Overlay, "4081c1"),
        (Blend::HardLight, "4080c0"),
        (Blend::SoftLight, "60809b"),
        (Blend::Darken, "408080"),
        (Blend::Lighten, "8080c0"),
        (Blend::LinearDodge, "c0ffff"),
        (Blend::LinearBurn, "000141"),
        (Blend::ColorDodge, "abffff"),
        (Blend::ColorBurn, "000255"),
        (Blend::Difference, "400040"),
        (Blend::Exclusion, "80807f"),
        (Blend::Subtract, "400000"),
        (Blend::Luminosity, "747474"),
    ];
    for (blend, expected) in cases {
        let shade = Layer { blend, ..clipped(layer("shade", BODY, [0x40, 0x80, 0xc0, 255])) };
        let text = text(document(vec![layer("base", BODY, GREY), shade]), &Settings::default());
        let color = text.split_whitespace().nth(5).unwrap();
        for channel in 0..3 {
            let byte = |hex: &str| i32::from_str_radix(&hex[2 * channel..][..2], 16).unwrap();
            assert!((byte(color) - byte(expected)).abs() <= 2, "{blend:?}: {color}, expected {expected}");
        }
    }
}
