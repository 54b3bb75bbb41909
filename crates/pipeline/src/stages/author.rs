//! `author`: the rig's blobs and the limbs' patches to one puppet. Without a document nothing else is changed.

use std::collections::BTreeMap;

use bundle::report::Warning;
use plan::{JobFailure, Outcome};
use puppet::{Drawable, Puppet};
use skeleton::{Host, Narrowed, Patch};

use crate::codec;
use crate::inputs::Inputs;

/// Reads `scaffold`, every `drawable/<number>`, `host` and every `skin/<limb>`; gives `puppet`
/// and `notes`.
pub(crate) fn run(inputs: &Inputs) -> Result<Outcome, JobFailure> {
    let mut puppet: Puppet = inputs.value("scaffold")?;
    puppet.drawables = inputs.values::<Drawable>("drawable")?;
    let host: Host = inputs.value("host")?;
    let mut notes = Vec::new();
    for patch in inputs.values::<Patch>("skin")? {
        notes.extend(patch.narrowed.iter().map(narrowed));
        skeleton::apply(&mut puppet, patch, &host);
    }
    let outputs = BTreeMap::from([
        ("puppet".to_owned(), codec::encode(&puppet)?),
        ("notes".to_owned(), codec::encode(&notes)?),
    ]);
    Ok(Outcome { outputs, subgraph: None })
}

fn narrowed(n: &Narrowed) -> Warning {
    Warning {
        code: "bone-range-narrowed".to_owned(),
        level: "info".to_owned(),
        layer: String::new(),
        message: format!(
            "{} turns {:.0}..{:.0} degrees, not {:.0}..{:.0}: further, a mesh would fold",
            n.parameter, n.given.0, n.given.1, n.wanted.0, n.wanted.1
        ),
        setting: format!("skeleton.ranges.{}", n.parameter),
    }
}
