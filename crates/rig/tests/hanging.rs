//! What hangs swings from its root: one case a class.

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use artwork::{LayerId, Variant};
use common::{Figure, cast};
use geom::{IntRect, Point, Rect};
use parts::{Cast, Side, Tag};
use puppet::evaluate::{Posed, evaluate};
use puppet::{CurveTarget, Puppet};
use raster::Rgba;
use rig::{Alternatives, Direct, Settings, finish, rig};

/// A strip from one point to another, as wide at both ends.
#[derive(Clone, Copy)]
struct Strip {
    from: (f64, f64),
    to: (f64, f64),
    half: f64,
}

impl Strip {
    fn contains(&self, p: Point) -> bool {
        let (a, b) = (Point::new(self.from.0, self.from.1), Point::new(self.to.0, self.to.1));
        let along = b - a;
        let t = ((p - a).dot(along) / along.dot(along)).clamp(0.0, 1.0);
        p.distance(a.lerp(b, t)) <= self.half
    }
}

/// The figure of the other tests with one more layer on top, or below all of the body.
fn with(tag: Tag, side: Option<Side>, id: &str, strip: Strip) -> (Cast, Vec<Arc<Rgba>>) {
    let (mut cast, mut images) = cast(Figure::default());
    add(&mut cast, &mut images, (tag, side, id), strip);
    (cast, images)
}

fn add(
    cast: &mut Cast,
    images: &mut Vec<Arc<Rgba>>,
    (tag, side, id): (Tag, Option<Side>, &str),
    strip: Strip,
) {
    let (mut picture, mut count) = (Rgba::new(cast.width, cast.height), 0);
    for y in 0..cast.height {
        for x in 0..cast.width {
            if strip.contains(Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5)) {
                picture.set(x.into(), y.into(), [90, 60, 30, 255]);
                count += 1;
            }
        }
    }
    let bounds: IntRect = picture.alpha().bounds(1).expect("a strip");
    let mut member = cast.members[0].clone();
    (member.id, member.name, member.layer) = (id.to_owned(), id.to_owned(), LayerId::new(id));
    (member.tag, member.group, member.side) = (tag, tag.group(), side);
    (member.rect, member.bounds) = (bounds, bounds.to_rect());
    (member.centroid, member.opaque_pixels) = (bounds.to_rect().center(), count);
    member.content = format!("{id} {count}");
    cast.members.push(member);
    images.push(Arc::new(picture.crop(bounds)));
}

fn build(cast: &Cast, images: &[Arc<Rgba>], settings: &Settings) -> Puppet {
    rig(cast, images, settings, &Direct).expect("rig").puppet
}

fn pose(puppet: &Puppet, values: &[(&str, f64)]) -> Vec<Posed> {
    let values: BTreeMap<&str, f64> = values.iter().copied().collect();
    evaluate(puppet, |id| values.get(id.as_str()).copied())
}

fn area(points: &[Point], t: [u32; 3]) -> f64 {
    let [a, b, c] = t.map(|i| points[i as usize]);
    (b - a).cross(c - a) / 2.0
}

struct Case {
    tag: Tag,
    side: Option<Side>,
    name: &'static str,
    /// From the root to the tip.
    strip: Strip,
    parameters: &'static [&'static str],
    /// How far the tip moves at 1: to larger x, or (third) upwards.
    sideways: bool,
}

const fn case(
    tag: Tag,
    side: Option<Side>,
    from: (f64, f64),
    to: (f64, f64),
    half: f64,
    parameters: &'static [&'static str],
) -> Case {
    Case { tag, side, name: "more", strip: Strip { from, to, half }, parameters, sideways: true }
}

