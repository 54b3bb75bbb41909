//! Solves beside a plain reference, beside each other, and on hostile input.

mod limbs;

use arap::{Error, Lanes, Mesh, Pose, Settings, Solved, Solver};
use geom::{Affine, Point};
use limbs::{apart, arm, limb};
use proptest::prelude::*;

/// The plain method: rotations vertex by vertex, then conjugate gradients from the last positions, over and over.
struct Plain {
    edges: Vec<Vec<(usize, f64)>>,
    rest: Vec<[f64; 2]>,
    penalties: Vec<f64>,
}

impl Plain {
    fn new(mesh: &Mesh, penalties: &[f64]) -> Self {
        let rest = mesh.vertices().to_vec();
        let mut edges = vec![std::collections::BTreeMap::new(); rest.len()];
        for t in mesh.triangles() {
            for k in 0..3 {
                let [a, b, c] = [t[k], t[(k + 1) % 3], t[(k + 2) % 3]].map(|v| v as usize);
                let (u, v) = (minus(rest[a], rest[c]), minus(rest[b], rest[c]));
                let half = 0.5 * (u[0] * v[0] + u[1] * v[1]) / (u[0] * v[1] - u[1] * v[0]).abs();
                *edges[a].entry(b).or_insert(0.0) += half;
                *edges[b].entry(a).or_insert(0.0) += half;
            }
        }
        let list =
            |m: std::collections::BTreeMap<usize, f64>| m.into_iter().map(|(k, w)| (k, f64::max(w, 1e-6)));
        Self {
            edges: edges.into_iter().map(|m| list(m).collect()).collect(),
            rest,
            penalties: penalties.to_vec(),
        }
    }

    fn round(&self, now: &[[f64; 2]], guides: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let rotation = |i: usize| {
            let (mut c, mut s) = (0.0, 0.0);
            for (j, w) in &self.edges[i] {
                let (e, d) = (minus(self.rest[i], self.rest[*j]), minus(now[i], now[*j]));
                c += w * (e[0] * d[0] + e[1] * d[1]);
                s += w * (e[0] * d[1] - e[1] * d[0]);
            }
            let length = (c * c + s * s).sqrt();
            [c / length, s / length]
        };
        let rotations: Vec<[f64; 2]> = (0..now.len()).map(rotation).collect();
        let mut next = now.to_vec();
        for k in 0..2 {
            let side = |i: usize| {
                let turned = |(j, w): &(usize, f64)| {
                    let e = minus(self.rest[i], self.rest[*j]);
                    let r = [0, 1].map(|m| (rotations[i][m] + rotations[*j][m]) / 2.0);
                    w * if k == 0 { r[0] * e[0] - r[1] * e[1] } else { r[1] * e[0] + r[0] * e[1] }
                };
                self.penalties[i] * guides[i][k] + self.edges[i].iter().map(turned).sum::<f64>()
            };
            let sides: Vec<f64> = (0..now.len()).map(|i| if self.fixed(i) { 0.0 } else { side(i) }).collect();
            let start =
                (0..now.len()).map(|i| if self.fixed(i) { guides[i][k] } else { now[i][k] }).collect();
            for (p, x) in next.iter_mut().zip(self.gradients(start, &sides)) {
                p[k] = x;
            }
        }
        next
    }

    fn fixed(&self, i: usize) -> bool {
        self.penalties[i].is_infinite()
    }

    fn times(&self, x: &[f64]) -> Vec<f64> {
        let row = |i: usize| {
            self.penalties[i] * x[i] + self.edges[i].iter().map(|(j, w)| w * (x[i] - x[*j])).sum::<f64>()
        };
        (0..x.len()).map(|i| if self.fixed(i) { 0.0 } else { row(i) }).collect()
    }

