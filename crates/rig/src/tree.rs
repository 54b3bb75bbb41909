//! The deformer tree (RIG 1).

use std::collections::{BTreeMap, BTreeSet};

use geom::{Point, Rect};
use parts::{Side, Tag};
use puppet::{
    Axis, Channels, Deformer, DeformerId, DeformerKind, Grid, PartId, Rotation, RotationForm, Warp,
};

use crate::body::{BODY_ANGLE, BREATH, Body};
use crate::face_surface::{ANGLE_X, nine_poses};
use crate::features::{self, Feature, PairLine};
use crate::figure;
use crate::hair::{self, Layering};
use crate::hair_locks;
use crate::head;
use crate::layer::Scene;
use crate::slot::{Slot, parent, region, regions, slot_of};
use crate::space::Space;

/// Where the children of a slot are written.
#[derive(Clone, Debug)]
pub(crate) struct Home {
    pub(crate) deformer: Option<DeformerId>,
    pub(crate) space: Space,
}

/// The deformers and where their children are written.
pub(crate) struct Tree {
    pub(crate) deformers: Vec<Deformer>,
    homes: BTreeMap<Slot, Home>,
}

impl Tree {
    /// Home of a slot that was asked for.
    pub(crate) fn home(&self, slot: Slot) -> Home {
        self.homes.get(&slot).cloned().unwrap_or(Home { deformer: None, space: Space::Canvas })
    }
}

/// Builds the deformers of the needed slots, parents first.
pub(crate) fn build(scene: &Scene<'_>, needed: &BTreeSet<Slot>) -> Tree {
    let mut builder = Builder { scene, tree: Tree { deformers: Vec::new(), homes: BTreeMap::new() } };
    for &slot in needed {
        match slot {
            Slot::Canvas => {
                builder.tree.homes.insert(slot, Home { deformer: None, space: Space::Canvas });
            }
            Slot::Body => builder.body(),
            Slot::Figure => builder.figure(),
            Slot::Container => builder.container(),
            Slot::HairFollow(layering) => builder.hair_follow(layering),
            Slot::Hair(layering) => builder.hair(layering),
            Slot::Face => builder.face(),
            Slot::Feature(feature, side) => builder.feature(feature, side),
            Slot::Gaze(side) => builder.gaze(side),
        }
    }
    builder.tree
}

struct Builder<'a, 's> {
    scene: &'a Scene<'s>,
    tree: Tree,
}

impl Builder<'_, '_> {
    fn natural(&self) -> bool {
        self.scene.settings.natural()
    }

    fn above(&self, slot: Slot) -> Home {
        parent(slot).map_or(Home { deformer: None, space: Space::Canvas }, |p| self.tree.home(p))
    }

    /// Adds a warp whose lattice is given in the parent's space.
    #[expect(clippy::too_many_arguments, reason = "one call site per deformer reads as the table of RIG 1")]
    fn warp(
        &mut self,
        id: &str,
        name: &str,
        part: &str,
        parent: Option<DeformerId>,
        (columns, rows): (usize, usize),
        axes: Vec<Axis>,
        point: impl Fn(&[f64], f64, f64) -> Point,
    ) -> DeformerId {
        let forms = Grid::build(axes, |keys| {
            let mut points = Vec::with_capacity((columns + 1) * (rows + 1));
            for j in 0..=rows {
                for i in 0..=columns {
                    points.push(point(keys, i as f64 / columns as f64, j as f64 / rows as f64));
                }
            }
            points
        });
        let kind = DeformerKind::Warp(Warp { columns, rows, forms });
        self.push(id, name, part, parent, kind)
    }

    fn push(
        &mut self,
        id: &str,
        name: &str,
        part: &str,
        parent: Option<DeformerId>,
        kind: DeformerKind,
    ) -> DeformerId {
        let id = DeformerId::new(id);
        self.tree.deformers.push(Deformer {
            id: id.clone(),
            name: name.to_owned(),
            part: Some(PartId::from(part)),
            parent,
            kind,
            channels: Channels::default(),
        });
        id
    }

    fn settle(&mut self, slot: Slot, id: DeformerId, space: Space) {
        self.tree.homes.insert(slot, Home { deformer: Some(id), space });
    }

    fn body(&mut self) {
        let cast = self.scene.cast;
        let body = Body::new(
            cast.frames.character,
            &cast.anchors,
            self.scene.settings.body_strength,
            self.natural(),
        );
        let turn = vec![Axis::new("ParamBodyAngleX", BODY_ANGLE), Axis::new("ParamBodyAngleY", BODY_ANGLE)];
        let xy = self.warp("DeformBodyXY", "Body XY", "PartBody", None, body.cells(), turn, |k, u, v| {
            body.turned((u, v), k[0], k[1])
        });
        let lean = vec![Axis::new("ParamBodyAngleZ", BODY_ANGLE), Axis::new("ParamBreath", BREATH)];
        let id = self.warp(
            "DeformBodyZBreath",
            "Body Z and breath",
            "PartBody",
            Some(xy),
            body.cells(),
            lean,
            |k, u, v| body.leaned((u, v), k[0], k[1]),
        );
        self.settle(Slot::Body, id, Space::Frame(body.frame));
    }

