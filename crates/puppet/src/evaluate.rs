//! The pose of a puppet at given parameter values, in canvas pixels: what the runtime computes (MOC3_FORMAT 7),
//! in f64 and without blend shapes and glue. For audits of a rig before it is packed.

use std::collections::BTreeMap;

use geom::{Point, maths};

use crate::{DeformerId, DeformerKind, Drawable, Grid, ParameterId, Puppet, RotationForm};

/// Distance to a key below which the key itself holds.
const SNAP: f64 = 1e-3;

/// One drawable as posed.
#[derive(Clone, Debug, PartialEq)]
pub struct Posed {
    /// Vertices in canvas pixels, y down.
    pub points: Vec<Point>,
    /// Opacity, deformers included.
    pub opacity: f64,
    /// Draw order, not yet truncated.
    pub draw_order: f64,
}

/// Poses every drawable, in the puppet's order. `value_of` is asked for every axis; values are clamped to the
/// parameter's range. Objects with a missing parent are taken as standing on the canvas.
pub fn evaluate(puppet: &Puppet, value_of: impl Fn(&ParameterId) -> Option<f64>) -> Vec<Posed> {
    let values: BTreeMap<&ParameterId, f64> = puppet
        .parameters
        .iter()
        .map(|p| (&p.id, value_of(&p.id).unwrap_or(p.default).clamp(p.min, p.max.max(p.min))))
        .collect();
    let value = |id: &ParameterId| values.get(id).copied().unwrap_or(0.0);
    let mut spaces: BTreeMap<&DeformerId, (Space, f64)> = BTreeMap::new();
    for deformer in &puppet.deformers {
        let parent = deformer.parent.as_ref().and_then(|p| spaces.get(p));
        let opacity = number(&deformer.channels.opacity, &value) * parent.map_or(1.0, |p| p.1);
        let space = Space::of(&deformer.kind, parent.map(|p| &p.0), &value);
        spaces.insert(&deformer.id, (space, opacity));
    }
    puppet.drawables.iter().map(|d| posed(d, &spaces, &value)).collect()
}

fn posed(
    drawable: &Drawable,
    spaces: &BTreeMap<&DeformerId, (Space, f64)>,
    value: &dyn Fn(&ParameterId) -> f64,
) -> Posed {
    let parent = drawable.deformer.as_ref().and_then(|d| spaces.get(d));
    let local = points(&drawable.forms, value);
    Posed {
        points: match parent {
            Some((space, _)) => local.into_iter().map(|p| space.map(p)).collect(),
            None => local,
        },
        opacity: number(&drawable.channels.opacity, value) * parent.map_or(1.0, |p| p.1),
        draw_order: number(&drawable.channels.draw_order, value),
    }
}

/// The cells that count at the given values, with their weights (MOC3_FORMAT 7.2, 7.3). Outside the keys the nearest
/// key holds.
pub fn weights<T>(grid: &Grid<T>, value: &dyn Fn(&ParameterId) -> f64) -> Vec<(usize, f64)> {
    let mut corners = vec![(0usize, 1.0f64)];
    let mut stride = 1;
    for axis in &grid.axes {
        let (index, f) = bracket(&axis.keys, value(&axis.parameter));
        let upper = corners.iter().filter(|_| f > 0.0).map(|&(i, w)| (i + (index + 1) * stride, w * f));
        let upper: Vec<_> = upper.collect();
        for corner in &mut corners {
            *corner = (corner.0 + index * stride, corner.1 * (1.0 - f));
        }
        corners.extend(upper);
        stride *= axis.keys.len();
    }
    corners
}

fn bracket(keys: &[f64], v: f64) -> (usize, f64) {
    let upper = keys.iter().position(|&k| v < k + SNAP).unwrap_or(keys.len());
    if upper == 0 {
        return (0, 0.0);
    }
    if upper == keys.len() {
        return (keys.len().max(1) - 1, 0.0);
    }
    if v > keys[upper] - SNAP {
        return (upper, 0.0);
    }
    (upper - 1, (v - keys[upper - 1]) / (keys[upper] - keys[upper - 1]))
}

fn number(grid: &Grid<f64>, value: &dyn Fn(&ParameterId) -> f64) -> f64 {
    weights(grid, value).iter().map(|&(i, w)| grid.cells.get(i).copied().unwrap_or(0.0) * w).sum()
}

