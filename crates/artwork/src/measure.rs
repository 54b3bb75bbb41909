//! Bounds, centroid, size and digest of an image.

use geom::{IntRect, Point};
use raster::Rgba;
use sha2::{Digest, Sha256};

use crate::components;

/// What is measured of one layer's pixels (RIG section 3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// Box of the pixels with alpha >= the threshold, canvas px.
    pub bounds: IntRect,
    /// Mean of their pixel indices, canvas px.
    pub centroid: Point,
    /// Their number.
    pub opaque_pixels: u64,
}

/// Measures the pixels with alpha >= `threshold` (at least 1) of an image lying at `rect`; `None` without any.
pub fn measure(image: &Rgba, rect: IntRect, threshold: u8) -> Option<Measure> {
    components::of_image(image, threshold).measure(rect)
}

/// Cuts an image to its pixels of alpha > 0 within `keep` (canvas px) and blackens the invisible ones, so that
/// equal-looking images are equal bytes. `None` when nothing is left.
pub fn trim(mut image: Rgba, rect: IntRect, keep: IntRect) -> Option<(Rgba, IntRect)> {
    let inside = rect.intersection(&keep)?;
    let inside = moved(inside, -rect.left, -rect.top);
    let mut tight = IntRect::default();
    for y in inside.top..inside.bottom {
        let row = &image.row(y as u32)[inside.left as usize * 4..inside.right as usize * 4];
        let pixels = row.as_chunks::<4>().0;
        let Some(first) = pixels.iter().position(|p| p[3] > 0) else { continue };
        let last = pixels.iter().rposition(|p| p[3] > 0).unwrap_or(first);
        let left = inside.left + first as i32;
        tight = tight.union(IntRect::new(left, y, inside.left + last as i32 + 1, y + 1));
    }
    if tight.is_empty() {
        return None;
    }
    if (tight.width(), tight.height()) != (image.width(), image.height()) {
        image = image.crop(tight);
    }
    for pixel in image.pixels_mut().as_chunks_mut::<4>().0 {
        if pixel[3] == 0 {
            *pixel = [0; 4];
        }
    }
    Some((image, moved(tight, rect.left, rect.top)))
}

/// SHA-256 over width and height (u32, little-endian) and the RGBA bytes, in hex.
pub fn content_digest(image: &Rgba) -> String {
    let mut hasher = Sha256::new();
    hasher.update(image.width().to_le_bytes());
    hasher.update(image.height().to_le_bytes());
    hasher.update(image.pixels());
    hex(&hasher.finalize())
}

/// Lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |n: u8| char::from(if n < 10 { b'0' + n } else { b'a' + n - 10 });
    bytes.iter().flat_map(|&b| [digit(b >> 4), digit(b & 15)]).collect()
}

/// A rectangle moved; coordinates saturate.
pub(crate) fn moved(r: IntRect, dx: i32, dy: i32) -> IntRect {
    IntRect::new(
        r.left.saturating_add(dx),
        r.top.saturating_add(dy),
        r.right.saturating_add(dx),
        r.bottom.saturating_add(dy),
    )
}
