//! Figures and how they are printed.

use serde::Serialize;

/// One bench's figures.
#[derive(Debug, Serialize)]
pub(crate) struct Bench {
    bench: &'static str,
    figures: Vec<Figure>,
}

/// One measured figure.
#[derive(Debug, Serialize)]
struct Figure {
    name: &'static str,
    value: f64,
    unit: &'static str,
    better: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<f64>,
}

impl Bench {
    pub(crate) fn new(bench: &'static str) -> Self {
        Self { bench, figures: Vec::new() }
    }

    /// A figure for which less is better, and what was measured beside it.
    pub(crate) fn lower(
        &mut self,
        name: &'static str,
        value: f64,
        unit: &'static str,
        reference: Option<f64>,
    ) {
        self.push(name, value, unit, "lower", reference);
    }

    /// A figure for which more is better, and what was measured beside it.
    pub(crate) fn higher(
        &mut self,
        name: &'static str,
        value: f64,
        unit: &'static str,
        reference: Option<f64>,
    ) {
        self.push(name, value, unit, "higher", reference);
    }

    fn push(
        &mut self,
        name: &'static str,
        value: f64,
        unit: &'static str,
        better: &'static str,
        reference: Option<f64>,
    ) {
        let round = |v: f64| (v * 1e4).round() / 1e4;
        let ratio = reference.filter(|r| *r > 0.0).map(|r| round(value / r));
        let reference = reference.map(round);
        self.figures.push(Figure { name, value: round(value), unit, better, reference, ratio });
    }

    /// One JSON object on one line, or a table.
    pub(crate) fn print(&self, json: bool) {
        if json {
            println!("{}", serde_json::to_string(self).unwrap_or_default());
            return;
        }
        println!("{}", self.bench);
        for f in &self.figures {
            let beside = match (f.reference, f.ratio) {
                (Some(reference), Some(ratio)) => format!("   beside {reference:.3} {}: x{ratio:.3}", f.unit),
                _ => String::new(),
            };
            println!("  {:28} {:>12.3} {:8}{beside}", f.name, f.value, f.unit);
        }
    }
}
