//! Named parts and meshes to a puppet: deformers, keyforms, physics, motions.
//!
//! [`rig`] is the whole road from a cast to an unbound puppet; [`finish`] adds physics and motions to whatever the
//! document layer made of it. The rules are RIG.md's; the default profile `natural` follows what practice on real art
//! mended, `classic` keeps to the letter.
//!
//! Working coordinates: body parts in canvas pixels, head parts in head-aligned pixels ([`parts::HeadTilt`]); they
//! become local coordinates of a deformer only when stored.

mod error;
mod settings;

mod layer;
mod space;
mod variants;

mod backing;
mod body;
mod face_surface;
mod features;
mod figure;
mod hair;
mod head;

mod hair_locks;
mod hang;
mod lappets;
pub mod spine;

mod slot;
mod tree;

mod aligned;
mod lash;
mod piece;
mod pieces;

mod eye_overlay;
mod eye_pieces;
mod eyes;
mod lid_line;

mod interior;
mod mouth;

mod alternatives;
mod assemble;
mod ids;
mod parameters;
mod stacking;

mod poses;

mod coverage;
mod damp;
mod ease;

mod expressions;
mod finish;
mod gestures;
mod motions;
mod physics;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use artwork::{Note, NoteLevel};
use parts::Cast;
use puppet::{DeformerId, DrawableId, ParameterId, Puppet, TileId};
use raster::{Alpha, Rgba};
use rayon::prelude::*;

pub use error::Error;
pub use finish::finish;
pub use settings::{
    Alternatives, EyeSettings, FinishSettings, HiddenLayers, LayerSettings, MeshSettings, MouthSettings,
    Profile, Settings,
};

use layer::{Layer, Scene};
use piece::Piece;
use pieces::{Pictures, Workshop};

/// Makes meshes; the pipeline puts its memo between.
pub trait Mesher: Sync {
    /// The mesh of a picture's alpha; `content` is the hex digest of the picture.
    fn triangulate(
        &self,
        content: &str,
        alpha: &Alpha,
        settings: &mesh::Settings,
    ) -> Result<mesh::Mesh, mesh::Error>;
}

/// Computes every mesh.
pub struct Direct;

impl Mesher for Direct {
    fn triangulate(
        &self,
        _content: &str,
        alpha: &Alpha,
        settings: &mesh::Settings,
    ) -> Result<mesh::Mesh, mesh::Error> {
        mesh::triangulate(alpha, settings)
    }
}

/// What [`rig`] gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Rigged {
    /// Unbound, without physics and motions; expressions are in it.
    pub puppet: Puppet,
    /// The pictures of all tiles.
    pub pictures: BTreeMap<TileId, Picture>,
    /// What was decided, and what is missing.
    pub notes: Vec<Note>,
    /// What became of every member, in the order of the cast.
    pub became: Vec<Became>,
}

/// Where a tile's pixels come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Picture {
    /// The image of this member of the cast.
    Member(usize),
    /// A picture made by the rig: a part of a lash, an eye mask, a painted mouth.
    New(Rgba),
}

/// What became of a member.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Became {
    /// The member's id.
    pub member: String,
    /// Its drawables, bottom to top; empty when it is not shown.
    pub drawables: Vec<DrawableId>,
    /// What it hangs from.
    pub deformer: Option<DeformerId>,
    /// The switch that shows it, and the value at which it does.
    pub switch: Option<(ParameterId, usize)>,
}

impl Became {
    /// The drawables, bottom to top.
    pub fn iter(&self) -> std::slice::Iter<'_, DrawableId> {
        self.drawables.iter()
    }
}

/// Rigs a character. `images` holds one picture per member of the cast, in its order.
///
/// # Errors
/// No visible pixels, pictures that do not belong to the cast, settings out of range, a layer that cannot be meshed.
pub fn rig(
    cast: &Cast,
    images: &[Arc<Rgba>],
    settings: &Settings,
    mesher: &dyn Mesher,
) -> Result<Rigged, Error> {
    rig_with(cast, images, settings, mesher, &BTreeSet::new())
}

