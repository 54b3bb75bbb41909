//! Texture pages and how they are sampled.

use std::sync::OnceLock;

use geom::maths;
use raster::Rgba;

/// Fraction bits of texel positions.
pub(crate) const FRACTION: u32 = 24;

/// A page with its halved copies, made when a picture first needs them.
#[derive(Debug)]
pub(crate) struct Page {
    image: Rgba,
    smaller: OnceLock<Vec<Rgba>>,
}

impl Page {
    pub(crate) fn new(image: Rgba) -> Self {
        Self { image, smaller: OnceLock::new() }
    }
    pub(crate) fn width(&self) -> u32 {
        self.image.width()
    }
    pub(crate) fn height(&self) -> u32 {
        self.image.height()
    }
    /// The sampler for a triangle that steps over `texels` texels from pixel to pixel.
    pub(crate) fn sampler(&self, texels: f64) -> Sampler<'_> {
        let level = maths::ln(texels.max(1.0)) / std::f64::consts::LN_2;
        if level < 1.0 / 256.0 {
            return Sampler { near: Level::new(&self.image, &self.image), far: None };
        }
        let smaller = self.smaller.get_or_init(|| halvings(&self.image));
        let at = |k: usize| if k == 0 { &self.image } else { &smaller[(k - 1).min(smaller.len() - 1)] };
        if smaller.is_empty() {
            return Sampler { near: Level::new(&self.image, &self.image), far: None };
        }
        let whole = level.floor();
        let share = ((level - whole) * 256.0) as u32;
        let far = (share > 0).then(|| (Level::new(at(whole as usize + 1), &self.image), share));
        Sampler { near: Level::new(at(whole as usize), &self.image), far }
    }
}

/// Every copy of half the size down to one texel; channels are averaged on their own, as graphics drivers do.
fn halvings(image: &Rgba) -> Vec<Rgba> {
    let mut all: Vec<Rgba> = Vec::new();
    loop {
        let last = all.last().unwrap_or(image);
        let (w, h) = (last.width(), last.height());
        if w <= 1 && h <= 1 {
            return all;
        }
        let next = halved(last, (w / 2).max(1), (h / 2).max(1));
        all.push(next);
    }
}

fn halved(image: &Rgba, w: u32, h: u32) -> Rgba {
    let mut out = Rgba::new(w, h);
    let last = image.width() as usize - 1;
    for (y, row) in out.pixels_mut().chunks_exact_mut(w as usize * 4).enumerate() {
        let above = image.row((y as u32 * 2).min(image.height() - 1));
        let below = image.row((y as u32 * 2 + 1).min(image.height() - 1));
        for (x, pixel) in row.chunks_exact_mut(4).enumerate() {
            let (i, j) = ((x * 2).min(last) * 4, (x * 2 + 1).min(last) * 4);
            for c in 0..4 {
                let sum = [above[i + c], above[j + c], below[i + c], below[j + c]].map(u32::from);
                pixel[c] = ((sum.iter().sum::<u32>() + 2) / 4) as u8;
            }
        }
    }
    out
}

/// Reads a page at one scale.
#[derive(Clone, Copy)]
pub(crate) struct Sampler<'a> {
    near: Level<'a>,
    /// The next smaller copy and its share in 1/256.
    far: Option<(Level<'a>, u32)>,
}

impl Sampler<'_> {
    /// Straight colour at a texel position of the full page (fixed point, [`FRACTION`] bits), 0..=1.
    #[inline(always)]
    pub(crate) fn at(&self, u: i64, v: i64) -> [f32; 4] {
        let near = self.near.at(u, v);
        let Some((far, share)) = &self.far else {
            return near.map(|c| c as f32 * (1.0 / (255.0 * 65536.0)));
        };
        let far = far.at(u, v);
        let mut out = [0.0; 4];
        for c in 0..4 {
            let mixed = u64::from(near[c]) * u64::from(256 - share) + u64::from(far[c]) * u64::from(*share);
            out[c] = mixed as f32 * (1.0 / (255.0 * 65536.0 * 256.0));
        }
        out
    }
}

/// One size of a page.
#[derive(Clone, Copy)]
struct Level<'a> {
    pixels: &'a [u8],
    width: i64,
    height: i64,
    /// Texels of this size per texel of the full page, in 1/65536.
    scale: (i64, i64),
}

impl<'a> Level<'a> {
    fn new(image: &'a Rgba, full: &Rgba) -> Self {
        let ratio = |a: u32, b: u32| ((u64::from(a) << 16) / u64::from(b.max(1))) as i64;
        Self {
            pixels: image.pixels(),
            width: i64::from(image.width()),
            height: i64::from(image.height()),
            scale: (ratio(image.width(), full.width()), ratio(image.height(), full.height())),
        }
    }
    /// Bilinear, 1/256 steps, edges repeated; every channel times 65536.
    #[inline(always)]
    fn at(&self, u: i64, v: i64) -> [u32; 4] {
        const HALF: i64 = 1 << (FRACTION - 1);
        let u = ((u * self.scale.0) >> 16) - HALF;
        let v = ((v * self.scale.1) >> 16) - HALF;
        let (x, y) = (u >> FRACTION, v >> FRACTION);
        let (fx, fy) = (((u >> (FRACTION - 8)) & 255) as u32, ((v >> (FRACTION - 8)) & 255) as u32);
        let (x0, x1) = (x.clamp(0, self.width - 1), (x + 1).clamp(0, self.width - 1));
        let (y0, y1) = (y.clamp(0, self.height - 1), (y + 1).clamp(0, self.height - 1));
        let texel = |x: i64, y: i64| -> [u8; 4] {
            let i = (y * self.width + x) as usize * 4;
            let p = &self.pixels[i..i + 4];
            [p[0], p[1], p[2], p[3]]
        };
        let (a, b, c, d) = (texel(x0, y0), texel(x1, y0), texel(x0, y1), texel(x1, y1));
        let mut out = [0; 4];
        for k in 0..4 {
            let top = u32::from(a[k]) * (256 - fx) + u32::from(b[k]) * fx;
            let low = u32::from(c[k]) * (256 - fx) + u32::from(d[k]) * fx;
            out[k] = top * (256 - fy) + low * fy;
        }
        out
    }
}
