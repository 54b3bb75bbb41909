//! Vertices put into a triangulation, and edges flipped towards Delaunay around them.

use crate::bones::{length, minus};
use crate::mesh::doubled_area;
use crate::refine::{Blend, Refined, to_segment};
use crate::{Error, Mesh};

/// A spot this near to an edge goes onto it, px.
const SNAP: f64 = 0.5;
/// At most this many flips for one vertex.
const MAX_FLIPS: usize = 64;

/// A vertex list, the triangles that may change and those that may not.
pub(crate) struct Triangles {
    vertices: Vec<[f64; 2]>,
    old: usize,
    /// Triangles near the joints as they were.
    rest: Vec<[u32; 3]>,
    /// The same area as it is now.
    near: Vec<[u32; 3]>,
    far: Vec<[u32; 3]>,
    blends: Vec<Blend>,
    /// Vertices of `near`.
    corners: Vec<u32>,
}

impl Triangles {
    pub(crate) fn new(mesh: &Mesh, near: impl Fn(&[u32; 3]) -> bool) -> Self {
        // A triangle without area can neither hold a spot nor be told from its mirror image.
        let usable = |t: &[u32; 3]| doubled_area(mesh.vertices(), *t) != 0.0 && near(t);
        let (near, far): (Vec<_>, Vec<_>) = mesh.triangles().iter().copied().partition(usable);
        let mut corners: Vec<u32> = near.iter().flatten().copied().collect();
        corners.sort_unstable();
        corners.dedup();
        let vertices = mesh.vertices().to_vec();
        Self { old: vertices.len(), vertices, rest: near.clone(), near, far, blends: Vec::new(), corners }
    }

    /// Puts a vertex at a spot, unless one is nearer than `gap` or the spot is outside.
    pub(crate) fn insert(&mut self, spot: [f64; 2], gap: f64) {
        let Some((spot, blend)) = self.snapped(spot) else { return };
        if self.corners.iter().any(|v| length(minus(self.vertices[*v as usize], spot)) < gap) {
            return;
        }
        let Some(holder) = self.holder(spot) else { return };
        let new = self.vertices.len() as u32;
        let triangle = self.near[holder];
        let sides = [0, 1, 2].map(|k| (triangle[k], triangle[(k + 1) % 3]));
        let at = |v: u32| self.vertices[v as usize];
        let split =
            sides.into_iter().find(|(a, b)| to_segment(spot, at(*a), at(*b)).0 < 1e-9 * (1.0 + length(spot)));
        self.vertices.push(spot);
        self.corners.push(new);
        self.blends.push(blend);
        match split {
            Some((a, b)) => self.split_edge(a, b, new),
            None => {
                let [a, b, c] = triangle;
                self.near[holder] = [a, b, new];
                self.near.extend([[b, c, new], [c, a, new]]);
            }
        }
        self.legalise(new);
    }

    /// All triangles; those that could not change keep their order and come first.
    ///
    /// # Errors
    /// [`Error::TooLarge`].
    pub(crate) fn refined(self, mesh: &Mesh) -> Result<Refined, Error> {
        if self.vertices.len() == self.old {
            return Ok(Refined { mesh: mesh.clone(), blends: self.blends });
        }
        let mesh = Mesh::new(self.vertices, [self.far, self.near].concat())?;
        Ok(Refined { mesh, blends: self.blends })
    }

    /// The spot, on an edge of the mesh as it was when it is near one, and its blend of old vertices.
    fn snapped(&self, spot: [f64; 2]) -> Option<([f64; 2], Blend)> {
        let at = |v: u32| self.vertices[v as usize];
        let edges = self.near.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
        let nearest = edges
            .map(|(a, b)| (to_segment(spot, at(a), at(b)), a, b))
            .filter(|((distance, _), ..)| *distance < SNAP)
            .fold(
                None,
                |best: Option<((f64, f64), u32, u32)>, new| {
                    if best.is_some_and(|b| b.0.0 <= new.0.0) { best } else { Some(new) }
                },
            );
        let spot = nearest.map_or(spot, |((_, t), a, b)| {
            // From the lesser index, so that both triangles of the edge agree on every bit.
            let (a, b, t) = if a < b { (a, b, t) } else { (b, a, 1.0 - t) };
            [at(a)[0] + (at(b)[0] - at(a)[0]) * t, at(a)[1] + (at(b)[1] - at(a)[1]) * t]
        });
        let inside = |t: &[u32; 3]| self.barycentric(spot, *t);
        let best = self.rest.iter().map(|t| (inside(t), t)).fold(
            None,
            |best: Option<([f64; 3], &[u32; 3])>, new| {
                let least = |s: &[f64; 3]| s[0].min(s[1]).min(s[2]);
                if best.is_some_and(|b| least(&b.0) >= least(&new.0)) { best } else { Some(new) }
            },
        )?;
        let (shares, triangle) = best;
        if shares.iter().any(|s| *s < -1e-6) {
            return None;
        }
        Some((spot, [0, 1, 2].map(|k| (triangle[k], shares[k]))))
    }

