//! What a solve must leave alone: rigid motion.

use arap::{Mesh, Pose, Settings, Solver};
use geom::Affine;

/// A grid of `columns` x `rows` points 10 px apart.
fn grid(columns: u32, rows: u32) -> Mesh {
    let vertices =
        (0..columns * rows).map(|i| [f64::from(i % columns) * 10.0, f64::from(i / columns) * 10.0]);
    let corners = (0..rows - 1).flat_map(|r| (0..columns - 1).map(move |c| r * columns + c));
    let triangles = corners.flat_map(|i| [[i, i + 1, i + columns], [i + 1, i + columns + 1, i + columns]]);
    Mesh::new(vertices.collect(), triangles.collect()).unwrap()
}

/// All vertices turned by `degrees`; the first row fixed, the others from rest with a weak wish.
#[track_caller]
fn check(degrees: f64) {
    let mesh = grid(4, 9);
    let turn = Affine::rotation_about(geom::Point::new(7.0, 3.0), degrees.to_radians());
    let guides: Vec<[f64; 2]> = mesh
        .vertices()
        .iter()
        .map(|v| turn.apply(geom::Point::new(v[0], v[1])))
        .map(|p| [p.x, p.y])
        .collect();
    let penalties: Vec<f64> = (0..36).map(|i| if i < 4 { f64::INFINITY } else { 0.01 }).collect();
    let solver = Solver::new(&mesh, &penalties).unwrap();
    let solved = solver.solve(&[Pose { guides: guides.clone(), start: None }], &Settings::default()).unwrap();
    for (a, b) in solved[0].positions.iter().zip(&guides) {
        assert!((a[0] - b[0]).abs() < 1e-9 && (a[1] - b[1]).abs() < 1e-9, "{a:?} {b:?}");
    }
    assert!(solved[0].converged && solved[0].flips == 0);
}

#[test]
fn rigid_motion_is_kept() {
    for degrees in [0.0, 1.0, -90.0, 179.0] {
        check(degrees);
    }
}
