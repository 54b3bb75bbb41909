//! `author`: the rig's blobs and the limbs' patches to one puppet. Without a document nothing else is changed.

use std::collections::BTreeMap;

use plan::{JobFailure, Outcome};
use puppet::{Drawable, Puppet};
use skeleton::{Host, Patch};

use crate::codec;
use crate::inputs::Inputs;

/// Reads `scaffold`, every `drawable/<number>`, `host` and every `skin/<limb>`; gives `puppet`.
pub(crate) fn run(inputs: &Inputs) -> Result<Outcome, JobFailure> {
    let mut puppet: Puppet = inputs.value("scaffold")?;
    puppet.drawables = inputs.values::<Drawable>("drawable")?;
    let host: Host = inputs.value("host")?;
    for patch in inputs.values::<Patch>("skin")? {
        skeleton::apply(&mut puppet, patch, &host);
    }
    Ok(Outcome { outputs: BTreeMap::from([("puppet".to_owned(), codec::encode(&puppet)?)]), subgraph: None })
}
