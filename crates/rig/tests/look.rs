//! What the eye sees: overlays, smiling and undivided eyes, hair of one outline, lappets, figures in one picture.

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use artwork::LayerId;
use common::{Figure, cast};
use geom::{IntRect, Point};
use parts::{Cast, Tag};
use puppet::evaluate::{Posed, evaluate};
use puppet::{Drawable, Puppet};
use raster::Rgba;
use rig::{Direct, Rigged, Settings, rig};

type Pictures = Vec<Arc<Rgba>>;

/// Adds a layer on top.
fn add(cast: &mut Cast, images: &mut Pictures, tag: Tag, confidence: f64, inside: impl Fn(Point) -> bool) {
    let (mut picture, mut count) = (Rgba::new(cast.width, cast.height), 0);
    for y in 0..cast.height {
        for x in 0..cast.width {
            if inside(Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5)) {
                picture.set(x.into(), y.into(), [200, 60, 30, 255]);
                count += 1;
            }
        }
    }
    let bounds: IntRect = picture.alpha().bounds(1).expect("a picture");
    let id = format!("added{}", cast.members.len());
    let mut member = cast.members[0].clone();
    (member.id, member.name, member.layer) = (id.clone(), id.clone(), LayerId::new(id.clone()));
    (member.tag, member.group, member.side, member.confidence) = (tag, tag.group(), None, confidence);
    (member.rect, member.bounds) = (bounds, bounds.to_rect());
    (member.centroid, member.opaque_pixels) = (bounds.to_rect().center(), count);
    member.content = format!("{id} {count}");
    cast.members.push(member);
    images.push(Arc::new(picture.crop(bounds)));
}

/// Leaves out the members of some tags.
fn without(cast: &mut Cast, images: &mut Pictures, tags: &[Tag]) {
    let keep: Vec<bool> = cast.members.iter().map(|m| !tags.contains(&m.tag)).collect();
    let mut kept = keep.iter();
    cast.members.retain(|_| *kept.next().expect("one a member"));
    let mut kept = keep.iter();
    images.retain(|_| *kept.next().expect("one a member"));
}

fn build(cast: &Cast, images: &Pictures) -> Rigged {
    rig(cast, images, &Settings::default(), &Direct).expect("rig")
}

fn pose(puppet: &Puppet, values: &[(&str, f64)]) -> Vec<Posed> {
    let values: BTreeMap<&str, f64> = values.iter().copied().collect();
    evaluate(puppet, |id| values.get(id.as_str()).copied())
}

fn find(puppet: &Puppet, id: &str) -> usize {
    let ids: Vec<&str> = puppet.drawables.iter().map(|d| d.id.as_str()).collect();
    ids.iter().position(|i| *i == id).unwrap_or_else(|| panic!("no {id} in {ids:?}"))
}

/// How the vertex nearest to a place at rest moves.
fn moved(puppet: &Puppet, id: &str, at: Point, values: &[(&str, f64)]) -> Point {
    let i = find(puppet, id);
    let rest = &pose(puppet, &[])[i].points;
    let nearest = (0..rest.len()).min_by(|&a, &b| rest[a].distance(at).total_cmp(&rest[b].distance(at)));
    let nearest = nearest.expect("vertices");
    pose(puppet, values)[i].points[nearest] - rest[nearest]
}

