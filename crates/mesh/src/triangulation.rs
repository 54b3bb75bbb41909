//! Triangles that know their neighbours, and Delaunay insertion into them.

use crate::exact::{Site, cross, in_circle};

/// No edge.
pub(crate) const NONE: u32 = u32::MAX;

/// One side of a triangle, walked clockwise on screen. Edges `3 t`, `3 t + 1` and `3 t + 2` are those of triangle `t`.
#[derive(Clone, Copy)]
pub(crate) struct Edge {
    /// Where it starts, an index of [`Triangulation::sites`].
    pub(crate) from: u32,
    /// The same line in the neighbour, or [`NONE`] along the border.
    pub(crate) twin: u32,
    /// Part of an outline: never flipped.
    pub(crate) fixed: bool,
}

/// Triangles of positive area that share whole edges.
pub(crate) struct Triangulation {
    pub(crate) sites: Vec<Site>,
    pub(crate) edges: Vec<Edge>,
    /// Edges around the last inserted site whose triangle is final.
    pub(crate) fan: Vec<u32>,
    /// Edges to be checked.
    open: Vec<u32>,
}

/// Where a point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Strictly within the triangle of this edge.
    Inside(u32),
    /// On this edge, between its ends.
    On(u32),
    /// It is a site.
    Site,
    /// Behind this border or outline edge.
    Behind(u32),
}

/// The edge after `e` around its triangle.
pub(crate) fn next(e: u32) -> u32 {
    if e % 3 == 2 { e - 2 } else { e + 1 }
}

/// The edge before `e` around its triangle.
pub(crate) fn before(e: u32) -> u32 {
    if e.is_multiple_of(3) { e + 2 } else { e - 1 }
}

impl Triangulation {
    /// Given triangles, edges as described at [`Edge`].
    pub(crate) fn new(sites: Vec<Site>, edges: Vec<Edge>) -> Self {
        Self { sites, edges, fan: Vec::new(), open: Vec::new() }
    }

    /// Index of the site at which an edge starts.
    pub(crate) fn from(&self, e: u32) -> u32 {
        self.edges[e as usize].from
    }

    /// Index of the site at which an edge ends.
    pub(crate) fn to(&self, e: u32) -> u32 {
        self.from(next(e))
    }

    /// Index of the site opposite an edge.
    pub(crate) fn apex(&self, e: u32) -> u32 {
        self.from(before(e))
    }

    /// The site with an index.
    pub(crate) fn at(&self, index: u32) -> Site {
        self.sites[index as usize]
    }

    /// The corners of the triangle of edge `e`, from the start of `e` on.
    pub(crate) fn corners(&self, e: u32) -> [Site; 3] {
        [self.at(self.from(e)), self.at(self.to(e)), self.at(self.apex(e))]
    }

    /// The closed lines of site indices along the border, in order of their first edge.
    pub(crate) fn border(&self) -> Vec<Vec<u32>> {
        let mut used = vec![false; self.edges.len()];
        let mut lines = Vec::new();
        for first in (0..self.edges.len() as u32).filter(|&e| self.edges[e as usize].twin == NONE) {
            let mut line = Vec::new();
            let mut e = first;
            while !used[e as usize] {
                used[e as usize] = true;
                line.push(self.from(e));
                e = self.border_after(e);
            }
            if !line.is_empty() {
                lines.push(line);
            }
        }
        lines
    }

    /// The border edge from the end of border edge `e`, around the same fan of triangles.
    fn border_after(&self, e: u32) -> u32 {
        let mut on = next(e);
        while self.edges[on as usize].twin != NONE {
            on = next(self.edges[on as usize].twin);
        }
        on
    }

    /// Walks from the triangle of edge `start` to the point. Does not cross fixed edges.
    pub(crate) fn locate(&self, p: Site, start: u32) -> Place {
        let mut e = start - start % 3;
        // Ends long before, as a Delaunay triangulation has no circular walks; fixed edges might make some.
        for _ in 0..self.edges.len() {
            let signs = [e, e + 1, e + 2].map(|e| cross(self.at(self.from(e)), self.at(self.to(e)), p));
            let crossable = |k: &usize| {
                let edge = &self.edges[e as usize + k];
                signs[*k] < 0 && edge.twin != NONE && !edge.fixed
            };
            if let Some(k) = (0..3).find(crossable) {
                let twin = self.edges[e as usize + k].twin;
                // The entry comes last.
                e = twin - twin % 3;
                continue;
            }
            if let Some(k) = (0..3).find(|&k| signs[k] < 0) {
                return Place::Behind(e + k as u32);
            }
            let mut on = (0..3).filter(|&k| signs[k] == 0);
            return match (on.next(), on.next()) {
                (None, _) => Place::Inside(e),
                (Some(k), None) => Place::On(e + k as u32),
                _ => Place::Site,
            };
        }
        Place::Behind(start)
    }

