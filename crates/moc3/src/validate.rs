//! Everything wrong with a model, each fault with its place.

mod groups;
mod hiding;
mod keyforms;
mod links;
mod objects;
pub(crate) mod values;

use std::fmt;

use crate::Error;
use crate::model::{Model, requirements};

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// How bad it is.
    pub severity: Severity,
    /// Where it is, e.g. `drawables[3] ArtMeshNose: keyforms[2].positions[17].x`.
    pub path: String,
    /// What it is, e.g. `is NaN`.
    pub message: String,
}

/// How bad a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Works, but hardly as meant.
    Warning,
    /// Some runtime misbehaves; such a model is not written.
    Error,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.path, self.message)
    }
}

/// All faults.
pub(crate) fn all(model: &Model) -> Vec<Fault> {
    let mut faults = Faults(links::check(model));
    // The checks below follow links and rely on the sizes of grids.
    let sound = faults.0.iter().all(|fault| fault.severity == Severity::Warning);
    objects::check(model, &mut faults);
    keyforms::check(model, &mut faults);
    if sound {
        groups::check(model, &mut faults);
        hiding::check(model, &mut faults);
    }
    version(model, &mut faults);
    faults.0
}

/// Faults that keep a model from being evaluated: links and sizes.
pub(crate) fn structure(model: &Model) -> Vec<Fault> {
    let mut faults = links::check(model);
    faults.retain(|fault| fault.severity == Severity::Error);
    faults
}

fn version(model: &Model, faults: &mut Faults) {
    if let Err(Error::NotInVersion { path, needs, version }) =
        requirements::check_stored(model, model.version)
    {
        faults.error(path, format!("needs version {needs}, the model is {version}"));
    } else if let Err(Error::NotInVersion { path, .. }) = requirements::check(model, model.version) {
        faults.warning(path, "have no effect in this version");
    }
}

/// Collects faults.
struct Faults(Vec<Fault>);

impl Faults {
    fn error(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.0.push(Fault { severity: Severity::Error, path: path.into(), message: message.into() });
    }
    fn warning(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.0.push(Fault { severity: Severity::Warning, path: path.into(), message: message.into() });
    }
}
