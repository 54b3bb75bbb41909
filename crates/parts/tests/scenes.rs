//! Hand-made scenes: splitting, sides, places, folders, odd figures, overrides. As text: `id -> tag side group`.

use std::fmt::Write;
use std::sync::Arc;

use artwork::Artwork;
use geom::IntRect;
use parts::{Cast, LayerOverride, Settings, Side, cast};
use psd::{Blend, ColorMode, Document, Layer, LayerKind, Pixels};
use raster::Rgba;

type Rect = [i32; 4];

/// A layer that fills some boxes; `folder/name` gives folders, a leading `-` hides.
struct Drawn(&'static str, &'static [Rect]);

fn clean(drawn: &[Drawn]) -> (Artwork, Vec<Arc<Rgba>>) {
    let layers = drawn.iter().map(|Drawn(name, boxes)| tree(name, boxes)).collect();
    let document =
        Document { width: 200, height: 300, mode: ColorMode::Rgb, depth: 8, layers, notices: vec![] };
    artwork::clean(document, &artwork::Settings::default()).unwrap()
}

fn tree(name: &str, boxes: &[Rect]) -> Layer {
    let (name, visible) = name.strip_prefix('-').map_or((name, true), |name| (name, false));
    let (folder, rest) = name.split_once('/').map_or((None, name), |(folder, rest)| (Some(folder), rest));
    let base = |name: &str, visible, kind| Layer {
        id: None,
        name: name.into(),
        visible,
        opacity: 255,
        fill: 255,
        blend: Blend::Normal,
        clipping: false,
        mask: None,
        kind,
    };
    if let Some(folder) = folder {
        let inner = if visible { rest.to_owned() } else { format!("-{rest}") };
        return base(folder, true, LayerKind::Group(vec![tree(&inner, boxes)]));
    }
    let rects = boxes.iter().map(|&[l, t, r, b]| IntRect::new(l, t, r, b));
    let rect = rects.clone().reduce(|a, b| a.union(b)).unwrap();
    let mut image = Rgba::new(rect.width(), rect.height());
    for r in rects {
        for y in r.top..r.bottom {
            for x in r.left..r.right {
                image.set(i64::from(x - rect.left), i64::from(y - rect.top), [200, 100, 50, 255]);
            }
        }
    }
    base(rest, visible, LayerKind::Pixels(Pixels { rect, image }))
}

fn text(cast: &Cast) -> String {
    let mut out = String::new();
    for m in &cast.members {
        let side = m.side.map_or('-', Side::letter);
        write!(out, "{} -> {} {side} {:?}", m.id, m.tag.name(), m.group).unwrap();
        if !m.visible {
            out.push_str(" hidden");
        }
        if let Some(base) = &m.clip_to {
            write!(out, " clip={base}").unwrap();
        }
        out.push('\n');
    }
    let quiet =
        ["split", "side-by-place", "part-by-place", "detail-by-place", "ornament-by-place", "whole-eye"];
    for note in cast.notes.iter().filter(|note| !quiet.contains(&note.code.as_str())) {
        writeln!(out, "- {}", note.code).unwrap();
    }
    out
}

#[track_caller]
fn check_with(settings: &Settings, drawn: &[Drawn], expected: &str) {
    let (artwork, images) = clean(drawn);
    let (cast, images) = cast(&artwork, &images, settings).unwrap();
    assert_eq!(images.len(), cast.members.len());
    let expected: String = expected.trim().lines().map(|line| format!("{}\n", line.trim())).collect();
    assert_eq!(text(&cast), expected);
}

#[track_caller]
fn check(drawn: &[Drawn], expected: &str) {
    check_with(&Settings::default(), drawn, expected);
}

const FACE: Drawn = Drawn("face", &[[60, 40, 140, 120]]);
const BODY: Drawn = Drawn("body", &[[50, 130, 150, 290]]);
const MOUTH: Drawn = Drawn("mouth", &[[90, 100, 110, 106]]);
const EYES: Drawn = Drawn("eyewhite", &[[70, 70, 90, 80], [110, 70, 130, 80]]);

