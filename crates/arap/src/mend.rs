//! Triangles that a bend turned over are turned back (DOCUMENT_LAYER 9.3, step 4: at least 1 % of the area at rest).

use crate::Mesh;
use crate::mesh::doubled_area;

/// A triangle keeps at least this part of its area at rest...
const LEAST: f64 = 0.01;
/// ...and is moved to this part when it does not.
const AIM: f64 = 0.02;
/// At most this many times all triangles are gone through.
const SWEEPS: usize = 200;

/// Triangles whose area has another sign than at rest.
pub fn flips(mesh: &Mesh, positions: &[[f64; 2]]) -> usize {
    let turned = |t: &[u32; 3]| doubled_area(mesh.vertices(), *t) * doubled_area(positions, *t) < 0.0;
    mesh.triangles().iter().filter(|t| turned(t)).count()
}

/// Moves movable vertices, as little as each triangle needs, until no triangle has less than 1 % of its area at rest
/// or 200 sweeps are over; does nothing when none is turned over. Gives the number still turned over.
pub fn mend(mesh: &Mesh, positions: &mut [[f64; 2]], movable: &[bool]) -> usize {
    if flips(mesh, positions) == 0 {
        return 0;
    }
    let rest: Vec<f64> = mesh.triangles().iter().map(|t| doubled_area(mesh.vertices(), *t)).collect();
    for _ in 0..SWEEPS {
        let mut good = true;
        for (triangle, rest) in mesh.triangles().iter().zip(&rest) {
            if doubled_area(positions, *triangle) * rest.signum() < LEAST * rest.abs() {
                good &= !opened(positions, *triangle, AIM * rest, movable);
            }
        }
        if good {
            break;
        }
    }
    flips(mesh, positions)
}

/// Moves a triangle's movable corners along the gradient of its area to a doubled area of `aim`; false when it cannot.
fn opened(positions: &mut [[f64; 2]], triangle: [u32; 3], aim: f64, movable: &[bool]) -> bool {
    let corners = triangle.map(|v| v as usize);
    let [a, b, c] = corners.map(|v| positions[v]);
    let gradient = |p: [f64; 2], q: [f64; 2]| [p[1] - q[1], q[0] - p[0]];
    let gradients = [gradient(b, c), gradient(c, a), gradient(a, b)];
    let moved =
        |(k, g): (usize, &[f64; 2])| if movable[corners[k]] { g[0] * g[0] + g[1] * g[1] } else { 0.0 };
    let square: f64 = gradients.iter().enumerate().map(moved).sum();
    let step = (aim - doubled_area(positions, triangle)) / square;
    if aim == 0.0 || !step.is_finite() {
        return false;
    }
    for (corner, g) in corners.into_iter().zip(gradients).filter(|(corner, _)| movable[*corner]) {
        positions[corner] = [positions[corner][0] + step * g[0], positions[corner][1] + step * g[1]];
    }
    true
}