fn closed(smile: f64) -> [(&'static str, f64); 4] {
    [("ParamEyeLOpen", 0.0), ("ParamEyeROpen", 0.0), ("ParamEyeLSmile", smile), ("ParamEyeRSmile", smile)]
}

/// Middles of the eyes of the default figure.
const EYES: [Point; 2] = [Point::new(174.8, 156.25), Point::new(225.2, 156.25)];

#[test]
fn what_is_painted_over_the_eyes_closes_with_them() {
    for (confidence, overlay) in [(0.5, true), (0.9, false)] {
        let (mut cast, mut images) = cast(Figure::default());
        add(&mut cast, &mut images, Tag::FaceDetail, confidence, |p| {
            EYES.iter().any(|e| e.distance(p) < 9.0)
        });
        let rigged = build(&cast, &images);
        assert_eq!(rigged.notes.iter().any(|n| n.code == "eye-overlay"), overlay);
        let open = pose(&rigged.puppet, &[]);
        let shut = pose(&rigged.puppet, &closed(0.0));
        for (i, d) in rigged.puppet.drawables.iter().enumerate() {
            let over = d.id.as_str().starts_with("ArtMeshEyeOverlay");
            assert!(!over || open[i].opacity == 1.0 && shut[i].opacity == 0.0, "{}", d.id);
        }
        let count = |d: &&Drawable| d.id.as_str().starts_with("ArtMeshEyeOverlay");
        assert_eq!(rigged.puppet.drawables.iter().filter(count).count(), if overlay { 2 } else { 0 });
    }
}

#[test]
fn blush_beside_the_eyes_is_no_overlay() {
    let (mut cast, mut images) = cast(Figure::default());
    let below = |p: Point| EYES.iter().any(|e| (*e + Point::new(0.0, 24.0)).distance(p) < 9.0);
    add(&mut cast, &mut images, Tag::FaceDetail, 0.5, below);
    assert!(build(&cast, &images).notes.iter().all(|n| n.code != "eye-overlay"));
}

/// The middle of the closed lid lies below its ends, that of a smiling eye above them.
#[test]
fn closed_eyes_smile() {
    let (cast, images) = cast(Figure::default());
    let puppet = build(&cast, &images).puppet;
    let lash = find(&puppet, "ArtMeshEyelashL");
    for (smile, sign) in [(0.0, 1.0), (1.0, -1.0)] {
        let points = &pose(&puppet, &closed(smile))[lash].points;
        let mean = |near: &dyn Fn(f64) -> bool| {
            let y: Vec<f64> = points.iter().filter(|p| near((p.x - EYES[1].x).abs())).map(|p| p.y).collect();
            y.iter().sum::<f64>() / y.len() as f64
        };
        let bend = mean(&|x| x < 3.0) - mean(&|x| (11.0..15.0).contains(&x));
        assert!(bend * sign > 1.5, "smile {smile}: {bend}");
    }
    // An open eye's lower lid rises, the upper one stays.
    let smiling = [("ParamEyeLSmile", 1.0)];
    let eye = EYES[1];
    let low = moved(&puppet, "ArtMeshEyewhiteL", eye + Point::new(0.0, 10.0), &smiling);
    let high = moved(&puppet, "ArtMeshEyewhiteL", eye - Point::new(0.0, 10.0), &smiling);
    assert!(low.y < -2.5 && high.length() < 1e-6, "{low:?} {high:?}");
}

/// Round eyes close into a shallow line.
#[test]
fn tall_eyes_close_flat() {
    let (cast, images) = cast(Figure { eye: (15.0, 20.0), ..Figure::default() });
    let puppet = build(&cast, &images).puppet;
    let points = &pose(&puppet, &closed(0.0))[find(&puppet, "ArtMeshEyelashL")].points;
    let near = |x: f64| {
        let close = points.iter().filter(move |p| (p.x - EYES[1].x - x).abs() < 2.5).map(|p| p.y);
        close.fold((0.0, 0.0), |(sum, n), y| (sum + y, n + 1.0))
    };
    let y = |x: f64| near(x).0 / near(x).1;
    let sag = y(0.0) - (y(-13.0) + y(13.0)) / 2.0;
    assert!((1.0..0.22 * 30.0).contains(&sag), "{sag}");
}

#[test]
fn an_eye_in_one_layer_looks_aside() {
    let (mut cast, mut images) = cast(Figure::default());
    without(&mut cast, &mut images, &[Tag::Irides]);
    let puppet = build(&cast, &images).puppet;
    let eye = EYES[1];
    for (id, value, want) in [("ParamEyeBallX", 1.0, (3.0, 0.0)), ("ParamEyeBallY", 1.0, (0.0, -1.5))] {
        let middle = moved(&puppet, "ArtMeshEyewhiteL", eye, &[(id, value)]);
        assert!((middle - Point::new(want.0, want.1)).length() < 0.9, "{id}: {middle:?}");
        let corner = moved(&puppet, "ArtMeshEyewhiteL", eye + Point::new(15.0, 0.0), &[(id, value)]);
        assert!(corner.length() < 0.2, "the outline stays: {corner:?}");
    }
}

/// Inside of the default figure's back hair.
fn back_hair(p: Point) -> bool {
    let (x, y) = ((p.x - 200.0) / 78.0, (p.y - 205.0) / 135.0);
    x * x + y * y < 1.0
}

/// Front hair that ends where the back hair does moves with it, whatever swings.
#[test]
fn hair_of_one_outline_does_not_double() {
    let (mut cast, mut images) = cast(Figure::default());
    without(&mut cast, &mut images, &[Tag::FrontHair]);
    let locks = |p: Point| back_hair(p) && p.y < 300.0 && ((p.x - 200.0).abs() > 50.0 || p.y < 120.0);
    add(&mut cast, &mut images, Tag::FrontHair, 1.0, locks);
    cast.frames.hair_front = cast.members.last().map(|m| m.bounds.expand(0.04));
    let puppet = build(&cast, &images).puppet;
    for values in [
        vec![("ParamHairSideL", 1.0), ("ParamHairSideR", -1.0)],
        vec![("ParamHairFront", 1.0)],
        vec![("ParamHairBack", 1.0)],
        vec![("ParamAngleX", 45.0)],
        vec![("ParamAngleX", -45.0), ("ParamAngleY", 30.0)],
        vec![("ParamAngleZ", 30.0)],
    ] {
        for at in [Point::new(275.0, 240.0), Point::new(125.0, 240.0), Point::new(267.0, 270.0)] {
            let front = moved(&puppet, "ArtMeshFrontHair", at, &values);
            let back = moved(&puppet, "ArtMeshBackHair", at, &values);
            assert!(front.distance(back) < 1.6, "{values:?} at {at:?}: {front:?} {back:?}");
        }
    }
    let swung = moved(&puppet, "ArtMeshBackHair", Point::new(275.0, 240.0), &[("ParamHairSideL", 1.0)]);
    assert!(swung.x > 2.0, "{swung:?}");
}

#[test]
fn lappets_swing_and_a_brim_does_not() {
    for (name, y, hangs) in [("lappets", 190.0, true), ("brim", 92.0, false)] {
        let (mut cast, mut images) = cast(Figure::default());
        let aside = move |p: Point| (p.y - y).abs() < 12.0 && (p.x - 200.0).abs() < 125.0;
        let band = |p: Point| p.y > 70.0 && p.y < 200.0 && (p.x - 200.0).abs() < 66.0;
        add(&mut cast, &mut images, Tag::Headwear, 1.0, move |p| aside(p) || band(p));
        let puppet = build(&cast, &images).puppet;
        let has = puppet.parameter(&"ParamRibbonL".into()).is_some();
        assert_eq!(has, hangs, "{name}");
        if hangs {
            let tip = moved(&puppet, "ArtMeshHeadwear", Point::new(322.0, y), &[("ParamRibbonL", 1.0)]);
            let root = moved(&puppet, "ArtMeshHeadwear", Point::new(255.0, y), &[("ParamRibbonL", 1.0)]);
            let other = moved(&puppet, "ArtMeshHeadwear", Point::new(78.0, y), &[("ParamRibbonL", 1.0)]);
            assert!(
                tip.y < -4.0 && root.length() < 0.5 && other.length() < 1e-6,
                "{tip:?} {root:?} {other:?}"
            );
        }
    }
}

#[test]
fn a_figure_in_one_picture_turns_its_head() {
    let (mut cast, mut images) = cast(Figure::default());
    add(&mut cast, &mut images, Tag::Topwear, 1.0, |p| {
        p.y > 40.0 && p.y < 620.0 && (p.x - 200.0).abs() < 90.0
    });
    let (figure, picture) = (cast.members.pop().expect("added"), images.pop().expect("added"));
    (cast.members, images) = (vec![figure], vec![picture]);
    cast.anchors.has_face = false;
    cast.anchors.character = cast.members[0].bounds;
    cast.frames.character = cast.anchors.character.expand(0.015);
    let rigged = build(&cast, &images);
    assert!(rigged.notes.iter().any(|n| n.code == "figure-in-one-picture"));
    let (nose, foot) = (Point::new(200.0, 160.0), Point::new(200.0, 600.0));
    for (id, value) in [("ParamAngleX", 45.0), ("ParamAngleY", 30.0), ("ParamAngleZ", 30.0)] {
        let head = moved(&rigged.puppet, "ArtMeshTopwear", nose, &[(id, value)]);
        let still = moved(&rigged.puppet, "ArtMeshTopwear", foot, &[(id, value)]);
        assert!(head.length() > 4.0 && still.length() < 1e-6, "{id}: {head:?} {still:?}");
    }
}

/// Looking up lifts the jaw off the neck: the neck's top goes along, its bottom stays.
#[test]
fn the_neck_reaches_the_lifted_jaw() {
    let (cast, images) = cast(Figure::default());
    let puppet = build(&cast, &images).puppet;
    let up = [("ParamAngleX", 45.0), ("ParamAngleY", 30.0)];
    let top = moved(&puppet, "ArtMeshNeck", Point::new(200.0, 205.0), &up);
    let chin = moved(&puppet, "ArtMeshFace", Point::new(200.0, 235.0), &up);
    let bottom = moved(&puppet, "ArtMeshNeck", Point::new(200.0, 295.0), &up);
    assert!(top.y < -1.0 && top.y <= 0.7 * chin.y, "{top:?} {chin:?}");
    assert!(bottom.length() < 0.3, "{bottom:?}");
    let down = moved(&puppet, "ArtMeshNeck", Point::new(200.0, 205.0), &[("ParamAngleY", -30.0)]);
    assert!(down.length() < 1e-6, "{down:?}");
}

/// Hair with nothing drawn behind it swings little.
#[test]
fn hair_without_backing_swings_less() {
    let (mut cast, mut images) = cast(Figure::default());
    let at = Point::new(200.0, 128.0);
    let swing = [("ParamHairFront", 1.0)];
    let full = moved(&build(&cast, &images).puppet, "ArtMeshFrontHair", at, &swing);
    without(&mut cast, &mut images, &[Tag::BackHair]);
    let less = moved(&build(&cast, &images).puppet, "ArtMeshFrontHair", at, &swing);
    assert!(full.x > 1.0 && less.x < 0.7 * full.x, "{full:?} {less:?}");
}

/// The chin is where it was drawn at rest and follows the opening mouth, whichever way the mouth is drawn.
#[test]
fn the_jaw_follows_open_art_too() {
    for (mouth, least) in [((14.0, 2.5), 1.2), ((14.0, 12.0), 0.6)] {
        let (cast, images) = cast(Figure { mouth, ..Figure::default() });
        let puppet = build(&cast, &images).puppet;
        let chin = moved(&puppet, "ArtMeshFace", cast.anchors.chin, &[("ParamMouthOpenY", 1.0)]);
        assert!(chin.y > least && chin.y < 4.0, "{mouth:?}: {chin:?}");
        let brow = moved(&puppet, "ArtMeshFace", Point::new(200.0, 110.0), &[("ParamMouthOpenY", 1.0)]);
        assert!(brow.length() < 1e-6, "{brow:?}");
    }
}

/// Every parameter leads the way that its sign says.
#[test]
fn parameters_lead_the_way_they_say() {
    const RIGHT: Point = Point::new(1.0, 0.0);
    const LEFT: Point = Point::new(-1.0, 0.0);
    const UP: Point = Point::new(0.0, -1.0);
    const DOWN: Point = Point::new(0.0, 1.0);
    let cases = [
        ("ArtMeshEyebrowL", (225.0, 134.0), "ParamBrowLY", 1.0, UP),
        ("ArtMeshEyebrowR", (175.0, 134.0), "ParamBrowRY", -1.0, DOWN),
        ("ArtMeshIridesL", (225.2, 156.25), "ParamEyeBallX", 1.0, RIGHT),
        ("ArtMeshIridesR", (174.8, 156.25), "ParamEyeBallY", 1.0, UP),
        ("ArtMeshEyelashL", (225.2, 147.0), "ParamEyeLOpen", 0.0, DOWN),
        ("ArtMeshMouth", (187.0, 201.0), "ParamMouthForm", 1.0, UP),
        ("ArtMeshMouth", (213.0, 201.0), "ParamMouthForm", -1.0, DOWN),
        ("ArtMeshFace", (200.0, 235.0), "ParamMouthOpenY", 1.0, DOWN),
        ("ArtMeshNose", (200.0, 179.0), "ParamAngleX", 45.0, RIGHT),
        ("ArtMeshNose", (200.0, 179.0), "ParamAngleX", -45.0, LEFT),
        ("ArtMeshNose", (200.0, 179.0), "ParamAngleY", 30.0, UP),
        ("ArtMeshNose", (200.0, 179.0), "ParamAngleY", -30.0, DOWN),
        ("ArtMeshFace", (200.0, 90.0), "ParamAngleZ", 30.0, RIGHT),
        ("ArtMeshTopwear", (200.0, 290.0), "ParamBreath", 1.0, UP),
        ("ArtMeshTopwear", (200.0, 290.0), "ParamBodyAngleX", 10.0, RIGHT),
        ("ArtMeshTopwear", (200.0, 290.0), "ParamBodyAngleZ", -10.0, LEFT),
        ("ArtMeshFrontHair", (200.0, 128.0), "ParamHairFront", 1.0, RIGHT),
        ("ArtMeshBackHair", (200.0, 335.0), "ParamHairBack", -1.0, LEFT),
    ];
    let (cast, images) = cast(Figure::default());
    let puppet = build(&cast, &images).puppet;
    let mut wrong = Vec::new();
    for (id, (x, y), parameter, value, way) in cases {
        let shift = moved(&puppet, id, Point::new(x, y), &[(parameter, value)]);
        if shift.dot(way) < 0.8 {
            wrong.push(format!("{id} at {parameter} {value}: {shift:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