    /// Adds a site at a place found by [`Triangulation::locate`], which must be `Inside` or `On`, and restores the
    /// Delaunay property around it; its triangles are then those of the edges in `fan`, which face it.
    pub(crate) fn insert(&mut self, p: Site, place: Place) {
        self.sites.push(p);
        self.open.clear();
        self.fan.clear();
        match place {
            Place::Inside(e) => self.split_triangle(e),
            Place::On(e) => self.split_edge(e),
            Place::Site | Place::Behind(_) => return,
        }
        self.legalize();
    }

    /// The last site goes into the triangle of `e`.
    fn split_triangle(&mut self, e: u32) {
        let first = e - e % 3;
        let old = [first, first + 1, first + 2].map(|e| self.edges[e as usize]);
        let added = self.grown(2);
        let corner = [first, added, added + 3];
        for k in 0..3 {
            self.spoke(corner[k], old[k], old[(k + 1) % 3].from);
        }
        for k in 0..3 {
            self.link(corner[k] + 1, corner[(k + 1) % 3] + 2);
        }
    }

    /// The last site goes onto the edge `e`: two triangles on each side that has any.
    fn split_edge(&mut self, e: u32) {
        let Edge { twin, fixed, .. } = self.edges[e as usize];
        let halves = self.split_side(e, fixed);
        if twin != NONE {
            let others = self.split_side(twin, fixed);
            self.link(halves.0, others.1);
            self.link(halves.1, others.0);
        }
    }

    /// The triangle of `e` in two; gives the first and the second part of `e`.
    fn split_side(&mut self, e: u32, fixed: bool) -> (u32, u32) {
        let [_, right, left] = [e, next(e), before(e)].map(|e| self.edges[e as usize]);
        let (a, b, c) = (self.from(e), right.from, left.from);
        let first = e - e % 3;
        let added = self.grown(1);
        // c a p and b c p.
        self.spoke(first, left, a);
        self.spoke(added, right, c);
        self.link(first + 2, added + 1);
        let half = |from: u32| Edge { from, twin: NONE, fixed };
        let p = self.sites.len() as u32 - 1;
        self.edges[first as usize + 1] = half(a);
        self.edges[added as usize + 2] = half(p);
        debug_assert_eq!(self.edges[added as usize].from, b);
        (first + 1, added + 2)
    }

    /// Makes the triangle at `first` of an outer edge that ends at `to`, and the last site.
    fn spoke(&mut self, first: u32, outer: Edge, to: u32) {
        let p = self.sites.len() as u32 - 1;
        let inner = |from: u32| Edge { from, twin: NONE, fixed: false };
        self.edges[first as usize..first as usize + 3].copy_from_slice(&[outer, inner(to), inner(p)]);
        if outer.twin != NONE {
            self.edges[outer.twin as usize].twin = first;
        }
        self.open.push(first);
    }

    /// Room for more triangles; gives the first edge of the first.
    fn grown(&mut self, triangles: usize) -> u32 {
        let first = self.edges.len();
        self.edges.resize(first + 3 * triangles, Edge { from: 0, twin: NONE, fixed: false });
        first as u32
    }

    fn link(&mut self, a: u32, b: u32) {
        self.edges[a as usize].twin = b;
        self.edges[b as usize].twin = a;
    }

    /// Flips the open edges, which face the last site, until the circles around its triangles are empty.
    fn legalize(&mut self) {
        while let Some(e) = self.open.pop() {
            if self.is_legal(e) {
                self.fan.push(e);
            } else {
                let (a, b) = self.flip(e);
                self.open.extend([a, b]);
            }
        }
    }

    /// The edge is fixed, or the circle through its triangle does not contain the apex beyond.
    pub(crate) fn is_legal(&self, e: u32) -> bool {
        let Edge { twin, fixed, .. } = self.edges[e as usize];
        if fixed || twin == NONE {
            return true;
        }
        let [a, b, p] = self.corners(e);
        !in_circle(a, b, p, self.at(self.apex(twin)))
    }

    /// Replaces the edge by the other diagonal of the two triangles beside it; gives the two edges that faced the apex
    /// of `twin` before and now face that of `e`.
    pub(crate) fn flip(&mut self, e: u32) -> (u32, u32) {
        let g = self.edges[e as usize].twin;
        let (first, second) = (e - e % 3, g - g % 3);
        let edge = |e: u32| self.edges[e as usize];
        // e is a b of the triangle a b p, g is b a of b a d.
        let (bp, pa, ad, db) = (edge(next(e)), edge(before(e)), edge(next(g)), edge(before(g)));
        self.put(first, ad);
        self.put(first + 2, pa);
        self.put(second, db);
        self.put(second + 1, bp);
        self.edges[first as usize + 1] = Edge { from: db.from, twin: NONE, fixed: false };
        self.edges[second as usize + 2] = Edge { from: pa.from, twin: NONE, fixed: false };
        self.link(first + 1, second + 2);
        (first, second)
    }

    fn put(&mut self, e: u32, edge: Edge) {
        self.edges[e as usize] = edge;
        if edge.twin != NONE {
            self.edges[edge.twin as usize].twin = e;
        }
    }
}
