//! The report: what was read, decided, approximated, dropped and measured (DESIGN 5).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// `NAME.report.json` without the `run` key, which the client adds on delivery. Keys are stable.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Schema of this document.
    pub version: u32,
    /// One row per layer of the art, bottom to top.
    pub layers: Vec<LayerRow>,
    /// What deserves attention, worst first by level, then in order of appearance.
    pub warnings: Vec<Warning>,
    /// How many of what.
    pub counts: BTreeMap<String, u64>,
    /// Texture pages.
    pub atlas: Atlas,
    /// Audits of the file as read back.
    pub audits: Vec<Audit>,
    /// Ids of parameters, parts, deformers and drawables, in file order.
    pub ids: BTreeMap<String, Vec<String>>,
    /// SHA-256 of every delivered file but this one.
    pub digests: BTreeMap<String, String>,
}

/// What became of one layer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LayerRow {
    /// Stable id.
    pub id: String,
    /// Name as drawn.
    pub name: String,
    /// Folders, outermost first, joined by `/`.
    pub path: String,
    /// Tag, e.g. `front hair`.
    pub tag: String,
    /// `L`, `R` or empty.
    pub side: String,
    /// 0..=1.
    pub confidence: f64,
    /// Ids of the drawables it became.
    pub became: Vec<String>,
    /// Codes of the notes that concern it.
    pub notes: Vec<String>,
}

/// One warning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Stable code.
    pub code: String,
    /// `info`, `warning` or `error`.
    pub level: String,
    /// Layer concerned; empty for the whole file.
    pub layer: String,
    /// One sentence.
    pub message: String,
    /// The setting that changes it; empty for none.
    pub setting: String,
}

/// The texture pages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Atlas {
    /// Side in pixels.
    pub page_size: u32,
    /// Number of pages.
    pub pages: u32,
    /// Scale of the unlocked tiles.
    pub fit: f64,
    /// Share of the pages' area that tiles cover, 0..=1.
    pub used: f64,
}

/// One audit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// Stable name, e.g. `neutral-pose`.
    pub name: String,
    /// Passed.
    pub ok: bool,
    /// The worst figure found, in the audit's own unit.
    pub worst: f64,
    /// Where it was found; empty for nowhere.
    pub r#where: String,
}
