//! Vertices, triangles and the lines around them.

use geom::Point;
use serde::{Deserialize, Serialize};

/// A triangle mesh of one layer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mesh {
    /// Raster-local pixels: (0, 0) is the top left corner of the raster; may lie outside it. Below 65535 of them.
    pub vertices: Vec<Point>,
    /// Vertex indices; every triangle has positive signed area with y down (clockwise on screen).
    pub triangles: Vec<[u32; 3]>,
    /// Closed lines of vertex indices around the covered area, the first not repeated: islands have positive signed
    /// area (y down), holes negative.
    pub outline: Vec<Vec<u32>>,
    /// The art could not be triangulated and this is a plain grid over its bounds.
    pub fallback: bool,
}

impl Mesh {
    /// A mesh whose outline is found from its triangles.
    pub fn new(vertices: Vec<Point>, triangles: Vec<[u32; 3]>) -> Self {
        let outline = boundary(&vertices, &triangles);
        Self { vertices, triangles, outline, fallback: false }
    }

    /// Twice the signed area of a triangle.
    pub fn doubled_area(&self, triangle: [u32; 3]) -> f64 {
        let [a, b, c] = triangle.map(|i| self.vertices[i as usize]);
        (b - a).cross(c - a)
    }

    /// Smallest angle of all triangles in degrees; `None` without triangles.
    pub fn smallest_angle(&self) -> Option<f64> {
        self.triangles.iter().map(|&t| self.triangle_angle(t)).min_by(f64::total_cmp)
    }

    /// Smallest angle of one triangle in degrees.
    pub fn triangle_angle(&self, triangle: [u32; 3]) -> f64 {
        let p = triangle.map(|i| self.vertices[i as usize]);
        let angle = |i: usize| {
            let (u, v) = (p[(i + 1) % 3] - p[i], p[(i + 2) % 3] - p[i]);
            geom::maths::atan2(u.cross(v).abs(), u.dot(v))
        };
        (0..3).map(angle).fold(f64::INFINITY, f64::min) * 180.0 / std::f64::consts::PI
    }
}

/// The closed lines of the edges that belong to one triangle only.
fn boundary(vertices: &[Point], triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let edges = Outgoing::new(vertices.len(), triangles);
    let mut open: Vec<(u32, u32)> = Vec::new();
    for from in 0..vertices.len() as u32 {
        open.extend(edges.of(from).iter().filter(|&&to| !edges.of(to).contains(&from)).map(|&to| (from, to)));
    }
    // Sorted by their first vertex, as `from` increases.
    let mut used = vec![false; open.len()];
    let mut loops = Vec::new();
    for first in 0..open.len() {
        let mut line = Vec::new();
        let mut edge = Some(first);
        while let Some(e) = edge.filter(|&e| !used[e]) {
            used[e] = true;
            line.push(open[e].0);
            edge = follow(vertices, &open, &used, open[e]);
        }
        if !line.is_empty() {
            loops.push(line);
        }
    }
    loops
}

/// The unused boundary edge after `(u, v)` around the same fan of triangles.
fn follow(vertices: &[Point], open: &[(u32, u32)], used: &[bool], (u, v): (u32, u32)) -> Option<usize> {
    let start = open.partition_point(|e| e.0 < v);
    let candidates = (start..open.len()).take_while(|&e| open[e].0 == v).filter(|&e| !used[e]);
    let at = |i: u32| vertices[i as usize] - vertices[v as usize];
    // Turning from the way back towards the inside, the fan ends at the first edge met.
    let turn = |e: usize| {
        let (back, on) = (at(u), at(open[e].1));
        let angle = geom::maths::atan2(on.cross(back), on.dot(back));
        if angle <= 0.0 { angle + 2.0 * std::f64::consts::PI } else { angle }
    };
    candidates.min_by(|&a, &b| turn(a).total_cmp(&turn(b)))
}

/// Where the edges of every vertex lead, as one flat list.
struct Outgoing {
    starts: Vec<u32>,
    to: Vec<u32>,
}

impl Outgoing {
    fn new(count: usize, triangles: &[[u32; 3]]) -> Self {
        let mut starts = vec![0u32; count + 1];
        for &i in triangles.iter().flatten() {
            starts[i as usize + 1] += 1;
        }
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        let mut fill = starts.clone();
        let mut to = vec![0; triangles.len() * 3];
        for t in triangles {
            for k in 0..3 {
                let slot = &mut fill[t[k] as usize];
                to[*slot as usize] = t[(k + 1) % 3];
                *slot += 1;
            }
        }
        Self { starts, to }
    }

    fn of(&self, vertex: u32) -> &[u32] {
        &self.to[self.starts[vertex as usize] as usize..self.starts[vertex as usize + 1] as usize]
    }
}
