//! Outline to triangles.

use geom::{Point, maths};
use raster::Alpha;

use crate::constrained::constrained;
use crate::contour::signed_area;
use crate::exact::Site;
use crate::grid::grid_over;
use crate::interior::lattice;
use crate::outline::{Silhouette, sides};
use crate::refine::refine;
use crate::triangulation::Triangulation;
use crate::{Error, Mesh, Outline, Settings};

/// How often the mesh is made coarser before a grid takes its place.
const ATTEMPTS: u32 = 16;
/// Least and greatest growth of the tolerances from one attempt to the next.
const COARSER: (f64, f64) = (1.4, 4.0);
/// Vertices along the outline after refinement, for each one before; measured.
const REFINED: f64 = 1.5;
/// Least share of the vertices that is kept for the interior.
const INTERIOR: f64 = 0.1;
/// How many times too many vertices refinement may make before it is given up.
const OVER: usize = 4;
/// Fewest and usual corners of the outline of an island.
const LEAST_CORNERS: usize = 3;
const CORNERS: usize = 6;
/// Area of the cell of a triangular lattice of unit spacing.
const LATTICE_CELL: f64 = 0.866_025_403_784_438_6;
/// Vertices lie on a grid of this many steps a pixel: exact signs, no near-duplicates.
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
        match attempt(&mut silhouette, settings, coarse) {
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

/// The mesh with tolerances `coarse` times as large as the settings say.
fn attempt(silhouette: &mut Silhouette, settings: &Settings, coarse: f64) -> Result<Mesh, TooFine> {
    let grown = silhouette.grown(settings, coarse);
    let islands = grown.islands_at_least();
    if excess(islands * LEAST_CORNERS, settings) > 1.0 {
        return Err(TooFine(excess(islands * CORNERS, settings)));
    }
    mesh(&grown.outline(settings), settings, coarse)
}

/// How many times too many corners an outline has.
fn excess(corners: usize, settings: &Settings) -> f64 {
    corners as f64 * REFINED / (f64::from(settings.max_vertices) * (1.0 - INTERIOR))
}

/// The mesh of an outline; an error when it needs too many vertices or the outline crosses itself.
fn mesh(outline: &Outline, settings: &Settings, coarse: f64) -> Result<Mesh, TooFine> {
    let cap = f64::from(settings.max_vertices);
    let spacing = spacing(outline, settings, coarse)?;
    let loops: Vec<Vec<Point>> = outline.loops.iter().map(|l| divided(l, spacing)).collect();
    let lengths: Vec<usize> = loops.iter().map(Vec::len).collect();
    let inner = lattice(&loops, spacing, spacing * CLEAR);
    let sites: Vec<Site> = loops.iter().flatten().chain(&inner).map(|&p| site(p)).collect();
    let mut triangulation = constrained(&sites, &lengths).ok_or(TooFine(1.0))?;
    // Infinite for an angle of 0: no refinement.
    let ratio = 0.5 / maths::sin(settings.min_angle_deg * std::f64::consts::PI / 180.0);
    // More than fits tells by how much.
    let complete = refine(&mut triangulation, ratio, settings.max_vertices as usize * OVER);
    let share = triangulation.sites.len() as f64 / cap;
    if !complete || share > 1.0 {
        // Vertices fall more slowly than tolerances grow; measured.
        return Err(TooFine(share * share));
    }
    collect(&triangulation).ok_or(TooFine(1.0))
}

/// The wanted distance of vertices, or the least at which there are not too many; an error when the outline alone has
/// too many.
fn spacing(outline: &Outline, settings: &Settings, coarse: f64) -> Result<f64, TooFine> {
    let cap = f64::from(settings.max_vertices);
    let corners: usize = outline.loops.iter().map(Vec::len).sum();
    let excess = excess(corners, settings);
    if excess > 1.0 {
        return Err(TooFine(excess));
    }
    let area: f64 = outline.loops.iter().map(|l| signed_area(l)).sum();
    let vertices = |spacing: f64| {
        let along: usize =
            outline.loops.iter().flat_map(|l| sides(l)).map(|(a, b)| parts(a, b, spacing)).sum();
        along as f64 * REFINED + area.max(0.0) / (spacing * spacing * LATTICE_CELL)
    };
    let mut spacing = settings.spacing * coarse;
    // A little in reserve.
    while vertices(spacing) > cap * 0.95 {
        spacing *= 1.05;
    }
    Ok(spacing)
}

/// Into how many parts no longer than `longest` a side is divided.
fn parts(a: Point, b: Point, longest: f64) -> usize {
    (a.distance(b) / longest).ceil().max(1.0) as usize
}

/// A closed line with no side longer than `longest`, on the vertex grid, without repeated points.
fn divided(line: &[Point], longest: f64) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::with_capacity(line.len());
    for (a, b) in sides(line) {
        let parts = parts(a, b, longest);
        points.extend((0..parts).map(|k| point(site(a.lerp(b, k as f64 / parts as f64)))));
    }
    points.dedup();
    while points.len() > 1 && points.first() == points.last() {
        points.pop();
    }
    points
}

/// The nearest point of the vertex grid.
fn site(p: Point) -> Site {
    Site { x: (p.x * STEPS).round() as i64, y: (p.y * STEPS).round() as i64 }
}

fn point(site: Site) -> Point {
    Point::new(site.x as f64 / STEPS, site.y as f64 / STEPS)
}

/// All triangles, vertices in order of first use; `None` when there are none.
fn collect(triangulation: &Triangulation) -> Option<Mesh> {
    let mut place = vec![u32::MAX; triangulation.sites.len()];
    let mut vertices = Vec::with_capacity(place.len());
    let mut named = |index: u32| {
        let place = &mut place[index as usize];
        if *place == u32::MAX {
            *place = vertices.len() as u32;
            vertices.push(point(triangulation.at(index)));
        }
        *place
    };
    let triangles: Vec<[u32; 3]> =
        triangulation.edges.as_chunks::<3>().0.iter().map(|t| t.map(|edge| named(edge.from))).collect();
    let border = triangulation.border();
    let outline = border.iter().map(|line| line.iter().map(|&i| place[i as usize]).collect()).collect();
    (!triangles.is_empty()).then_some(Mesh { vertices, triangles, outline, fallback: false })
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
