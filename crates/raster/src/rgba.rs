//! An RGBA image of 8 bits per channel.

use geom::IntRect;

use crate::Alpha;

/// Straight (not premultiplied) RGBA, rows top to bottom, four bytes a pixel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rgba {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

impl Rgba {
    /// A fully transparent black image.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, pixels: vec![0; width as usize * height as usize * 4] }
    }
    /// From its bytes; `None` when their number is not `width * height * 4`.
    pub fn from_pixels(width: u32, height: u32, pixels: Vec<u8>) -> Option<Self> {
        (pixels.len() as u128 == u128::from(width) * u128::from(height) * 4).then_some(Self {
            width,
            height,
            pixels,
        })
    }
    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }
    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }
    /// All bytes, row by row.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }
    /// All bytes, row by row.
    pub fn pixels_mut(&mut self) -> &mut [u8] {
        &mut self.pixels
    }
    /// The bytes, consuming the image.
    pub fn into_pixels(self) -> Vec<u8> {
        self.pixels
    }
    /// The pixel at `(x, y)`; transparent black outside.
    pub fn get(&self, x: i64, y: i64) -> [u8; 4] {
        if x < 0 || y < 0 || x >= i64::from(self.width) || y >= i64::from(self.height) {
            return [0; 4];
        }
        let i = (y as usize * self.width as usize + x as usize) * 4;
        [self.pixels[i], self.pixels[i + 1], self.pixels[i + 2], self.pixels[i + 3]]
    }
    /// Sets the pixel at `(x, y)`; does nothing outside.
    pub fn set(&mut self, x: i64, y: i64, value: [u8; 4]) {
        if x < 0 || y < 0 || x >= i64::from(self.width) || y >= i64::from(self.height) {
            return;
        }
        let i = (y as usize * self.width as usize + x as usize) * 4;
        self.pixels[i..i + 4].copy_from_slice(&value);
    }
    /// One row's bytes. Panics when `y` is outside.
    pub fn row(&self, y: u32) -> &[u8] {
        let n = self.width as usize * 4;
        &self.pixels[y as usize * n..][..n]
    }
    /// The alpha channel.
    pub fn alpha(&self) -> Alpha {
        let values = self.pixels.as_chunks::<4>().0.iter().map(|pixel| pixel[3]).collect();
        Alpha::from_values(self.width, self.height, values).expect("one value per pixel")
    }
    /// Smallest rectangle (image coordinates) of the pixels with `alpha >= threshold`; `None` without any.
    pub fn opaque_bounds(&self, threshold: u8) -> Option<IntRect> {
        self.alpha().bounds(threshold)
    }
    /// The part inside `rect` (image coordinates); what lies outside the image is transparent.
    pub fn crop(&self, rect: IntRect) -> Self {
        let mut out = Self::new(rect.width(), rect.height());
        let all = IntRect::new(0, 0, self.width as i32, self.height as i32);
        let Some(common) = rect.intersection(&all) else { return out };
        let n = common.width() as usize * 4;
        for y in common.top..common.bottom {
            let src = (y as usize * self.width as usize + common.left as usize) * 4;
            let row = (y - rect.top) as usize * out.width as usize;
            let dst = (row + (common.left - rect.left) as usize) * 4;
            out.pixels[dst..dst + n].copy_from_slice(&self.pixels[src..src + n]);
        }
        out
    }
    /// Area-averaged (bilinear when enlarging) copy of another size, weighted by alpha: deterministic, integer sums.
    pub fn resample(&self, width: u32, height: u32) -> Self {
        crate::rgba::resample::area(self, width, height)
    }
}

mod resample {
    //! Exact area averaging with premultiplied weights.

    use super::Rgba;

    /// Fixed-point weight of one source pixel in one target pixel.
    const ONE: u64 = 1 << 16;

    /// Every target pixel's source span along one axis: `(first, weights)` with weights in 1/65536 of a source pixel.
    fn spans(src: u32, dst: u32) -> Vec<(usize, Vec<u64>)> {
        (0..u64::from(dst))
            .map(|i| {
                let (lo, hi) = if dst >= src {
                    let c = (2 * i + 1) * u64::from(src) * ONE / (2 * u64::from(dst));
                    (c.saturating_sub(ONE / 2), (c + ONE / 2).min(u64::from(src) * ONE))
                } else {
                    (
                        i * u64::from(src) * ONE / u64::from(dst),
                        (i + 1) * u64::from(src) * ONE / u64::from(dst),
                    )
                };
                let first = (lo / ONE) as usize;
                let last = (((hi - 1) / ONE) as usize).min(src as usize - 1);
                let weights = (first..=last)
                    .map(|k| (hi.min((k as u64 + 1) * ONE)).saturating_sub(lo.max(k as u64 * ONE)))
                    .collect();
                (first, weights)
            })
            .collect()
    }

    pub(super) fn area(image: &Rgba, width: u32, height: u32) -> Rgba {
        let mut out = Rgba::new(width, height);
        if image.width == 0 || image.height == 0 || width == 0 || height == 0 {
            return out;
        }
        if (width, height) == (image.width, image.height) {
            return image.clone();
        }
        let (xs, ys) = (spans(image.width, width), spans(image.height, height));
        let stride = image.width as usize * 4;
        for (y, (y0, wy)) in ys.iter().enumerate() {
            for (x, (x0, wx)) in xs.iter().enumerate() {
                let (mut sum, mut total) = ([0u128; 4], 0u128);
                for (j, &vy) in wy.iter().enumerate() {
                    for (i, &vx) in wx.iter().enumerate() {
                        let p = &image.pixels[(y0 + j) * stride + (x0 + i) * 4..][..4];
                        let w = u128::from(vx) * u128::from(vy);
                        let wa = w * u128::from(p[3]);
                        for c in 0..3 {
                            sum[c] += wa * u128::from(p[c]);
                        }
                        sum[3] += wa;
                        total += w;
                    }
                }
                let d = (y * width as usize + x) * 4;
                for c in 0..3 {
                    out.pixels[d + c] = (sum[c] + sum[3] / 2).checked_div(sum[3]).unwrap_or(0) as u8;
                }
                out.pixels[d + 3] = (sum[3] + total / 2).checked_div(total).unwrap_or(0) as u8;
            }
        }
        out
    }
}
