//! The constrained Delaunay triangulation inside closed lines.

use std::collections::VecDeque;

use crate::exact::{REACH, Site, cross};
use crate::triangulation::{Edge, NONE, Place, Triangulation, before, next};

/// Triangles of the area inside the loops (even-odd rule), Delaunay as far as their sides allow, each side an edge.
/// `sites` holds the points of the loops, one loop of the given length after the other, then points inside them. The
/// border of the result is the loops; its sites are the given ones in another order.
///
/// `None` when sides cross or touch, points coincide, or coordinates are too far apart.
pub(crate) fn constrained(sites: &[Site], lengths: &[usize]) -> Option<Triangulation> {
    let (triangulation, places) = delaunay(sites)?;
    let mut sides = Sides::new(triangulation);
    let mut first = 0;
    for &length in lengths {
        let line = &places[first..first + length];
        for k in 0..length {
            sides.fix(line[k], line[(k + 1) % length])?;
        }
        first += length;
    }
    Some(inside(&sides.all))
}

/// All sites in a square, whose corners are the first four, and the index of each given one.
fn delaunay(sites: &[Site]) -> Option<(Triangulation, Vec<u32>)> {
    let low = Site { x: sites.iter().map(|p| p.x).min()?, y: sites.iter().map(|p| p.y).min()? };
    let high = Site { x: sites.iter().map(|p| p.x).max()?, y: sites.iter().map(|p| p.y).max()? };
    let side = (high.x - low.x).max(high.y - low.y);
    if side >= REACH / 4 {
        return None;
    }
    let mut triangulation = square(low, side);
    triangulation.sites.reserve(sites.len());
    triangulation.edges.reserve(sites.len() * 6);
    let mut places = vec![0; sites.len()];
    let mut near = 0;
    for input in insertion_order(sites, low, side) {
        places[input as usize] = triangulation.sites.len() as u32;
        let p = sites[input as usize];
        let place = triangulation.locate(p, near);
        if !matches!(place, Place::Inside(_) | Place::On(_)) {
            return None;
        }
        triangulation.insert(p, place);
        near = *triangulation.fan.first()?;
    }
    Some((triangulation, places))
}

/// Two triangles well around the square with the upper left corner `low`.
fn square(low: Site, side: i64) -> Triangulation {
    let pad = side / 2 + 64;
    let (left, top, right, bottom) = (low.x - pad, low.y - pad, low.x + side + pad, low.y + side + pad);
    let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
    let edge = |from: u32, twin: u32| Edge { from, twin, fixed: false };
    let edges = vec![edge(0, NONE), edge(1, NONE), edge(2, 3), edge(0, 2), edge(2, NONE), edge(3, NONE)];
    Triangulation::new(corners.map(|(x, y)| Site { x, y }).to_vec(), edges)
}

/// Indices such that each is near the one before it: along a Hilbert curve.
fn insertion_order(sites: &[Site], low: Site, side: i64) -> Vec<u32> {
    /// Bits of a coordinate along the curve.
    const BITS: u32 = 10;
    let shift = (64 - side.leading_zeros()).saturating_sub(BITS);
    let key = |p: &Site| hilbert(((p.x - low.x) >> shift) as u32, ((p.y - low.y) >> shift) as u32, BITS);
    let mut order: Vec<(u32, u32)> = sites.iter().map(key).zip(0..).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, input)| input).collect()
}

/// Place of a cell along the Hilbert curve of `2^bits` cells a side.
fn hilbert(mut x: u32, mut y: u32, bits: u32) -> u32 {
    let mut place = 0;
    for bit in (0..bits).rev() {
        let (right, down) = ((x >> bit) & 1, (y >> bit) & 1);
        place = (place << 2) | ((3 * right) ^ down);
        if down == 0 {
            let flip = if right == 1 { (1 << bit) - 1 } else { 0 };
            (x, y) = (y ^ flip, x ^ flip);
        }
    }
    place
}

/// Makes sides edges.
struct Sides {
    all: Triangulation,
    /// Some edge from each site.
    out: Vec<u32>,
}

impl Sides {
    fn new(all: Triangulation) -> Self {
        let mut sides = Self { out: vec![NONE; all.sites.len()], all };
        for e in 0..sides.all.edges.len() as u32 {
            sides.out[sides.all.from(e) as usize] = e;
        }
        sides
    }

    /// Fixes the edge between two sites, after making it one; `None` when it meets another site or a fixed edge.
    fn fix(&mut self, from: u32, to: u32) -> Option<()> {
        let e = match self.find(from, to) {
            Some(e) => e,
            None => {
                let crossed = self.crossed(from, to)?;
                self.uncross(from, to, crossed)?
            }
        };
        let twin = self.all.edges[e as usize].twin;
        self.all.edges[e as usize].fixed = true;
        self.all.edges[twin as usize].fixed = true;
        Some(())
    }

    /// The edges from an inner site.
    fn around(&self, from: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.out[from as usize];
        let mut at = Some(first);
        std::iter::from_fn(move || {
            let e = at?;
            let on = self.all.edges[before(e) as usize].twin;
            at = (on != first && on != NONE).then_some(on);
            Some(e)
        })
    }

    fn find(&self, from: u32, to: u32) -> Option<u32> {
        self.around(from).find(|&e| self.all.to(e) == to)
    }

