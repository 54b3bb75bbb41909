//! From layers to pieces: the workshop that all makers share, and the plain ones.

use std::collections::BTreeMap;

use geom::{IntRect, Point, Rect, maths};
use mesh::{ColumnSettings, Mesh};
use parts::{Group, Side, Tag};
use puppet::{Axis, TileId};
use raster::{Alpha, Rgba};

use crate::error::Error;
use crate::face_surface::{ANGLE_X, ANGLE_Y};
use crate::head::{self, NeckFollow};
use crate::layer::{Layer, Scene};
use crate::piece::{Motion, Piece, Role};
use crate::slot::slot_of;
use crate::{Mesher, Picture};

/// Factor on the spacing of what bends at joints.
const BONED: f64 = 0.6;

/// What every maker of pieces needs.
pub(crate) struct Workshop<'a, 's> {
    pub(crate) scene: &'a Scene<'s>,
    pub(crate) mesher: &'a dyn Mesher,
}

/// Pictures of tiles, by id.
#[derive(Default)]
pub(crate) struct Pictures {
    pub(crate) map: BTreeMap<TileId, (Picture, IntRect)>,
}

impl Pictures {
    /// Adds a derived picture and names it after its member.
    pub(crate) fn add(&mut self, member: &str, key: &str, rect: IntRect, picture: Rgba) -> TileId {
        let mut id = TileId::new(format!("{member}#{key}"));
        let mut n = 2;
        while self.map.contains_key(&id) {
            id = TileId::new(format!("{member}#{key}{n}"));
            n += 1;
        }
        self.map.insert(id.clone(), (Picture::New(picture), rect));
        id
    }
}

