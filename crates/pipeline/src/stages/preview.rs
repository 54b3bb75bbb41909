//! `preview`: the model as pictures. Never gates delivery.

mod closeup;
mod idle;
mod web;

use std::collections::BTreeMap;

use atlas::Layout;
use bundle::report::{Audit, Warning};
use moc3::model::Model;
use plan::{JobFailure, Outcome};
use preview::{NamedPose, Scene, SheetStyle};
use puppet::Puppet;
use raster::Rgba;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::inputs::Inputs;
use crate::params::PreviewParams;
use crate::stages::rig::RigReport;

/// Columns of a pose sheet.
const COLUMNS: u32 = 7;
/// Behind figures on sheets.
const PAPER: [u8; 3] = [255, 255, 255];

/// Reads `moc3`, `puppet`, `page/<number>`, and for the page `report`, `notes`, `audits` and `layout`; gives
/// `picture/<path inside the bundle>`.
pub(crate) fn run(params: &PreviewParams, inputs: &Inputs) -> Result<Outcome, JobFailure> {
    let model = Model::from_bytes(inputs.bytes("moc3")?).map_err(|e| refuse(&e))?;
    let puppet: Puppet = inputs.value("puppet")?;
    let pages: Vec<&[u8]> = inputs.all("page").map(|(_, bytes)| &**bytes).collect();
    let pages: Vec<Rgba> = pages
        .into_par_iter()
        .map(|bytes| atlas::decode_png(bytes).map_err(|e| refuse(&e)))
        .collect::<Result<_, _>>()?;
    let scene = Scene::new(&model, pages).map_err(|e| refuse(&e))?;
    let (sheets, (idle, told)) = rayon::join(
        || sheets(&scene, params),
        || rayon::join(|| idle::animate(&scene, &puppet, params), || told(&scene, inputs)),
    );
    let ([figure, head, rest], idle, told) = (sheets?, idle?, told?);
    let bones = bones(&scene, &puppet, params)?;
    let mut sheets = vec![("Poses", figure.as_slice()), ("Head", &head)];
    sheets.extend(bones.iter().map(|bones| ("Bones", bones.as_slice())));
    let page = web::Page {
        motion: &[("Idle", &idle), ("At rest", &rest)],
        sheets: &sheets,
        told: &told,
        puppet: &puppet,
    };
    let pictures = [
        ("picture/preview/index.html", page.text().into_bytes()),
        ("picture/preview/figure.png", figure),
        ("picture/preview/head.png", head),
        ("picture/preview/rest.png", rest),
        ("picture/preview/idle.png", idle),
    ];
    let bones = bones.map(|bones| ("picture/preview/bones.png", bones));
    let outputs: BTreeMap<String, Vec<u8>> =
        pictures.into_iter().chain(bones).map(|(path, bytes)| (path.to_owned(), bytes)).collect();
    Ok(Outcome { outputs, subgraph: None })
}

/// The pose sheets of the figure and of its head, and the figure at rest.
fn sheets(scene: &Scene, params: &PreviewParams) -> Result<[Vec<u8>; 3], JobFailure> {
    let poses = preview::standard_poses();
    let sheet = |crop: geom::Rect, cell: u32, poses: &[NamedPose], labels: bool| {
        let style = SheetStyle { crop, cell, columns: COLUMNS, labels, backdrop: Some(PAPER) };
        let picture = preview::sheet(scene, poses, &style).map_err(|e| refuse(&e))?;
        atlas::encode_png(&picture).map_err(|e| refuse(&e))
    };
    Ok([
        sheet(scene.canvas(), params.cell, &poses, true)?,
        sheet(preview::head_crop(scene), params.cell, &poses, true)?,
        sheet(scene.canvas(), params.cell * 2, &poses[..1], false)?,
    ])
}

/// Every bone at both ends of its range; `None` for a figure without bones.
fn bones(scene: &Scene, puppet: &Puppet, params: &PreviewParams) -> Result<Option<Vec<u8>>, JobFailure> {
    let turned = puppet.parameters.iter().filter(|p| p.group == skeleton::FOLDER);
    let ends = turned.flat_map(|p| [(p, p.min), (p, p.max)]).filter(|(p, value)| *value != p.default);
    let poses: Vec<NamedPose> = ends
        .map(|(p, value)| {
            let id = p.id.as_str();
            let name = format!("{} {value:.0}", id.trim_start_matches("Param"));
            NamedPose { name, values: vec![(id.to_owned(), value as f32)] }
        })
        .collect();
    if poses.is_empty() {
        return Ok(None);
    }
    let style = SheetStyle {
        crop: scene.canvas(),
        cell: params.cell,
        columns: COLUMNS,
        labels: true,
        backdrop: Some(PAPER),
    };
    let picture = preview::sheet(scene, &poses, &style).map_err(|e| refuse(&e))?;
    atlas::encode_png(&picture).map(Some).map_err(|e| refuse(&e))
}

/// What the report says, with pictures of what it speaks of.
fn told(scene: &Scene, inputs: &Inputs) -> Result<closeup::Told, JobFailure> {
    let rig: RigReport = inputs.value("report")?;
    let layout: Layout = inputs.value("layout")?;
    let audits: Vec<Audit> = inputs.value("audits")?;
    let mut told = rig.warnings;
    told.extend(inputs.value::<Vec<Warning>>("notes")?);
    let warnings = super::bundle::warnings(told, &layout, &audits);
    Ok(closeup::look(scene, rig.layers, warnings, audits))
}

fn refuse(error: &dyn std::fmt::Display) -> JobFailure {
    JobFailure::deterministic("preview-failed", format!("the model cannot be drawn: {error}"))
}
