//! What an area is filled with.

use geom::{Point, maths};

use super::color::Color;

/// A colour, or a gradient whose points are in the units of the sheet.
#[derive(Clone, Debug)]
pub(crate) enum Paint {
    Solid(Color),
    /// Along the line from the first to the second point.
    Linear(Point, Point, Vec<(f64, Color)>),
    /// From the centre to an ellipse of the given radii.
    Radial(Point, (f64, f64), Vec<(f64, Color)>),
}

impl From<Color> for Paint {
    fn from(c: Color) -> Self {
        Self::Solid(c)
    }
}

impl Paint {
    /// A vertical gradient between two heights.
    pub(crate) fn vertical(y0: f64, y1: f64, stops: &[(f64, Color)]) -> Self {
        Self::Linear(Point::new(0.0, y0), Point::new(0.0, y1), stops.to_vec())
    }
    /// A gradient from the centre outwards.
    pub(crate) fn radial(center: Point, rx: f64, ry: f64, stops: &[(f64, Color)]) -> Self {
        Self::Radial(center, (rx, ry), stops.to_vec())
    }
}

/// A paint made ready for pixels: a table of colours and the place in it as a function of the pixel.
pub(crate) struct Shader {
    table: Vec<[f32; 4]>,
    kind: Kind,
}

enum Kind {
    Flat,
    /// `t = a x + b y + c`.
    Linear(f32, f32, f32),
    /// Centre and reciprocal radii.
    Radial(f32, f32, f32, f32),
}

const TABLE: usize = 512;

impl Shader {
    /// `map` takes the sheet's units to pixels; it must be a scale and a shift.
    pub(crate) fn new(paint: &Paint, map: &impl Fn(Point) -> Point) -> Self {
        match paint {
            Paint::Solid(c) => Self { table: vec![bytes(*c)], kind: Kind::Flat },
            Paint::Linear(p, q, stops) => {
                let (p, q) = (map(*p), map(*q));
                let d = q - p;
                let n = d.dot(d).max(1e-9);
                let (a, b) = (d.x / n, d.y / n);
                let kind = Kind::Linear(a as f32, b as f32, -(a * p.x + b * p.y) as f32);
                Self { table: table(stops), kind }
            }
            Paint::Radial(c, (rx, ry), stops) => {
                let edge = map(Point::new(c.x + rx, c.y + ry));
                let c = map(*c);
                let (rx, ry) = ((edge.x - c.x).abs().max(1e-6), (edge.y - c.y).abs().max(1e-6));
                let kind = Kind::Radial(c.x as f32, c.y as f32, (1.0 / rx) as f32, (1.0 / ry) as f32);
                Self { table: table(stops), kind }
            }
        }
    }
    /// Straight colour at the centre of a pixel.
    pub(crate) fn at(&self, x: i32, y: i32) -> [f32; 4] {
        let (x, y) = (x as f32 + 0.5, y as f32 + 0.5);
        let t = match self.kind {
            Kind::Flat => return self.table[0],
            Kind::Linear(a, b, c) => a * x + b * y + c,
            Kind::Radial(cx, cy, ix, iy) => {
                let (u, v) = ((x - cx) * ix, (y - cy) * iy);
                (u * u + v * v).sqrt()
            }
        };
        self.table[((t * TABLE as f32) as i32).clamp(0, TABLE as i32 - 1) as usize]
    }
}

fn bytes(c: Color) -> [f32; 4] {
    [c.r as f32, c.g as f32, c.b as f32, c.a as f32]
}

fn table(stops: &[(f64, Color)]) -> Vec<[f32; 4]> {
    (0..TABLE)
        .map(|i| {
            let t = (i as f64 + 0.5) / TABLE as f64;
            let after = stops.iter().position(|s| s.0 >= t).unwrap_or(stops.len() - 1);
            let (t1, c1) = stops[after];
            let (t0, c0) = stops[after.saturating_sub(1)];
            let k = if t1 > t0 { ((t - t0) / (t1 - t0)).clamp(0.0, 1.0) } else { 1.0 };
            bytes(c0.mix(c1, maths::smoothstep(k) * 0.5 + k * 0.5))
        })
        .collect()
}
