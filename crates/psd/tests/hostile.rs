//! Broken and malicious files: a typed error or a document, never a panic, never much memory.

mod sample;

use geom::IntRect;
use psd::{ChannelFault, Compression, Error, Layer, LayerKind, Limits, WriteOptions};
use sample::by_hand::{ByHand, LIMITS};
use sample::{all_options, document, everything, layer, pixels};

fn fault(result: Result<psd::Document, Error>) -> (i16, ChannelFault) {
    match result {
        Err(Error::Channel { channel, fault, .. }) => (channel, fault),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_one_made_by_hand_is_good() {
    for psb in [false, true] {
        let document = ByHand { psb, ..ByHand::default() }.read().unwrap();
        let LayerKind::Pixels(own) = &document.layers[0].kind else { panic!() };
        assert_eq!(own.image.get(1, 1), [4; 4]);
    }
}

#[test]
fn cut_anywhere() {
    for options in all_options() {
        let bytes = psd::write(&everything(90), &options).unwrap();
        for end in (0..bytes.len()).step_by(1024) {
            let _ = psd::read(&bytes[..end], &LIMITS);
        }
    }
    let bytes = psd::write(&everything(12), &WriteOptions::default()).unwrap();
    for end in 0..bytes.len() {
        if let Ok(document) = psd::read(&bytes[..end], &LIMITS) {
            assert_eq!(document.layers.len(), 4, "cut at {end}");
        }
    }
}

#[test]
fn zip_bombs_are_not_inflated() {
    for word in [2u8, 3] {
        let mut bomb = vec![0, word];
        let mut encoder = flate2::write::ZlibEncoder::new(&mut bomb, flate2::Compression::fast());
        std::io::copy(&mut std::io::Read::take(std::io::repeat(0), 20 << 20), &mut encoder).unwrap();
        encoder.finish().unwrap();
        let file = ByHand { channels: vec![(0, bomb)], ..ByHand::default() };
        assert_eq!(fault(file.read()), (0, ChannelFault::Long));
    }
}

#[test]
fn sizes_no_file_can_hold() {
    let over = |file: ByHand| {
        let result = file.read();
        assert!(matches!(result, Err(Error::OverLimit { .. })), "{result:?}");
    };
    let default = ByHand::default;
    over(ByHand { psb: true, side: 300_000, count: 0, ..default() });
    over(ByHand { side: 300_001, ..default() });
    over(ByHand { side: u32::MAX, ..default() });
    over(ByHand { rect: [0, 0, 200_000, 200_000], ..default() });
    over(ByHand { rect: [i32::MIN, i32::MIN, i32::MAX, i32::MAX], ..default() });
    over(ByHand { count: i16::MIN, ..default() });
    // Within the limits, but the channels cannot fill it.
    let large = || ByHand { rect: [0, 0, 4000, 4000], ..ByHand::default() };
    assert_eq!(fault(large().read()).1, ChannelFault::Short);
    let mut rle = vec![0, 1];
    rle.resize(2 + 2 * 4000, 0);
    assert_eq!(fault(ByHand { channels: vec![(0, rle)], ..large() }.read()).1, ChannelFault::Row);
    assert_eq!(fault(ByHand { channels: vec![(0, vec![0, 2, 1])], ..large() }.read()).1, ChannelFault::Short);
    assert!(matches!(
        ByHand { count: 9000, ..default() }.read(),
        Err(Error::Truncated { .. } | Error::Damaged { .. })
    ));
    for length_error in [1, 1000, u32::MAX - 10] {
        assert!(ByHand { length_error, ..default() }.read().is_err());
        assert!(ByHand { length_error, psb: true, ..default() }.read().is_err());
    }
}

#[test]
fn ten_thousand_layers() {
    let dot = || layer("dot", pixels(IntRect::new(0, 0, 1, 1), |_, _| [1, 2, 3, 4]));
    let many = document(3, 3, (0..10_000).map(|_| dot()).collect());
    let bytes = psd::write(&many, &WriteOptions::default()).unwrap();
    assert_eq!(psd::read(&bytes, &LIMITS).unwrap().layers, many.layers);
    let few = Limits { max_layers: 9_999, ..LIMITS };
    assert!(matches!(psd::read(&bytes, &few), Err(Error::OverLimit { .. })));
}

#[test]
fn folders_in_folders_end_somewhere() {
    let nest = |depth: usize| {
        let folder =
            (0..depth).fold(Vec::<Layer>::new(), |inner, _| vec![layer("f", LayerKind::Group(inner))]);
        psd::read(&psd::write(&document(3, 3, folder), &WriteOptions::default()).unwrap(), &LIMITS)
    };
    assert!(nest(64).is_ok());
    assert!(matches!(nest(65), Err(Error::OverLimit { .. })));
}

#[test]
fn pixel_memory_is_counted_over_all_layers() {
    let bytes =
        psd::write(&everything(100), &WriteOptions { compression: Compression::Zip, ..Default::default() });
    let tight = Limits { max_pixel_bytes: 60_000, ..LIMITS };
    let result = psd::read(&bytes.unwrap(), &tight);
    assert!(matches!(result, Err(Error::OverLimit { .. })), "{result:?}");
}
