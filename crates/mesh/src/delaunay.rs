//! Outline to triangles.

use geom::{Point, Rect, maths};
use raster::Alpha;
use spade::handles::FixedVertexHandle;
use spade::{
    AngleLimit, ConstrainedDelaunayTriangulation, HasPosition, Point2, RefinementParameters, Triangulation,
};

use crate::contour::signed_area;
use crate::grid::grid_over;
use crate::interior::lattice;
use crate::outline::{Silhouette, sides};
use crate::{Error, Mesh, Outline, Settings};

/// How often the mesh is made coarser before a grid takes its place.
const ATTEMPTS: u32 = 16;
/// Least and greatest growth of the tolerances from one attempt to the next.
const COARSER: (f64, f64) = (1.4, 4.0);
/// Vertices along the outline after refinement, for each one before; measured.
const REFINED: f64 = 1.5;
/// Least share of the vertices that is kept for the interior.
const INTERIOR: f64 = 0.1;
/// Area of the cell of a triangular lattice of unit spacing.
const LATTICE_CELL: f64 = 0.866_025_403_784_438_6;
/// Vertices lie on a grid of this many steps a pixel: exact sums, no near-duplicates.
const STEPS: f64 = 1024.0;
/// Interior vertices keep this share of the spacing from the outline.
const CLEAR: f64 = 0.6;
/// Most cells of the grid that replaces a failed mesh, as in CONTEXT section 2; within the least `max_vertices`.
const FALLBACK: (usize, usize) = (6, 8);
/// Least margin of that grid: the ring of one pixel and a little.
const RING: f64 = 1.01;

/// The mesh of a layer: outline, interior vertices, constrained Delaunay triangulation and refinement.
///
/// It covers every pixel with alpha > 0 and everything within `settings.margin` of it, has at most
/// `settings.max_vertices` vertices, no flat triangle, and angles of at least `settings.min_angle_deg` except where the
/// outline itself has a sharp corner. When the vertex cap is met, spacing and tolerances grow until it holds; should
/// even that fail the mesh is a grid over the bounds ([`Mesh::fallback`]).
///
/// Errors: [`Error::Empty`], [`Error::Setting`].
pub fn triangulate(alpha: &Alpha, settings: &Settings) -> Result<Mesh, Error> {
    settings.validate()?;
    let mut silhouette = Silhouette::new(alpha)?;
    let mut coarse = 1.0;
    for _ in 0..ATTEMPTS {
        match mesh(&silhouette.outline(settings, coarse), settings, coarse) {
            Ok(mesh) => return Ok(mesh),
            Err(TooFine(factor)) => coarse *= factor.clamp(COARSER.0, COARSER.1),
        }
    }
    fallback(alpha, settings)
}

/// A grid over everything visible and the margin.
fn fallback(alpha: &Alpha, settings: &Settings) -> Result<Mesh, Error> {
    let bounds = alpha.bounds(1).ok_or(Error::Empty)?.to_rect();
    let cells = |length: f64, most: usize| ((length / settings.spacing) as usize).clamp(1, most);
    let (cols, rows) = (cells(bounds.width(), FALLBACK.0), cells(bounds.height(), FALLBACK.1));
    Ok(Mesh { fallback: true, ..grid_over(bounds, cols, rows, settings.margin.max(RING)) })
}

/// Tolerances must grow by about this factor.
struct TooFine(f64);

/// The mesh of an outline; an error when it needs too many vertices or the outline crosses itself.
fn mesh(outline: &Outline, settings: &Settings, coarse: f64) -> Result<Mesh, TooFine> {
    let cap = f64::from(settings.max_vertices);
    let area: f64 = outline.loops.iter().map(|l| signed_area(l)).sum();
    // The spacing at which the interior takes some vertices, a tenth in reserve.
    let spacing = |interior: f64| {
        let least = (area.max(0.0) / (interior * 0.9 * LATTICE_CELL)).sqrt();
        least.max(settings.spacing * coarse)
    };
    let loops: Vec<Vec<Point>> = outline.loops.iter().map(|l| divided(l, spacing(cap))).collect();
    let fixed: usize = loops.iter().map(Vec::len).sum();
    let near_outline = fixed as f64 * REFINED;
    if near_outline > cap * (1.0 - INTERIOR) {
        return Err(TooFine(near_outline / (cap * (1.0 - INTERIOR))));
    }
    let spacing = spacing(cap - near_outline);
    let inner = lattice(&loops, spacing, spacing * CLEAR);
    // Whole pixels, so the move is exact; it keeps coordinates above 1, as values next to 0 are not accepted.
    let corner = Rect::bounding(loops.iter().flatten().copied()).ok_or(TooFine(1.0))?;
    let corner = Point::new(corner.left.floor() - 1.0, corner.top.floor() - 1.0);
    let cdt = constrained(&loops, &inner, corner).ok_or(TooFine(1.0))?;
    refined(cdt, settings, corner).ok_or(TooFine(1.0))
}