    /// Conjugate gradients; fixed entries of `x` stay.
    fn gradients(&self, mut x: Vec<f64>, sides: &[f64]) -> Vec<f64> {
        let mut r: Vec<f64> = self.times(&x).iter().zip(sides).map(|(a, b)| b - a).collect();
        let mut d = r.clone();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(p, q)| p * q).sum::<f64>();
        let mut square = dot(&r, &r);
        for _ in 0..2000 {
            if square < 1e-18 {
                break;
            }
            let q = self.times(&d);
            let step = square / dot(&d, &q);
            x.iter_mut().zip(&d).for_each(|(x, d)| *x += step * d);
            r.iter_mut().zip(&q).for_each(|(r, q)| *r -= step * q);
            let next = dot(&r, &r);
            d = r.iter().zip(&d).map(|(r, d)| r + next / square * d).collect();
            square = next;
        }
        x
    }
}

fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

/// A limb of 31 x 5 with its first column fixed and its last turned by `degrees` about its middle; the rest drawn to
/// where it was with `penalty`.
fn bent(degrees: f64, penalty: f64) -> (Mesh, Vec<f64>, Pose) {
    let mesh = limb(31, 5, 10.0);
    let turn = Affine::rotation_about(Point::new(150.0, 0.0), degrees.to_radians());
    let place = |v: &[f64; 2]| {
        let p = turn.apply(Point::new(v[0], v[1]));
        if v[0] > 150.0 { [p.x, p.y] } else { *v }
    };
    let pose = Pose { guides: mesh.vertices().iter().map(place).collect(), start: None };
    let held = |v: &[f64; 2]| if v[0] == 0.0 || v[0] == 300.0 { f64::INFINITY } else { penalty };
    let penalties = mesh.vertices().iter().map(held).collect();
    (mesh, penalties, pose)
}

#[track_caller]
fn check_plain(degrees: f64, penalty: f64, rounds: u32, settings: Settings, tolerance: f64) {
    let (mesh, penalties, pose) = bent(degrees, penalty);
    let plain = Plain::new(&mesh, &penalties);
    let mut wanted = pose.guides.clone();
    for _ in 0..rounds {
        wanted = plain.round(&wanted, &pose.guides);
    }
    let solved = Solver::new(&mesh, &penalties).unwrap().solve(&[pose], &settings).unwrap();
    let apart = apart(&solved[0].positions, &wanted);
    assert!(apart <= tolerance, "{degrees} {penalty}: {apart} px in {} rounds", solved[0].rounds);
}

#[test]
fn one_round_is_that_of_conjugate_gradients() {
    let once = Settings { tolerance: 0.0, rounds: 1, ..Settings::default() };
    for (degrees, penalty) in [(0.0, 0.1), (20.0, 1.0), (40.0, 0.01), (-40.0, 0.0)] {
        check_plain(degrees, penalty, 1, once, 5e-4);
    }
}

#[test]
fn solves_are_within_reach_of_1500_plain_rounds() {
    for (degrees, penalty) in [(45.0, 0.01), (86.0, 0.001), (-86.0, 0.1)] {
        check_plain(degrees, penalty, 1500, Settings::default(), 0.05);
    }
}

/// Poses from gentle to beyond what a mesh can show, solved in every way.
fn solved(lanes: Lanes, wide: bool, threads: usize) -> Vec<Solved> {
    let (skin, bones) = arm();
    let angles = (0..23).map(|i| [0.1, -2.6 + 0.24 * f64::from(i), 0.3 * f64::from(i % 5)]);
    let poses: Vec<Pose> = angles.map(|a| skin.pose(&bones.frames(&a).unwrap()).unwrap()).collect();
    let settings = Settings { lanes, wide, ..Settings::default() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| skin.solver().solve(&poses, &settings)).unwrap()
}

