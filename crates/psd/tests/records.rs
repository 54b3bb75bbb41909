//! What layer records may hold beside pixels, in files made by hand.

mod sample;

use geom::IntRect;
use psd::{Blend, Document, LayerKind};
use sample::by_hand::ByHand;
use sample::pixels;

/// A mask part, empty blending ranges, a Pascal name and tagged blocks.
fn extra(mask: &[u8], name: &[u8], blocks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut out = (mask.len() as u32).to_be_bytes().to_vec();
    out.extend(mask);
    out.extend([0; 4]);
    out.push(name.len() as u8);
    out.extend(name);
    out.resize(out.len().next_multiple_of(4), 0);
    for (key, body) in blocks {
        out.extend(b"8BIM");
        out.extend(*key);
        out.extend((body.len() as u32).to_be_bytes());
        out.extend(*body);
    }
    out
}

fn codes(document: &Document) -> Vec<&str> {
    document.notices.iter().map(|notice| notice.code).collect()
}

/// Reads a layer with these blocks and compares its notices.
fn check(blocks: &[(&[u8; 4], &[u8])], want: &[&str]) -> psd::Layer {
    let mut document = ByHand { extra: extra(&[], b"a", blocks), ..ByHand::default() }.read().unwrap();
    assert_eq!(codes(&document), want, "{blocks:?}");
    document.layers.remove(0)
}

#[test]
fn blocks_are_used_or_told() {
    assert_eq!(check(&[(b"lyid", &[0, 0, 1, 0])], &[]).id, Some(256));
    assert_eq!(check(&[(b"iOpa", &[9, 0, 0, 0])], &[]).fill, 9);
    assert_eq!(check(&[(b"luni", &[0, 0, 0, 1, 0x52, 0x4d])], &[]).name, "前");
    assert_eq!(check(&[(b"luni", &[0, 0])], &[]).name, "a");
    check(&[(b"lfx2", &[0; 8])], &["layer-style-ignored"]);
    check(&[(b"vmsk", &[0; 8])], &["vector-mask-ignored"]);
    check(&[(b"TySh", &[0; 8])], &["layer-rasterized"]);
    check(&[(b"SoLd", &[0; 8]), (b"lfx2", &[0])], &["layer-rasterized", "layer-style-ignored"]);
    check(&[(b"none", &[1, 2, 3, 4]), (b"lsct", &[0, 0, 0, 0])], &[]);
}

#[test]
fn a_folder_takes_its_own_blend_mode() {
    let body = b"\0\0\0\x018BIMpass";
    let folder = check(&[(b"lsct", body)], &["folder-unbalanced"]);
    assert_eq!((folder.blend, folder.kind), (Blend::PassThrough, LayerKind::Group(Vec::new())));
    assert_eq!(check(&[(b"lsdk", body)], &["folder-unbalanced"]).blend, Blend::PassThrough);
}

#[test]
fn layers_without_pixels_are_what_their_settings_say() {
    let kind = |key: &[u8; 4]| {
        let extra = extra(&[], b"a", &[(key, &[0; 4])]);
        let empty = (-1..3).map(|id| (id, vec![0, 0])).collect();
        let file = ByHand { extra, rect: [0; 4], channels: empty, ..ByHand::default() };
        let document = file.read().unwrap();
        (document.layers[0].kind.clone(), codes(&document).join(" "))
    };
    let told = "layer-effect-ignored".to_owned();
    assert_eq!(kind(b"levl"), (LayerKind::Effect("levels".into()), told.clone()));
    assert_eq!(kind(b"SoCo"), (LayerKind::Effect("solid color".into()), told.clone()));
    assert_eq!(kind(b"TySh"), (LayerKind::Effect("text".into()), told));
    assert_eq!(kind(b"none"), (pixels(IntRect::new(0, 0, 0, 0), |_, _| [0; 4]), String::new()));
}

/// Mask bytes: rectangle of 2 x 1 at (1, 0), value outside, flags, and what follows.
fn mask(outside: u8, flags: u8, rest: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = [0i32, 1, 1, 3].iter().flat_map(|edge| edge.to_be_bytes()).collect();
    out.extend([outside, flags]);
    out.extend(rest);
    out
}

/// Reads a layer with this mask part, channel -2 of 0 and 200, channel -3 of 10, 20 and 30.
fn check_mask(bytes: &[u8], want: Option<(&[u8], u8)>, notices: &[&str]) {
    let mut file = ByHand { extra: extra(bytes, b"", &[]), ..ByHand::default() };
    file.channels.extend([(-2, vec![0, 0, 0, 200]), (-3, vec![0, 0, 10, 20, 30])]);
    let document = file.read().unwrap();
    let got = document.layers[0].mask.as_ref().map(|mask| (mask.alpha.values(), mask.outside));
    assert_eq!(got, want, "{bytes:?}");
    assert_eq!(codes(&document), notices, "{bytes:?}");
}

#[test]
fn masks() {
    // The real user mask: flags, value outside, a rectangle of 3 x 1.
    let real: Vec<u8> =
        [0, 255].into_iter().chain([5i32, 5, 6, 8].iter().flat_map(|edge| edge.to_be_bytes())).collect();
    check_mask(&[], None, &[]);
    check_mask(&mask(255, 0, &[0, 0]), Some((&[0, 200], 255)), &[]);
    check_mask(&mask(0, 2, &[0, 0]), None, &["mask-disabled"]);
    check_mask(&mask(0, 1, &[0, 0]), Some((&[0, 200], 0)), &["mask-relative"]);
    check_mask(&mask(0, 8, &real), Some((&[0, 200], 0)), &["vector-mask-rendered"]);
    check_mask(
        &mask(0, 2 | 8, &real),
        Some((&[10, 20, 30], 255)),
        &["mask-disabled", "vector-mask-rendered"],
    );
    // Densities: of the user's mask, of the vector mask, of both; a feather.
    check_mask(&mask(0, 16, &[1, 128]), Some((&[127, 227], 127)), &[]);
    check_mask(&mask(0, 16 | 8, &[4, 0]), Some((&[255, 255], 255)), &["vector-mask-rendered"]);
    let both = ["mask-density-ignored", "vector-mask-rendered"];
    check_mask(&mask(0, 16 | 8, &[5, 9, 8]), Some((&[0, 200], 0)), &both);
    let feather: Vec<u8> = [2].into_iter().chain(2.5f64.to_be_bytes()).collect();
    check_mask(&mask(0, 16, &feather), Some((&[0, 200], 0)), &["mask-feather-ignored"]);
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
