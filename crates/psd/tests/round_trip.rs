//! What is written reads back equal.

mod sample;

use geom::IntRect;
use proptest::collection::vec;
use proptest::prelude::*;
use psd::{
    Blend, ColorMode, Compression, Document, Error, Layer, LayerKind, Limits, Mask, Pixels, WriteOptions,
};
use raster::{Alpha, Rgba};
use sample::{all_options, document, everything, layer, pixels};

fn check(document: &Document, options: &WriteOptions) {
    let mut document = document.clone();
    document.depth = options.depth;
    let bytes = psd::write(&document, options).unwrap();
    let header = psd::probe(&bytes).unwrap();
    assert_eq!((header.width, header.height), (document.width, document.height));
    assert_eq!((header.psb, header.depth, header.mode), (options.psb, options.depth, document.mode));
    let mut got = psd::read(&bytes, &Limits::default()).unwrap();
    assert!(got.notices.iter().all(|n| n.code != "merged-image-damaged"), "{:?}", got.notices);
    got.notices.clear();
    document.notices.clear();
    assert_eq!(got, document, "{options:?}");
}

#[test]
fn everything_in_every_form() {
    for options in all_options() {
        check(&everything(40), &options);
    }
}

#[test]
fn threads_change_nothing() {
    let bytes = psd::write(&everything(200), &WriteOptions::default()).unwrap();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let read = pool.install(|| psd::read(&bytes, &Limits::default()).unwrap());
        (pool.install(|| psd::write(&read, &WriteOptions::default()).unwrap()), read)
    };
    assert_eq!(with(1), with(4));
    assert_eq!(with(1).0, bytes);
}

#[test]
fn wide_rows_and_long_names() {
    let name = "長い名前".repeat(60);
    let wide = layer(&name, pixels(IntRect::new(-7, 1, 2500, 3), |x, y| [(x / 9) as u8, y as u8, 0, 255]));
    for options in all_options() {
        check(&document(300, 4, vec![wide.clone()]), &options);
    }
}

fn arb_name() -> impl Strategy<Value = String> {
    vec(prop_oneof![prop::char::range(' ', '~'), prop::char::range('ぁ', '龠'), any::<char>()], 0..10)
        .prop_map(|chars| chars.into_iter().filter(|&c| c != '\0').collect())
}

fn arb_rect() -> impl Strategy<Value = IntRect> {
    (-20i32..40, -20i32..40, 0i32..12, 0i32..12).prop_map(|(x, y, w, h)| IntRect::new(x, y, x + w, y + h))
}

/// Bytes with runs in them, as many as asked for.
fn arb_bytes() -> impl Strategy<Value = Vec<u8>> {
    vec((any::<u8>(), 1usize..40), 1..30)
        .prop_map(|runs| runs.into_iter().flat_map(|(value, count)| vec![value; count]).collect())
}

fn fill(count: usize, bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().cycle().take(count).collect()
}

fn arb_mask() -> impl Strategy<Value = Option<Mask>> {
    let mask =
        (arb_rect(), arb_bytes(), prop_oneof![Just(0u8), Just(255)]).prop_map(|(rect, bytes, outside)| {
            let values = fill(rect.area() as usize, &bytes);
            let alpha = Alpha::from_values(rect.width(), rect.height(), values).unwrap();
            // A mask that shows everything reads as none.
            (!rect.is_empty() || outside == 0).then_some(Mask { rect, alpha, outside })
        });
    prop_oneof![2 => Just(None), 1 => mask]
}

fn arb_pixels() -> impl Strategy<Value = LayerKind> {
    (arb_rect(), arb_bytes()).prop_map(|(rect, bytes)| {
        let bytes = fill(rect.area() as usize * 4, &bytes);
        let image = Rgba::from_pixels(rect.width(), rect.height(), bytes).unwrap();
        LayerKind::Pixels(Pixels { rect, image })
    })
}

fn arb_blend() -> impl Strategy<Value = Blend> {
    let keys = [*b"pass", *b"norm", *b"mul ", *b"scrn", *b"lddg", *b"hue ", *b"fdiv", *b"zzzz"];
    prop::sample::select(keys.to_vec()).prop_map(Blend::from_key)
}

fn with_settings(kind: impl Strategy<Value = LayerKind>) -> impl Strategy<Value = Layer> {
    let numbers = (any::<Option<u32>>(), any::<u8>(), any::<u8>(), any::<bool>(), any::<bool>());
    (kind, arb_name(), numbers, arb_blend(), arb_mask()).prop_map(
        |(kind, name, (id, opacity, fill, visible, clipping), blend, mask)| Layer {
            id,
            name,
            visible,
            opacity,
            fill,
            blend,
            clipping,
            mask,
            kind,
        },
    )
}

fn arb_layer() -> impl Strategy<Value = Layer> {
    let effect = prop::sample::select(vec!["invert", "posterize", "threshold"])
        .prop_map(|kind| LayerKind::Effect(kind.into()));
    let leaf = with_settings(prop_oneof![8 => arb_pixels(), 1 => effect]);
    leaf.prop_recursive(4, 12, 4, |inner| with_settings(vec(inner, 0..4).prop_map(LayerKind::Group)))
}