/// Rigs a character of which some members follow bones: those (by index in the cast) do not swing by themselves, and
/// their meshes are fine enough to bend.
///
/// # Errors
/// As [`rig`].
pub fn rig_with(
    cast: &Cast,
    images: &[Arc<Rgba>],
    settings: &Settings,
    mesher: &dyn Mesher,
    boned: &BTreeSet<usize>,
) -> Result<Rigged, Error> {
    check(cast, images, settings)?;
    let scene = scene(cast, images, settings, boned);
    if scene.layers.is_empty() {
        return Err(Error::Empty);
    }
    let needed =
        slot::needed(scene.layers.iter().map(|l| slot::slot_of(&scene, l)).chain([slot::Slot::Body]));
    let tree = tree::build(&scene, &needed);
    let (eyes, mouths) = (eyes::eyes(&scene), mouth::mouths(&scene));
    let mut notes = Vec::new();
    let mut pictures = Pictures::default();
    let shop = Workshop { scene: &scene, mesher };
    let overlays = eye_overlay::find(&scene, &eyes);
    let mut pieces = others(&shop, &overlays)?;
    hang::apply(&scene, &mut pieces);
    for eye in &eyes {
        eye_pieces::add(&shop, eye, &mut pieces, &mut pictures)?;
    }
    notes.extend(eye_overlay::add(&shop, &eyes, &overlays, &mut pieces, &mut pictures)?);
    mouth::add(&shop, &mouths, &mut pieces, &mut pictures, &mut notes)?;
    stacking::stack(&scene, &mut pieces, &pictures);
    let mut puppet = assemble::puppet(&scene, tree, &pieces, &pictures);
    let left_out = parameters::add(&mut puppet, &scene.switches);
    if settings.natural() {
        let watch = |puppet: &Puppet, side| coverage::Watch::new(&scene, &pieces, puppet, &pictures, side);
        let glance = watch(&puppet, coverage::GLANCE);
        notes.extend(ease::ease(&glance, |puppet| watch(puppet, coverage::STARE), &mut puppet));
    }
    notes.extend(damp::damp(&scene, &pieces, &mut puppet));
    if settings.expressions {
        puppet.expressions = expressions::of(&scene.switches, &puppet);
    }
    notes.extend(missing(&left_out));
    notes.extend(one_picture(&scene));
    alternatives::add(&scene, &mut puppet);
    let became = assemble::became(&scene, &pieces, &puppet);
    let pictures = assemble::pictures(&pieces, pictures);
    Ok(Rigged { puppet, pictures, notes, became })
}

fn check(cast: &Cast, images: &[Arc<Rgba>], settings: &Settings) -> Result<(), Error> {
    if cast.members.len() != images.len() {
        return Err(Error::Images { images: images.len(), members: cast.members.len() });
    }
    if cast.width == 0 || cast.height == 0 {
        return Err(Error::Canvas { width: cast.width, height: cast.height });
    }
    let ranges = [
        ("head_strength", settings.head_strength, 0.0, 4.0, "within 0..=4"),
        ("body_strength", settings.body_strength, 0.0, 4.0, "within 0..=4"),
        ("sway_strength", settings.sway_strength, 0.0, 2.0, "within 0..=2"),
        ("mesh.spacing", settings.mesh.spacing, 6.0, 256.0, "within 6..=256"),
        ("mesh.face_factor", settings.mesh.face_factor, 0.05, 8.0, "within 0.05..=8"),
        ("mesh.feature_factor", settings.mesh.feature_factor, 0.05, 8.0, "within 0.05..=8"),
        ("mesh.margin", settings.mesh.margin, 1.0, 64.0, "within 1..=64"),
        ("mouth.jaw", settings.mouth.jaw, 0.0, 0.1, "within 0..=0.1"),
    ];
    for (key, value, low, high, expected) in ranges {
        if !(value >= low && value <= high) {
            return Err(Error::Setting { key, value, expected });
        }
    }
    Ok(())
}

fn scene<'a>(
    cast: &'a Cast,
    images: &'a [Arc<Rgba>],
    settings: &'a Settings,
    boned: &'a BTreeSet<usize>,
) -> Scene<'a> {
    let switches = variants::find(cast, settings);
    let layers: Vec<Layer<'a>> = layer::layers(cast, images, settings)
        .into_iter()
        .filter(|l| !switches.dropped.get(l.index).copied().unwrap_or(false))
        .collect();
    let limit = if settings.natural() { 2.0 } else { 4.0 };
    let strength = settings.head_strength.clamp(0.0, limit);
    let surface = face_surface::Surface::new(&cast.face, strength, settings.natural());
    let mut scene = Scene {
        cast,
        settings,
        surface,
        layers,
        switches,
        hanging: Vec::new(),
        coupled: Vec::new(),
        backing: 1.0,
        one_picture: false,
        boned,
    };
    scene.hanging = hang::classes(&scene);
    if settings.natural() {
        scene.one_picture = figure::is_one_picture(&scene);
        scene.backing = backing::of_front_hair(&scene);
        scene.coupled = hair_locks::coupled(&scene);
    }
    scene
}

/// The layers that are no eye, do not lie over one, and are no mouth.
fn others<'a>(shop: &Workshop<'a, '_>, overlays: &[usize]) -> Result<Vec<Piece<'a>>, Error> {
    let special = |l: &Layer<'_>| {
        let t = l.tag();
        l.head && (eyes::EYE_TAGS.contains(&t) || mouth::is_mouth(t))
    };
    let all = shop.scene.layers.iter().enumerate();
    let layers: Vec<&'a Layer<'a>> =
        all.filter(|(i, l)| !special(l) && !overlays.contains(i)).map(|(_, l)| l).collect();
    layers.into_par_iter().map(|l| shop.other(l)).collect()
}

fn one_picture(scene: &Scene<'_>) -> Option<Note> {
    scene.one_picture.then(|| Note {
        code: "figure-in-one-picture".to_owned(),
        level: NoteLevel::Info,
        layer: None,
        message: "no part of the head is drawn apart: its turn bends the whole picture".to_owned(),
        setting: "rig.head_strength".to_owned(),
    })
}

fn missing(left_out: &[&str]) -> Option<Note> {
    (!left_out.is_empty()).then(|| Note {
        code: "parameters-left-out".to_owned(),
        level: NoteLevel::Info,
        layer: None,
        message: format!("no layer follows {}: left out", left_out.join(", ")),
        setting: String::new(),
    })
}
