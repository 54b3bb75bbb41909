//! Limbs bent by bones.

use arap::keys::{Axis, fewest};
use arap::{Bone, Bones, Mesh, Settings, Skin, Weights, flips};

/// A limb along x: `columns` x `rows` points `step` px apart, its middle line at y = 0.
fn limb(columns: u32, rows: u32, step: f64) -> Mesh {
    let middle = f64::from(rows - 1) / 2.0;
    let at = |i: u32| [f64::from(i % columns) * step, (f64::from(i / columns) - middle) * step];
    let corners = (0..rows - 1).flat_map(|r| (0..columns - 1).map(move |c| r * columns + c));
    let triangles = corners.flat_map(|i| [[i, i + 1, i + columns], [i + 1, i + columns + 1, i + columns]]);
    Mesh::new((0..columns * rows).map(at).collect(), triangles.collect()).unwrap()
}

fn arm() -> Bones {
    let bone =
        |head: f64, tail: f64, parent| Bone { head: [head, 0.0], tail: [tail, 0.0], parent, band: None };
    Bones::new(vec![bone(0.0, 300.0, None), bone(300.0, 600.0, Some(0)), bone(600.0, 700.0, Some(1))])
        .unwrap()
}

fn skin() -> Skin {
    let (mesh, bones) = (limb(71, 9, 10.0), arm());
    let weights = Weights::by_distance(&mesh, &bones).unwrap();
    Skin::new(mesh, &bones, weights).unwrap()
}

/// Bends elbow and wrist: no triangle turns over, guides keep the width, rest is kept exactly.
#[track_caller]
fn check(elbow: f64, wrist: f64) {
    let skin = skin();
    let frames = arm().frames(&[0.3, elbow.to_radians(), wrist.to_radians()]).unwrap();
    let guides = skin.pose(&frames).unwrap().guides;
    assert_eq!(flips(skin.mesh(), &guides), 0, "guides at {elbow} {wrist}");
    let solved = skin.solve(&[frames], &Settings::default()).unwrap();
    assert_eq!(solved[0].flips, 0, "solved at {elbow} {wrist}");
}

#[test]
fn bends_turn_nothing_over() {
    for (elbow, wrist) in [(0.0, 0.0), (60.0, 0.0), (90.0, -40.0), (-120.0, 30.0), (150.0, 90.0)] {
        check(elbow, wrist);
    }
}

#[test]
fn rest_is_kept() {
    let skin = skin();
    let solved = skin.solve(&[arm().frames(&[0.0; 3]).unwrap()], &Settings::default()).unwrap();
    for (a, b) in solved[0].positions.iter().zip(skin.mesh().vertices()) {
        assert!((a[0] - b[0]).abs() < 1e-9 && (a[1] - b[1]).abs() < 1e-9, "{a:?} {b:?}");
    }
}

#[test]
fn keys_are_the_fewest_of_a_rotation() {
    let values: Vec<f64> = (-86..=86).map(f64::from).collect();
    let turned =
        |v: &f64| vec![[820.0 * geom::maths::cos(v.to_radians()), 820.0 * geom::maths::sin(v.to_radians())]];
    let positions: Vec<_> = values.iter().map(turned).collect();
    let keys = fewest(Axis { values: &values, positions: &positions }, &[86], 1.0, 600).unwrap();
    // r (1 - cos(d/2)) <= 1 px allows steps of 5.66 degrees: 5 of whole samples.
    assert_eq!(keys.kept.len(), 2 * 18 + 1);
    assert!(keys.worst <= 1.0 && keys.kept.contains(&86));
    let capped = fewest(Axis { values: &values, positions: &positions }, &[86], 1.0, 11).unwrap();
    assert!(capped.kept.len() <= 11 && capped.worst > 1.0);
}
