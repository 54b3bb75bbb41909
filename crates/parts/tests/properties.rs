//! Any layers cast without panic, to finite measures and unique ids, whatever they are called.

use std::sync::Arc;

use artwork::{Artwork, BlendMode, Layer, LayerId};
use geom::{IntRect, Rect};
use parts::{Group, Settings, cast, glob_matches, read_name};
use proptest::prelude::*;
use raster::Rgba;

fn name() -> impl Strategy<Value = String> {
    const WORDS: [&str; 14] = [
        "face",
        "eyewhite",
        "irides-l",
        "iris_r",
        "mouth",
        "目",
        "口開き",
        "hair",
        "arm",
        "Layer 3",
        "ribbon",
        "*閉じ",
        "glasses",
        "髪",
    ];
    prop_oneof![4 => proptest::sample::select(&WORDS[..]).prop_map(str::to_owned), 1 => ".{0,12}"]
}

/// A layer of up to three boxes.
fn layer() -> impl Strategy<Value = (String, Vec<String>, bool, Vec<IntRect>)> {
    let one = (-10i32..90, -10i32..90, 1i32..30, 1i32..30)
        .prop_map(|(x, y, w, h)| IntRect::new(x, y, x + w, y + h));
    let path = prop::collection::vec(name(), 0..2);
    (name(), path, prop::bool::weighted(0.8), prop::collection::vec(one, 1..4))
}

fn artwork_of(layers: Vec<(String, Vec<String>, bool, Vec<IntRect>)>) -> (Artwork, Vec<Arc<Rgba>>) {
    let mut out = Vec::new();
    let mut images = Vec::new();
    for (index, (name, path, visible, boxes)) in layers.into_iter().enumerate() {
        let rect = boxes.iter().fold(IntRect::default(), |all, b| all.union(*b));
        let mut image = Rgba::new(rect.width(), rect.height());
        for b in boxes {
            for y in b.top..b.bottom {
                for x in b.left..b.right {
                    image.set(i64::from(x - rect.left), i64::from(y - rect.top), [9, 9, 9, 255]);
                }
            }
        }
        let measure = artwork::measure(&image, rect, 8).unwrap();
        out.push(Layer {
            id: LayerId::new(format!("{index}")),
            name,
            path,
            rect,
            bounds: measure.bounds,
            centroid: measure.centroid,
            opaque_pixels: measure.opaque_pixels,
            opacity: 1.0,
            blend: BlendMode::Normal,
            visible,
            clip_to: (index % 5 == 4).then(|| LayerId::new(format!("{}", index - 1))),
            variant: None,
            content: artwork::content_digest(&image),
        });
        images.push(Arc::new(image));
    }
    (Artwork { width: 100, height: 100, layers: out, notes: Vec::new() }, images)
}

fn sound(r: Rect) -> bool {
    [r.left, r.top, r.right, r.bottom].iter().all(|v| v.is_finite()) && r.width() > 0.0 && r.height() > 0.0
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_layers_cast(layers in prop::collection::vec(layer(), 0..12)) {
        let (artwork, images) = artwork_of(layers);
        let Ok((cast, images)) = cast(&artwork, &images, &Settings::default()) else {
            prop_assert!(!artwork.layers.iter().any(|l| l.visible));
            return Ok(());
        };
        prop_assert_eq!(cast.members.len(), images.len());
        let ids: std::collections::BTreeSet<&str> = cast.members.iter().map(|m| m.id.as_str()).collect();
        prop_assert_eq!(ids.len(), cast.members.len());
        for (member, image) in cast.members.iter().zip(&images) {
            prop_assert_eq!((member.rect.width(), member.rect.height()), (image.width(), image.height()));
            prop_assert!(member.group != Group::Unknown && sound(member.bounds));
            prop_assert!((0.0..=1.0).contains(&member.confidence));
            if let Some(base) = &member.clip_to {
                prop_assert!(ids.contains(base.as_str()) && *base != member.id);
            }
        }
        // Every opaque pixel of a layer is in exactly one of its members.
        for layer in &artwork.layers {
            let pieces = cast.members.iter().filter(|m| m.layer == layer.id);
            prop_assert_eq!(pieces.map(|m| m.opaque_pixels).sum::<u64>(), layer.opaque_pixels);
        }
        let a = &cast.anchors;
        for r in [a.character, a.face, a.face_raw, a.body, cast.frames.character, cast.frames.head, cast.frames.face, cast.face.face] {
            prop_assert!(sound(r), "{:?}", r);
        }
        prop_assert!(cast.tilt.degrees.abs() <= 45.0 && cast.face.center.is_finite());
        prop_assert!(cast.face.radius_x >= 1.0 && cast.face.radius_y >= 1.0);
    }

    #[test]
    fn any_name_is_read(path in prop::collection::vec(".{0,9}", 0..3), name in ".{0,40}") {
        let reading = read_name(&path, &name);
        prop_assert!((0.0..=1.0).contains(&reading.confidence));
        prop_assert!(glob_matches("*", &name) && glob_matches(&name.replace(['*', '?'], "x"), &name.replace(['*', '?'], "x")));
    }
}