fn arb_options() -> impl Strategy<Value = WriteOptions> {
    prop::sample::select(all_options())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn any_tree(
        layers in vec(arb_layer(), 1..5),
        (width, height) in (1u32..40, 1u32..40),
        options in arb_options(),
    ) {
        check(&document(width, height, layers), &options);
    }

    #[test]
    fn any_gray(kind in arb_pixels(), options in arb_options()) {
        let mut kind = kind;
        if let LayerKind::Pixels(own) = &mut kind {
            for pixel in own.image.pixels_mut().as_chunks_mut::<4>().0 {
                *pixel = [pixel[0], pixel[0], pixel[0], pixel[3]];
            }
        }
        let gray = Document { mode: ColorMode::Grayscale, ..document(9, 9, vec![layer("g", kind)]) };
        check(&gray, &options);
    }
}

/// The merged picture: what is left when the layers are cut out of the file.
fn merged(document: &Document, options: &WriteOptions) -> Rgba {
    let bytes = psd::write(document, options).unwrap();
    let at = 34 + u32::from_be_bytes(bytes[30..34].try_into().unwrap()) as usize;
    let (length, wide) = if options.psb {
        (u64::from_be_bytes(bytes[at..at + 8].try_into().unwrap()) as usize, 8)
    } else {
        (u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize, 4)
    };
    let mut flat = bytes[..at].to_vec();
    flat.resize(at + wide, 0);
    flat.extend(&bytes[at + wide + length..]);
    let read = psd::read(&flat, &Limits::default()).unwrap();
    assert_eq!(read.notices.iter().filter(|n| n.code == "no-layers").count(), 1);
    match &read.layers[0].kind {
        LayerKind::Pixels(own) => own.image.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_merged_picture_is_what_one_sees() {
    let all = IntRect::new(0, 0, 4, 1);
    let red = layer("red", pixels(IntRect::new(0, 0, 3, 1), |_, _| [255, 0, 0, 255]));
    let mut green = layer("green", pixels(IntRect::new(1, -1, 9, 5), |_, _| [0, 255, 0, 255]));
    green.clipping = true;
    green.opacity = 128;
    let mut hidden = layer("hidden", pixels(all, |_, _| [9; 4]));
    hidden.visible = false;
    let mut masked = layer("masked", pixels(all, |_, _| [0, 0, 255, 255]));
    masked.mask = Some(Mask {
        rect: IntRect::new(2, 0, 3, 1),
        alpha: Alpha::from_values(1, 1, vec![255]).unwrap(),
        outside: 0,
    });
    let art = document(4, 1, vec![red, green, hidden, masked]);
    for options in all_options() {
        let picture = merged(&art, &options);
        let want = [[255, 0, 0, 255], [127, 128, 0, 255], [0, 0, 255, 255]];
        for (x, want) in want.iter().enumerate() {
            assert_eq!(picture.get(x as i64, 0), *want, "{x} {options:?}");
        }
        assert_eq!(picture.get(3, 0)[3], 0);
    }
}

#[test]
fn half_transparent_pictures_survive_the_white_below() {
    let shade = layer(
        "shade",
        pixels(IntRect::new(0, 0, 2, 2), |x, _| [200, 100, 0, if x == 0 { 128 } else { 255 }]),
    );
    let picture = merged(&document(2, 2, vec![shade]), &WriteOptions::default());
    let [r, g, b, a] = picture.get(0, 1);
    assert!(r.abs_diff(200) <= 2 && g.abs_diff(100) <= 2 && b <= 2 && a == 128, "{r} {g} {b} {a}");
    assert_eq!(picture.get(1, 1), [200, 100, 0, 255]);
}

#[test]
fn what_cannot_be_written_is_refused() {
    let refused = |document: &Document, options: WriteOptions| {
        let result = psd::write(document, &options);
        assert!(matches!(result, Err(Error::Unwritable { .. })), "{result:?}");
    };
    let plain = || layer("a", pixels(IntRect::new(0, 0, 2, 2), |_, _| [1; 4]));
    let default = WriteOptions::default;
    refused(&document(0, 1, vec![plain()]), default());
    refused(&document(30_001, 1, vec![plain()]), default());
    refused(&document(4, 4, vec![plain()]), WriteOptions { depth: 4, ..default() });
    refused(&Document { mode: ColorMode::Cmyk, ..document(4, 4, vec![plain()]) }, default());
    refused(&document(4, 4, vec![layer("l", LayerKind::Effect("levels".into()))]), default());
    let small = Pixels { rect: IntRect::new(0, 0, 3, 3), image: Rgba::new(2, 2) };
    refused(&document(4, 4, vec![layer("l", LayerKind::Pixels(small))]), default());
    check(&document(30_001, 1, vec![plain()]), &WriteOptions { psb: true, ..default() });
    check(&document(4, 4, vec![plain()]), &WriteOptions { compression: Compression::Raw, ..default() });
}
