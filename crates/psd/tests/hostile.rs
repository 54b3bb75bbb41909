//! Broken and malicious files: a typed error or a document, never a panic, never much memory.

mod sample;

use geom::IntRect;
use psd::{ChannelFault, Compression, Error, Layer, LayerKind, Limits, WriteOptions};
use sample::{all_options, document, everything, layer, pixels};

const LIMITS: Limits =
    Limits { max_side: 300_000, max_layers: 16_384, max_depth: 64, max_pixel_bytes: 1 << 26 };

/// A file of one layer, made by hand.
struct ByHand {
    psb: bool,
    side: u32,
    count: i16,
    rect: [i32; 4],
    channels: Vec<(i16, Vec<u8>)>,
    /// Added to each channel's stated length.
    length_error: u32,
    extra: Vec<u8>,
}

impl Default for ByHand {
    fn default() -> Self {
        let opaque = vec![0, 0, 1, 2, 3, 4];
        Self {
            psb: false,
            side: 2,
            count: 1,
            rect: [0, 0, 2, 2],
            channels: (-1..3).map(|id| (id, opaque.clone())).collect(),
            length_error: 0,
            extra: vec![0; 12],
        }
    }
}

impl ByHand {
    fn length(&self, out: &mut Vec<u8>, length: usize) {
        if self.psb {
            out.extend((length as u64).to_be_bytes());
        } else {
            out.extend((length as u32).to_be_bytes());
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut info = self.count.to_be_bytes().to_vec();
        info.extend(self.rect.iter().flat_map(|edge| edge.to_be_bytes()));
        info.extend((self.channels.len() as u16).to_be_bytes());
        for (id, data) in &self.channels {
            info.extend(id.to_be_bytes());
            self.length(&mut info, data.len() + self.length_error as usize);
        }
        info.extend(b"8BIMnorm\xff\0\0\0");
        info.extend((self.extra.len() as u32).to_be_bytes());
        info.extend(&self.extra);
        info.extend(self.channels.iter().flat_map(|(_, data)| data));

        let mut out = b"8BPS\0".to_vec();
        out.push(if self.psb { 2 } else { 1 });
        out.extend([0, 0, 0, 0, 0, 0, 0, 3]);
        out.extend(self.side.to_be_bytes());
        out.extend(self.side.to_be_bytes());
        out.extend([0, 8, 0, 3]);
        out.extend([0; 8]);
        self.length(&mut out, info.len() + if self.psb { 8 } else { 4 });
        self.length(&mut out, info.len());
        out.extend(info);
        out.extend([0; 14]);
        out
    }

    fn read(&self) -> Result<psd::Document, Error> {
        psd::read(&self.bytes(), &LIMITS)
    }
}

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
fn odd_layers_are_read() {
    let kind = |file: ByHand| file.read().unwrap().layers.remove(0).kind;
    // No alpha channel: opaque in its rectangle.
    let opaque =
        ByHand { channels: (0..3).map(|id| (id, vec![0, 0, 9, 9, 9, 9])).collect(), ..ByHand::default() };
    assert_eq!(kind(opaque), pixels(IntRect::new(0, 0, 2, 2), |_, _| [9, 9, 9, 255]));
    // Upside down: empty.
    let LayerKind::Pixels(own) = kind(ByHand { rect: [5, 5, 2, 2], ..ByHand::default() }) else { panic!() };
    assert!(own.rect.is_empty() && own.image.pixels().is_empty());
    // Unknown channel ids are passed over, with a notice.
    let mut extra = ByHand::default();
    extra.channels.push((17, vec![1, 2, 3]));
    let document = extra.read().unwrap();
    assert_eq!(document.notices.iter().map(|n| n.code).collect::<Vec<_>>(), ["channel-ignored"]);
    assert_eq!(document.notices[0].path, [""]);
}

#[test]
fn odd_tagged_blocks_are_tolerated() {
    let mut extra = vec![0; 12];
    for (block, padding) in
        [("8BIMshmd\0\0\0\x03abc", 0), ("8BIMlspf\0\0\0\x01a", 3), ("8BIMlyid\0\0\0\x04\0\0\0\x2a", 0)]
    {
        extra.extend(block.bytes());
        extra.extend(vec![0; padding]);
    }
    let document = ByHand { extra, ..ByHand::default() }.read().unwrap();
    assert_eq!(document.layers[0].id, Some(42));
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
fn unbalanced_folders_are_told() {
    for word in [1u8, 3] {
        let mut extra = vec![0; 12];
        extra.extend(b"8BIMlsct\0\0\0\x04\0\0\0");
        extra.push(word);
        let document = ByHand { extra, ..ByHand::default() }.read().unwrap();
        assert_eq!(document.notices[0].code, "folder-unbalanced");
        assert_eq!(document.layers.len(), usize::from(word == 1));
    }
}

#[test]
fn pixel_memory_is_counted_over_all_layers() {
    let bytes =
        psd::write(&everything(100), &WriteOptions { compression: Compression::Zip, ..Default::default() });
    let tight = Limits { max_pixel_bytes: 60_000, ..LIMITS };
    let result = psd::read(&bytes.unwrap(), &tight);
    assert!(matches!(result, Err(Error::OverLimit { .. })), "{result:?}");
}