#[test]
fn lanes_threads_and_instructions_change_no_bit() {
    let wanted = solved(Lanes::One, false, 1);
    assert!(wanted.iter().any(|s| s.rounds > 10) && wanted.iter().any(|s| s.rounds < 10));
    let bits = |s: &[Solved]| -> Vec<u64> {
        s.iter().flat_map(|s| &s.positions).flatten().map(|c| c.to_bits()).collect()
    };
    for lanes in [Lanes::One, Lanes::Four, Lanes::Eight, Lanes::Sixteen] {
        for (wide, threads) in [(false, 1), (true, 1), (true, 3)] {
            let found = solved(lanes, wide, threads);
            assert!(found == wanted && bits(&found) == bits(&wanted), "{lanes:?} {wide} {threads}");
        }
    }
}

#[test]
fn rigid_motion_is_kept() {
    for degrees in [0.0, 1.0, -90.0, 179.0] {
        let mesh = limb(9, 4, 10.0);
        let turn = Affine::rotation_about(Point::new(7.0, 3.0), f64::to_radians(degrees));
        let moved = mesh.vertices().iter().map(|v| turn.apply(Point::new(v[0], v[1])));
        let guides: Vec<[f64; 2]> = moved.map(|p| [p.x, p.y]).collect();
        let penalties: Vec<f64> = (0..36).map(|i| if i % 9 == 0 { f64::INFINITY } else { 0.01 }).collect();
        let pose = Pose { guides: guides.clone(), start: None };
        let solved = Solver::new(&mesh, &penalties).unwrap().solve(&[pose], &Settings::default()).unwrap();
        assert!(apart(&solved[0].positions, &guides) < 1e-9 && solved[0].converged && solved[0].flips == 0);
    }
}

#[test]
fn mirror_images_are_mirror_images() {
    let (mesh, penalties, pose) = bent(70.0, 0.01);
    let flip = |points: &[[f64; 2]]| -> Vec<[f64; 2]> { points.iter().map(|p| [-p[0], p[1]]).collect() };
    let mirrored = Mesh::new(flip(mesh.vertices()), mesh.triangles().to_vec()).unwrap();
    let image = Pose { guides: flip(&pose.guides), start: None };
    let solve =
        |mesh, pose| Solver::new(mesh, &penalties).unwrap().solve(&[pose], &Settings::default()).unwrap();
    let (one, other) = (solve(&mesh, pose), solve(&mirrored, image));
    assert!(apart(&flip(&one[0].positions), &other[0].positions) < 1e-9);
}

#[test]
fn islands_without_a_hold_stay_at_their_guides() {
    let mut vertices = limb(3, 3, 10.0).vertices().to_vec();
    let mut triangles = limb(3, 3, 10.0).triangles().to_vec();
    triangles.extend(triangles.clone().iter().map(|t| t.map(|v| v + 9)));
    vertices.extend(vertices.clone().iter().map(|v| [v[0] + 100.0, v[1]]));
    let mesh = Mesh::new(vertices, triangles).unwrap();
    let penalties: Vec<f64> = (0..18).map(|i| if i == 0 { 1.0 } else { 0.0 }).collect();
    let solver = Solver::new(&mesh, &penalties).unwrap();
    assert_eq!((solver.islands_left(), solver.unknowns()), (1, 9));
    let guides: Vec<[f64; 2]> = mesh.vertices().iter().map(|v| [v[0] * 1.5, v[1]]).collect();
    let solved = solver.solve(&[Pose { guides: guides.clone(), start: None }], &Settings::default()).unwrap();
    assert_eq!(solved[0].positions[9..], guides[9..]);
}

#[test]
fn a_matrix_without_a_pivot_is_raised() {
    let mesh = limb(5, 3, 10.0);
    let solver = Solver::new(&mesh, &[1e-300; 15]).unwrap();
    assert!(solver.raised().is_some_and(|r| r > 0.0));
    let guides = mesh.vertices().to_vec();
    let solved = solver.solve(&[Pose { guides: guides.clone(), start: None }], &Settings::default()).unwrap();
    assert!(apart(&solved[0].positions, &guides) < 1e-3);
}

