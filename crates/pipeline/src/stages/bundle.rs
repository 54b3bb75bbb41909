//! `bundle`: the outputs of the targets to documents, report and manifest.

use std::collections::BTreeMap;

use atlas::{Layout, Notice};
use bundle::report::{Atlas, Audit, Report, Warning};
use bundle::{Names, bundle_stem};
use canonical::{BlobRef, Digest};
use plan::{Job, JobFailure, Outcome};
use puppet::Puppet;
use serde::{Deserialize, Serialize};

use crate::codec;
use crate::inputs::Inputs;
use crate::params::BundleParams;
use crate::stages::rig::RigReport;

/// Every file of the delivered folder, sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Path inside the bundle, with `/` between folders, and the file's bytes by name.
    pub files: Vec<(String, BlobRef)>,
    /// The stem of all files.
    pub stem: String,
}

/// Reads `puppet`, `layout`, `moc3`, `page/<number>`, `audits`, `report`, `notes`; gives `manifest` and `file/<path>`.
pub(crate) fn run(job: &Job, params: &BundleParams, inputs: &Inputs) -> Result<Outcome, JobFailure> {
    let puppet: Puppet = inputs.value("puppet")?;
    let layout: Layout = inputs.value("layout")?;
    let names = Names {
        stem: bundle_stem(&params.name),
        page_size: layout.page_size,
        pages: layout.pages,
        language: params.language,
    };
    let documents = bundle::documents(&puppet, &names);
    let mut files: BTreeMap<String, BlobRef> =
        documents.iter().map(|(path, bytes)| (path.clone(), BlobRef::of(bytes))).collect();
    let blob = |input: &str| {
        job.inputs.get(input).copied().ok_or_else(|| {
            JobFailure::deterministic("input-missing", format!("input {input} was not declared"))
        })
    };
    files.insert(names.moc3(), blob("moc3")?);
    for page in 0..layout.pages {
        files.insert(names.page(page), blob(&format!("page/{page:02}"))?);
    }
    let report = report(&puppet, &layout, inputs, &files)?;
    let value = serde_json::to_value(&report)
        .map_err(|e| JobFailure::deterministic("report-not-encoded", e.to_string()))?;
    let report = bundle::json::to_text(&value).into_bytes();
    files.insert(names.report(), BlobRef::of(&report));
    let manifest = Manifest { files: files.into_iter().collect(), stem: names.stem.clone() };
    let mut outputs = BTreeMap::from([("manifest".to_owned(), codec::encode(&manifest)?)]);
    outputs.extend(documents.into_iter().map(|(path, bytes)| (format!("file/{path}"), bytes)));
    outputs.insert(format!("file/{}", names.report()), report);
    Ok(Outcome { outputs, subgraph: None })
}

/// Reads the manifest that [`run`] gave.
///
/// # Errors
/// When the bytes are not a manifest of this release.
pub fn manifest(bytes: &[u8]) -> Result<Manifest, JobFailure> {
    codec::decode("manifest", bytes)
}

fn report(
    puppet: &Puppet,
    layout: &Layout,
    inputs: &Inputs,
    files: &BTreeMap<String, BlobRef>,
) -> Result<Report, JobFailure> {
    let rig: RigReport = inputs.value("report")?;
    let audits: Vec<Audit> = inputs.value("audits")?;
    let mut told = rig.warnings;
    told.extend(inputs.value::<Vec<Warning>>("notes")?);
    let warnings = warnings(told, layout, &audits);
    let used: u64 = layout.placements.iter().map(|p| u64::from(p.width) * u64::from(p.height)).sum();
    let area = (u64::from(layout.page_size).pow(2) * u64::from(layout.pages)).max(1);
    Ok(Report {
        version: 1,
        layers: rig.layers,
        warnings,
        counts: counts(puppet),
        atlas: Atlas {
            page_size: layout.page_size,
            pages: layout.pages,
            fit: layout.fit,
            used: (used as f64 / area as f64 * 1e4).round() / 1e4,
        },
        audits,
        ids: ids(puppet),
        digests: files.iter().map(|(path, blob)| (path.clone(), hex(blob.digest))).collect(),
    })
}

/// All warnings of the report, worst first by level.
pub(crate) fn warnings(mut warnings: Vec<Warning>, layout: &Layout, audits: &[Audit]) -> Vec<Warning> {
    warnings.extend(layout.notices.iter().map(atlas_warning));
    warnings.extend(audits.iter().filter(|a| !a.ok).map(audit_warning));
    let rank = |w: &Warning| ["error", "warning", "info"].iter().position(|l| *l == w.level);
    warnings.sort_by_key(rank);
    warnings
}

fn hex(digest: Digest) -> String {
    digest.to_hex()
}

fn counts(puppet: &Puppet) -> BTreeMap<String, u64> {
    let drawables = &puppet.drawables;
    [
        ("parameters", puppet.parameters.len()),
        ("parts", puppet.parts.len()),
        ("deformers", puppet.deformers.len()),
        ("drawables", drawables.len()),
        ("vertices", drawables.iter().map(|d| d.uvs.len()).sum()),
        ("triangles", drawables.iter().map(|d| d.triangles.len()).sum()),
        ("keyforms", drawables.iter().map(|d| d.forms.cells.len()).sum()),
        ("tiles", puppet.tiles.len()),
        ("physics", puppet.physics.len()),
        ("motions", puppet.motions.len()),
        ("expressions", puppet.expressions.len()),
    ]
    .into_iter()
    .map(|(name, count)| (name.to_owned(), count as u64))
    .collect()
}

fn ids(puppet: &Puppet) -> BTreeMap<String, Vec<String>> {
    let list = |ids: &mut dyn Iterator<Item = &str>| ids.map(str::to_owned).collect::<Vec<_>>();
    BTreeMap::from([
        ("parameters".to_owned(), list(&mut puppet.parameters.iter().map(|p| p.id.as_str()))),
        ("parts".to_owned(), list(&mut puppet.parts.iter().map(|p| p.id.as_str()))),
        ("deformers".to_owned(), list(&mut puppet.deformers.iter().map(|d| d.id.as_str()))),
        ("drawables".to_owned(), list(&mut puppet.drawables.iter().map(|d| d.id.as_str()))),
    ])
}

fn atlas_warning(notice: &Notice) -> Warning {
    let (code, message, setting) = match notice {
        Notice::Shrunk(fit) => (
            "atlas-shrunk",
            format!("tiles were scaled to {:.1} % to keep to the page budget", fit * 100.0),
            "atlas.max_pages",
        ),
        Notice::LocksDropped => (
            "atlas-locks-dropped",
            "locked and pinned tiles did not fit and were moved".to_owned(),
            "atlas.page_size",
        ),
        Notice::OverBudget(pages) => (
            "atlas-over-budget",
            format!("{pages} pages are needed, more than the budget"),
            "atlas.max_pages",
        ),
    };
    Warning {
        code: code.to_owned(),
        level: "warning".to_owned(),
        layer: String::new(),
        message,
        setting: setting.to_owned(),
    }
}

fn audit_warning(audit: &Audit) -> Warning {
    Warning {
        code: format!("audit-{}", audit.name),
        level: "error".to_owned(),
        layer: String::new(),
        message: format!("the audit {} failed at {}: {:.4}", audit.name, audit.r#where, audit.worst),
        setting: String::new(),
    }
}
