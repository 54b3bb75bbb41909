//! `rig`: layer tree and rasters to meshes, deformers and keyforms.

use std::collections::BTreeMap;
use std::sync::Arc;

use artwork::{Artwork, Note, NoteLevel};
use bundle::report::{LayerRow, Warning};
use canonical::BlobRef;
use plan::{Job, JobFailure, Memo, Outcome};
use puppet::{Puppet, TileId};
use raster::{Alpha, Rgba};
use rig::{Mesher, Picture, Rigged};
use serde::{Deserialize, Serialize};

use crate::codec;
use crate::inputs::Inputs;
use crate::params::RigParams;
use crate::stages::ingest::raster_name;
use crate::stages::pages::TileRasters;
use crate::stages::skeleton as limbs;

/// What the report says of layers and decisions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RigReport {
    /// One row a layer, bottom to top.
    pub(crate) layers: Vec<LayerRow>,
    /// Notes of all stages so far.
    pub(crate) warnings: Vec<Warning>,
}

/// Reads `tree` and `raster/<content>`; gives `scaffold`, `drawable/<number>`, `sizes`, `tiles`, `raster/<content>`
/// for derived pictures, `report`; and for bones `host`, `limb/<name>` and one node a limb whose patches are `skin/<name>`.
pub(crate) fn run(
    job: &Job,
    params: &RigParams,
    inputs: &Inputs,
    memo: &dyn Memo,
) -> Result<Outcome, JobFailure> {
    let refuse = |code: &str, e: String| JobFailure::deterministic(code, e);
    let tree: Artwork = inputs.value("tree")?;
    let rasters = inputs.rasters("raster")?;
    let images = tree
        .layers
        .iter()
        .map(|layer| {
            let missing = || refuse("input-missing", format!("layer {} has no raster", layer.id));
            rasters.get(layer.content.as_str()).cloned().ok_or_else(missing)
        })
        .collect::<Result<Vec<Arc<Rgba>>, _>>()?;
    let (cast, images) =
        parts::cast(&tree, &images, &params.parts).map_err(|e| refuse("art-unusable", e.to_string()))?;
    let figure = skeleton::find(&cast, &images, &params.skeleton, params.rig.sway_strength)
        .map_err(|e| refuse("skeleton-unusable", e.to_string()))?;
    let boned = figure.limbs.iter().flat_map(|l| l.members.iter().copied()).collect();
    let mut rigged = rig::rig_with(&cast, &images, &params.rig, &Remembering(memo), &boned)
        .map_err(|e| refuse("rig-failed", e.to_string()))?;
    rigged.notes.extend(figure.notes.iter().cloned());
    let report = report(&tree, &cast, &rigged);
    let mut outcome = Outcome::default();
    limbs::split(&cast, &figure, &rigged, &params.skeleton, &mut outcome)?;
    let tiles = pictures(job, &cast, &images, &rigged, &mut outcome);
    split(rigged.puppet, &mut outcome)?;
    outcome.outputs.insert("tiles".to_owned(), codec::encode(&tiles)?);
    outcome.outputs.insert("report".to_owned(), codec::encode(&report)?);
    Ok(outcome)
}

/// Raised with the version of `rig` whenever some mesh comes out differently.
const MESH_VERSION: u32 = 4;

/// Meshes by content of the image and settings, kept in the memo.
struct Remembering<'a>(&'a dyn Memo);

impl Mesher for Remembering<'_> {
    fn triangulate(
        &self,
        content: &str,
        alpha: &Alpha,
        settings: &mesh::Settings,
    ) -> Result<mesh::Mesh, mesh::Error> {
        // Settings that are not a number have no key; meshing names the one that is not.
        let Ok(key) = canonical::key("mesh", &(content, settings, MESH_VERSION)) else {
            return mesh::triangulate(alpha, settings);
        };
        if let Some(known) = self.0.get(&key).and_then(|bytes| codec::decode("memo", &bytes).ok()) {
            return Ok(known);
        }
        let mesh = mesh::triangulate(alpha, settings)?;
        if let Ok(bytes) = codec::encode(&mesh) {
            self.0.put(&key, &bytes);
        }
        Ok(mesh)
    }
}

/// Names the raster of every tile; derived pictures become outputs.
fn pictures(
    job: &Job,
    cast: &parts::Cast,
    images: &[Arc<Rgba>],
    rigged: &Rigged,
    outcome: &mut Outcome,
) -> TileRasters {
    let derived = |image: &Rgba, outcome: &mut Outcome| {
        let bytes = codec::encode_raster(image);
        let blob = BlobRef::of(&bytes);
        outcome.outputs.insert(raster_name(&blob.digest.to_hex()), bytes);
        blob
    };
    let mut tiles: BTreeMap<String, BlobRef> = BTreeMap::new();
    for (id, picture) in &rigged.pictures {
        let blob = match picture {
            Picture::Member(index) => {
                let known = job.inputs.get(&raster_name(&cast.members[*index].content)).copied();
                known.unwrap_or_else(|| derived(&images[*index], outcome))
            }
            Picture::New(image) => derived(image, outcome),
        };
        tiles.insert(TileId::as_str(id).to_owned(), blob);
    }
    tiles
}

/// The puppet as narrow blobs: who reads tile sizes alone does not run again when a vertex moves.
fn split(mut puppet: Puppet, outcome: &mut Outcome) -> Result<(), JobFailure> {
    let sizes: Vec<atlas::Item> = puppet
        .tiles
        .iter()
        .map(|tile| atlas::Item {
            id: tile.id.as_str().to_owned(),
            width: tile.width,
            height: tile.height,
            density: tile.density,
            lock: tile.lock,
            pin: tile.pin,
        })
        .collect();
    outcome.outputs.insert("sizes".to_owned(), codec::encode(&sizes)?);
    for (number, drawable) in std::mem::take(&mut puppet.drawables).iter().enumerate() {
        outcome.outputs.insert(format!("drawable/{number:05}"), codec::encode(drawable)?);
    }
    outcome.outputs.insert("scaffold".to_owned(), codec::encode(&puppet)?);
    Ok(())
}

fn report(tree: &Artwork, cast: &parts::Cast, rigged: &Rigged) -> RigReport {
    let notes: Vec<&Note> = tree.notes.iter().chain(&cast.notes).chain(&rigged.notes).collect();
    let layers = cast
        .members
        .iter()
        .zip(&rigged.became)
        .map(|(member, became)| LayerRow {
            id: member.id.clone(),
            name: member.name.clone(),
            path: member.path.join("/"),
            tag: member.tag.name().to_owned(),
            side: member.side.map_or_else(String::new, |s| s.letter().to_string()),
            confidence: member.confidence,
            became: became.drawables.iter().map(ToString::to_string).collect(),
            notes: notes
                .iter()
                .filter(|n| n.layer.as_ref() == Some(&member.layer))
                .map(|n| n.code.clone())
                .collect(),
        })
        .collect();
    RigReport { layers, warnings: notes.into_iter().map(warning).collect() }
}

fn warning(note: &Note) -> Warning {
    let level = match note.level {
        NoteLevel::Info => "info",
        NoteLevel::Warning => "warning",
        NoteLevel::Error => "error",
    };
    Warning {
        code: note.code.clone(),
        level: level.to_owned(),
        layer: note.layer.as_ref().map_or_else(String::new, ToString::to_string),
        message: note.message.clone(),
        setting: note.setting.clone(),
    }
}