#[test]
fn bad_input_is_told() {
    let two = vec![[0.0, 0.0], [1.0, 0.0]];
    let bad = |vertices: Vec<[f64; 2]>, triangles| Mesh::new(vertices, triangles).unwrap_err();
    assert_eq!(bad(vec![[f64::NAN, 0.0]], vec![]), Error::NotFinite { what: "vertex", index: 0 });
    assert_eq!(bad(vec![[0.0, f64::INFINITY]], vec![]), Error::NotFinite { what: "vertex", index: 0 });
    assert_eq!(bad(two.clone(), vec![[0, 1, 2]]), Error::BadIndex { what: "triangle", index: 0 });
    assert_eq!(bad(two.clone(), vec![[0, 1, 1]]), Error::BadIndex { what: "triangle", index: 0 });
    let mesh = Mesh::new(two.clone(), vec![]).unwrap();
    let solver = |penalties: &[f64]| Solver::new(&mesh, penalties);
    assert_eq!(solver(&[1.0]).unwrap_err(), Error::Length { what: "penalties", found: 1, wanted: 2 });
    assert_eq!(solver(&[1.0, f64::NAN]).unwrap_err(), Error::NotFinite { what: "penalty", index: 1 });
    assert_eq!(solver(&[-1.0, 0.0]).unwrap_err(), Error::NotFinite { what: "penalty", index: 0 });
    let loose = solver(&[1.0, 0.0]).unwrap();
    let pose = |guides: Vec<[f64; 2]>| loose.solve(&[Pose { guides, start: None }], &Settings::default());
    assert_eq!(pose(two.clone()).unwrap()[0].positions, two, "no triangles: every vertex is at its guide");
    assert_eq!(pose(vec![]).unwrap_err(), Error::Length { what: "guide vertex", found: 0, wanted: 2 });
    assert_eq!(
        pose(vec![[f64::NAN; 2]; 2]).unwrap_err(),
        Error::NotFinite { what: "guide vertex", index: 0 }
    );
    assert!(loose.solve(&[], &Settings::default()).unwrap().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any triangles over any points (crossing, without area, islands, loose vertices) and any penalties.
    #[test]
    fn anything_is_solved_or_told(
        points in prop::collection::vec((-500.0..500.0f64, prop_oneof![Just(0.0), -500.0..500.0f64]), 1..40),
        corners in prop::collection::vec((0..40u32, 0..40u32, 0..40u32), 0..60),
        penalties in prop::collection::vec(prop_oneof![Just(0.0), Just(f64::INFINITY), 0.0..2.0f64, Just(1e-300)], 40),
        turns in prop::collection::vec(-3.0..3.0f64, 1..12),
    ) {
        let n = points.len() as u32;
        let triangles: Vec<[u32; 3]> = corners.iter().map(|(a, b, c)| [a % n, b % n, c % n]).collect();
        let triangles = triangles.into_iter().filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0]).collect();
        let mesh = Mesh::new(points.iter().map(|p| [p.0, p.1]).collect(), triangles).unwrap();
        let solver = match Solver::new(&mesh, &penalties[..n as usize]) {
            Ok(solver) => solver,
            Err(error) => {
                let singular = matches!(error, Error::Singular { .. });
                prop_assert!(singular, "{}", error);
                return Ok(());
            }
        };
        let poses: Vec<Pose> = turns
            .iter()
            .map(|turn| Affine::rotation_about(Point::new(3.0, 5.0), *turn))
            .map(|t| mesh.vertices().iter().map(|v| t.apply(Point::new(v[0], v[1]))).map(|p| [p.x, p.y]).collect())
            .map(|guides| Pose { guides, start: None })
            .collect();
        let together = solver.solve(&poses, &Settings::default()).unwrap();
        for (pose, solved) in poses.iter().zip(&together) {
            prop_assert!(solved.positions.iter().flatten().all(|c| c.is_finite()));
            let alone = solver.solve(std::slice::from_ref(pose), &Settings::default()).unwrap();
            prop_assert_eq!(&alone[0], solved);
        }
    }
}
