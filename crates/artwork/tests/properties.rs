//! Any tree cleans without panic, to unique ids, the same bytes on any number of threads.

use artwork::{Settings, clean};
use geom::IntRect;
use proptest::prelude::*;
use psd::{Blend, ColorMode, Document, Layer, LayerKind, Mask, Pixels};
use raster::{Alpha, Rgba};

fn rect() -> impl Strategy<Value = IntRect> {
    (-30i32..60, -30i32..60, 0i32..20, 0i32..20).prop_map(|(x, y, w, h)| IntRect::new(x, y, x + w, y + h))
}

fn mask() -> impl Strategy<Value = Option<Mask>> {
    proptest::option::weighted(
        0.2,
        (rect(), any::<u8>(), prop_oneof![Just(0u8), Just(255)]).prop_map(|(rect, value, outside)| {
            let values = vec![value; rect.area() as usize];
            Mask { rect, alpha: Alpha::from_values(rect.width(), rect.height(), values).unwrap(), outside }
        }),
    )
}

fn kind() -> impl Strategy<Value = LayerKind> {
    (rect(), any::<[u8; 4]>(), 1u8..9).prop_map(|(rect, color, gap)| {
        let mut image = Rgba::new(rect.width(), rect.height());
        for (i, pixel) in image.pixels_mut().chunks_exact_mut(4).enumerate() {
            if i % gap as usize == 0 {
                pixel.copy_from_slice(&color);
            }
        }
        LayerKind::Pixels(Pixels { rect, image })
    })
}

fn layer(kind: impl Strategy<Value = LayerKind>) -> impl Strategy<Value = Layer> {
    let name = prop_oneof![
        Just("eye".to_owned()),
        Just("*a".into()),
        Just("!b".into()),
        Just("shadow".into()),
        ".{0,6}"
    ];
    let blend = prop_oneof![
        Just(Blend::Normal),
        Just(Blend::PassThrough),
        Just(Blend::Overlay),
        Just(Blend::Hue),
        Just(Blend::Unknown(*b"wild"))
    ];
    let flags =
        (any::<u8>(), prop::bool::weighted(0.8), prop::bool::weighted(0.3), proptest::option::of(0u32..4));
    (name, kind, blend, mask(), flags).prop_map(
        |(name, kind, blend, mask, (opacity, visible, clipping, id))| Layer {
            id,
            name,
            visible,
            opacity,
            fill: 255,
            blend,
            clipping,
            mask,
            kind,
        },
    )
}

fn tree() -> impl Strategy<Value = Vec<Layer>> {
    let leaf = layer(kind());
    let inner = leaf.prop_recursive(3, 20, 5, |inner| {
        layer(prop::collection::vec(inner, 0..5).prop_map(LayerKind::Group))
    });
    prop::collection::vec(inner, 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_tree_cleans(layers in tree()) {
        let document = Document { width: 40, height: 40, mode: ColorMode::Rgb, depth: 8, layers, notices: vec![] };
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| clean(document.clone(), &Settings::default()))
        };
        let (one, three) = (on(1), on(3));
        prop_assert_eq!(&one, &three);
        let Ok((artwork, images)) = one else { return Ok(()) };
        let mut ids: Vec<&str> = artwork.layers.iter().map(|l| l.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len(), artwork.layers.len());
        for (layer, image) in artwork.layers.iter().zip(&images) {
            prop_assert_eq!((layer.rect.width(), layer.rect.height()), (image.width(), image.height()));
            prop_assert_eq!(image.opaque_bounds(1), Some(IntRect::new(0, 0, image.width() as i32, image.height() as i32)));
            prop_assert_eq!(layer.bounds.intersection(&layer.rect), Some(layer.bounds));
            prop_assert!((0.0..=1.0).contains(&layer.opacity) && layer.id.as_str().len() <= 110);
            if let Some(base) = &layer.clip_to {
                prop_assert!(artwork.layers.iter().any(|l| l.id == *base && l.id != layer.id));
            }
        }
    }
}
