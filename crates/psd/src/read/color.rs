//! Channels of 8 bits to RGBA.

use geom::maths;

use crate::ColorMode;

/// How a file's colour channels become RGB.
pub(crate) enum Converter {
    /// One channel.
    Gray,
    /// Three.
    Rgb,
    /// Four, stored inverted: 255 is no ink.
    Cmyk,
    /// One channel of indices.
    Indexed(Box<[[u8; 4]; 256]>),
    /// Three: lightness and two opponent colours around 128, white point D50.
    Lab(Box<Lab>),
}

impl Converter {
    /// `None` for a mode that has no conversion. `palette` is the colour mode data: 256 reds, greens, blues.
    pub(crate) fn new(mode: ColorMode, palette: &[u8], transparent: Option<u8>) -> Option<Self> {
        Some(match mode {
            ColorMode::Bitmap | ColorMode::Grayscale | ColorMode::Duotone => Self::Gray,
            ColorMode::Rgb => Self::Rgb,
            ColorMode::Cmyk => Self::Cmyk,
            ColorMode::Lab => Self::Lab(Box::new(Lab::new())),
            ColorMode::Indexed => {
                let entry = |i: usize| {
                    let value = |plane: usize| palette.get(plane * 256 + i).copied().unwrap_or(0);
                    let alpha = if transparent == Some(i as u8) { 0 } else { 255 };
                    [value(0), value(1), value(2), alpha]
                };
                Self::Indexed(Box::new(std::array::from_fn(entry)))
            }
            ColorMode::Multichannel => return None,
        })
    }

    /// Fills `out` (RGBA) from as many colour channels as the mode has, and alpha. All have one byte a pixel.
    pub(crate) fn fill(&self, inks: &[&[u8]], alpha: &[u8], out: &mut [u8]) {
        let out = out.as_chunks_mut::<4>().0;
        let count = out.len();
        let alpha = &alpha[..count];
        match (self, inks) {
            (Self::Rgb, [r, g, b, ..]) => {
                let (r, g, b) = (&r[..count], &g[..count], &b[..count]);
                for (i, pixel) in out.iter_mut().enumerate() {
                    *pixel = [r[i], g[i], b[i], alpha[i]];
                }
            }
            (Self::Gray, [gray, ..]) => {
                let gray = &gray[..count];
                for (i, pixel) in out.iter_mut().enumerate() {
                    *pixel = [gray[i], gray[i], gray[i], alpha[i]];
                }
            }
            (Self::Cmyk, [c, m, y, k, ..]) => {
                for (i, pixel) in out.iter_mut().enumerate() {
                    let tint = |ink: u8| ((u32::from(ink) * u32::from(k[i]) + 127) / 255) as u8;
                    *pixel = [tint(c[i]), tint(m[i]), tint(y[i]), alpha[i]];
                }
            }
            (Self::Lab(lab), [l, a, b, ..]) => {
                for (i, pixel) in out.iter_mut().enumerate() {
                    let [red, green, blue] = lab.srgb(l[i], a[i], b[i]);
                    *pixel = [red, green, blue, alpha[i]];
                }
            }
            (Self::Indexed(palette), [index, ..]) => {
                for (i, pixel) in out.iter_mut().enumerate() {
                    let [r, g, b, a] = palette[usize::from(index[i])];
                    *pixel = [r, g, b, a.min(alpha[i])];
                }
            }
            _ => {} // fewer channels than the mode has: the caller supplies all
        }
    }
}

/// Steps of [`Lab::encode`] between black and white.
const STEPS: usize = 4096;

/// CIE L*a*b* (D50) to sRGB, in 8 bits.
pub(crate) struct Lab {
    /// sRGB value of linear light `i / STEPS`.
    encode: Vec<u8>,
}

impl Lab {
    fn new() -> Self {
        let encode = (0..=STEPS).map(|i| {
            let light = i as f64 / STEPS as f64;
            let value = if light <= 0.003_130_8 {
                12.92 * light
            } else {
                1.055 * maths::pow(light, 1.0 / 2.4) - 0.055
            };
            (value * 255.0).round() as u8
        });
        Self { encode: encode.collect() }
    }

    fn srgb(&self, lightness: u8, a: u8, b: u8) -> [u8; 3] {
        let fy = (f64::from(lightness) / 2.55 + 16.0) / 116.0;
        let x = 0.964_22 * cube(fy + (f64::from(a) - 128.0) / 500.0);
        let y = cube(fy);
        let z = 0.825_21 * cube(fy - (f64::from(b) - 128.0) / 200.0);
        // XYZ adapted from D50 to D65 (Bradford), then to linear sRGB.
        [
            self.value(3.133_856_1 * x - 1.616_866_7 * y - 0.490_614_6 * z),
            self.value(-0.978_768_4 * x + 1.916_141_5 * y + 0.033_454 * z),
            self.value(0.071_945_3 * x - 0.228_991_4 * y + 1.405_242_7 * z),
        ]
    }

    fn value(&self, light: f64) -> u8 {
        self.encode[(light.clamp(0.0, 1.0) * STEPS as f64).round() as usize]
    }
}

/// The inverse of Lab's compression.
fn cube(f: f64) -> f64 {
    if f > 6.0 / 29.0 { f * f * f } else { (f - 4.0 / 29.0) * (108.0 / 841.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(mode: ColorMode, inks: &[u8], want: [u8; 3]) {
        let palette: Vec<u8> = (0..768).map(|i| (i % 256 + i / 256) as u8).collect();
        let converter = Converter::new(mode, &palette, None).unwrap();
        let planes: Vec<&[u8]> = inks.iter().map(std::slice::from_ref).collect();
        let mut out = [0; 4];
        converter.fill(&planes, &[9], &mut out);
        assert_eq!(out, [want[0], want[1], want[2], 9], "{mode:?} {inks:?}");
    }

    #[test]
    fn modes_become_rgb() {
        check(ColorMode::Rgb, &[1, 2, 3], [1, 2, 3]);
        check(ColorMode::Grayscale, &[7], [7, 7, 7]);
        check(ColorMode::Indexed, &[7], [7, 8, 9]);
        check(ColorMode::Cmyk, &[255, 255, 255, 255], [255, 255, 255]);
        check(ColorMode::Cmyk, &[255, 0, 128, 128], [128, 0, 64]);
        check(ColorMode::Lab, &[255, 128, 128], [255, 255, 255]);
        check(ColorMode::Lab, &[0, 128, 128], [0, 0, 0]);
        check(ColorMode::Lab, &[137, 128, 128], [128, 128, 128]);
        // sRGB red is L 54.3, a 80.8, b 69.9 under D50.
        check(ColorMode::Lab, &[138, 209, 198], [255, 0, 0]);
    }
}
