//! sRGB colours that are mixed and shifted in OKLCH.

use geom::maths;

/// An sRGB colour with opacity, all in 0..=1, not premultiplied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Color {
    pub(crate) r: f64,
    pub(crate) g: f64,
    pub(crate) b: f64,
    pub(crate) a: f64,
}

impl Color {
    /// From `0xRRGGBB`.
    pub(crate) const fn hex(rgb: u32) -> Self {
        Self {
            r: ((rgb >> 16) & 255) as f64 / 255.0,
            g: ((rgb >> 8) & 255) as f64 / 255.0,
            b: (rgb & 255) as f64 / 255.0,
            a: 1.0,
        }
    }
    /// The same colour with another opacity.
    pub(crate) fn alpha(self, a: f64) -> Self {
        Self { a, ..self }
    }
    /// Blend in sRGB, `t = 0` is `self`.
    pub(crate) fn mix(self, o: Self, t: f64) -> Self {
        Self {
            r: maths::lerp(self.r, o.r, t),
            g: maths::lerp(self.g, o.g, t),
            b: maths::lerp(self.b, o.b, t),
            a: maths::lerp(self.a, o.a, t),
        }
    }
    /// Moved in OKLCH: lightness and chroma by factors, hue by degrees.
    pub(crate) fn tune(self, light: f64, chroma: f64, turn: f64) -> Self {
        let [l, c, h] = self.oklch();
        Self::from_oklch((l * light).clamp(0.0, 1.0), c * chroma, h + turn).alpha(self.a)
    }
    /// Lightness 0..=1, chroma and hue in degrees.
    pub(crate) fn oklch(self) -> [f64; 3] {
        let [r, g, b] = [self.r, self.g, self.b].map(linear);
        let l = cbrt(0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b);
        let m = cbrt(0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b);
        let s = cbrt(0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b);
        let light = 0.210_454_255_3 * l + 0.793_617_785 * m - 0.004_072_046_8 * s;
        let a = 1.977_998_495_1 * l - 2.428_592_205 * m + 0.450_593_709_9 * s;
        let b = 0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766 * s;
        [light, maths::hypot(a, b), maths::atan2(b, a).to_degrees()]
    }
    /// From lightness 0..=1, chroma and hue in degrees; clipped to sRGB.
    pub(crate) fn from_oklch(l: f64, c: f64, h: f64) -> Self {
        let (a, b) = (c * maths::cos(h.to_radians()), c * maths::sin(h.to_radians()));
        let cube = |v: f64| v * v * v;
        let l_ = cube(l + 0.396_337_777_4 * a + 0.215_803_757_3 * b);
        let m_ = cube(l - 0.105_561_345_8 * a - 0.063_854_172_8 * b);
        let s_ = cube(l - 0.089_484_177_5 * a - 1.291_485_548 * b);
        Self {
            r: encoded(4.076_741_662_1 * l_ - 3.307_711_591_3 * m_ + 0.230_969_929_2 * s_),
            g: encoded(-1.268_438_004_6 * l_ + 2.609_757_401_1 * m_ - 0.341_319_396_5 * s_),
            b: encoded(-0.004_196_086_3 * l_ - 0.703_418_614_7 * m_ + 1.707_614_701 * s_),
            a: 1.0,
        }
    }
}

fn linear(v: f64) -> f64 {
    if v <= 0.040_45 { v / 12.92 } else { maths::pow((v + 0.055) / 1.055, 2.4) }
}

fn encoded(v: f64) -> f64 {
    let v = v.clamp(0.0, 1.0);
    if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * maths::pow(v, 1.0 / 2.4) - 0.055 }
}

fn cbrt(v: f64) -> f64 {
    maths::pow(v.max(0.0), 1.0 / 3.0)
}