const CASES: [Case; 8] = [
    case(Tag::FrontHair, Some(Side::Left), (250.0, 110.0), (262.0, 300.0), 9.0, &["ParamHairSideL"]),
    case(Tag::FrontHair, None, (148.0, 110.0), (140.0, 300.0), 9.0, &["ParamHairSideR"]),
    case(
        Tag::BackHair,
        Some(Side::Left),
        (262.0, 120.0),
        (330.0, 420.0),
        15.0,
        &["ParamHairTailL", "ParamHairTailTipL"],
    ),
    case(Tag::BackHair, None, (262.0, 120.0), (330.0, 420.0), 15.0, &["ParamHairTail", "ParamHairTailTip"]),
    case(Tag::Tail, None, (220.0, 420.0), (330.0, 560.0), 10.0, &["ParamTail1", "ParamTail2"]),
    case(Tag::Handwear, Some(Side::Right), (130.0, 290.0), (90.0, 480.0), 12.0, &["ParamArmSwayR"]),
    case(Tag::Ears, Some(Side::Left), (230.0, 100.0), (245.0, 40.0), 9.0, &["ParamEarL"]),
    Case {
        sideways: false,
        ..case(Tag::Wings, Some(Side::Left), (260.0, 330.0), (370.0, 310.0), 14.0, &["ParamWingL"])
    },
];

#[test]
fn tips_swing_and_roots_stay() {
    for case in &CASES {
        check(case);
    }
}

fn check(case: &Case) {
    let (cast, images) = with(case.tag, case.side, case.name, case.strip);
    let puppet = build(&cast, &images, &Settings::default());
    assert_eq!(puppet::validate::validate(&puppet), []);
    let tile = puppet::TileId::new(case.name);
    let index = puppet.drawables.iter().position(|d| d.tile == tile).expect("drawable");
    let drawable = &puppet.drawables[index];
    let rest = pose(&puppet, &[])[index].points.clone();
    let at = |(x, y): (f64, f64)| {
        let p = Point::new(x, y);
        (0..rest.len())
            .min_by(|&a, &b| rest[a].distance(p).total_cmp(&rest[b].distance(p)))
            .expect("vertices")
    };
    let (root, tip) = (at(case.strip.from), at(case.strip.to));
    for parameter in case.parameters {
        for sign in [-1.0, 1.0] {
            let posed = &pose(&puppet, &[(parameter, sign)])[index].points;
            let moved = posed[tip] - rest[tip];
            let towards = if case.sideways { moved.x } else { -moved.y } * sign;
            assert!(towards > 2.0, "{parameter} {sign}: the tip moves {moved:?}");
            let still = posed[root].distance(rest[root]);
            assert!(still < 0.06 * moved.length(), "{parameter} {sign}: the root moves {still}");
        }
    }
    let all: Vec<(&str, f64)> = case.parameters.iter().map(|p| (*p, 1.0)).collect();
    let posed = &pose(&puppet, &all)[index].points;
    let total = |points: &[Point]| drawable.triangles.iter().map(|&t| area(points, t)).sum::<f64>();
    let (before, after) = (total(&rest), total(posed));
    assert!((after / before - 1.0).abs() < 0.03, "{:?}: area {before} {after}", case.parameters);
    assert!(drawable.triangles.iter().all(|&t| area(posed, t) > -1e-2), "{:?} folds", case.parameters);
}

/// A skirt's rows slide, its waist stays, and what lies on it goes along; trousers do not swing.
#[test]
fn skirts_swing_with_what_lies_on_them() {
    let (mut cast, mut images) = cast(Figure::default());
    let skirt = Rect::new(120.0, 430.0, 280.0, 560.0);
    let flare = |bottom: f64| {
        move |p: Point| {
            let t = (p.y - skirt.top) / skirt.height();
            (0.0..bottom).contains(&t) && (p.x - 200.0).abs() < 45.0 + 35.0 * t
        }
    };
    for (id, tag, inside) in [
        ("skirt", Tag::Bottomwear, Box::new(flare(1.0)) as Box<dyn Fn(Point) -> bool>),
        ("pouch", Tag::Objects, Box::new(|p: Point| Rect::new(180.0, 490.0, 210.0, 520.0).contains(p))),
    ] {
        draw(&mut cast, &mut images, id, tag, &*inside);
    }
    let puppet = build(&cast, &images, &Settings::default());
    let (rest, swung) = (pose(&puppet, &[]), pose(&puppet, &[("ParamSkirt", 1.0)]));
    let shift = |id: &str, y: f64| {
        let i = puppet.drawables.iter().position(|d| d.tile.as_str() == id).expect("drawable");
        let near = |&a: &usize, &b: &usize| {
            (rest[i].points[a].y - y).abs().total_cmp(&(rest[i].points[b].y - y).abs())
        };
        let v = (0..rest[i].points.len()).min_by(near).expect("vertices");
        (swung[i].points[v].x - rest[i].points[v].x, rest[i].points[v].y)
    };
    assert!(shift("skirt", 430.0).0.abs() < 0.1 && shift("skirt", 560.0).0 > 4.0);
    let (pouch, y) = shift("pouch", 505.0);
    let (under, _) = shift("skirt", y);
    assert!((pouch - under).abs() < 1.0 && pouch > 0.5, "{pouch} {under}");

    let (mut cast, mut images) = common::cast(Figure::default());
    let trousers = |p: Point| flare(1.0)(p) && ((p.x - 200.0).abs() > 12.0 || p.y < 470.0);
    draw(&mut cast, &mut images, "trousers", Tag::Bottomwear, &trousers);
    assert!(build(&cast, &images, &Settings::default()).parameter(&"ParamSkirt".into()).is_none());
}

