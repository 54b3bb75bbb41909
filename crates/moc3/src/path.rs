//! Names of places in a model, e.g. `drawables[3] ArtMeshNose: keyforms[2]`.

use crate::model::Model;

/// The place of an object.
#[derive(Clone)]
pub(crate) struct Path(String);

impl Path {
    pub(crate) fn parameter(model: &Model, index: usize) -> Self {
        Self::named("parameters", index, model.parameters.get(index).map(|parameter| &parameter.id))
    }
    pub(crate) fn part(model: &Model, index: usize) -> Self {
        Self::named("parts", index, model.parts.get(index).map(|part| &part.id))
    }
    pub(crate) fn deformer(model: &Model, index: usize) -> Self {
        Self::named("deformers", index, model.deformers.get(index).map(|deformer| &deformer.id))
    }
    pub(crate) fn drawable(model: &Model, index: usize) -> Self {
        Self::named("drawables", index, model.drawables.get(index).map(|drawable| &drawable.id))
    }
    pub(crate) fn glue(model: &Model, index: usize) -> Self {
        Self::named("glues", index, model.glues.get(index).map(|glue| &glue.id))
    }
    pub(crate) fn group(index: usize) -> Self {
        Self(format!("groups[{index}]"))
    }
    pub(crate) fn offscreen(index: usize) -> Self {
        Self(format!("offscreens[{index}]"))
    }
    /// The object and something of it.
    pub(crate) fn with(&self, tail: &str) -> String {
        format!("{}: {tail}", self.0)
    }
    /// The object alone.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    fn named(list: &str, index: usize, id: Option<&String>) -> Self {
        Self(match id {
            Some(id) => format!("{list}[{index}] {id}"),
            None => format!("{list}[{index}]"),
        })
    }
}
