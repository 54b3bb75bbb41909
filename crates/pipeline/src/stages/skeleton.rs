//! `skeleton`: one limb's bones to turning frames and keyforms; the fan-out of `rig`.

use std::collections::BTreeMap;

use parts::Cast;
use plan::{JobFailure, JobKind, NodeTemplate, Outcome, SELF_NODE, Subgraph};
use rig::Rigged;
use skeleton::{Bound, Figure, Host, Limb, Settings};

use crate::codec;
use crate::inputs::Inputs;

/// Runs one of the two forms, told apart by the parameters: a limb's bake, or all patches under one node.
pub(crate) fn run(params: &[u8], inputs: &Inputs) -> Result<Outcome, JobFailure> {
    match params {
        b"gather" => Ok(gather(inputs)),
        _ => bake(inputs),
    }
}

/// Reads `limb`, gives `patch`.
fn bake(inputs: &Inputs) -> Result<Outcome, JobFailure> {
    let limb: Limb = inputs.value("limb")?;
    let patch =
        skeleton::bake(&limb).map_err(|e| JobFailure::deterministic("skeleton-failed", e.to_string()))?;
    Ok(Outcome { outputs: BTreeMap::from([("patch".to_owned(), codec::encode(&patch)?)]), subgraph: None })
}

/// The patches under one node: `skin/arm-l`, ...
fn gather(inputs: &Inputs) -> Outcome {
    let outputs = inputs.0.iter().map(|(name, bytes)| (name.clone(), bytes.to_vec())).collect();
    Outcome { outputs, subgraph: None }
}

/// Adds to the outcome of `rig` what its limbs' bakes read, and a node for each.
pub(crate) fn split(
    cast: &Cast,
    figure: &Figure,
    rigged: &Rigged,
    settings: &Settings,
    outcome: &mut Outcome,
) -> Result<(), JobFailure> {
    let host = Host {
        deformer: Some("DeformBodyZBreath".into()),
        frame: cast.frames.character,
        part: "PartBody".into(),
    };
    outcome.outputs.insert("host".to_owned(), codec::encode(&host)?);
    let mut nodes = Vec::new();
    let mut gather = NodeTemplate::new("gather", JobKind::Skeleton, b"gather".to_vec());
    for found in &figure.limbs {
        let limb = Limb {
            name: found.name.clone(),
            chain: found.chain.clone(),
            meshes: found.members.iter().flat_map(|&m| bound(rigged, m)).collect(),
            tolerance: settings.tolerance,
        };
        let (blob, node) = (format!("limb/{}", found.name), found.name.as_str());
        outcome.outputs.insert(blob.clone(), codec::encode(&limb)?);
        nodes.push(NodeTemplate::new(node, JobKind::Skeleton, Vec::new()).output("limb", SELF_NODE, blob));
        gather = gather.output(format!("skin/{node}"), node, "patch");
    }
    if !nodes.is_empty() {
        nodes.push(gather);
        let invalid = |e: plan::GraphError| JobFailure::deterministic("graph-invalid", e.to_string());
        outcome.subgraph = Some(Subgraph::new(nodes, "gather").map_err(invalid)?);
    }
    Ok(())
}

/// The meshes of a member as they lie on the canvas.
fn bound(rigged: &Rigged, member: usize) -> Vec<Bound> {
    let names = rigged.became.get(member).map(|b| b.drawables.as_slice()).unwrap_or_default();
    let drawables = rigged.puppet.drawables.iter().filter(|d| names.contains(&d.id));
    let placed = drawables.filter_map(|d| {
        let tile = rigged.puppet.tiles.iter().find(|t| t.id == d.tile)?;
        let corner = geom::Point::new(tile.rect.left, tile.rect.top);
        Some(Bound {
            drawable: d.id.clone(),
            rest: d.uvs.iter().map(|&uv| corner + uv).collect(),
            triangles: d.triangles.clone(),
        })
    });
    placed.collect()
}