    /// Ends of the edges that the segment crosses, in order.
    fn crossed(&self, from: u32, to: u32) -> Option<VecDeque<(u32, u32)>> {
        let t = &self.all;
        let (a, b) = (t.at(from), t.at(to));
        let sign = |c: u32| cross(a, b, t.at(c));
        let leaves = |&e: &u32| {
            let (right, left) = (t.at(t.to(e)), t.at(t.apex(e)));
            cross(a, right, b) > 0 && cross(a, left, b) < 0
        };
        let mut crossed = VecDeque::new();
        let mut e = next(self.around(from).find(leaves)?);
        loop {
            let Edge { twin, fixed, .. } = t.edges[e as usize];
            if fixed || twin == NONE {
                return None;
            }
            crossed.push_back((t.from(e), t.to(e)));
            let apex = t.apex(twin);
            if apex == to {
                return Some(crossed);
            }
            // The twin runs from the one side to the other, like the edge by which the segment leaves.
            e = match sign(apex).signum() * sign(t.from(twin)).signum() {
                0 => return None,
                1 => next(twin),
                _ => before(twin),
            };
        }
    }

    /// Flips edges until none crosses the segment, then those that are not Delaunay; gives the segment's edge.
    fn uncross(&mut self, from: u32, to: u32, mut crossed: VecDeque<(u32, u32)>) -> Option<u32> {
        let (a, b) = (self.all.at(from), self.all.at(to));
        let mut made = Vec::new();
        // Every round over the queue flips some edge.
        let mut patience = crossed.len() * crossed.len() + 16;
        while let Some((p, q)) = crossed.pop_front() {
            patience = patience.checked_sub(1)?;
            let e = self.find(p, q)?;
            let (c, d) = (self.all.apex(e), self.all.apex(self.all.edges[e as usize].twin));
            let (at_c, at_d) = (self.all.at(c), self.all.at(d));
            // Both ends of the edge must lie beside the other diagonal.
            let convex =
                cross(at_c, at_d, self.all.at(p)).signum() * cross(at_c, at_d, self.all.at(q)).signum();
            if convex >= 0 {
                crossed.push_back((p, q));
                continue;
            }
            self.flip(e);
            let crosses = cross(a, b, at_c).signum() * cross(a, b, at_d).signum() < 0;
            if crosses { crossed.push_back((c, d)) } else { made.push((c, d)) }
        }
        self.legalize(from, to, &mut made)?;
        self.find(from, to)
    }

    /// Flips the given edges, save the segment, until they are Delaunay.
    fn legalize(&mut self, from: u32, to: u32, made: &mut [(u32, u32)]) -> Option<()> {
        let mut patience = made.len() * made.len() + 16;
        let mut flipped = true;
        while flipped {
            flipped = false;
            patience = patience.checked_sub(1)?;
            for ends in made.iter_mut().filter(|ends| **ends != (from, to) && **ends != (to, from)) {
                let e = self.find(ends.0, ends.1)?;
                if !self.all.is_legal(e) {
                    *ends = (self.all.apex(e), self.all.apex(self.all.edges[e as usize].twin));
                    self.flip(e);
                    flipped = true;
                }
            }
        }
        Some(())
    }

    fn flip(&mut self, e: u32) {
        let (first, second) = self.all.flip(e);
        for e in (first..first + 3).chain(second..second + 3) {
            self.out[self.all.from(e) as usize] = e;
        }
    }
}

/// The triangles at which an odd number of fixed edges must be crossed from the border, and their sites.
fn inside(all: &Triangulation) -> Triangulation {
    let inner = inner_triangles(all);
    let mut place = vec![NONE; inner.len()];
    let mut count = 0;
    for (place, _) in place.iter_mut().zip(&inner).filter(|(_, inner)| **inner) {
        *place = count;
        count += 1;
    }
    let mut renamed = vec![NONE; all.sites.len()];
    let mut sites = Vec::with_capacity(all.sites.len());
    let mut edges = Vec::with_capacity(count as usize * 3);
    for e in (0..all.edges.len()).filter(|e| inner[e / 3]) {
        let Edge { from, twin, fixed } = all.edges[e];
        let name = &mut renamed[from as usize];
        if *name == NONE {
            *name = sites.len() as u32;
            sites.push(all.at(from));
        }
        let twin = if fixed { NONE } else { place[twin as usize / 3] * 3 + twin % 3 };
        edges.push(Edge { from: *name, twin, fixed });
    }
    Triangulation::new(sites, edges)
}

/// Whether each triangle is inside.
fn inner_triangles(all: &Triangulation) -> Vec<bool> {
    let mut seen = vec![false; all.edges.len() / 3];
    let mut inner = seen.clone();
    let start = all.edges.iter().position(|e| e.twin == NONE).unwrap_or_default() / 3;
    seen[start] = true;
    let mut open = vec![start];
    while let Some(t) = open.pop() {
        for edge in all.edges[3 * t..3 * t + 3].iter().filter(|e| e.twin != NONE) {
            let beyond = edge.twin as usize / 3;
            if !seen[beyond] {
                seen[beyond] = true;
                inner[beyond] = inner[t] != edge.fixed;
                open.push(beyond);
            }
        }
    }
    inner
}
