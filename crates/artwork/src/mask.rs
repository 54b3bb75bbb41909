//! Layer masks, multiplied into alpha once.

use geom::IntRect;
use psd::Mask;
use raster::Rgba;

/// What was found about a layer's own mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OwnMask {
    /// Multiplied in.
    Applied,
    /// It equals the alpha (written so by some segmentation tools): multiplying would square the soft edges.
    EqualsAlpha,
}

/// Applies a layer's own mask, unless its values are the alpha itself.
pub(crate) fn apply_own(image: &mut Rgba, rect: IntRect, mask: &Mask) -> OwnMask {
    if equals_alpha(image, rect, mask) {
        return OwnMask::EqualsAlpha;
    }
    apply(image, rect, mask);
    OwnMask::Applied
}

/// Multiplies a mask into the alpha of an image lying at `rect`.
pub(crate) fn apply(image: &mut Rgba, rect: IntRect, mask: &Mask) {
    let stride = image.width() as usize * 4;
    if stride == 0 {
        return;
    }
    for (y, row) in image.pixels_mut().chunks_exact_mut(stride).enumerate() {
        let values = MaskRow::new(mask, rect.top.saturating_add(y as i32), rect.left);
        for (x, pixel) in row.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            pixel[3] = multiply(pixel[3], values.at(x));
        }
    }
}

fn equals_alpha(image: &Rgba, rect: IntRect, mask: &Mask) -> bool {
    let mut soft = false;
    for y in 0..image.height() {
        let values = MaskRow::new(mask, rect.top.saturating_add(y as i32), rect.left);
        for (x, pixel) in image.row(y).as_chunks::<4>().0.iter().enumerate() {
            if pixel[3].abs_diff(values.at(x)) > 1 {
                return false;
            }
            soft |= pixel[3] > 0 && pixel[3] < 255;
        }
    }
    soft
}

/// One canvas row of a mask, indexed from an image's left edge.
struct MaskRow<'a> {
    values: &'a [u8],
    /// Image x minus mask x.
    shift: i64,
    outside: u8,
}

impl<'a> MaskRow<'a> {
    fn new(mask: &'a Mask, canvas_y: i32, image_left: i32) -> Self {
        let row = i64::from(canvas_y) - i64::from(mask.rect.top);
        let inside = row >= 0 && row < i64::from(mask.alpha.height());
        Self {
            values: if inside { mask.alpha.row(row as u32) } else { &[] },
            shift: i64::from(image_left) - i64::from(mask.rect.left),
            outside: mask.outside,
        }
    }

    fn at(&self, x: usize) -> u8 {
        let index = x as i64 + self.shift;
        usize::try_from(index).ok().and_then(|i| self.values.get(i)).copied().unwrap_or(self.outside)
    }
}

/// `a * b / 255`, rounded.
pub(crate) fn multiply(a: u8, b: u8) -> u8 {
    ((u32::from(a) * u32::from(b) + 127) / 255) as u8
}