/// The refined triangles inside; `None` when the vertices do not suffice.
fn refined(mut cdt: Cdt, settings: &Settings, corner: Point) -> Option<Mesh> {
    let spare = (settings.max_vertices as usize).checked_sub(cdt.num_vertices())?;
    // Infinite for an angle of 0: no refinement.
    let ratio = 0.5 / maths::sin(settings.min_angle_deg * std::f64::consts::PI / 180.0);
    let parameters = RefinementParameters::new()
        .exclude_outer_faces(true)
        .with_angle_limit(AngleLimit::from_radius_to_shortest_edge_ratio(ratio))
        // It stops before the one that reaches the limit.
        .with_max_additional_vertices(spare + 1);
    let refined = cdt.refine(parameters);
    if !refined.refinement_complete {
        return None;
    }
    let mut outside = vec![false; cdt.num_all_faces()];
    for face in refined.excluded_faces {
        outside[face.index()] = true;
    }
    let kept = cdt.inner_faces().filter(|f| !outside[f.fix().index()]);
    collect(&cdt, corner, kept.map(|f| f.vertices().map(|v| v.fix().index())).collect())
}

/// A closed line with no side longer than `longest`, on the vertex grid, without repeated points.
fn divided(line: &[Point], longest: f64) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::with_capacity(line.len());
    for (a, b) in sides(line) {
        let parts = (a.distance(b) / longest).ceil().max(1.0) as usize;
        points.extend((0..parts).map(|k| snapped(a.lerp(b, k as f64 / parts as f64))));
    }
    points.dedup();
    while points.len() > 1 && points.first() == points.last() {
        points.pop();
    }
    points
}

fn snapped(p: Point) -> Point {
    Point::new((p.x * STEPS).round() / STEPS, (p.y * STEPS).round() / STEPS)
}

/// A vertex that remembers its place in the input.
#[derive(Clone, Copy)]
struct Vertex {
    at: Point2<f64>,
    input: usize,
}

impl HasPosition for Vertex {
    type Scalar = f64;
    fn position(&self) -> Point2<f64> {
        self.at
    }
}

impl From<Point2<f64>> for Vertex {
    fn from(at: Point2<f64>) -> Self {
        Self { at, input: usize::MAX }
    }
}

type Cdt = ConstrainedDelaunayTriangulation<Vertex>;

/// The triangulation that keeps every side of the loops, moved by `-corner`; `None` when two sides cross or touch.
fn constrained(loops: &[Vec<Point>], inner: &[Point], corner: Point) -> Option<Cdt> {
    let points = loops.iter().flatten().copied().chain(inner.iter().map(|&p| snapped(p)));
    let place = |p: Point| Point2::new(p.x - corner.x, p.y - corner.y);
    let vertices: Vec<Vertex> = points.enumerate().map(|(input, p)| Vertex { at: place(p), input }).collect();
    let count = vertices.len();
    // Not `bulk_load_cdt`: that one walks hash sets.
    let mut cdt = Cdt::bulk_load(vertices).ok()?;
    if cdt.num_vertices() != count {
        return None;
    }
    let mut handles = vec![FixedVertexHandle::from_index(0); count];
    for v in cdt.vertices() {
        handles[v.data().input] = v.fix();
    }
    let mut first = 0;
    for line in loops {
        for k in 0..line.len() {
            let (from, to) = (handles[first + k], handles[first + (k + 1) % line.len()]);
            if from == to || cdt.try_add_constraint(from, to).len() != 1 {
                return None;
            }
        }
        first += line.len();
    }
    Some(cdt)
}

/// The mesh of the kept faces, vertices in order of first use; `None` when a triangle is flat.
fn collect(cdt: &Cdt, corner: Point, faces: Vec<[usize; 3]>) -> Option<Mesh> {
    let positions: Vec<Point> =
        cdt.vertices().map(|v| Point::new(v.position().x, v.position().y) + corner).collect();
    let mut place = vec![u32::MAX; positions.len()];
    let mut vertices = Vec::with_capacity(positions.len());
    let mut triangles = Vec::with_capacity(faces.len());
    for face in faces {
        let [a, b, c] = face.map(|i| positions[i]);
        if (b - a).cross(c - a) <= 0.0 {
            return None;
        }
        triangles.push(face.map(|i| {
            if place[i] == u32::MAX {
                place[i] = vertices.len() as u32;
                vertices.push(positions[i]);
            }
            place[i]
        }));
    }
    (!triangles.is_empty()).then(|| Mesh::new(vertices, triangles))
}

#[cfg(test)]
mod tests {
    use super::{Settings, fallback};
    use raster::Alpha;

    #[test]
    fn the_fallback_covers() {
        let mut alpha = Alpha::new(300, 40);
        for i in [0, 299, 40 * 300 - 1] {
            alpha.values_mut()[i] = 1;
        }
        let mesh = fallback(&alpha, &Settings { margin: 1.0, spacing: 2.0, ..Settings::default() }).unwrap();
        assert!(mesh.fallback && mesh.vertices.len() <= 64);
        assert_eq!(crate::coverage::uncovered(&alpha, &mesh, 1.0), None);
    }
}
