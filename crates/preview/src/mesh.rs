//! Triangles made ready for pixels.

use std::ops::Range;

use geom::Point;

use crate::texture::{FRACTION, Filter, Level, Line, Page};

/// Fraction bits of vertex positions.
const SUBPIXEL: f64 = 256.0;
/// Vertices farther away than this are not drawn.
const FAR: f64 = (1 << 20) as f64;

/// A drawable's triangles on the picture.
pub(crate) struct Mesh<'a> {
    triangles: Vec<Triangle<'a>>,
    /// Rows any triangle may touch.
    pub(crate) rows: Range<i32>,
    /// Columns any triangle may touch.
    pub(crate) columns: Range<i32>,
}

impl<'a> Mesh<'a> {
    /// From vertex positions in picture pixels and texture coordinates (v down). With `cull`, triangles that are
    /// clockwise on the picture are left out: front faces are counterclockwise.
    pub(crate) fn new(
        points: &[Point],
        uvs: &[[f32; 2]],
        indices: &[u16],
        (page, filter): (&'a Page, Filter),
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
            .filter_map(|t| {
                Triangle::new([corner(t[0])?, corner(t[1])?, corner(t[2])?], (page, filter), cull)
            })
            .collect();
        let top = triangles.iter().map(|t| t.rows.start).min().unwrap_or(0);
        let low = triangles.iter().map(|t| t.rows.end).max().unwrap_or(0);
        let near = points.iter().map(|p| p.x).filter(|x| x.abs() < FAR);
        let (left, right) = near.fold((FAR, -FAR), |(left, right), x| (left.min(x), right.max(x)));
        let columns = left.floor() as i32 - 1..right.ceil() as i32 + 1;
        Self { triangles, rows: top..low, columns }
    }
    /// Calls `paint(row, first column, straight colours from there on)` for every covered stretch within the rows and
    /// columns given, triangle by triangle. `colors` is scratch room for one row.
    #[inline(always)]
    pub(crate) fn each(
        &self,
        rows: &Range<i32>,
        colors: &mut [[f32; 4]],
        mut paint: impl FnMut(i32, usize, &[[f32; 4]]),
    ) {
        for t in &self.triangles {
            let (from, to) = (t.rows.start.max(rows.start), t.rows.end.min(rows.end));
            if from >= to {
                continue;
            }
            let mut bounds = t.edges.map(|e| e.at(from));
            for y in from..to {
                if let Some(columns) = span(&bounds, colors.len()) {
                    let colors = &mut colors[..columns.len()];
                    t.fill(columns.start as i32, y, colors);
                    paint(y, columns.start, colors);
                }
                bounds.iter_mut().for_each(Bound::step);
            }
        }
    }
}

/// One triangle.
struct Triangle<'a> {
    rows: Range<i32>,
    edges: [Edge; 3],
    near: Texels<'a>,
    /// The next smaller copy of the page and its share.
    far: Option<(Texels<'a>, f32)>,
}

impl<'a> Triangle<'a> {
    /// Corners are positions in pixels with texel positions.
    fn new(corners: [(Point, Point); 3], (page, filter): (&'a Page, Filter), cull: bool) -> Option<Self> {
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
        // Rows whose centre (256 y + 128) lies from the top on and above the lowest point.
        let rows = (top + 127).div_euclid(256) as i32..(low + 127).div_euclid(256) as i32;
        if rows.is_empty() {
            return None;
        }
        let edges = [Edge::new(s[0], s[1]), Edge::new(s[1], s[2]), Edge::new(s[2], s[0])];
        let (u, v) = planes(&corners)?;
        let squared = |du: f64, dv: f64| du * du + dv * dv;
        let (near, far) = page.levels(squared(u.dx, v.dx).max(squared(u.dy, v.dy)), filter);
        let on = |level| Texels::new(level, u, v);
        Some(Self { rows, edges, near: on(near), far: far.map(|(level, share)| (on(level), share)) })
    }
    /// The colours of a row from a column on.
    #[inline(always)]
    fn fill(&self, x: i32, y: i32, colors: &mut [[f32; 4]]) {
        self.near.level.each(self.near.line(x, y), colors, |out, color| *out = color);
        if let Some((far, share)) = &self.far {
            far.level.each(far.line(x, y), colors, |out, color| {
                for c in 0..4 {
                    out[c] += (color[c] - out[c]) * share;
                }
            });
        }
    }
}

/// How a size of the page lies on the picture.
struct Texels<'a> {
    level: Level<'a>,
    u: Plane,
    v: Plane,
}

impl<'a> Texels<'a> {
    /// From texel positions of the full page.
    fn new(level: Level<'a>, u: Plane, v: Plane) -> Self {
        let scaled = |p: Plane, by: f64| Plane { dx: p.dx * by, dy: p.dy * by, origin: p.origin * by - 0.5 };
        Self { u: scaled(u, level.scale.0), v: scaled(v, level.scale.1), level }
    }
    fn line(&self, x: i32, y: i32) -> Line {
        let fixed = |value: f64| (value * f64::from(1 << FRACTION)) as i64;
        Line {
            u: fixed(self.u.at(x, y)),
            v: fixed(self.v.at(x, y)),
            du: fixed(self.u.dx),
            dv: fixed(self.v.dx),
        }
    }
}

/// A texel coordinate over the picture: linear in pixel numbers.
#[derive(Clone, Copy)]
struct Plane {
    dx: f64,
    dy: f64,
    origin: f64,
}

impl Plane {
    fn at(&self, x: i32, y: i32) -> f64 {
        self.origin + self.dx * f64::from(x) + self.dy * f64::from(y)
    }
}

/// Both texel coordinates.
fn planes(corners: &[(Point, Point); 3]) -> Option<(Plane, Plane)> {
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
        Plane { dx, dy, origin: zero + dx * (0.5 - p.x) + dy * (0.5 - p.y) }
    };
    Some((plane(s.x, t.x, w.x), plane(s.y, t.y, w.y)))
}

