//! Rows of vertices where a limb bends (DOCUMENT_LAYER 9.1).
//!
//! New vertices are blends of the corners of the rest triangle they lie in, so whatever is affine on each triangle
//! (texture coordinates, existing keyforms) has a value there, and the picture does not change.

use crate::bones::{Joint, length, minus};
use crate::subdivide::Triangles;
use crate::weights::along;
use crate::{Error, Mesh};

/// Where the rows of a band are, in half widths.
const ROWS: [f64; 5] = [-1.0, -0.5, 0.0, 0.5, 1.0];
/// Spots nearer than this to a vertex are skipped in any case, px: a snapped spot is found again.
const LEAST_GAP: f64 = 0.6;

/// A mesh with rows added at its joints.
#[derive(Clone, Debug, PartialEq)]
pub struct Refined {
    /// The vertices of the old mesh, in their order, then the new ones.
    pub mesh: Mesh,
    /// For each new vertex the rest triangle it lies in.
    pub blends: Vec<Blend>,
}

/// Corners of a triangle and their shares, which sum to 1.
pub type Blend = [(u32, f64); 3];

impl Refined {
    /// Values at all vertices from values at the old ones: positions of a keyform, texture coordinates.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub fn carry(&self, values: &[[f64; 2]]) -> Result<Vec<[f64; 2]>, Error> {
        crate::mesh::as_many("values", values.len(), self.mesh.vertices().len() - self.blends.len())?;
        let blend = |blend: &Blend| {
            let term = |k: usize, (v, share): (u32, f64)| share * values[v as usize][k];
            [0, 1].map(|k| term(k, blend[0]) + term(k, blend[1]) + term(k, blend[2]))
        };
        Ok(values.iter().copied().chain(self.blends.iter().map(blend)).collect())
    }
}

/// Adds five rows to each joint's band: a vertex where the row crosses the outline, and between them one every
/// `max(3, min(half / 2, width / 3), width / 24)` px; none nearer to another vertex than
/// `min(0.45 spacing, 0.2 half)`. Of the spans of a row only the joint's own is filled. A mesh that has its rows
/// stays as it is.
///
/// # Errors
/// [`Error::TooLarge`].
pub fn refine(mesh: &Mesh, joints: &[Joint]) -> Result<Refined, Error> {
    let outline = mesh.outline();
    let near = |t: &[u32; 3]| joints.iter().any(|j| touches(mesh, *t, j));
    let mut triangles = Triangles::new(mesh, near);
    for joint in joints {
        for row in ROWS {
            for (spot, gap) in spots(mesh, &outline, joint, row) {
                triangles.insert(spot, gap);
            }
        }
    }
    triangles.refined(mesh)
}

/// The triangle reaches into the joint's band and a little beyond.
fn touches(mesh: &Mesh, triangle: [u32; 3], joint: &Joint) -> bool {
    let s = triangle.map(|v| along(mesh.vertices()[v as usize], joint));
    let limit = 1.2 * joint.half + 2.0;
    s.iter().any(|s| *s >= -limit) && s.iter().any(|s| *s <= limit)
}

/// Spots of one row, and how near another vertex may be.
fn spots(mesh: &Mesh, outline: &[[u32; 2]], joint: &Joint, row: f64) -> Vec<([f64; 2], f64)> {
    let level = row * joint.half;
    let normal = [-joint.axis[1], joint.axis[0]];
    let mut crossings: Vec<f64> = Vec::new();
    for edge in outline {
        let [a, b] = edge.map(|v| mesh.vertices()[v as usize]);
        let (s, t) = (along(a, joint) - level, along(b, joint) - level);
        if (s < 0.0) != (t < 0.0) {
            let k = s / (s - t);
            let d = minus([a[0] + (b[0] - a[0]) * k, a[1] + (b[1] - a[1]) * k], joint.point);
            crossings.push(d[0] * normal[0] + d[1] * normal[1]);
        }
    }
    crossings.sort_by(f64::total_cmp);
    let away = |span: &[f64]| span[0].max(-span[1]).max(0.0);
    let spans = crossings.chunks_exact(2).filter(|span| away(span) < 2.0 * joint.half);
    let Some(span) = spans.min_by(|a, b| away(a).total_cmp(&away(b))) else { return Vec::new() };
    let width = span[1] - span[0];
    let spacing = (joint.half * 0.5).min(width / 3.0).max(width / 24.0).max(3.0);
    let gap = (0.45 * spacing).min(0.2 * joint.half).max(LEAST_GAP);
    let steps = (width / spacing).ceil().max(1.0);
    let at = |t: f64| {
        [
            joint.point[0] + level * joint.axis[0] + t * normal[0],
            joint.point[1] + level * joint.axis[1] + t * normal[1],
        ]
    };
    // The outline first: what lies inside gives way.
    let inside = (1..steps as usize).map(|i| span[0] + width * i as f64 / steps);
    [span[0], span[1]].into_iter().chain(inside).map(|t| (at(t), gap)).collect()
}

/// Distance of a point from a segment, and where on it the nearest point is (0..=1).
pub(crate) fn to_segment(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> (f64, f64) {
    let (ab, ap) = (minus(b, a), minus(p, a));
    let square = ab[0] * ab[0] + ab[1] * ab[1];
    let t = if square > 0.0 { ((ap[0] * ab[0] + ap[1] * ab[1]) / square).clamp(0.0, 1.0) } else { 0.0 };
    (length([ap[0] - t * ab[0], ap[1] - t * ab[1]]), t)
}
