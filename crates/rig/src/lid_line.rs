//! A painted closed lid: a tapering stroke along the closed curve.

use geom::{IntRect, Point, Rect};
use parts::HeadTilt;
use raster::Rgba;

use crate::eyes::ClosedCurve;

/// Mean of the darkest opaque pixels (an eighth of them) of some pictures.
pub(crate) fn darkest<'a>(images: impl Iterator<Item = &'a Rgba>) -> [u8; 3] {
    let mut pixels: Vec<(u32, [u8; 3])> = Vec::new();
    for image in images {
        for p in image.pixels().chunks_exact(4).filter(|p| p[3] > 200) {
            let light = 299 * u32::from(p[0]) + 587 * u32::from(p[1]) + 114 * u32::from(p[2]);
            pixels.push((light, [p[0], p[1], p[2]]));
        }
    }
    pixels.sort_unstable();
    let count = (pixels.len() / 8).clamp(1, 4000).min(pixels.len());
    let mut sum = [0u64; 3];
    for (_, p) in &pixels[..count] {
        for (s, &v) in sum.iter_mut().zip(p) {
            *s += u64::from(v);
        }
    }
    sum.map(|s| if count == 0 { 60 } else { (s / count as u64) as u8 })
}

/// Paints the stroke; the picture lies at the returned canvas rectangle.
pub(crate) fn paint(curve: &ClosedCurve, white: Rect, color: [u8; 3], tilt: &HeadTilt) -> (IntRect, Rgba) {
    let half = (0.045 * white.height().max(white.width() * 0.5)).max(1.0);
    let reach = half + 2.0;
    let top = (0..=16).map(|i| curve.at(white.left + white.width() * f64::from(i) / 16.0));
    let (low, high) = top.fold((f64::MAX, f64::MIN), |(a, b), y| (a.min(y), b.max(y)));
    let aligned = Rect::new(white.left - reach, low - reach, white.right + reach, high + reach);
    let corners = aligned.corners().map(|p| tilt.unalign(p));
    let canvas = Rect::bounding(corners).unwrap_or(aligned);
    let rect = IntRect::new(
        canvas.left.floor() as i32,
        canvas.top.floor() as i32,
        canvas.right.ceil() as i32,
        canvas.bottom.ceil() as i32,
    );
    let mut picture = Rgba::new(rect.width().min(1 << 14), rect.height().min(1 << 14));
    for y in 0..picture.height() {
        for x in 0..picture.width() {
            let canvas = Point::new(f64::from(rect.left) + f64::from(x), f64::from(rect.top) + f64::from(y));
            let p = tilt.align(canvas + Point::new(0.5, 0.5));
            let t = ((p.x - white.center().x) / (white.width() / 2.0).max(1e-4)).abs();
            let thickness = half * (1.0 - 0.75 * (t * t).min(1.0));
            let beyond = (p.x - white.left).min(white.right - p.x).min(0.0).abs();
            let slope = (curve.at(p.x + 0.5) - curve.at(p.x - 0.5)).abs();
            let away = (p.y - curve.at(p.x)).abs() / (1.0 + slope * slope).sqrt();
            let alpha = (thickness + 0.5 - away.max(0.0) - beyond).clamp(0.0, 1.0);
            if alpha > 0.0 {
                let a = (alpha * 255.0).round() as u8;
                picture.set(x.into(), y.into(), [color[0], color[1], color[2], a]);
            }
        }
    }
    (rect, picture)
}
