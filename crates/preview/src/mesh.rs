//! Triangles made ready for pixels.

use std::ops::Range;

use geom::Point;

use crate::texture::{FRACTION, Page, Sampler};

/// Fraction bits of vertex positions.
const SUBPIXEL: f64 = 256.0;
/// Vertices farther away than this are not drawn.
const FAR: f64 = (1 << 20) as f64;

/// A drawable's triangles on the picture.
pub(crate) struct Mesh<'a> {
    triangles: Vec<Triangle<'a>>,
    /// Rows any triangle may touch.
    pub(crate) rows: Range<i32>,
}

impl<'a> Mesh<'a> {
    /// From vertex positions in picture pixels and texture coordinates (v down). With `cull`, triangles that are
    /// clockwise on the picture are left out: front faces are counterclockwise.
    pub(crate) fn new(
        points: &[Point],
        uvs: &[[f32; 2]],
        indices: &[u16],
        page: &'a Page,
        cull: bool,
    ) -> Self {
        let (w, h) = (f64::from(page.width()), f64::from(page.height()));
        let corner = |i: u16| {
            let (p, uv) = (points.get(usize::from(i))?, uvs.get(usize::from(i))?);
            let near = p.x.abs() < FAR && p.y.abs() < FAR && uv[0].abs() < 64.0 && uv[1].abs() < 64.0;
            near.then(|| (*p, Point::new(f64::from(uv[0]) * w, f64::from(uv[1]) * h)))
        };
        let triangles: Vec<Triangle<'a>> = indices
            .chunks_exact(3)
            .filter_map(|t| Triangle::new([corner(t[0])?, corner(t[1])?, corner(t[2])?], page, cull))
            .collect();
        let top = triangles.iter().map(|t| t.rows.start).min().unwrap_or(0);
        let low = triangles.iter().map(|t| t.rows.end).max().unwrap_or(0);
        Self { triangles, rows: top..low }
    }
    /// Calls `paint(row, column, colour)` for every covered pixel of the rows and columns given, triangle by triangle;
    /// colours are straight.
    #[inline(always)]
    pub(crate) fn each(&self, rows: &Range<i32>, width: i32, mut paint: impl FnMut(i32, i32, [f32; 4])) {
        for t in &self.triangles {
            for y in t.rows.start.max(rows.start)..t.rows.end.min(rows.end) {
                let Some((from, to)) = t.span(y, width) else { continue };
                let (mut u, mut v) = (t.u.start(from, y), t.v.start(from, y));
                for x in from..=to {
                    paint(y, x, t.sampler.at(u, v));
                    u += t.u.step;
                    v += t.v.step;
                }
            }
        }
    }
}

/// One triangle.
struct Triangle<'a> {
    rows: Range<i32>,
    edges: [Edge; 3],
    u: Plane,
    v: Plane,
    sampler: Sampler<'a>,
}

/// `a x + b y + c >= 0` for pixels (by number) whose centre is on the inner side.
#[derive(Clone, Copy)]
struct Edge {
    a: i64,
    b: i64,
    c: i64,
}

/// A texel coordinate over the picture: linear in pixel numbers.
#[derive(Clone, Copy)]
struct Plane {
    dx: f64,
    dy: f64,
    origin: f64,
    /// Fixed-point `dx`.
    step: i64,
}

impl Plane {
    fn start(&self, x: i32, y: i32) -> i64 {
        let value = self.origin + self.dx * f64::from(x) + self.dy * f64::from(y);
        (value * f64::from(1 << FRACTION)) as i64
    }
}

impl<'a> Triangle<'a> {
    /// Corners are positions in pixels with texel positions.
    fn new(corners: [(Point, Point); 3], page: &'a Page, cull: bool) -> Option<Self> {
        let snap = |p: Point| [(p.x * SUBPIXEL).round() as i64, (p.y * SUBPIXEL).round() as i64];
        let mut s = corners.map(|(p, _)| snap(p));
        let area = (s[1][0] - s[0][0]) * (s[2][1] - s[0][1]) - (s[1][1] - s[0][1]) * (s[2][0] - s[0][0]);
        if area == 0 || (cull && area > 0) {
            return None;
        }
        if area < 0 {
            s.swap(1, 2);
        }
        let low = s.iter().map(|p| p[1]).max()?;
        let top = s.iter().map(|p| p[1]).min()?;
        // Rows whose centre (256 y + 128) can lie inside.
        let rows = (top + 127).div_euclid(256) as i32..(low - 128).div_euclid(256) as i32 + 1;
        let edges = [edge(s[0], s[1]), edge(s[1], s[2]), edge(s[2], s[0])];
        let (u, v, texels) = planes(&corners)?;
        Some(Self { rows, edges, u, v, sampler: page.sampler(texels) })
    }
    /// First and last covered column of a row within `0..width`.
    #[inline(always)]
    fn span(&self, y: i32, width: i32) -> Option<(i32, i32)> {
        let (mut from, mut to) = (0i64, i64::from(width) - 1);
        for e in &self.edges {
            let rest = e.b * i64::from(y) + e.c;
            if e.a > 0 {
                from = from.max((-rest + e.a - 1).div_euclid(e.a));
            } else if e.a < 0 {
                to = to.min(rest.div_euclid(-e.a));
            } else if rest < 0 {
                return None;
            }
        }
        (from <= to).then_some((from as i32, to as i32))
    }
}

/// The edge from `p` to `q` of a triangle that is clockwise on screen; pixels on a top or left edge are inside.
fn edge(p: [i64; 2], q: [i64; 2]) -> Edge {
    let (dx, dy) = (q[0] - p[0], q[1] - p[1]);
    let inclusive = dy < 0 || (dy == 0 && dx > 0);
    let c = dx * (128 - p[1]) - dy * (128 - p[0]) - i64::from(!inclusive);
    Edge { a: -dy * 256, b: dx * 256, c }
}

/// Both texel coordinates, and how many texels the larger step to a neighbouring pixel spans.
fn planes(corners: &[(Point, Point); 3]) -> Option<(Plane, Plane, f64)> {
    let [(p, s), (q, t), (r, w)] = *corners;
    let (a, b) = (q - p, r - p);
    let det = a.cross(b);
    if det == 0.0 {
        return None;
    }
    let plane = |zero: f64, one: f64, two: f64| {
        let (d1, d2) = (one - zero, two - zero);
        let (dx, dy) = ((d1 * b.y - d2 * a.y) / det, (d2 * a.x - d1 * b.x) / det);
        let limit = f64::from(1 << 20);
        let (dx, dy) = (dx.clamp(-limit, limit), dy.clamp(-limit, limit));
        let origin = zero + dx * (0.5 - p.x) + dy * (0.5 - p.y);
        Plane { dx, dy, origin, step: (dx * f64::from(1 << FRACTION)) as i64 }
    };
    let (u, v) = (plane(s.x, t.x, w.x), plane(s.y, t.y, w.y));
    let texels = u.dx.abs().max(v.dx.abs()).max(u.dy.abs()).max(v.dy.abs());
    Some((u, v, texels))
}
