//! Limbs bent by bones.

mod limbs;

use arap::keys::{Axis, fewest, grid};
use arap::{Bone, Bones, Error, Mesh, Settings, Skin, Weight, Weights, flips, refine};
use limbs::{apart, area, arm, chain, limb};

/// Bends elbow and wrist: no triangle turns over, in guides or solved.
#[track_caller]
fn check(elbow: f64, wrist: f64) {
    let (skin, bones) = arm();
    let frames = bones.frames(&[0.3, elbow.to_radians(), wrist.to_radians()]).unwrap();
    let guides = skin.pose(&frames).unwrap().guides;
    assert_eq!(flips(skin.mesh(), &guides), 0, "guides at {elbow} {wrist}");
    let solved = skin.solve(&[frames], &Settings::default()).unwrap();
    assert!(solved[0].flips == 0 && solved[0].converged, "solved at {elbow} {wrist}");
    let change = area(skin.mesh(), &solved[0].positions) / area(skin.mesh(), skin.mesh().vertices());
    assert!((0.8..1.2).contains(&change), "the area at {elbow} {wrist} is {change} of that at rest");
}

#[test]
fn bends_turn_nothing_over() {
    for (elbow, wrist) in [(0.0, 0.0), (60.0, 0.0), (90.0, -40.0), (-120.0, 30.0), (150.0, 90.0)] {
        check(elbow, wrist);
    }
}

#[test]
fn rest_is_kept() {
    let (skin, bones) = arm();
    let solved = skin.solve(&[bones.frames(&[0.0; 3]).unwrap()], &Settings::default()).unwrap();
    assert!(apart(&solved[0].positions, skin.mesh().vertices()) < 1e-9);
}

#[test]
fn up_and_down_are_mirror_images() {
    let (skin, bones) = arm();
    let poses = [0.9, -0.9].map(|a| bones.frames(&[0.0, a, a / 2.0]).unwrap());
    // The rows' diagonals are not symmetric, hence a tolerance.
    let solved = skin.solve(&poses, &Settings::default()).unwrap();
    let flipped: Vec<[f64; 2]> =
        (0..639).map(|i| solved[1].positions[(8 - i / 71) * 71 + i % 71]).map(|p| [p[0], -p[1]]).collect();
    assert!(apart(&solved[0].positions, &flipped) < 3.0);
}

#[test]
fn heat_warms_what_is_near() {
    let (mesh, bones) = (limb(71, 9, 10.0), chain(&[0.0, 300.0, 600.0, 700.0]));
    let weights = Weights::by_heat(&mesh, &bones).unwrap();
    assert!(matches!(weights.as_slice()[0], Weight::Rigid { bone: 0 }));
    assert!(
        matches!(weights.as_slice()[4 * 71 + 30], Weight::Bent { joint: 0, child } if (0.3..0.7).contains(&child))
    );
    let skin = Skin::new(mesh, &bones, weights).unwrap();
    let solved = skin.solve(&[bones.frames(&[0.0, 0.8, 0.4]).unwrap()], &Settings::default()).unwrap();
    assert_eq!(solved[0].flips, 0);
}

/// Rows are put into the bands; what was affine stays affine; a second time nothing happens.
#[track_caller]
fn check_refined(mesh: &Mesh, bones: &Bones) {
    let refined = refine(mesh, &bones.joints()).unwrap();
    let old = mesh.vertices().len();
    assert!(refined.mesh.vertices().len() > old, "no row was added");
    assert_eq!(refined.mesh.vertices()[..old], *mesh.vertices());
    let affine = |v: &[f64; 2]| [0.3 * v[0] - 0.7 * v[1] + 5.0, 0.2 * v[0] + 1.1 * v[1] - 2.0];
    let carried = refined.carry(&mesh.vertices().iter().map(affine).collect::<Vec<_>>()).unwrap();
    let wanted: Vec<[f64; 2]> = refined.mesh.vertices().iter().map(affine).collect();
    assert!(apart(&carried, &wanted) < 1e-7);
    let areas = [area(mesh, mesh.vertices()), area(&refined.mesh, refined.mesh.vertices())];
    assert!((areas[0] - areas[1]).abs() < 1e-6 * areas[0].abs(), "{areas:?}");
    let least = |mesh: &Mesh| {
        let one =
            |t: &[u32; 3]| area(&Mesh::new(mesh.vertices().to_vec(), vec![*t]).unwrap(), mesh.vertices());
        mesh.triangles().iter().map(one).fold(f64::INFINITY, f64::min)
    };
    assert!(least(&refined.mesh) > 0.0, "a triangle is turned over");
    assert_eq!(refine(&refined.mesh, &bones.joints()).unwrap().blends.len(), 0, "rows were added again");
}

#[test]
fn rows_change_no_picture() {
    let coarse = limb(15, 3, 50.0);

    check_refined(&coarse, &chain(&[0.0, 300.0, 600.0, 700.0]));
    check_refined(&limb(18, 3, 41.0), &chain(&[0.0, 333.0, 700.0]));
    let wavy = |v: &[f64; 2]| [v[0], v[1] * (1.2 + 0.3 * geom::maths::sin(v[0] / 37.0))];
    let vertices = limb(11, 4, 70.0).vertices().iter().map(wavy).collect();
    check_refined(
        &Mesh::new(vertices, limb(11, 4, 70.0).triangles().to_vec()).unwrap(),
        &chain(&[0.0, 321.0, 690.0]),
    );
}

