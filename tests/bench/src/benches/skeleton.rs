//! A limb bent by its bones, beside the scalar solver that takes one pose at a time.

use arap::{Bone, Bones, Error, Lanes, Mesh, Pose, Settings, Skin, Solver, Weight, Weights};

use crate::figures::Bench;
use crate::timing::fastest;

/// 830 bends of elbow and wrist, solved for nearly every one of the limb's 654 vertices: to convergence, and 30 rounds
/// each; and 654 vertices bound to bones, of which those near the joints are solved for.
pub(crate) fn skeleton() -> Result<Bench, String> {
    let mut bench = Bench::new("skeleton");
    arap_figures(&mut bench).map_err(|e| e.to_string())?;
    Ok(bench)
}

fn arap_figures(bench: &mut Bench) -> Result<(), Error> {
    let (mesh, bones) = (limb()?, bones()?);
    let weights = Weights::by_distance(&mesh, &bones)?;
    let solver = Solver::new(&mesh, &weak(&weights))?;
    let skin = Skin::new(mesh, &bones, weights)?;
    let frames = (0..830).map(|i| bones.frames(&angles(i))).collect::<Result<Vec<_>, _>>()?;
    let poses = frames.iter().map(|f| skin.pose(f)).collect::<Result<Vec<Pose>, _>>()?;
    let rounds_30 = Settings { tolerance: 0.0, rounds: 30, ..Settings::default() };
    for (name, settings) in [("arap_830x654_ms", Settings::default()), ("arap_830x654_30it_ms", rounds_30)] {
        let scalar = Settings { lanes: Lanes::One, wide: false, ..settings };
        let (seconds, solved) = fastest(7, || solver.solve(&poses, &settings));
        let (reference, single) = fastest(3, || solver.solve(&poses, &scalar));
        assert!(solved? == single?, "lanes changed the result");
        bench.lower(name, seconds * 1e3, "ms", Some(reference * 1e3));
    }
    let (seconds, solved) = fastest(5, || skin.solve(&frames, &Settings::default()));
    bench.lower("skin_830x654_ms", seconds * 1e3, "ms", None);
    bench.lower("skin_flips", solved?.iter().map(|s| s.flips as f64).sum(), "", None);
    Ok(())
}

/// Elbow in 83 steps within 86 degrees, wrist in 10 within 52; radians.
fn angles(i: u32) -> [f64; 3] {
    [0.0, -1.5 + 3.0 * f64::from(i / 10) / 82.0, -0.9 + 1.8 * f64::from(i % 10) / 9.0]
}

/// Both ends fixed, the rest drawn weakly to its guides, weaker still at the joints.
fn weak(weights: &Weights) -> Vec<f64> {
    let penalty = |(i, weight): (usize, &Weight)| match weight {
        Weight::Rigid { .. } if !(10..650).contains(&i) => f64::INFINITY,
        Weight::Rigid { .. } => 2e-3,
        Weight::Bent { .. } => 2e-4,
    };
    weights.as_slice().iter().enumerate().map(penalty).collect()
}

/// 65 rows of 10 vertices, 12 px apart, along x, and a tip of 4: 654 vertices, 1164 triangles.
fn limb() -> Result<Mesh, Error> {
    let row = |i: u32| [f64::from(i / 10) * 12.0, (f64::from(i % 10) - 4.5) * 12.0];
    let tip = |i: u32| [65.0 * 12.0, (f64::from(i) * 2.0 - 3.0) * 12.0];
    let vertices = (0..650).map(row).chain((0..4).map(tip)).collect();
    let cells = (0..640).filter(|i| i % 10 < 9);
    let mut triangles: Vec<[u32; 3]> =
        cells.flat_map(|i| [[i, i + 1, i + 11], [i, i + 11, i + 10]]).collect();
    triangles.extend((0..9).map(|c: u32| [640 + c, 641 + c, 650 + [0, 0, 1, 1, 2, 2, 3, 3, 3][c as usize]]));
    triangles.extend((0..3).map(|k| [650 + k, 651 + k, 642 + 2 * k]));
    Mesh::new(vertices, triangles)
}

fn bones() -> Result<Bones, Error> {
    let bone =
        |head: f64, tail: f64, parent| Bone { head: [head, 0.0], tail: [tail, 0.0], parent, band: None };
    Bones::new(vec![bone(0.0, 300.0, None), bone(300.0, 580.0, Some(0)), bone(580.0, 780.0, Some(1))])
}