/// One side of a triangle that is clockwise on the picture. Pixels on a top or left side are inside.
#[derive(Clone, Copy)]
enum Edge {
    /// Bounds columns from the left: the first column is this quotient.
    Left(Slope),
    /// Bounds columns from the right: the last column is this quotient.
    Right(Slope),
    /// Runs along a row, so that it bounds rows only; those are known.
    Flat,
}

/// `(start + step * row) / by`, rounded down.
#[derive(Clone, Copy)]
struct Slope {
    start: i64,
    step: i64,
    by: i64,
}

impl Edge {
    fn new(p: [i64; 2], q: [i64; 2]) -> Self {
        let (dx, dy) = (q[0] - p[0], q[1] - p[1]);
        let inclusive = dy < 0 || (dy == 0 && dx > 0);
        // a x + b y + c >= 0 for pixels (by number) whose centre is inside.
        let (a, b) = (-dy * 256, dx * 256);
        let c = dx * (128 - p[1]) - dy * (128 - p[0]) - i64::from(!inclusive);
        match a.signum() {
            1 => Self::Left(Slope { start: a - 1 - c, step: -b, by: a }),
            -1 => Self::Right(Slope { start: c, step: b, by: -a }),
            _ => Self::Flat,
        }
    }
    fn at(self, row: i32) -> Bound {
        match self {
            Self::Left(slope) => Bound::Left(slope.at(row)),
            Self::Right(slope) => Bound::Right(slope.at(row)),
            Self::Flat => Bound::None,
        }
    }
}

impl Slope {
    fn at(self, row: i32) -> Quotient {
        let value = self.start + self.step * i64::from(row);
        Quotient {
            whole: value.div_euclid(self.by),
            rest: value.rem_euclid(self.by),
            step: self.step.div_euclid(self.by),
            step_rest: self.step.rem_euclid(self.by),
            by: self.by,
        }
    }
}

/// A side at one row, stepped down row by row without dividing.
#[derive(Clone, Copy)]
enum Bound {
    Left(Quotient),
    Right(Quotient),
    None,
}

#[derive(Clone, Copy)]
struct Quotient {
    whole: i64,
    rest: i64,
    step: i64,
    step_rest: i64,
    by: i64,
}

impl Bound {
    #[inline(always)]
    fn step(&mut self) {
        let (Self::Left(q) | Self::Right(q)) = self else { return };
        q.whole += q.step;
        q.rest += q.step_rest;
        if q.rest >= q.by {
            q.rest -= q.by;
            q.whole += 1;
        }
    }
}

/// The covered columns of a row within `0..width`.
#[inline(always)]
fn span(bounds: &[Bound; 3], width: usize) -> Option<Range<usize>> {
    let (mut from, mut to) = (0i64, width as i64);
    for bound in bounds {
        match bound {
            Bound::Left(q) => from = from.max(q.whole),
            Bound::Right(q) => to = to.min(q.whole + 1),
            Bound::None => {}
        }
    }
    (from < to).then_some(from as usize..to as usize)
}