    /// The head of a figure that is drawn as one picture.
    fn figure(&mut self) {
        let body = self.above(Slot::Figure);
        let Space::Frame(frame) = body.space else { return };
        let head = figure::Head::of(self.scene);
        let surface = &self.scene.surface;
        let id = self.warp(
            "DeformFigure",
            "Figure",
            "PartBody",
            body.deformer.clone(),
            figure::CELLS,
            figure::axes(),
            |k, u, v| body.space.local(head.moved(frame.at(u, v), surface.turn(k[0], k[1]), k[2])),
        );
        self.settle(Slot::Figure, id, Space::Frame(frame));
    }

    fn container(&mut self) {
        let cast = self.scene.cast;
        let body = self.above(Slot::Container);
        let pivot = head::pivot(cast, self.natural());
        let stored = body.space.local(cast.tilt.unalign(pivot));
        let forms = Grid::build(vec![Axis::new("ParamAngleZ", head::ANGLE_Z)], |k| RotationForm {
            pivot: stored,
            angle: k[0],
            scale: 1.0,
            reflect_x: false,
            reflect_y: false,
        });
        let kind = DeformerKind::Rotation(Rotation { base_angle: cast.tilt.degrees, forms });
        let rotation = self.push("DeformHeadRotation", "Head rotation", "PartHead", body.deformer, kind);
        let frame = cast.frames.head;
        let strength = self.scene.settings.head_strength;
        let id = self.warp(
            "DeformHeadContainer",
            "Head",
            "PartHead",
            Some(rotation),
            (4, 5),
            nine_poses(),
            |k, u, v| head::contained(frame, pivot, strength, (u, v), k[0], k[1]),
        );
        self.settle(Slot::Container, id, Space::Frame(frame));
    }

    fn face(&mut self) {
        let above = self.above(Slot::Face);
        let surface = &self.scene.surface;
        let frame = self.scene.cast.frames.face;
        let cells = if self.natural() { (12, 12) } else { (8, 8) };
        let lattice = |k: &[f64], u: f64, v: f64| {
            let p = frame.at(u, v);
            above.space.local(p + surface.shift(p, surface.turn(k[0], k[1])))
        };
        let id = self.warp(
            "DeformFaceNinePose",
            "Face",
            "PartFace",
            above.deformer.clone(),
            cells,
            nine_poses(),
            lattice,
        );
        self.settle(Slot::Face, id, Space::Frame(frame));
    }

    fn feature(&mut self, feature: Feature, side: Option<Side>) {
        let slot = Slot::Feature(feature, side);
        let mut above = self.above(slot);
        if feature == Feature::Iris && above.deformer.is_none() {
            let eye = region(regions(self.scene, Feature::Eye), side).map(|r| r.side);
            above = self.tree.home(eye.map_or(Slot::Face, |s| Slot::Feature(Feature::Eye, s)));
            if above.deformer.is_none() {
                above = self.tree.home(Slot::Face);
            }
        }
        let Some(found) = region(regions(self.scene, feature), side) else { return };
        let (stem, name, cells) = match feature {
            Feature::Eye => ("DeformEyeShape", "Eye", (4, 3)),
            Feature::Iris => ("DeformIrisPreserve", "Iris", (4, 3)),
            Feature::Brow => ("DeformBrowShape", "Brow", (3, 3)),
            Feature::Nose => ("DeformNoseShape", "Nose", (3, 4)),
            Feature::Mouth => ("DeformMouthShape", "Mouth", (4, 3)),
            Feature::Ear => ("DeformEarOcclusion", "Ear", (3, 3)),
        };
        let surface = &self.scene.surface;
        let frame = found.rect;
        let center = found.raw.center();
        let pair = (self.natural() && matches!(feature, Feature::Eye | Feature::Brow))
            .then(|| PairLine::of(regions(self.scene, feature)))
            .flatten();
        let lattice = |k: &[f64], u: f64, v: f64| {
            let turn = surface.turn(k[0], k[1]);
            let p = frame.at(u, v);
            let mut moved = p + features::offset(feature, surface, frame, (u, v), turn);
            if let Some(pair) = &pair {
                moved.y += pair.correction(surface, center, p, turn);
            }
            above.space.local(moved)
        };
        let id = self.warp(
            &sided(stem, side),
            &sided_name(name, side),
            "PartFace",
            above.deformer.clone(),
            cells,
            nine_poses(),
            lattice,
        );
        if feature == Feature::Ear {
            self.fade_ear(found.rect, side);
        }
        self.settle(slot, id, Space::Frame(frame));
    }