impl<'a> Workshop<'a, '_> {
    /// A piece that shows a layer's own picture, still without mesh and motion.
    pub(crate) fn base(&self, layer: &Layer<'_>, role: Role) -> Piece<'a> {
        let member = layer.member;
        Piece {
            member: layer.index,
            stem: crate::ids::stem(member.tag),
            side: member.side,
            name: member.name.clone(),
            role,
            slot: slot_of(self.scene, layer),
            part: self.scene.switches.part(layer.index).cloned().unwrap_or_else(|| part_of(layer).into()),
            tile: TileId::new(member.id.clone()),
            rect: member.rect,
            mesh: Mesh::default(),
            motion: Motion::still(),
            opacity: self.scene.switches.opacity(layer.index),
            order: (layer.index, 0),
        }
    }

    /// A freely triangulated layer without a motion of its own.
    pub(crate) fn plain(&self, layer: &Layer<'_>) -> Result<Piece<'a>, Error> {
        let mut piece = self.base(layer, Role::Other);
        let settings = self.mesh_settings(layer);
        piece.mesh = self
            .mesher
            .triangulate(&layer.member.content, &layer.image.alpha(), &settings)
            .map_err(|source| Error::Mesh { layer: layer.member.name.clone(), source })?;
        Ok(piece)
    }

    /// Mesh settings of a layer: finer on face and hair, finest on features.
    fn mesh_settings(&self, layer: &Layer<'_>) -> mesh::Settings {
        let s = &self.scene.settings.mesh;
        let own = self.scene.settings.layer(layer.member).spacing;
        let factor = match layer.tag() {
            _ if own.is_some() => 1.0,
            _ if self.scene.boned.contains(&layer.index) => BONED,
            Tag::Face | Tag::FrontHair | Tag::BackHair | Tag::Neck | Tag::Ears => s.face_factor,
            Tag::Irides | Tag::Eyebrow | Tag::Nose | Tag::EyeClose | Tag::Mouth | Tag::Tongue => {
                s.feature_factor
            }
            Tag::MouthOpen | Tag::MouthClose | Tag::ToothT | Tag::ToothB => s.feature_factor,
            _ => 1.0,
        };
        let spacing = own.unwrap_or(s.spacing) * factor * self.scene.scale();
        mesh::Settings { spacing: spacing.clamp(4.0, 4096.0), margin: s.margin, ..mesh::Settings::default() }
    }

    /// A strip of columns, vertical in head-aligned space.
    pub(crate) fn columns(
        &self,
        layer: &str,
        alpha: &Alpha,
        columns: usize,
        rows: usize,
    ) -> Result<Mesh, Error> {
        let settings = ColumnSettings {
            columns,
            rows,
            margin: self.scene.settings.mesh.margin,
            angle: self.scene.cast.tilt.degrees.to_radians(),
        };
        mesh::columns(alpha, &settings)
            .map(|strip| strip.mesh)
            .map_err(|source| Error::Mesh { layer: layer.to_owned(), source })
    }

    /// Any layer that is no eye and no mouth.
    pub(crate) fn other(&self, layer: &'a Layer<'a>) -> Result<Piece<'a>, Error> {
        let mut piece = self.plain(layer)?;
        piece.motion = match layer.tag() {
            Tag::Eyebrow => self.brow(layer),
            Tag::Neck if self.scene.settings.natural() => self.neck(layer),
            Tag::Topwear if self.scene.settings.natural() => self.collar(layer),
            Tag::Face if self.scene.settings.natural() => self.jaw(layer),
            _ => Motion::still(),
        };
        Ok(piece)
    }

    /// Brows rise and sink (RIG 6.3, RIG_PRACTICE 2).
    fn brow(&self, layer: &Layer<'_>) -> Motion<'a> {
        let parameter = if layer.side() == Some(Side::Left) { "ParamBrowLY" } else { "ParamBrowRY" };
        let own = 0.12 * layer.bounds.height();
        let rise =
            if self.scene.settings.natural() { own.max(0.055 * self.scene.surface.radius.y) } else { own };
        let keys = [-1.0, 0.0, 1.0];
        if layer.side().is_some() || !self.scene.settings.natural() {
            return Motion {
                axes: vec![Axis::new(parameter, keys)],
                to: Box::new(move |k, p| Point::new(p.x, p.y - k[0] * rise)),
            };
        }
        let (middle, soft) = (self.scene.surface.center.x, 0.08 * self.scene.surface.radius.x);
        Motion {
            axes: vec![Axis::new("ParamBrowLY", keys), Axis::new("ParamBrowRY", keys)],
            to: Box::new(move |k, p| {
                let left = maths::smoothstep((p.x - middle) / (2.0 * soft) + 0.5);
                Point::new(p.x, p.y - maths::lerp(k[1], k[0], left) * rise)
            }),
        }
    }

    /// The neck's top follows the tilting head (RIG_PRACTICE 6).
    fn neck(&self, layer: &Layer<'_>) -> Motion<'a> {
        let b = layer.bounds;
        let pivot = self.head_pivot();
        let follow = NeckFollow {
            pivot,
            top: b.top.max(pivot.y - 0.25 * b.height()).min(b.bottom - 1.0),
            bottom: b.bottom,
            middle: b.center().x,
            half_width: f64::INFINITY,
            aside: self.chin_moves(),
        };
        let (surface, frame) = (self.scene.surface.clone(), self.scene.cast.frames.head);
        let (tilt, strength) = (self.scene.cast.tilt, self.scene.settings.head_strength);
        let chin = tilt.align(self.scene.cast.anchors.chin).y;
        // Where the jaw lifts, the neck's outline goes along, or it would end below the jaw.
        let lift = move |p: Point, x: f64, y: f64| {
            let at = tilt.align(p);
            let jaw = surface.shift(Point::new(at.x, at.y.min(chin)), surface.turn(x, y)).y;
            (jaw + head::container_shift(frame, strength, 0.5, x, y).y).min(0.0)
        };
        Motion {
            axes: vec![
                Axis::new("ParamAngleX", ANGLE_X),
                Axis::new("ParamAngleY", ANGLE_Y),
                Axis::new("ParamAngleZ", head::ANGLE_Z),
            ],
            to: Box::new(move |k, p| {
                let up = if k[1] > 0.0 { lift(p, k[0], k[1]) * follow.share(p) } else { 0.0 };
                follow.apply(p, k[0], k[2]) + Point::new(0.0, up)
            }),
        }
    }

    /// Where the garment holds the neck, what is above the shoulders follows: one field for all garments of the torso,
    /// or gaps would open between them.
    fn collar(&self, layer: &Layer<'_>) -> Motion<'a> {
        let anchors = &self.scene.cast.anchors;
        let (chin, face) = (anchors.chin, self.scene.surface.face);
        let torso = Rect::union_all(self.scene.tagged(&[Tag::Topwear]).map(|l| l.bounds));
        let top = torso.unwrap_or(layer.bounds).top;
        let reaches = top < chin.y + 0.12 * face.height();
        let has_head = self.scene.layers.iter().any(|l| l.head);
        let bottom = anchors.shoulder_y.max(chin.y + 0.15 * face.height());
        let beside = anchors.neck.is_some() || !reaches || anchors.shoulder_y <= top + 2.0 || !has_head;
        if beside || layer.bounds.top >= bottom {
            return Motion::still();
        }
        follow_motion(NeckFollow {
            pivot: self.head_pivot(),
            top,
            bottom,
            middle: chin.x,
            half_width: 0.30 * face.width(),
            aside: self.chin_moves(),
        })
    }

    fn chin_moves(&self) -> [f64; 3] {
        head::chin_moves(self.scene.cast, &self.scene.surface, self.scene.settings.head_strength)
    }

    fn head_pivot(&self) -> Point {
        let cast = self.scene.cast;
        cast.tilt.unalign(head::pivot(cast, self.scene.settings.natural()))
    }

    /// The chin follows the opening mouth a little.
    fn jaw(&self, layer: &Layer<'_>) -> Motion<'a> {
        let scene = self.scene;
        let mouths = [Tag::Mouth, Tag::MouthOpen, Tag::MouthClose];
        // The chin of art drawn open is nearly where an open mouth has it.
        let share = if crate::mouth::rests_closed(scene) { 1.0 } else { 0.5 };
        let drop = share * scene.settings.mouth.jaw * scene.surface.face.height();
        if drop <= 0.0 || scene.tagged(&mouths).next().is_none() || !layer.head {
            return Motion::still();
        }
        let (mouth, chin) = (scene.surface.mouth_line, layer.bounds.bottom);
        let (middle, half) = (scene.surface.center.x, (0.75 * scene.surface.radius.x).max(1.0));
        Motion {
            axes: vec![Axis::new("ParamMouthOpenY", [0.0, 1.0])],
            to: Box::new(move |k, p| {
                let down = maths::smoothstep((p.y - mouth) / (chin - mouth).max(1.0));
                let aside = 1.0 - maths::smoothstep((p.x - middle).abs() / half);
                Point::new(p.x, p.y + k[0] * drop * down * aside)
            }),
        }
    }
}

fn follow_motion<'a>(follow: NeckFollow) -> Motion<'a> {
    Motion {
        axes: vec![Axis::new("ParamAngleX", ANGLE_X), Axis::new("ParamAngleZ", head::ANGLE_Z)],
        to: Box::new(move |k, p| follow.apply(p, k[0], k[1])),
    }
}

/// The part a layer belongs to (RIG 1.2).
pub(crate) fn part_of(layer: &Layer<'_>) -> &'static str {
    match (layer.member.group, layer.tag()) {
        (Group::Head, Tag::BackHair) => "PartHairBack",
        (Group::Head, Tag::FrontHair) => "PartHairFront",
        (Group::Head, Tag::Headwear | Tag::Unknown) => "PartHeadAccessories",
        (Group::Head, _) => "PartFace",
        (Group::Extra, _) => "PartExtra",
        _ => "PartBody",
    }
}
