//! Integrity audits on a moc3 as read back (RIG section 11).
//!
//! They look at the file alone, so they run on a bundle that rigfarm did not make too; where the art is known, the
//! neutral pose is compared with it.

mod mirror;
mod poses;
mod triangles;

use geom::Rect;
use moc3::evaluate::Evaluator;
use moc3::model::Model;
use moc3::validate::Severity;
use serde::{Deserialize, Serialize};

/// One audit's verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// Stable name: `format`, `neutral-pose`, `extreme-poses`, `mirror-symmetry`, `triangle-flips`.
    pub name: String,
    /// Passed.
    pub ok: bool,
    /// The worst figure found; its unit is told by each audit.
    pub worst: f64,
    /// Object and pose of the worst figure; empty when nothing was found.
    pub r#where: String,
}

/// Where a drawable's art lies.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Drawable id.
    pub drawable: String,
    /// Box of its vertices over the art, canvas px.
    pub rect: Rect,
}

/// Runs all audits; `expected` may leave drawables out, or be empty when the art is not known.
pub fn audit(model: &Model, expected: &[Expected]) -> Vec<Audit> {
    let mut audits = vec![format(model)];
    let Ok(evaluator) = Evaluator::new(model) else { return audits };
    audits.push(poses::neutral(&evaluator, expected));
    audits.push(poses::extreme(&evaluator));
    audits.push(mirror::symmetry(model));
    audits.push(triangles::flips(&evaluator));
    audits
}

/// The format's own rules; `worst` counts the errors.
fn format(model: &Model) -> Audit {
    let faults = model.validate();
    let errors: Vec<_> = faults.iter().filter(|f| f.severity == Severity::Error).collect();
    Audit {
        name: "format".to_owned(),
        ok: errors.is_empty(),
        worst: errors.len() as f64,
        r#where: errors.first().map_or_else(String::new, ToString::to_string),
    }
}

/// Keeps the worst figure and where it was.
#[derive(Default)]
struct Worst {
    value: f64,
    place: String,
}

impl Worst {
    fn see(&mut self, value: f64, place: impl FnOnce() -> String) {
        if value > self.value || (value.is_nan() && !self.value.is_nan()) {
            self.value = value;
            self.place = place();
        }
    }
    fn verdict(self, name: &str, limit: f64) -> Audit {
        let ok = self.value <= limit;
        let finite = if self.value.is_finite() { self.value } else { f64::from(f32::MAX) };
        Audit { name: name.to_owned(), ok, worst: finite, r#where: self.place }
    }
}
