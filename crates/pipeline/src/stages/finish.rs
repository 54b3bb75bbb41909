//! `finish`: physics, motions and expressions on the authored puppet.

use std::collections::BTreeMap;

use plan::{JobFailure, Outcome};
use puppet::Puppet;

use crate::codec;
use crate::inputs::Inputs;
use crate::params::FinishParams;

/// Reads `puppet`, gives `puppet`: final and unbound.
pub(crate) fn run(params: &FinishParams, inputs: &Inputs) -> Result<Outcome, JobFailure> {
    let puppet: Puppet = inputs.value("puppet")?;
    let finished = rig::finish(puppet, &params.finish)
        .map_err(|e| JobFailure::deterministic("finish-failed", e.to_string()))?;
    Ok(Outcome {
        outputs: BTreeMap::from([("puppet".to_owned(), codec::encode(&finished)?)]),
        subgraph: None,
    })
}
