//! Bakes of limbs drawn by hand, looked at as a runtime shows them.

use geom::{Point, Rect};
use proptest::prelude::*;
use puppet::evaluate::evaluate;
use puppet::{BlendMode, Canvas, Channels, Drawable, Grid, Puppet, TileId};

use super::*;

/// A tube of 40 pixels' width along a way, with a mesh of `step` pixels.
fn tube(way: &[Point], half: f64, step: f64) -> (Line, f64, Bound) {
    let line = Line::through(way, 2.0 * half).expect("a way");
    let length: f64 = way.windows(2).map(|p| p[0].distance(p[1])).sum();
    let (rows, columns) = ((length / step).ceil() as usize, (2.0 * half / step).ceil() as usize);
    let mut rest = Vec::new();
    for row in 0..=rows {
        let s = length * row as f64 / rows as f64;
        let (c, d) = (line.at(s), line.direction(s));
        for column in 0..=columns {
            let x = half * (2.0 * column as f64 / columns as f64 - 1.0);
            rest.push(c + Point::new(d.y, -d.x) * x);
        }
    }
    let at = |row: usize, column: usize| (row * (columns + 1) + column) as u32;
    let cells = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
    let triangles = cells
        .flat_map(|(r, c)| {
            [[at(r, c), at(r, c + 1), at(r + 1, c + 1)], [at(r, c), at(r + 1, c + 1), at(r + 1, c)]]
        })
        .collect();
    (line, length, Bound { drawable: "ArtMeshTube".into(), rest, triangles })
}

fn limb(held: bool, way: &[Point]) -> Limb {
    let (line, length, mesh) = tube(way, 20.0, 8.0);
    let bone = |name: &str, joint: f64, half: f64, range: (f64, f64)| Bone {
        name: name.to_owned(),
        title: name.to_owned(),
        parameter: format!("Param{name}"),
        range,
        joint: joint * length,
        half,
    };
    let root =
        if held { bone("A", 0.1, 0.1 * length, (-10.0, 50.0)) } else { bone("A", 0.05, 0.0, (-30.0, 110.0)) };
    let bones = vec![root, bone("B", 0.45, 40.0, (-60.0, 95.0)), bone("C", 0.8, 20.0, (-40.0, 40.0))];
    Limb {
        name: "tube".to_owned(),
        chain: Chain { line, bones, held, sense: -1.0, sway: None },
        meshes: vec![mesh],
        tolerance: 1.0,
    }
}

fn straight() -> Vec<Point> {
    vec![Point::new(200.0, 100.0), Point::new(230.0, 500.0)]
}

/// The limb alone as a puppet.
fn puppet(limb: &Limb, patch: &Patch, host: &Host) -> Puppet {
    let drawables = limb.meshes.iter().map(|m| Drawable {
        id: m.drawable.clone(),
        name: String::new(),
        part: None,
        deformer: None,
        tile: TileId::new("tile"),
        uvs: m.rest.clone(),
        triangles: m.triangles.clone(),
        forms: Grid::constant(m.rest.clone()),
        channels: Channels::default(),
        blend: BlendMode::Normal,
        masks: Vec::new(),
        invert_mask: false,
    });
    let mut puppet = Puppet {
        canvas: Canvas { width: 600.0, height: 600.0 },
        drawables: drawables.collect(),
        ..Puppet::default()
    };
    apply(&mut puppet, patch.clone(), host);
    puppet
}

fn canvas() -> Host {
    Host { deformer: None, frame: Rect::new(0.0, 0.0, 600.0, 600.0), part: "Part".into() }
}

fn shown(puppet: &Puppet, values: &[(&str, f64)]) -> Vec<Point> {
    let of = |id: &puppet::ParameterId| values.iter().find(|v| v.0 == id.as_str()).map(|v| v.1);
    evaluate(puppet, of).remove(0).points
}

fn area(points: &[Point], triangles: &[[u32; 3]]) -> (f64, f64) {
    let of = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| points[i as usize]);
        0.5 * (b - a).cross(c - a)
    };
    let all = triangles.iter().map(of);
    (all.clone().sum(), all.fold(f64::INFINITY, f64::min))
}

