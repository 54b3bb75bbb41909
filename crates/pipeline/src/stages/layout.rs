//! `atlas-layout`: tile sizes to places on pages.

use plan::{JobFailure, Outcome};

use crate::codec;
use crate::inputs::Inputs;

/// Reads `sizes`, gives `layout`.
pub(crate) fn run(params: &atlas::Settings, inputs: &Inputs) -> Result<Outcome, JobFailure> {
    let items: Vec<atlas::Item> = inputs.value("sizes")?;
    let layout = atlas::layout(&items, params);
    let mut outcome = Outcome::default();
    outcome.outputs.insert("layout".to_owned(), codec::encode(&layout)?);
    Ok(outcome)
}