fn points(grid: &Grid<Vec<Point>>, value: &dyn Fn(&ParameterId) -> f64) -> Vec<Point> {
    let mut sum: Vec<Point> = Vec::new();
    for (i, w) in weights(grid, value) {
        let Some(cell) = grid.cells.get(i) else { continue };
        sum.resize(cell.len(), Point::default());
        for (s, &p) in sum.iter_mut().zip(cell) {
            *s = *s + p * w;
        }
    }
    sum
}

/// A deformer's map from its children's space to the canvas.
enum Space {
    Warp { columns: usize, rows: usize, lattice: Vec<Point>, scale: f64 },
    Rotation { pivot: Point, radians: f64, scale: f64, reflect: (f64, f64) },
}

impl Space {
    fn of(kind: &DeformerKind, parent: Option<&Self>, value: &dyn Fn(&ParameterId) -> f64) -> Self {
        match kind {
            DeformerKind::Warp(warp) => {
                let lattice = points(&warp.forms, value);
                let lattice = match parent {
                    Some(parent) => lattice.into_iter().map(|p| parent.map(p)).collect(),
                    None => lattice,
                };
                let scale = parent.map_or(1.0, Self::scale);
                Self::Warp { columns: warp.columns, rows: warp.rows, lattice, scale }
            }
            DeformerKind::Rotation(rotation) => {
                let form = rotation_form(&rotation.forms, value);
                let own = (rotation.base_angle + form.angle).to_radians();
                let reflect =
                    (if form.reflect_x { -1.0 } else { 1.0 }, if form.reflect_y { -1.0 } else { 1.0 });
                let (pivot, turn, scale) = match parent {
                    Some(parent) => {
                        (parent.map(form.pivot), parent.turn_at(form.pivot), parent.scale() * form.scale)
                    }
                    None => (form.pivot, 0.0, form.scale),
                };
                Self::Rotation { pivot, radians: own + turn, scale, reflect }
            }
        }
    }

    fn scale(&self) -> f64 {
        match self {
            Self::Warp { scale, .. } | Self::Rotation { scale, .. } => *scale,
        }
    }

    /// The angle that a rotation inherits at `pivot` (MOC3_FORMAT 7.7).
    fn turn_at(&self, pivot: Point) -> f64 {
        let mut step = if matches!(self, Self::Rotation { .. }) { 10.0 } else { 0.1 };
        let origin = self.map(pivot);
        for _ in 0..10 {
            for sign in [-1.0, 1.0] {
                let d = (self.map(pivot + Point::new(0.0, sign * step)) - origin) * -sign;
                if d.x != 0.0 || d.y != 0.0 {
                    let pi = std::f64::consts::PI;
                    let turn = maths::atan2(d.y, d.x) + pi / 2.0;
                    return if turn > pi { turn - 2.0 * pi } else { turn };
                }
            }
            step *= 0.1;
        }
        0.0
    }

    fn map(&self, p: Point) -> Point {
        match self {
            Self::Rotation { pivot, radians, scale, reflect } => {
                let (s, c) = (maths::sin(*radians), maths::cos(*radians));
                let q = Point::new(reflect.0 * p.x, reflect.1 * p.y);
                *pivot + Point::new(c * q.x - s * q.y, s * q.x + c * q.y) * *scale
            }
            Self::Warp { columns, rows, lattice, .. } => warp_map(*columns, *rows, lattice, p),
        }
    }
}

fn rotation_form(grid: &Grid<RotationForm>, value: &dyn Fn(&ParameterId) -> f64) -> RotationForm {
    let corners = weights(grid, value);
    let first = corners.first().and_then(|&(i, _)| grid.cells.get(i));
    let (reflect_x, reflect_y) = first.map_or((false, false), |f| (f.reflect_x, f.reflect_y));
    let mut sum = RotationForm { pivot: Point::default(), angle: 0.0, scale: 0.0, reflect_x, reflect_y };
    for (i, w) in corners {
        let Some(form) = grid.cells.get(i) else { continue };
        sum.pivot = sum.pivot + form.pivot * w;
        sum.angle += form.angle * w;
        sum.scale += form.scale * w;
    }
    sum
}