    /// The opacity channel of an ear; an ear stacked below the face is hidden by it and needs none (RIG_PRACTICE 9).
    fn fade_ear(&mut self, frame: Rect, side: Option<Side>) {
        let scene = self.scene;
        let face = scene.tagged(&[Tag::Face]).map(|l| l.index).min();
        let below = scene
            .tagged(&[Tag::Ears])
            .filter(|l| l.side() == side)
            .all(|l| face.is_some_and(|f| l.index < f));
        if self.natural() && below {
            return;
        }
        let opacity = Grid::build(vec![Axis::new("ParamAngleX", ANGLE_X)], |k| {
            features::ear_opacity(&scene.surface, frame, scene.surface.turn(k[0], 0.0))
        });
        if let Some(last) = self.tree.deformers.last_mut() {
            last.channels.opacity = opacity;
        }
    }

    fn gaze(&mut self, side: Option<Side>) {
        let slot = Slot::Gaze(side);
        let above = self.above(slot);
        let keys = [-1.0, 0.0, 1.0];
        let axes = vec![Axis::new("ParamEyeBallX", keys), Axis::new("ParamEyeBallY", keys)];
        let id = self.warp(
            &sided("DeformEyeGaze", side),
            &sided_name("Gaze", side),
            "PartFace",
            above.deformer.clone(),
            (2, 2),
            axes,
            |k, u, v| Point::new(u + 0.10 * k[0], v - 0.085 * k[1]),
        );
        self.settle(slot, id, above.space);
    }

    fn hair_frame(&self, layering: Layering) -> Rect {
        let frames = &self.scene.cast.frames;
        let own = match layering {
            Layering::Front => frames.hair_front,
            Layering::Back => frames.hair_back,
        };
        own.unwrap_or(frames.head)
    }

    /// Frame of the hair that swings in its warp: strands that swing by themselves are left out.
    fn swung_frame(&self, layering: Layering) -> Rect {
        let swung = self.scene.layers.iter().filter(|l| slot_of(self.scene, l) == Slot::Hair(layering));
        let frame = Rect::union_all(swung.map(|l| l.bounds)).map(|b| b.expand(0.04));
        frame.unwrap_or_else(|| self.hair_frame(layering))
    }

    fn hair_follow(&mut self, layering: Layering) {
        let slot = Slot::HairFollow(layering);
        let above = self.above(slot);
        let (stem, part) = match layering {
            Layering::Front => ("Front", "PartHairFront"),
            Layering::Back => ("Back", "PartHairBack"),
        };
        let id = format!("DeformHair{stem}Follow");
        let name = format!("{stem} hair follow");
        let surface = &self.scene.surface;
        let hair = self.hair_frame(layering);
        if !self.natural() {
            let head = self.scene.cast.frames.head;
            let id = self.warp(&id, &name, part, above.deformer.clone(), (3, 4), nine_poses(), |k, u, v| {
                let shift = hair::classic_follow(layering, v, k[0], k[1]);
                above.space.local(hair.at(u, v))
                    + Point::new(
                        shift.x * head.width() / above_width(&above, head),
                        shift.y * head.height() / above_height(&above, head),
                    )
            });
            self.settle(slot, id, Space::Frame(hair));
            return;
        }
        // Hair of one outline is bent by one lattice: two would part it.
        let shared = follows_as_one(self.scene);
        let other = |s: Slot| shared && matches!(s, Slot::HairFollow(_) | Slot::Hair(_));
        let hung = self.scene.layers.iter().filter(|l| {
            let s = slot_of(self.scene, l);
            s == slot || other(s)
        });
        let hung = Rect::union_all(hung.map(|l| l.bounds.expand(0.05)).chain([hair])).unwrap_or(hair);
        let frame = hair::follow_frame(surface, hung);
        let mut axes = nine_poses();
        axes.push(Axis::new("ParamAngleZ", hair::ANGLE_Z));
        let rows = hair::follow_rows(surface, frame);
        let (head, strength) = (self.scene.cast.frames.head, self.scene.settings.head_strength);
        let (kind, contour) = self.hair_kind(layering);
        let id = self.warp(&id, &name, part, above.deformer.clone(), (12, rows), axes, |k, u, v| {
            let p = frame.at(u, v);
            let at = (p.x - head.left) / head.width().max(1e-4);
            let carried = head::container_shift(head, strength, at, k[0], k[1]);
            let turn = surface.turn(k[0], k[1]);
            above.space.local(hair::follow(kind, surface, contour, p, turn, k[2], carried))
        });
        self.settle(slot, id, Space::Frame(frame));
    }