#[test]
fn keys_are_the_fewest_of_a_rotation() {
    let values: Vec<f64> = (-86..=86).map(f64::from).collect();
    let turned =
        |v: &f64| vec![[820.0 * geom::maths::cos(v.to_radians()), 820.0 * geom::maths::sin(v.to_radians())]];
    let positions: Vec<_> = values.iter().map(turned).collect();
    let axis = Axis { values: &values, positions: &positions };
    let keys = fewest(axis, &[86], 1.0, 600).unwrap();
    // r (1 - cos(d/2)) <= 1 px allows steps of 5.66 degrees: 5 of whole samples.
    assert_eq!(keys.kept.len(), 2 * 18 + 1);
    assert!(keys.worst <= 1.0 && keys.kept.contains(&86));
    let capped = fewest(axis, &[86], 1.0, 11).unwrap();
    assert!(capped.kept.len() <= 11 && capped.worst > 1.0);
    assert_eq!(
        fewest(axis, &[173], 1.0, 11).unwrap_err(),
        Error::BadIndex { what: "pinned sample", index: 0 }
    );
}

#[test]
fn grid_keys_blend_within_the_tolerance() {
    let values = vec![(-20..=20).map(f64::from).collect::<Vec<_>>(), (0..=15).map(f64::from).collect()];
    let at = |i: usize| {
        let (a, b) = (f64::to_radians((i % 41) as f64 * 2.0 - 40.0), f64::to_radians((i / 41) as f64 * 3.0));
        let (cos, sin) = (geom::maths::cos, geom::maths::sin);
        vec![[200.0 * cos(a) + 90.0 * cos(a + b), 200.0 * sin(a) + 90.0 * sin(a + b)]]
    };
    let positions: Vec<_> = (0..41 * 16).map(at).collect();
    let samples = grid::Grid { values: &values, positions: &positions };
    let keys = grid::fewest(samples, &[vec![20], vec![]], 1.0, 600).unwrap();
    assert!(keys.worst <= 1.0 && keys.cells() < 120 && keys.kept[0].contains(&20), "{keys:?}");
    let thin = grid::fewest(samples, &[vec![20], vec![]], 1.0, 12).unwrap();
    assert!(thin.cells() <= 12 && thin.worst > 1.0, "{thin:?}");
}

#[test]
fn bad_bones_are_told() {
    let bone = |head: [f64; 2], tail: [f64; 2], parent| Bone { head, tail, parent, band: None };
    let bad = |bones| Bones::new(bones).unwrap_err();
    assert_eq!(bad(vec![bone([1.0; 2], [1.0; 2], None)]), Error::ZeroLength { bone: 0 });
    assert_eq!(bad(vec![bone([f64::NAN; 2], [1.0; 2], None)]), Error::NotFinite { what: "bone", index: 0 });
    assert_eq!(
        bad(vec![bone([0.0; 2], [1.0; 2], Some(3))]),
        Error::BadIndex { what: "parent of bone", index: 0 }
    );
    let cycle = vec![bone([0.0; 2], [1.0; 2], Some(1)), bone([1.0; 2], [2.0; 2], Some(0))];
    assert_eq!(bad(cycle), Error::Cycle { bone: 0 });
    assert_eq!(bad(vec![bone([0.0; 2], [1.0; 2], Some(0))]), Error::Cycle { bone: 0 });
    let one = chain(&[0.0, 50.0]);
    assert_eq!(one.frames(&[f64::NAN]).unwrap_err(), Error::NotFinite { what: "angle", index: 0 });
    assert_eq!(one.frames(&[]).unwrap_err(), Error::Length { what: "angles", found: 0, wanted: 1 });
}

#[test]
fn two_hundred_bones_and_three_triangles_are_sound() {
    let places: Vec<f64> = (0..=200).map(|i| f64::from(i) * 3.5).collect();
    let (mesh, bones) = (limb(71, 9, 10.0), chain(&places));
    for weights in [Weights::by_distance(&mesh, &bones).unwrap(), Weights::by_heat(&mesh, &bones).unwrap()] {
        let skin = Skin::new(mesh.clone(), &bones, weights).unwrap();
        let solved = skin.solve(&[bones.frames(&[0.01; 200]).unwrap()], &Settings::default()).unwrap();
        assert!(solved[0].positions.iter().flatten().all(|c| c.is_finite()));
    }
    let small =
        Mesh::new(limb(5, 2, 10.0).vertices().to_vec(), limb(5, 2, 10.0).triangles()[..3].to_vec()).unwrap();
    let bones = chain(&[0.0, 20.0, 40.0]);
    let skin = Skin::new(small.clone(), &bones, Weights::by_distance(&small, &bones).unwrap()).unwrap();
    let solved = skin.solve(&[bones.frames(&[0.0, 1.0]).unwrap()], &Settings::default()).unwrap();
    assert_eq!(solved[0].flips, 0);
    refine(&small, &bones.joints()).unwrap();
}
