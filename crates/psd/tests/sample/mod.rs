//! Documents for tests.
#![allow(dead_code, reason = "every test takes what it needs")]

pub(crate) mod by_hand;

use geom::IntRect;
use psd::{Blend, ColorMode, Compression, Document, Layer, LayerKind, Mask, Pixels, WriteOptions};
use raster::{Alpha, Rgba};

/// Noise that is the same everywhere (xorshift).
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Below `limit`, which is not 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// A visible, normal, opaque layer.
pub(crate) fn layer(name: &str, kind: LayerKind) -> Layer {
    Layer {
        id: None,
        name: name.into(),
        visible: true,
        opacity: 255,
        fill: 255,
        blend: Blend::Normal,
        clipping: false,
        mask: None,
        kind,
    }
}

/// Pixels filled by a function of their canvas position.
pub(crate) fn pixels(rect: IntRect, color: impl Fn(i32, i32) -> [u8; 4]) -> LayerKind {
    let mut image = Rgba::new(rect.width(), rect.height());
    for y in rect.top..rect.bottom {
        for x in rect.left..rect.right {
            image.set(i64::from(x - rect.left), i64::from(y - rect.top), color(x, y));
        }
    }
    LayerKind::Pixels(Pixels { rect, image })
}

/// A document of 8-bit RGB.
pub(crate) fn document(width: u32, height: u32, layers: Vec<Layer>) -> Document {
    Document { width, height, mode: ColorMode::Rgb, depth: 8, layers, notices: Vec::new() }
}

/// Folders, a mask, clipping, an effect, an empty layer, pixels beyond the canvas: something of everything.
pub(crate) fn everything(size: i32) -> Document {
    let gradient = |x: i32, y: i32| [x as u8, y as u8, (x ^ y) as u8, (x + y) as u8];
    let mut masked = layer("顔", pixels(IntRect::new(2, 3, size, size), gradient));
    masked.mask = Some(Mask {
        rect: IntRect::new(4, 4, 9, 8),
        alpha: Alpha::from_values(5, 4, (0..20).map(|v| v * 12).collect()).unwrap(),
        outside: 255,
    });
    masked.id = Some(7);
    let mut clipped =
        layer("blush", pixels(IntRect::new(-5, -4, size / 2, size / 3), |_, _| [255, 0, 0, 128]));
    clipped.clipping = true;
    clipped.blend = Blend::Multiply;
    clipped.fill = 100;
    let mut folder = layer("folder", LayerKind::Group(vec![masked, clipped]));
    folder.blend = Blend::PassThrough;
    folder.opacity = 200;
    let mut hidden = layer("", LayerKind::Group(vec![folder, layer("none", LayerKind::Group(Vec::new()))]));
    hidden.visible = false;
    let empty = layer("empty", pixels(IntRect::new(3, 3, 3, 3), gradient));
    let effect = layer("effect", LayerKind::Effect("invert".into()));
    let below = layer("bg", pixels(IntRect::new(0, 0, size, size), |_, _| [9, 8, 7, 255]));
    document(size as u32, size as u32, vec![below, hidden, empty, effect])
}

/// Every way of writing.
pub(crate) fn all_options() -> Vec<WriteOptions> {
    let mut all = Vec::new();
    for compression in [Compression::Raw, Compression::Rle, Compression::Zip, Compression::ZipPrediction] {
        for psb in [false, true] {
            for depth in [8, 16, 32] {
                all.push(WriteOptions { compression, psb, depth });
            }
        }
    }
    all
}