    /// Shares of a triangle's corners at a spot.
    fn barycentric(&self, spot: [f64; 2], triangle: [u32; 3]) -> [f64; 3] {
        let [a, b, c] = triangle.map(|v| self.vertices[v as usize]);
        let area = |p: [f64; 2], q: [f64; 2], r: [f64; 2]| {
            (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
        };
        let whole = area(a, b, c);
        [area(spot, b, c) / whole, area(a, spot, c) / whole, area(a, b, spot) / whole]
    }

    /// The present triangle that holds a spot best.
    fn holder(&self, spot: [f64; 2]) -> Option<usize> {
        let least = |t: &[u32; 3]| self.barycentric(spot, *t).into_iter().fold(f64::INFINITY, f64::min);
        let best =
            self.near.iter().map(least).enumerate().fold(None, |best: Option<(usize, f64)>, new| {
                if best.is_some_and(|b| b.1 >= new.1) { best } else { Some(new) }
            })?;
        (best.1 > -1e-6).then_some(best.0)
    }

    fn split_edge(&mut self, a: u32, b: u32, new: u32) {
        for i in 0..self.near.len() {
            let triangle = self.near[i];
            if triangle.contains(&a) && triangle.contains(&b) {
                self.near[i] = triangle.map(|v| if v == a { new } else { v });
                self.near.push(triangle.map(|v| if v == b { new } else { v }));
            }
        }
    }

    /// Flips edges opposite a new vertex while that makes angles better.
    fn legalise(&mut self, new: u32) {
        for _ in 0..MAX_FLIPS {
            let flip =
                (0..self.near.len()).filter(|i| self.near[*i].contains(&new)).find_map(|i| self.flip(i, new));
            let Some((i, j, one, other)) = flip else { return };
            self.near[i] = one;
            self.near[j] = other;
        }
    }

    /// Both triangles of a better diagonal for the quadrilateral beyond the edge opposite `new`.
    fn flip(&self, i: usize, new: u32) -> Option<(usize, usize, [u32; 3], [u32; 3])> {
        let triangle = self.near[i];
        let k = triangle.iter().position(|v| *v == new)?;
        let (a, b) = (triangle[(k + 1) % 3], triangle[(k + 2) % 3]);
        let beyond = |t: &[u32; 3]| !t.contains(&new) && t.contains(&a) && t.contains(&b);
        let j = self.near.iter().position(beyond)?;
        let apex = self.near[j].into_iter().find(|v| *v != a && *v != b)?;
        let (one, other) = ([new, a, apex], [new, apex, b]);
        let sign = doubled_area(&self.vertices, triangle).signum();
        let convex = [one, other].iter().all(|t| doubled_area(&self.vertices, *t) * sign > 1e-9);
        let same_side = doubled_area(&self.vertices, self.near[j]).signum() == sign;
        // Together beyond half a turn, the opposite angles ask for the other diagonal.
        let better = self.cotangent(a, b, new) + self.cotangent(a, b, apex) < -1e-9;
        (convex && same_side && better).then_some((i, j, one, other))
    }

    /// The cotangent of the angle at `at` over the edge `a b`: sums of two below zero break Delaunay's rule.
    fn cotangent(&self, a: u32, b: u32, at: u32) -> f64 {
        let [a, b, at] = [a, b, at].map(|v| self.vertices[v as usize]);
        let (u, v) = (minus(a, at), minus(b, at));
        (u[0] * v[0] + u[1] * v[1]) / (u[0] * v[1] - u[1] * v[0]).abs().max(1e-12)
    }
}