/// Rest is the art; every pose shows what the bend itself gives, folds nothing and keeps the limb's area.
#[track_caller]
fn check(limb: &Limb) {
    let patch = bake(limb).expect("a bake");
    let puppet = puppet(limb, &patch, &canvas());
    let mesh = &limb.meshes[0];
    for (p, q) in shown(&puppet, &[]).iter().zip(&mesh.rest) {
        assert!(p.distance(*q) < 1e-9, "{p:?} {q:?}");
    }
    let (whole, _) = area(&mesh.rest, &mesh.triangles);
    let range = |i: usize| puppet.parameters[i].min..=puppet.parameters[i].max;
    for n in 0..60u32 {
        let pick = |i: usize, prime: u32| {
            let t = f64::from(n * prime % 61) / 60.0;
            range(i).start() + (range(i).end() - range(i).start()) * t
        };
        let values = [pick(0, 7), pick(1, 17), pick(2, 29)];
        let got = shown(&puppet, &[("ParamA", values[0]), ("ParamB", values[1]), ("ParamC", values[2])]);
        let (total, least) = area(&got, &mesh.triangles);
        assert!(least > 0.0, "folds at {values:?}");
        assert!((total / whole - 1.0).abs() < 0.1, "{} of the area at {values:?}", total / whole);
        let posed = limb.chain.posed(0, &values);
        let turn = limb.chain.turn_of(0, &values);
        let worst = mesh.rest.iter().zip(&got).map(|(&p, q)| {
            let local = posed.local(limb.chain.line.place(p), p).rotated(Point::default(), turn);
            (limb.chain.root() + local).distance(*q)
        });
        let worst = worst.fold(0.0, f64::max);
        // Three axes meet the limit of keyforms.
        let most = if limb.chain.held { 1.5 } else { 1.0 };
        assert!(worst <= most * limb.tolerance, "{worst} px off at {values:?}");
    }
}

#[test]
fn straight_limbs_bend() {
    check(&limb(false, &straight()));
    check(&limb(true, &straight()));
}

#[test]
fn bowed_limbs_bend() {
    let way = [(100.0, 100.0), (140.0, 220.0), (170.0, 300.0), (180.0, 420.0), (170.0, 520.0)];
    let way = way.map(|(x, y)| Point::new(x, y));
    check(&limb(false, &way));
    check(&limb(true, &way));
}

#[test]
fn a_held_root_stays() {
    let limb = limb(true, &straight());
    let puppet = puppet(&limb, &bake(&limb).expect("a bake"), &canvas());
    let posed = shown(&puppet, &[("ParamA", 50.0)]);
    for (p, q) in posed.iter().zip(&limb.meshes[0].rest).take(6) {
        assert!(p.distance(*q) < 2.0, "{p:?} {q:?}");
    }
}

#[test]
fn what_lies_beyond_a_joint_hangs_in_its_bone_and_stays_rigid() {
    let mut limb = limb(false, &straight());
    let rest: Vec<Point> =
        [(225.0, 460.0), (235.0, 460.0), (230.0, 490.0)].map(|(x, y)| Point::new(x, y)).into();
    limb.meshes =
        vec![Bound { drawable: "ArtMeshRing".into(), rest: rest.clone(), triangles: vec![[0, 1, 2]] }];
    let patch = bake(&limb).expect("a bake");
    assert_eq!(patch.skins[0].home.as_str(), "DeformSkelC");
    assert!(patch.skins[0].forms.is_constant());
    let puppet = puppet(&limb, &patch, &canvas());
    let posed = shown(&puppet, &[("ParamA", 30.0), ("ParamB", 80.0), ("ParamC", -20.0)]);
    for i in 0..3 {
        let (was, is) = (rest[i].distance(rest[(i + 1) % 3]), posed[i].distance(posed[(i + 1) % 3]));
        assert!((was - is).abs() < 1e-9);
    }
    let direct = limb.chain.posed(0, &[30.0, 80.0, -20.0]);
    let turn = limb.chain.turn_of(0, &[30.0]);
    let want = direct.local(limb.chain.line.place(rest[0]), rest[0]).rotated(Point::default(), turn);
    assert!((limb.chain.root() + want).distance(posed[0]) < 2.5);
}

