//! Limbs that the tests bend.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]

use arap::{Bone, Bones, Mesh, Skin, Weights};

/// A limb along x: `columns` x `rows` points `step` px apart, its middle line at y = 0.
pub fn limb(columns: u32, rows: u32, step: f64) -> Mesh {
    let middle = f64::from(rows - 1) / 2.0;
    let at = |i: u32| [f64::from(i % columns) * step, (f64::from(i / columns) - middle) * step];
    let corners = (0..rows - 1).flat_map(|r| (0..columns - 1).map(move |c| r * columns + c));
    let triangles = corners.flat_map(|i| [[i, i + 1, i + columns], [i + 1, i + columns + 1, i + columns]]);
    Mesh::new((0..columns * rows).map(at).collect(), triangles.collect()).unwrap()
}

/// Bones along x between these places.
pub fn chain(places: &[f64]) -> Bones {
    let bone = |(i, w): (usize, &[f64])| Bone {
        head: [w[0], 0.0],
        tail: [w[1], 0.0],
        parent: i.checked_sub(1),
        band: None,
    };
    Bones::new(places.windows(2).enumerate().map(bone).collect()).unwrap()
}

/// An arm of 71 x 9 vertices with elbow and wrist, and its bones.
pub fn arm() -> (Skin, Bones) {
    let (mesh, bones) = (limb(71, 9, 10.0), chain(&[0.0, 300.0, 600.0, 700.0]));
    let weights = Weights::by_distance(&mesh, &bones).unwrap();
    (Skin::new(mesh, &bones, weights).unwrap(), bones)
}

/// The longest distance between two shapes.
pub fn apart(a: &[[f64; 2]], b: &[[f64; 2]]) -> f64 {
    let distance = |(p, q): (&[f64; 2], &[f64; 2])| geom::maths::hypot(p[0] - q[0], p[1] - q[1]);
    a.iter().zip(b).map(distance).fold(0.0, f64::max)
}

/// Signed area of all triangles.
pub fn area(mesh: &Mesh, positions: &[[f64; 2]]) -> f64 {
    let one = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| positions[v as usize]);
        ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2.0
    };
    mesh.triangles().iter().map(one).sum()
}