#[test]
fn pairs_split_where_they_separate() {
    check(
        &[
            BODY,
            Drawn("handwear", &[[20, 130, 45, 200], [155, 130, 180, 200]]),
            Drawn("legwear", &[[60, 200, 140, 290]]),
            FACE,
            Drawn("eyewhite", &[[70, 70, 90, 80], [110, 70, 130, 80]]),
            // Bands, a crease and a lower lash each; a speck by the right one.
            Drawn(
                "eyelash",
                &[
                    [68, 64, 92, 68],
                    [70, 60, 88, 61],
                    [72, 84, 80, 85],
                    [108, 64, 132, 68],
                    [110, 60, 128, 61],
                    [95, 66, 96, 67],
                ],
            ),
            Drawn("eyebrow", &[[70, 55, 130, 58]]),
            Drawn("irides", &[[76, 70, 84, 80]]),
            MOUTH,
        ],
        "body -> topwear - Body
         handwear:l -> handwear L Body
         handwear:r -> handwear R Body
         legwear -> legwear - Body
         face -> face - Head
         eyewhite:l -> eyewhite L Head
         eyewhite:r -> eyewhite R Head
         eyelash:l -> eyelash L Head
         eyelash:r -> eyelash R Head
         eyebrow -> eyebrow - Head
         irides -> irides R Head
         mouth -> mouth - Head
         - pair-not-split",
    );
}

#[test]
fn halves_hold_all_pixels_once() {
    let (artwork, images) = clean(&[FACE, BODY, EYES, MOUTH]);
    let (cast, halves) = cast(&artwork, &images, &Settings::default()).unwrap();
    let whole = artwork.layers.iter().find(|l| l.name == "eyewhite").unwrap();
    let pieces: Vec<_> = cast.members.iter().filter(|m| m.layer == whole.id).collect();
    assert_eq!(pieces.iter().map(|m| m.opaque_pixels).sum::<u64>(), whole.opaque_pixels);
    assert_eq!(pieces[0].rect, IntRect::new(110, 70, 130, 80));
    assert_eq!(pieces[1].rect, IntRect::new(70, 70, 90, 80));
    let image = &halves[cast.members.iter().position(|m| m.id == "eyewhite:l").unwrap()];
    assert_eq!((image.width(), image.height()), (20, 10));
}

#[test]
fn viewers_sides_are_turned() {
    check(
        &[
            BODY,
            Drawn("arm_L", &[[20, 130, 45, 200]]),
            Drawn("arm_R", &[[155, 130, 180, 200]]),
            FACE,
            Drawn("eye_L", &[[70, 70, 90, 80]]),
            Drawn("eye_R", &[[110, 70, 130, 80]]),
            MOUTH,
        ],
        "body -> topwear - Body
         arm_L -> handwear R Body
         arm_R -> handwear L Body
         face -> face - Head
         eye_L -> eyewhite R Head
         eye_R -> eyewhite L Head
         mouth -> mouth - Head
         - viewer-sides",
    );
}

#[test]
fn unknown_layers_find_their_place() {
    check(
        &[
            Drawn("hair", &[[40, 20, 160, 150]]),
            BODY,
            Drawn("Layer 7", &[[80, 160, 90, 170]]),
            Drawn("Layer 8", &[[5, 250, 30, 290]]),
            FACE,
            EYES,
            MOUTH,
            Drawn("Layer 9", &[[70, 90, 80, 95]]),
            Drawn("bangs", &[[55, 30, 145, 60]]),
            Drawn("ribbon", &[[130, 20, 150, 35]]),
            Drawn("bow", &[[92, 128, 108, 140]]),
            Drawn("glasses", &[[65, 68, 135, 82]]),
            Drawn("eye emblem", &[[90, 240, 110, 250]]),
            Drawn("Layer 10", &[[10, 10, 30, 20]]),
        ],
        "hair -> back hair - Head
         body -> topwear - Body
         Layer 7 -> topwear - Body
         Layer 8 -> unknown - Body
         face -> face - Head
         eyewhite:l -> eyewhite L Head
         eyewhite:r -> eyewhite R Head
         mouth -> mouth - Head
         Layer 9 -> facedetail - Head
         bangs -> front hair - Head
         ribbon -> headwear - Head
         bow -> neckwear - Body
         glasses -> eyewear - Head
         eye emblem -> objects - Extra
         Layer 10 -> unknown - Head
         - hair-by-place
         - far-from-face",
    );
}