#[test]
fn a_bake_narrows_what_would_fold_and_says_so() {
    let mut limb = limb(false, &straight());
    limb.chain.bones[1].half = 6.0;
    limb.chain.bones[1].range = (-20.0, 120.0);
    let patch = bake(&limb).expect("a bake");
    let n = &patch.narrowed[0];
    assert!(n.parameter == "ParamB" && n.given.1 < 120.0 && n.given.1 > 10.0, "{n:?}");
    let (_, least) =
        area(&shown(&puppet(&limb, &patch, &canvas()), &[("ParamB", n.given.1)]), &limb.meshes[0].triangles);
    assert!(least > 0.0);
}

#[test]
fn wrong_limbs_are_told() {
    let good = limb(false, &straight());
    let changed = |change: fn(&mut Limb)| {
        let mut limb = good.clone();
        change(&mut limb);
        bake(&limb).expect_err("an error").to_string()
    };
    type Change = fn(&mut Limb);
    let cases: [(Change, &str); 7] = [
        (|l| l.chain.bones.clear(), "has 0 bones"),
        (|l| l.chain.bones = vec![l.chain.bones[0].clone(); 200], "has 200 bones"),
        (|l| l.chain.bones[1].joint = f64::NAN, "bone B: its place must be finite"),
        (|l| l.chain.bones[2].range = (5.0, 10.0), "bone C: its place must be finite and its range"),
        (|l| l.chain.bones[2].joint = 0.0, "bone C begins before"),
        (|l| l.meshes[0].rest[3].x = f64::INFINITY, "mesh ArtMeshTube"),
        (|l| l.tolerance = 0.0, "tolerance 0"),
    ];
    for (change, want) in cases {
        let got = changed(change);
        assert!(got.contains(want), "{got:?} lacks {want:?}");
    }
}

#[test]
fn meshes_of_few_triangles_and_none_are_sound() {
    let mut limb = limb(true, &straight());
    limb.meshes[0].triangles.clear();
    assert!(bake(&limb).is_ok());
    limb.meshes[0].rest.truncate(3);
    limb.meshes[0].triangles = vec![[0, 1, 2]];
    assert!(bake(&limb).is_ok());
    limb.meshes.clear();
    let patch = bake(&limb).expect("nothing to do");
    assert_eq!((patch.frames.len(), patch.parameters.len()), (0, 0));
}

#[test]
fn ways_without_length_are_no_lines() {
    let p = Point::new(3.0, 4.0);
    assert_eq!(Line::through(&[p], 10.0), None);
    assert_eq!(Line::through(&[p, p], 10.0), None);
    assert_eq!(Line::through(&[p, Point::new(f64::NAN, 0.0)], 10.0), None);
    assert_eq!(Line::through(&[p, Point::new(100.0, 0.0)], f64::NAN), None);
}

#[test]
fn threads_do_not_change_bytes() {
    let limb = limb(true, &straight());
    let pool = |n: usize| rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("a pool");
    assert_eq!(pool(1).install(|| bake(&limb)), pool(3).install(|| bake(&limb)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Whatever the numbers: an error or a sound bake.
    #[test]
    fn never_a_panic(
        joints in prop::collection::vec((-100.0f64..900.0, 0.0f64..200.0, -180.0f64..10.0, -10.0f64..180.0), 0..5),
        held: bool,
    ) {
        let mut limb = limb(held, &straight());
        limb.chain.bones = joints
            .iter()
            .enumerate()
            .map(|(i, &(joint, half, low, high))| Bone {
                name: format!("B{i}"),
                title: String::new(),
                parameter: format!("ParamB{i}"),
                range: (low, high),
                joint,
                half,
            })
            .collect();
        limb.meshes[0].rest.truncate(60);
        limb.meshes[0].triangles.retain(|t| t.iter().all(|&i| i < 60));
        if let Ok(patch) = bake(&limb) {
            prop_assert!(patch.skins.iter().all(|s| s.forms.cells.iter().flatten().all(|p| p.is_finite())));
        }
    }
}
