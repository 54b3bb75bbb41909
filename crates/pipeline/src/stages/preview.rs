//! `preview`: the model as pictures. Never gates delivery.

mod idle;
mod web;

use std::collections::BTreeMap;

use moc3::model::Model;
use plan::{JobFailure, Outcome};
use preview::{NamedPose, Scene, SheetStyle};
use puppet::Puppet;
use raster::Rgba;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::inputs::Inputs;
use crate::params::PreviewParams;

/// Columns of a pose sheet.
const COLUMNS: u32 = 7;
/// Behind figures on sheets.
const PAPER: [u8; 3] = [255, 255, 255];

/// Reads `moc3`, `puppet` and `page/<number>`; gives `picture/<path inside the bundle>`.
pub(crate) fn run(params: &PreviewParams, inputs: &Inputs) -> Result<Outcome, JobFailure> {
    let model = Model::from_bytes(inputs.bytes("moc3")?).map_err(|e| refuse(&e))?;
    let puppet: Puppet = inputs.value("puppet")?;
    let pages: Vec<&[u8]> = inputs.all("page").map(|(_, bytes)| &**bytes).collect();
    let pages: Vec<Rgba> = pages
        .into_par_iter()
        .map(|bytes| atlas::decode_png(bytes).map_err(|e| refuse(&e)))
        .collect::<Result<_, _>>()?;
    let scene = Scene::new(&model, pages).map_err(|e| refuse(&e))?;
    let sheet = |crop: geom::Rect, cell: u32, poses: &[NamedPose]| {
        let style = SheetStyle { crop, cell, columns: COLUMNS, backdrop: Some(PAPER) };
        let picture = preview::sheet(&scene, poses, &style).map_err(|e| refuse(&e))?;
        atlas::encode_png(&picture).map_err(|e| refuse(&e))
    };
    let poses = preview::standard_poses();
    let figure = sheet(scene.canvas(), params.cell, &poses)?;
    let head = sheet(preview::head_crop(&scene), params.cell, &poses)?;
    let rest = sheet(scene.canvas(), params.cell * 2, &poses[..1])?;
    let idle = idle::animate(&scene, &puppet, params)?;
    let page = web::page(&[("Idle", idle.as_slice()), ("Poses", &figure), ("Head", &head)], &puppet);
    let pictures = [
        ("picture/preview/figure.png", figure),
        ("picture/preview/head.png", head),
        ("picture/preview/rest.png", rest),
        ("picture/preview/idle.png", idle),
        ("picture/preview/index.html", page.into_bytes()),
    ];
    let outputs: BTreeMap<String, Vec<u8>> =
        pictures.into_iter().map(|(path, bytes)| (path.to_owned(), bytes)).collect();
    Ok(Outcome { outputs, subgraph: None })
}

fn refuse(error: &dyn std::fmt::Display) -> JobFailure {
    JobFailure::deterministic("preview-failed", format!("the model cannot be drawn: {error}"))
}