#[test]
fn folders_and_alternatives() {
    check(
        &[
            BODY,
            FACE,
            Drawn("目/*開き", &[[70, 70, 90, 80], [110, 70, 130, 80]]),
            Drawn("-目/*閉じ", &[[70, 76, 90, 78], [110, 76, 130, 78]]),
            Drawn("口/*閉じ", &[[90, 100, 110, 102]]),
            Drawn("-口/*開き", &[[90, 98, 110, 108]]),
        ],
        "body -> topwear - Body
         face -> face - Head
         目/*開き:l -> eyewhite L Head
         目/*開き:r -> eyewhite R Head
         目/*閉じ:l -> eye_close L Head hidden
         目/*閉じ:r -> eye_close R Head hidden
         口/*閉じ -> mouth_close - Head
         口/*開き -> mouth_open - Head hidden",
    );
}

#[test]
fn figures_of_other_kinds() {
    check(
        &[Drawn("Layer 1", &[[50, 50, 150, 250]]), Drawn("Layer 2", &[[60, 60, 80, 80]])],
        "Layer 1 -> unknown - Body
         Layer 2 -> unknown - Head
         - few-layers
         - no-face
         - no-eyes
         - no-mouth",
    );
    // Two persons: the larger face is the character's.
    check(
        &[
            BODY,
            Drawn("face", &[[20, 40, 80, 100]]),
            Drawn("mouth", &[[45, 85, 55, 90]]),
            Drawn("eye_l", &[[55, 60, 65, 66]]),
            Drawn("head", &[[130, 50, 180, 100]]),
            Drawn("mouth", &[[150, 90, 160, 94]]),
            Drawn("eye_l", &[[160, 65, 168, 70]]),
        ],
        "body -> topwear - Body
         face -> face - Head
         mouth -> mouth - Head
         eye_l -> eyewhite L Head
         head -> unknown - Body
         mouth#2 -> unknown - Body
         eye_l#2 -> unknown L Body
         - several-faces
         - duplicate-names",
    );
}

#[test]
fn overrides_win() {
    let layers = [
        ("Layer *", LayerOverride { tag: Some("front hair".into()), ..LayerOverride::default() }),
        (
            "Layer 2",
            LayerOverride {
                tag: Some("尻尾".into()),
                parent: Some("head".into()),
                ..LayerOverride::default()
            },
        ),
        ("eyewhite", LayerOverride { split: Some(false), visible: Some(false), ..LayerOverride::default() }),
        (
            "mouth",
            LayerOverride { tag: Some("snout?".into()), side: Some("up".into()), ..LayerOverride::default() },
        ),
        ("nobody", LayerOverride::default()),
    ];
    let layers = layers.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    check_with(
        &Settings { layers, ..Settings::default() },
        &[
            BODY,
            Drawn("Layer 2", &[[150, 200, 190, 250]]),
            FACE,
            EYES,
            MOUTH,
            Drawn("Layer 3", &[[60, 30, 140, 60]]),
        ],
        "body -> topwear - Body
         Layer 2 -> tail - Head
         face -> face - Head
         eyewhite -> eyewhite - Head hidden
         mouth -> mouth - Head
         Layer 3 -> front hair - Head
         - override-unknown
         - override-unknown
         - override-unused",
    );
}

#[test]
fn ids_and_tags_do_not_depend_on_the_stack_order_of_namesakes() {
    let of = |drawn: &[Drawn]| {
        let (artwork, images) = clean(drawn);
        let (cast, _) = cast(&artwork, &images, &Settings::default()).unwrap();
        let mut rows: Vec<_> =
            (cast.members.iter()).map(|m| (m.id.clone(), m.tag, m.side, m.rect.left)).collect();
        rows.sort();
        rows
    };
    let eye_r = || Drawn("eye", &[[70, 70, 90, 80]]);
    let eye_l = || Drawn("eye", &[[110, 70, 130, 80]]);
    assert_eq!(of(&[BODY, FACE, eye_r(), eye_l(), MOUTH]), of(&[BODY, FACE, MOUTH, eye_l(), eye_r()]));
}

#[test]
fn a_tilted_head_is_measured_and_levelled() {
    let (artwork, images) = clean(&[
        BODY,
        FACE,
        Drawn("eyewhite", &[[70, 64, 90, 74], [110, 70, 130, 80]]),
        Drawn("eyebrow", &[[70, 54, 90, 58], [110, 60, 130, 64]]),
        MOUTH,
    ]);
    let (cast, _) = cast(&artwork, &images, &Settings::default()).unwrap();
    let expected = geom::maths::atan2(6.0, 40.0).to_degrees();
    assert!((cast.tilt.degrees - expected).abs() < 1e-9, "{}", cast.tilt.degrees);
    let eyes: Vec<_> = cast.face.regions.eye.iter().map(|r| r.raw.center().y).collect();
    assert!((eyes[0] - eyes[1]).abs() < 0.01, "level in aligned space: {eyes:?}");
    let fixed = Settings { head_tilt: Some(0.0), ..Settings::default() };
    assert_eq!(parts::cast(&artwork, &images, &fixed).unwrap().0.tilt.degrees, 0.0);
}