fn draw(cast: &mut Cast, images: &mut Vec<Arc<Rgba>>, id: &str, tag: Tag, inside: &dyn Fn(Point) -> bool) {
    let strip = Strip { from: (1.0, 1.0), to: (3.0, 3.0), half: 1.0 };
    add(cast, images, (tag, None, id), strip);
    let mut picture = Rgba::new(cast.width, cast.height);
    for y in 0..cast.height {
        for x in 0..cast.width {
            if inside(Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5)) {
                picture.set(x.into(), y.into(), [60, 60, 90, 255]);
            }
        }
    }
    let bounds = picture.alpha().bounds(1).expect("a shape");
    let member = cast.members.last_mut().expect("just added");
    (member.rect, member.bounds) = (bounds, bounds.to_rect());
    (member.opaque_pixels, member.content) = (bounds.area(), id.to_owned());
    *images.last_mut().expect("just added") = Arc::new(picture.crop(bounds));
}

#[test]
fn without_sway_nothing_hangs() {
    let case = &CASES[4];
    let (cast, images) = with(case.tag, case.side, case.name, case.strip);
    let puppet = build(&cast, &images, &Settings { sway_strength: 0.0, ..Settings::default() });
    assert!(puppet.parameter(&"ParamTail1".into()).is_none());
    assert!(puppet.parameter(&"ParamHairFront".into()).is_some());
    let wild = Settings { sway_strength: 3.0, ..Settings::default() };
    assert!(rig(&cast, &images, &wild, &Direct).is_err());
}

/// Alternatives as a pose: a part each, the drawn one shown, a motion to choose each.
#[test]
fn alternatives_become_a_pose() {
    let (mut cast, mut images) = cast(Figure::default());
    let arms = [("arm down", (130.0, 290.0), (90.0, 480.0)), ("arm up", (130.0, 290.0), (60.0, 150.0))];
    for (id, from, to) in arms {
        add(&mut cast, &mut images, (Tag::Handwear, Some(Side::Right), id), Strip { from, to, half: 12.0 });
        let member = cast.members.last_mut().expect("just added");
        member.visible = id == "arm down";
        member.variant = Some(Variant { set: vec!["arms".to_owned()], name: id.to_owned() });
    }
    let switched = build(&cast, &images, &Settings::default());
    assert!(switched.poses.is_empty() && switched.parameter(&"ParamSwitchArms".into()).is_some());
    let settings = Settings { alternatives: Alternatives::Pose, ..Settings::default() };
    let posed = finish(build(&cast, &images, &settings), &settings.finish()).expect("finish");
    assert!(posed.parameter(&"ParamSwitchArms".into()).is_none());
    let parts: Vec<(&str, bool)> = posed
        .parts
        .iter()
        .filter(|p| p.id.as_str().starts_with("PartArms"))
        .map(|p| (p.id.as_str(), p.visible))
        .collect();
    assert_eq!(parts, [("PartArmsA", true), ("PartArmsB", false)]);
    assert_eq!(posed.poses.len(), 1);
    let chosen: Vec<_> = posed.motions.iter().filter(|m| m.group == "Pose").collect();
    assert_eq!(chosen.len(), 2);
    for motion in chosen {
        assert!(motion.curves.iter().all(|c| matches!(c.target, CurveTarget::PartOpacity(_))));
        assert_eq!(motion.curves.iter().map(|c| c.start.value).sum::<f64>(), 1.0);
    }
}
