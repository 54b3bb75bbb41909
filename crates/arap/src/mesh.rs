//! The mesh at rest, checked once.

use crate::Error;

/// Coordinates beyond this many pixels are refused.
const MAX_COORDINATE: f64 = 1e7;
/// More vertices are refused.
const MAX_VERTICES: usize = 1 << 20;
/// Bounds of an edge's weight (DOCUMENT_LAYER 9.3: at least 1e-6; slivers must not outweigh everything else).
const EDGE_WEIGHTS: (f64, f64) = (1e-6, 1e2);

/// Vertices at rest in canvas px and triangles by index, counter-clockwise or clockwise alike.
///
/// Everything in it is finite and in range; triangles may have no area.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    vertices: Vec<[f64; 2]>,
    triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// Checks and takes a mesh.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::BadIndex`] or [`Error::TooLarge`]. No vertices or no triangles are no error.
    pub fn new(vertices: Vec<[f64; 2]>, triangles: Vec<[u32; 3]>) -> Result<Self, Error> {
        at_most("vertices", vertices.len(), MAX_VERTICES)?;
        at_most("triangles", triangles.len(), 4 * MAX_VERTICES)?;
        finite("vertex", &vertices)?;
        let distinct = |t: &[u32; 3]| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
        let bad = |t: &[u32; 3]| !distinct(t) || t.iter().any(|v| *v as usize >= vertices.len());
        if let Some(index) = triangles.iter().position(bad) {
            return Err(Error::BadIndex { what: "triangle", index });
        }
        Ok(Self { vertices, triangles })
    }

    /// Positions at rest.
    pub fn vertices(&self) -> &[[f64; 2]] {
        &self.vertices
    }

    /// Triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Edges of exactly one triangle, lesser index first, ascending.
    pub(crate) fn outline(&self) -> Vec<[u32; 2]> {
        let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]];
        let mut edges: Vec<[u32; 2]> =
            self.triangles.iter().flat_map(sides).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges.chunk_by(|a, b| a == b).filter(|same| same.len() == 1).map(|same| same[0]).collect()
    }

    /// Each vertex's neighbours by ascending index, with the edge's weight: half the sum of the cotangents of the
    /// opposite angles, within 1e-6..=100 (DOCUMENT_LAYER 9.3).
    pub(crate) fn spokes(&self) -> Vec<Vec<(u32, f64)>> {
        let mut spokes: Vec<Vec<(u32, f64)>> = vec![Vec::new(); self.vertices.len()];
        for &[a, b, c] in &self.triangles {
            for (from, to, opposite) in [(a, b, c), (b, c, a), (c, a, b)] {
                let half = 0.5 * self.cotangent(opposite, from, to);
                spokes[from as usize].push((to, half));
                spokes[to as usize].push((from, half));
            }
        }
        for list in &mut spokes {
            // Stable: equal neighbours keep the order of the triangles, and so sums their bits.
            list.sort_by_key(|(to, _)| *to);
            list.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 += next.1;
                }
                same
            });
            for (_, weight) in list {
                *weight = weight.clamp(EDGE_WEIGHTS.0, EDGE_WEIGHTS.1);
            }
        }
        spokes
    }

    /// The cotangent of the angle at `at` between `p` and `q`; large, never infinite, without area.
    fn cotangent(&self, at: u32, p: u32, q: u32) -> f64 {
        let [a, p, q] = [at, p, q].map(|v| self.vertices[v as usize]);
        let (u, v) = ([p[0] - a[0], p[1] - a[1]], [q[0] - a[0], q[1] - a[1]]);
        let dot = u[0] * v[0] + u[1] * v[1];
        let cross = (u[0] * v[1] - u[1] * v[0]).abs();
        (dot / cross.max(1e-12)).clamp(-1e6, 1e6)
    }
}

/// Twice the signed area of a triangle whose corners are read from `positions`.
pub(crate) fn doubled_area(positions: &[[f64; 2]], triangle: [u32; 3]) -> f64 {
    let [a, b, c] = triangle.map(|v| positions[v as usize]);
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Every coordinate is finite and of a sane size.
pub(crate) fn finite(what: &'static str, points: &[[f64; 2]]) -> Result<(), Error> {
    // NaN is not within.
    let good = |p: &[f64; 2]| p.iter().all(|c| c.abs() <= MAX_COORDINATE);
    points.iter().position(|p| !good(p)).map_or(Ok(()), |index| Err(Error::NotFinite { what, index }))
}

/// The list has one entry for each of `wanted`.
pub(crate) fn as_many(what: &'static str, found: usize, wanted: usize) -> Result<(), Error> {
    if found == wanted { Ok(()) } else { Err(Error::Length { what, found, wanted }) }
}

/// The size is bearable.
pub(crate) fn at_most(what: &'static str, found: usize, limit: usize) -> Result<(), Error> {
    if found <= limit { Ok(()) } else { Err(Error::TooLarge { what, found, limit }) }
}
