//! The automatic skeleton: which layers are limbs, where their joints lie, how far they turn (CONTEXT 3.1, 3.2).

use std::sync::Arc;

use artwork::{Note, NoteLevel};
use geom::{Point, Rect};
use parts::{Cast, Group, Member, Side, Tag};
use raster::Rgba;
use rig::spine::{Shape, Spine};

use crate::bake::are_in_order;
use crate::chain::{Bone, Chain, Sway};
use crate::cover::Cover;
use crate::error::Error;
use crate::given;
use crate::joint::{SHARE, fit};
use crate::line::Line;
use crate::settings::Settings;

/// A limb found in the art: which members of the cast follow which bones.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Unique in the figure, e.g. `arm-l`.
    pub name: String,
    /// Indices in the cast, ascending.
    pub members: Vec<usize>,
    /// Its bones.
    pub chain: Chain,
}

/// Limbs of a figure, and what is to be told about those that got no bones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// The limbs, arms first, left before right.
    pub limbs: Vec<Found>,
    /// What was decided.
    pub notes: Vec<Note>,
}

/// Id word, title, parameter before the side and behind it, range in degrees.
type Row = (&'static str, &'static str, &'static str, &'static str, (f64, f64));

/// Kinds of limbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Arm,
    Leg,
}

/// Finds the limbs of a figure. `images` holds one picture per member of the cast, in its order; `sway` is the strength
/// of what swings by itself, 1 by default.
///
/// # Errors
/// [`Error`] for bones given in the settings that are none.
pub fn find(cast: &Cast, images: &[Arc<Rgba>], settings: &Settings, sway: f64) -> Result<Figure, Error> {
    let mut figure = Figure::default();
    if !settings.enabled || cast.members.len() != images.len() {
        return Ok(figure);
    }
    figure.limbs = given::limbs(cast, images, settings)?;
    let taken: Vec<usize> = figure.limbs.iter().flat_map(|l| l.members.iter().copied()).collect();
    let finder = Finder { cast, images, settings, sway };
    for kind in [Kind::Arm, Kind::Leg] {
        for side in [Side::Left, Side::Right] {
            match finder.limb(kind, side) {
                Ok(Some(found)) if found.members.iter().any(|m| taken.contains(m)) => {}
                Ok(Some(found)) => {
                    figure.notes.extend(finder.told(&found, kind));
                    figure.limbs.push(found);
                }
                Ok(None) => {}
                Err(note) => figure.notes.push(*note),
            }
        }
        figure.notes.extend(finder.unsided(kind));
    }
    Ok(figure)
}

struct Finder<'a> {
    cast: &'a Cast,
    images: &'a [Arc<Rgba>],
    settings: &'a Settings,
    sway: f64,
}

impl Kind {
    fn tags(self) -> &'static [Tag] {
        match self {
            Self::Arm => &[Tag::Handwear],
            Self::Leg => &[Tag::Legwear, Tag::Footwear],
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Arm => "arm",
            Self::Leg => "leg",
        }
    }

    /// Id word, title, parameter before the side and behind it, and range in degrees of every bone.
    fn bones(self) -> [Row; 3] {
        match self {
            Self::Arm => [
                ("ArmUpper", "Arm", "ParamArm", "A", (-30.0, 110.0)),
                ("ArmFore", "Forearm", "ParamArm", "B", (-60.0, 100.0)),
                ("Hand", "Hand", "ParamHand", "", (-40.0, 40.0)),
            ],
            Self::Leg => [
                ("LegUpper", "Leg", "ParamLeg", "A", (-15.0, 45.0)),
                ("LegLower", "Lower leg", "ParamLeg", "B", (-30.0, 45.0)),
                ("Foot", "Foot", "ParamFoot", "", (-25.0, 25.0)),
            ],
        }
    }
}

/// A range that a held root may turn at most: the art has no end of the limb to show.
const HELD: (f64, f64) = (-10.0, 50.0);
/// Share of the root's area that the body must cover for a limb to turn freely.
const COVERED: f64 = 0.35;

