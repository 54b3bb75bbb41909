//! `pack-moc3`: the final puppet on its pages to a moc3 file, audited as read back.

use std::collections::BTreeMap;

use atlas::Layout;
use moc3::model::Model;
use plan::{JobFailure, Outcome};
use puppet::Puppet;

use crate::codec;
use crate::inputs::Inputs;
use crate::params::PackParams;

/// Reads `puppet` and `layout`, gives `moc3` and `audits`.
pub(crate) fn run(params: &PackParams, inputs: &Inputs) -> Result<Outcome, JobFailure> {
    let puppet: Puppet = inputs.value("puppet")?;
    let layout: Layout = inputs.value("layout")?;
    let refuse = |e: String| JobFailure::deterministic("model-not-packed", e);
    let model = pack::pack(&puppet, &layout, params.runtime.into()).map_err(|e| refuse(e.to_string()))?;
    let bytes = model.to_bytes().map_err(|e| refuse(e.to_string()))?;
    let back = Model::from_bytes(&bytes).map_err(|e| refuse(format!("the file does not read back: {e}")))?;
    let audits = audit::audit(&back, &expected_boxes(&puppet));
    let outputs = BTreeMap::from([
        ("moc3".to_owned(), bytes),
        ("audits".to_owned(), codec::encode(&audits.into_iter().map(row).collect::<Vec<_>>())?),
    ]);
    Ok(Outcome { outputs, subgraph: None })
}

/// An audit as the report's row.
fn row(audit: audit::Audit) -> bundle::report::Audit {
    bundle::report::Audit { name: audit.name, ok: audit.ok, worst: audit.worst, r#where: audit.r#where }
}

/// Where the art lies: each drawable's box of canvas positions as drawn.
fn expected_boxes(puppet: &Puppet) -> Vec<audit::Expected> {
    let tiles: BTreeMap<&str, &puppet::Tile> = puppet.tiles.iter().map(|t| (t.id.as_str(), t)).collect();
    let art_box = |drawable: &puppet::Drawable| {
        let corner = tiles.get(drawable.tile.as_str())?.rect;
        let points = drawable.uvs.iter().map(|uv| *uv + geom::Point::new(corner.left, corner.top));
        Some(audit::Expected { drawable: drawable.id.to_string(), rect: geom::Rect::bounding(points)? })
    };
    puppet.drawables.iter().filter_map(art_box).collect()
}
