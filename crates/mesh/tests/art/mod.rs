//! Synthetic alpha channels.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "shared by several test binaries")]

use raster::Alpha;

/// A small generator with the same numbers everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
    pub fn unit(&mut self) -> f64 {
        self.below(1 << 30) as f64 / (1u64 << 30) as f64
    }
}

pub fn filled(width: u32, height: u32, value: impl Fn(u32, u32) -> u8) -> Alpha {
    let values = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| value(x, y));
    Alpha::from_values(width, height, values.collect()).unwrap()
}

/// Antialiased disc drawn with `max`, or cut out.
pub fn disc(alpha: &mut Alpha, cx: f64, cy: f64, radius: f64, cut: bool) {
    let (w, h) = (alpha.width() as usize, alpha.height() as usize);
    let y0 = (cy - radius - 2.0).max(0.0) as usize;
    let x0 = (cx - radius - 2.0).max(0.0) as usize;
    for y in y0..h.min((cy + radius + 2.0).max(0.0) as usize) {
        for x in x0..w.min((cx + radius + 2.0).max(0.0) as usize) {
            let (dx, dy) = (x as f64 + 0.5 - cx, y as f64 + 0.5 - cy);
            let cover = ((radius - (dx * dx + dy * dy).sqrt() + 0.5).clamp(0.0, 1.0) * 255.0) as u8;
            let v = &mut alpha.values_mut()[y * w + x];
            *v = if cut { (*v).min(255 - cover) } else { (*v).max(cover) };
        }
    }
}

/// A round-ended line.
pub fn stroke(alpha: &mut Alpha, a: (f64, f64), b: (f64, f64), radius: f64) {
    let length = ((a.0 - b.0) * (a.0 - b.0) + (a.1 - b.1) * (a.1 - b.1)).sqrt();
    let steps = (length / (radius * 0.3).max(0.3)).ceil().max(1.0) as usize;
    for k in 0..=steps {
        let t = k as f64 / steps as f64;
        disc(alpha, a.0 + (b.0 - a.0) * t, a.1 + (b.1 - a.1) * t, radius, false);
    }
}

/// Blobs, strands, holes and specks.
pub fn blobs(width: u32, height: u32, seed: u64) -> Alpha {
    let mut r = Random::new(seed);
    let mut alpha = Alpha::new(width, height);
    let (w, h) = (f64::from(width), f64::from(height));
    for _ in 0..1 + r.below(6) {
        let radius = (0.02 + 0.2 * r.unit()) * w.min(h);
        disc(&mut alpha, r.unit() * w, r.unit() * h, radius, false);
    }
    for _ in 0..r.below(6) {
        let (a, b) = ((r.unit() * w, r.unit() * h), (r.unit() * w, r.unit() * h));
        stroke(&mut alpha, a, b, 0.4 + 3.0 * r.unit());
    }
    for _ in 0..r.below(8) {
        let radius = 0.5 + 0.08 * r.unit() * w;
        disc(&mut alpha, r.unit() * w, r.unit() * h, radius, true);
    }
    for _ in 0..1 + r.below(5) {
        let i = r.below(u64::from(width) * u64::from(height)) as usize;
        alpha.values_mut()[i] = 1 + r.below(255) as u8;
    }
    alpha
}

/// One pixel in `one_in` is visible.
pub fn noise(width: u32, height: u32, one_in: u64, seed: u64) -> Alpha {
    let mut r = Random::new(seed);
    let n = width as usize * height as usize;
    let values = (0..n).map(|_| if r.below(one_in) == 0 { 1 + r.below(255) as u8 } else { 0 }).collect();
    Alpha::from_values(width, height, values).unwrap()
}