impl Finder<'_> {
    fn members(&self, kind: Kind) -> impl Iterator<Item = (usize, &Member)> {
        let fits = move |m: &Member| {
            kind.tags().contains(&m.tag)
                && m.group == Group::Body
                && !m.background
                && m.visible
                && m.variant.is_none()
                && m.opaque_pixels > 0
                && m.clip_to.is_none()
        };
        self.cast.members.iter().enumerate().filter(move |(_, m)| fits(m))
    }

    /// The limb of a side; `Err` says why there is none although there is art.
    fn limb(&self, kind: Kind, side: Side) -> Result<Option<Found>, Box<Note>> {
        let members: Vec<usize> =
            self.members(kind).filter(|(_, m)| m.side == Some(side)).map(|(i, _)| i).collect();
        // (Shoes alone are no leg.)
        let Some(&main) = members.iter().find(|&&i| self.cast.members[i].tag != Tag::Footwear) else {
            return Ok(None);
        };
        let refuse = |why: &str| Err(Box::new(self.unbound(main, why)));
        if let Some(why) = members.iter().find_map(|&i| self.stuck(kind, i)) {
            return refuse(&why);
        }
        let cover = Cover::of(members.iter().map(|&i| self.picture(i)));
        let Some((line, end)) = self.line(kind, &members, &cover) else {
            return refuse("its shape has no middle line");
        };
        let mean = cover.area() / end.max(1.0);
        if end < 1.8 * mean {
            return refuse("it is too short and wide to have joints");
        }
        let chain = self.chain(kind, side, line, end, &cover, &members);
        if !are_in_order(&chain.bones) {
            return refuse("its joints would lie upon one another");
        }
        let name = format!("{}-{}", kind.word(), side.letter().to_ascii_lowercase());
        Ok(Some(Found { name, chain, members }))
    }

    /// Why a layer cannot turn.
    fn stuck(&self, kind: Kind, index: usize) -> Option<String> {
        let b = self.cast.members[index].bounds;
        let (width, height) = (f64::from(self.cast.width), f64::from(self.cast.height));
        if b.bottom >= height - 0.01 * height || b.left <= 1.5 || b.right >= width - 1.5 {
            return Some("it is cut off by the edge of the canvas".to_owned());
        }
        let hand = Rect { top: b.top + 0.6 * b.height(), ..b };
        let held = self.cast.members.iter().find(|m| {
            kind == Kind::Arm && m.tag == Tag::Objects && m.visible && hand.contains(m.bounds.center())
        });
        held.map(|m| format!("its hand holds `{}`, which would stay behind", m.name))
    }

    fn picture(&self, index: usize) -> ((i32, i32), &Rgba) {
        let rect = self.cast.members[index].rect;
        ((rect.left, rect.top), &*self.images[index])
    }

    /// The middle line with arc lengths from the first to the last pixel, and the arc length of the last.
    fn line(&self, kind: Kind, members: &[usize], cover: &Cover<'_>) -> Option<(Line, f64)> {
        // (No measure of the whole body: other limbs would be read.)
        let anchors = &self.cast.anchors;
        let own = cover.bounds();
        let attach = match kind {
            Kind::Arm => Point::new(anchors.chin.x, anchors.shoulder_y),
            Kind::Leg => Point::new(own.center().x, own.top - own.height()),
        };
        let pictures: Vec<_> = members.iter().map(|&i| self.picture(i)).collect();
        let spine = Spine::of(&Shape::of(&pictures)?, attach, |p| p)?;
        let line = Line::through(spine.points(), spine.width)?;
        let places: Vec<f64> = cover.pixels(24).map(|p| line.place(p)).collect();
        let first = places.iter().copied().fold(f64::INFINITY, f64::min);
        let last = places.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (last > first).then(|| (line.shifted(first), last - first))
    }

    fn chain(
        &self,
        kind: Kind,
        side: Side,
        line: Line,
        end: f64,
        cover: &Cover<'_>,
        members: &[usize],
    ) -> Chain {
        // An arm whose upper part is drawn with the body ends in a cut, which must stay where it is.
        let cut = kind == Kind::Arm && self.above(&line, end) > 0.12 * end;
        let held = cut || self.covered(&line, cover, members) < COVERED;
        let beneath = kind == Kind::Arm && self.behind(members);
        let letter = side.letter();
        let joints = self.joints(kind, &line, end, held);
        let mut bones: Vec<Bone> = Vec::new();
        for (i, (word, title, before, behind, range)) in kind.bones().into_iter().enumerate() {
            let parameter = format!("{before}{letter}{behind}");
            let range = match i {
                0 if held => HELD,
                _ => range,
            };
            // What would turn in behind the body is hardly seen there.
            let range = if beneath { (0.4 * range.0, range.1) } else { range };
            let range = self.settings.ranges.get(&parameter).copied().unwrap_or(range);
            let range = (range.0.min(0.0), range.1.max(0.0));
            let mut bone = Bone {
                name: format!("{word}{letter}"),
                title: format!("{title} {letter}"),
                parameter,
                range,
                joint: joints[i],
                half: 0.0,
            };
            if i == 0 && held {
                fit(&mut bone, &line, cover, joints[0]);
            } else if i > 0 {
                let before = joints[i] - joints[i - 1] - bones[i - 1].half;
                let after = joints.get(i + 1).copied().unwrap_or(end) - joints[i];
                fit(&mut bone, &line, cover, SHARE * before.min(after));
            }
            bones.push(bone);
        }
        let sway = (kind == Kind::Arm && self.sway > 0.0).then(|| Sway {
            parameter: format!("ParamArmSway{letter}"),
            title: format!("Arm sway {letter}"),
            degrees: if held { -1.0 } else { -2.0 } * self.sway,
        });
        Chain { line, bones, held, sense: if side == Side::Left { -1.0 } else { 1.0 }, sway }
    }

    /// Arc lengths of the joints: the root's, then by proportion.
    fn joints(&self, kind: Kind, line: &Line, end: f64, held: bool) -> [f64; 3] {
        let anchors = &self.cast.anchors;
        let root = 0.5 * line.width();
        match kind {
            Kind::Arm => {
                let above = self.above(line, end);
                let missing = if above > 0.0 { above } else { -root };
                let whole = end + missing;
                let elbow = 1.0 / 2.4 * whole - missing;
                // A held root bends, and must leave the elbow its room.
                let root = if held { root.min(0.22 * elbow.max(1.0)) } else { root };
                [root, elbow, 1.85 / 2.4 * whole - missing]
            }
            Kind::Leg => {
                let above = (line.at(0.0).y - anchors.hip_y).clamp(0.0, 0.5 * end);
                let missing = if held { above } else { 0.5 * above };
                let whole = end + missing;
                [root, 0.46 * whole - missing, 0.92 * whole - missing]
            }
        }
        .map(|s: f64| s.max(root))
    }

    /// Some garment is drawn above all of the limb.
    fn behind(&self, members: &[usize]) -> bool {
        let garment = |m: &Member| m.visible && matches!(m.tag, Tag::Topwear | Tag::Bottomwear);
        let highest = self.cast.members.iter().rposition(garment);
        highest.is_some_and(|h| members.iter().all(|&i| i < h))
    }

    /// Length of the upper arm that is drawn with the body, as far as it is worth a thought.
    fn above(&self, line: &Line, end: f64) -> f64 {
        let above = (line.at(0.0).y - self.cast.anchors.shoulder_y).clamp(0.0, 0.5 * end);
        if above > 0.06 * end { above } else { 0.0 }
    }

    /// Share of the root's end of a limb that other layers of the body cover, above or below it.
    fn covered(&self, line: &Line, cover: &Cover<'_>, members: &[usize]) -> f64 {
        let others = self.cast.members.iter().enumerate().filter(|(i, m)| {
            !members.contains(i)
                && m.visible
                && !m.background
                && m.opacity > 0.5
                && matches!(m.tag, Tag::Topwear | Tag::Bottomwear | Tag::Neck | Tag::Neckwear)
        });
        let body = Cover::of(others.map(|(i, _)| self.picture(i)));
        let reach = line.width();
        let (mut all, mut hidden) = (0.0, 0.0);
        for p in cover.pixels(4).filter(|&p| line.place(p) < reach) {
            all += 1.0;
            hidden += if body.covers(p) { 1.0 } else { 0.0 };
        }
        hidden / f64::max(all, 1.0)
    }

    /// What is to be told of a limb's ranges.
    fn told(&self, found: &Found, kind: Kind) -> Vec<Note> {
        let Some(member) = found.members.first().map(|&i| &self.cast.members[i]) else { return Vec::new() };
        let note = |code: &str, message: String, parameter: &str| Note {
            code: code.to_owned(),
            level: NoteLevel::Info,
            layer: Some(member.layer.clone()),
            message,
            setting: format!("skeleton.ranges.{parameter}"),
        };
        let mut notes = Vec::new();
        let root = &found.chain.bones[0];
        if found.chain.held {
            notes.push(note(
                "limb-held",
                format!(
                    "`{}` ends where the body begins, so it bends there and turns {:.0}..{:.0} degrees only: \
                     draw the whole {}, its end under or over the body",
                    member.name,
                    root.range.0,
                    root.range.1,
                    kind.word()
                ),
                &root.parameter,
            ));
        }
        for (bone, (.., default)) in found.chain.bones.iter().zip(kind.bones()).skip(1) {
            let wanted = self.settings.ranges.get(&bone.parameter).copied().unwrap_or(default);
            if bone.range.1 < 0.8 * wanted.1 || bone.range.0 > 0.8 * wanted.0 && !self.behind(&found.members)
            {
                notes.push(note(
                    "bone-range-narrowed",
                    format!(
                        "{} of `{}` turns {:.0}..{:.0} degrees, not {:.0}..{:.0}: it is too wide for its length",
                        bone.parameter, member.name, bone.range.0, bone.range.1, wanted.0, wanted.1
                    ),
                    &bone.parameter,
                ));
            }
        }
        notes
    }

    fn unbound(&self, index: usize, why: &str) -> Note {
        let member = &self.cast.members[index];
        Note {
            code: "limb-without-bones".to_owned(),
            level: NoteLevel::Info,
            layer: Some(member.layer.clone()),
            message: format!("`{}` gets no bones: {why}", member.name),
            setting: format!("layers.\"{}\".tag", member.name),
        }
    }

    /// What is to be told of limbs that belong to no side.
    fn unsided(&self, kind: Kind) -> Option<Note> {
        let (index, _) = self.members(kind).find(|(_, m)| m.side.is_none() && m.tag != Tag::Footwear)?;
        let middle = self.cast.anchors.body.center().x;
        let body = self.cast.anchors.body.width();
        let b = self.cast.members[index].bounds;
        let both = b.left < middle - 0.05 * body && b.right > middle + 0.05 * body;
        let why = if both {
            format!(
                "both {0}s are drawn in one piece; draw them as `{1}-l` and `{1}-r`, each with what the other hides",
                kind.word(),
                self.cast.members[index].tag.name()
            )
        } else {
            "its side is not known; name it with -l or -r".to_owned()
        };
        Some(self.unbound(index, &why))
    }
}
