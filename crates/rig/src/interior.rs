//! Paints the inside of a mouth that is drawn closed only (RIG_PRACTICE "Missing").

use geom::{IntRect, Point, Rect};
use parts::HeadTilt;
use raster::Rgba;

use crate::mouth::Lips;

const FILL: [f64; 3] = [150.0, 58.0, 62.0];
const TONGUE: [f64; 3] = [226.0, 122.0, 120.0];
/// Samples per pixel and axis.
const SAMPLES: u32 = 3;

/// Paints it as it lies fully open; the picture lies at the returned canvas rectangle.
pub(crate) fn paint(lips: &Lips, rim: [u8; 3], thickness: f64, tilt: &HeadTilt) -> (IntRect, Rgba) {
    let c = lips.center();
    let reach = thickness + 2.0;
    let aligned = Rect::new(
        c.x - lips.half - reach,
        c.y + lips.top(0.0) - reach,
        c.x + lips.half + reach,
        c.y + lips.height + reach,
    );
    let canvas = Rect::bounding(aligned.corners().map(|p| tilt.unalign(p))).unwrap_or(aligned);
    let rect = IntRect::new(
        canvas.left.floor() as i32,
        canvas.top.floor() as i32,
        canvas.right.ceil() as i32,
        canvas.bottom.ceil() as i32,
    );
    let mut picture = Rgba::new(rect.width().min(1 << 13), rect.height().min(1 << 13));
    let corner = Point::new(f64::from(rect.left), f64::from(rect.top));
    for y in 0..picture.height() {
        for x in 0..picture.width() {
            let mut sum = [0.0f64; 4];
            for k in 0..SAMPLES * SAMPLES {
                let sub = |n: u32| (f64::from(n) + 0.5) / f64::from(SAMPLES);
                let at = Point::new(f64::from(x) + sub(k % SAMPLES), f64::from(y) + sub(k / SAMPLES));
                let p = tilt.align(corner + at) - c;
                if let Some(color) = color_at(lips, rim, thickness, p) {
                    for (s, v) in sum.iter_mut().zip(color) {
                        *s += v;
                    }
                    sum[3] += 1.0;
                }
            }
            if sum[3] > 0.0 {
                let channel = |v: f64| (v / sum[3]).round().clamp(0.0, 255.0) as u8;
                let alpha = sum[3] / f64::from(SAMPLES * SAMPLES) * 255.0;
                picture.set(
                    x.into(),
                    y.into(),
                    [channel(sum[0]), channel(sum[1]), channel(sum[2]), alpha.round() as u8],
                );
            }
        }
    }
    (rect, picture)
}

/// Colour at an offset from the middle of the line; `None` outside.
fn color_at(lips: &Lips, rim: [u8; 3], thickness: f64, p: Point) -> Option<[f64; 3]> {
    let xh = p.x / lips.half.max(1e-4);
    if xh.abs() >= 1.0 {
        return None;
    }
    let (top, bottom) = (lips.top(xh), lips.bottom(xh));
    if p.y < top || p.y > bottom {
        return None;
    }
    let inner = (bottom - p.y).min((1.0 - xh.abs()) * lips.half);
    if inner < thickness {
        return Some(rim.map(f64::from));
    }
    let depth = (p.y - lips.top(0.0)) / (lips.height - lips.top(0.0)).max(1e-4);
    let tongue = 0.62 + 0.30 * xh * xh;
    if depth > tongue {
        return Some(TONGUE);
    }
    // Darker towards the roof.
    let shade = 0.82 + 0.18 * depth;
    Some(FILL.map(|v| v * shade))
}
