//! `author`: the rig's blobs to one puppet. Without a document nothing is changed.

use std::collections::BTreeMap;

use plan::{JobFailure, Outcome};
use puppet::{Drawable, Puppet};

use crate::codec;
use crate::inputs::Inputs;

/// Reads `scaffold` and every `drawable/<number>`, gives `puppet`.
pub(crate) fn run(inputs: &Inputs) -> Result<Outcome, JobFailure> {
    let mut puppet: Puppet = inputs.value("scaffold")?;
    puppet.drawables = inputs.values::<Drawable>("drawable")?;
    Ok(Outcome { outputs: BTreeMap::from([("puppet".to_owned(), codec::encode(&puppet)?)]), subgraph: None })
}