/// MOC3_FORMAT 7.6: bilinear inside, transition cells around, the best parallelogram far away.
fn warp_map(columns: usize, rows: usize, lattice: &[Point], p: Point) -> Point {
    let at = |i: usize, j: usize| lattice.get(j * (columns + 1) + i).copied().unwrap_or_default();
    let (u, v) = (p.x, p.y);
    if (0.0..1.0).contains(&u) && (0.0..1.0).contains(&v) {
        let (x, y) = (u * columns as f64, v * rows as f64);
        let (i, j) = (x as usize, y as usize);
        let (f, g) = (x - i as f64, y - j as f64);
        return at(i, j).lerp(at(i + 1, j), f).lerp(at(i, j + 1).lerp(at(i + 1, j + 1), f), g);
    }
    let (tl, tr, bl, br) = (at(0, 0), at(columns, 0), at(0, rows), at(columns, rows));
    let (d1, d2) = (br - tl, tr - bl);
    let (x, y) = ((d1 + d2) * 0.5, (d1 - d2) * 0.5);
    let origin = (tl + tr + bl + br) * 0.25 - d1 * 0.5;
    let far = |u: f64, v: f64| origin + x * u + y * v;
    if !(u > -2.0 && u < 3.0 && v > -2.0 && v < 3.0) {
        return far(u, v);
    }
    let (u0, u1, f) = transition(u, columns);
    let (v0, v1, g) = transition(v, rows);
    let corner = |u: f64, v: f64| {
        if (0.0..=1.0).contains(&u) && (0.0..=1.0).contains(&v) {
            at((u * columns as f64).round() as usize, (v * rows as f64).round() as usize)
        } else {
            far(u, v)
        }
    };
    let (a, b, c, d) = (corner(u0, v0), corner(u1, v0), corner(u0, v1), corner(u1, v1));
    if f + g <= 1.0 {
        a * (1.0 - f - g) + b * f + c * g
    } else {
        d * (f + g - 1.0) + c * (1.0 - f) + b * (1.0 - g)
    }
}

fn transition(t: f64, n: usize) -> (f64, f64, f64) {
    if t <= 0.0 {
        return (-2.0, 0.0, (t + 2.0) / 2.0);
    }
    if t >= 1.0 {
        return (1.0, 3.0, (t - 1.0) / 2.0);
    }
    let n_f = n as f64;
    let i = ((t * n_f) as usize).min(n.max(1) - 1) as f64;
    (i / n_f, (i + 1.0) / n_f, t * n_f - i)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice(columns: usize, rows: usize, f: impl Fn(f64, f64) -> Point) -> Vec<Point> {
        let cell = |n: usize| (n % (columns + 1), n / (columns + 1));
        (0..(columns + 1) * (rows + 1))
            .map(|n| f(cell(n).0 as f64 / columns as f64, cell(n).1 as f64 / rows as f64))
            .collect()
    }

    /// An affine lattice maps affinely everywhere, inside, in the transition cells and far away.
    #[test]
    fn affine_everywhere() {
        let map = |u: f64, v: f64| Point::new(10.0 + 30.0 * u + 4.0 * v, -5.0 + 2.0 * u + 50.0 * v);
        let points = lattice(3, 4, map);
        for u in [-9.0, -1.3, -0.2, 0.0, 0.3, 0.99, 1.0, 1.7, 2.9, 4.0] {
            for v in [-3.0, -0.4, 0.0, 0.62, 1.0, 1.2, 7.0] {
                let got = warp_map(3, 4, &points, Point::new(u, v));
                assert!(got.distance(map(u, v)) < 1e-9, "{u} {v}: {got:?}");
            }
        }
    }

    #[test]
    fn brackets() {
        let keys = [-1.0, 0.0, 1.0];
        let cases =
            [(-2.0, (0, 0.0)), (-0.5, (0, 0.5)), (0.0005, (1, 0.0)), (0.25, (1, 0.25)), (3.0, (2, 0.0))];
        for (v, want) in cases {
            let got = bracket(&keys, v);
            assert_eq!(got.0, want.0, "{v}");
            assert!((got.1 - want.1).abs() < 1e-12, "{v}");
        }
    }
}