    /// How hair follows, and the frame whose contour stays.
    fn hair_kind(&self, layering: Layering) -> (hair::Kind, Rect) {
        let hair = self.hair_frame(layering);
        if layering == Layering::Front || follows_as_one(self.scene) {
            return (hair::Kind::Front, self.hair_frame(Layering::Front));
        }
        let cast = self.scene.cast;
        let pivot = head::pivot(cast, self.natural());
        let collar = self.scene.tagged(&[Tag::Topwear]).map(|l| l.bounds.top).min_by(f64::total_cmp);
        let shoulder = collar.unwrap_or(cast.anchors.shoulder_y).min(cast.anchors.shoulder_y);
        (hair::Kind::Back(hair::Rest::new(&self.scene.surface, hair, pivot, shoulder)), hair)
    }

    fn hair(&mut self, layering: Layering) {
        let slot = Slot::Hair(layering);
        let above = self.above(slot);
        let (stem, part, cells, parameter) = match layering {
            Layering::Front => ("Front", "PartHairFront", (3, 4), "ParamHairFront"),
            Layering::Back => ("Back", "PartHairBack", (3, 6), "ParamHairBack"),
        };
        let natural = self.natural();
        let (coupled, backing) = (&self.scene.coupled, self.scene.backing);
        let frame = if natural { self.swung_frame(layering) } else { self.hair_frame(layering) };
        let surface = &self.scene.surface;
        let cells = match layering {
            _ if !natural => cells,
            Layering::Front if self.scene.coupled.is_empty() => (8, 10),
            Layering::Front => (14, 10),
            Layering::Back if self.scene.coupled.is_empty() => (3, 12),
            Layering::Back => (10, 12),
        };
        let (middle, half) = (frame.center().x, frame.width() / 2.0);
        let mut axes = vec![Axis::new(parameter, [-1.0, 0.0, 1.0])];
        if natural && layering == Layering::Back && hair::has_tip(surface, frame) {
            axes.push(Axis::new("ParamHairBackTip", [-1.0, 0.0, 1.0]));
        }
        let id = self.warp(
            &format!("DeformHair{stem}Physics"),
            &format!("{stem} hair swing"),
            part,
            above.deformer.clone(),
            cells,
            axes,
            |k, u, v| {
                let p = frame.at(u, v);
                let tip = k.get(1).copied().unwrap_or(0.0);
                let moved = match layering {
                    _ if !natural => {
                        let q = hair::swing(layering, frame, (u, v), k[0]);
                        frame.at(q.x, q.y)
                    }
                    Layering::Front => {
                        // Locks of one outline with the back hair swing by themselves.
                        let (middle, half) = (surface.center.x, 1.2 * surface.radius.x);
                        let free = backing * hair_locks::freedom(coupled, middle, half, p.x);
                        p.lerp(hair::swing_bangs(surface, frame, p, k[0]), free)
                    }
                    Layering::Back => {
                        let free = hair_locks::freedom(coupled, middle, half, p.x);
                        p.lerp(hair::swing_back(frame, p, k[0], tip), free)
                    }
                };
                above.space.local(moved)
            },
        );
        self.settle(slot, id, Space::Frame(frame));
    }
}

/// Front and back hair follow the head as one: their outlines are one, or nothing is drawn where they would part.
fn follows_as_one(scene: &Scene<'_>) -> bool {
    scene.backing < 0.5 || shared_contour(scene)
}

/// Some back hair ends where the front hair does, on both sides.
fn shared_contour(scene: &Scene<'_>) -> bool {
    let front = Rect::union_all(scene.tagged(&[Tag::FrontHair]).map(|l| l.bounds));
    let Some(front) = front else { return false };
    let near = 0.03 * front.width();
    scene
        .tagged(&[Tag::BackHair])
        .any(|l| (l.bounds.left - front.left).abs() < near && (l.bounds.right - front.right).abs() < near)
}

fn above_width(above: &Home, head: Rect) -> f64 {
    if let Space::Frame(frame) = above.space { frame.width() } else { head.width() }.max(1e-4)
}

fn above_height(above: &Home, head: Rect) -> f64 {
    if let Space::Frame(frame) = above.space { frame.height() } else { head.height() }.max(1e-4)
}

/// An id with its side letter.
pub(crate) fn sided(stem: &str, side: Option<Side>) -> String {
    side.map_or_else(|| stem.to_owned(), |s| format!("{stem}{}", s.letter()))
}

/// A shown name with its side.
pub(crate) fn sided_name(stem: &str, side: Option<Side>) -> String {
    side.map_or_else(|| stem.to_owned(), |s| format!("{stem} {}", s.letter()))
}
