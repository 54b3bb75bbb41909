//! `batch.report.json`: one row per character.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use crate::build::reporter::{Totals, extend};
use crate::build::row::Row;
use crate::delivery;
use crate::inputs::Character;
use crate::regular;

/// Name of the report inside `--out`.
pub(crate) const NAME: &str = "batch.report.json";
/// Largest report that is read.
const MAX_REPORT: u64 = 256 << 20;

/// Writes the report. Rows of an earlier report whose characters were not part of this batch are `kept`.
///
/// # Errors
/// For people, naming the file.
pub(crate) fn write(out: &Path, rows: &[Row], totals: &Totals, kept: Vec<Value>) -> Result<(), String> {
    let mut characters: Vec<Value> = rows.iter().map(Row::value).chain(kept).collect();
    characters.sort_by(|a, b| a["name"].as_str().cmp(&b["name"].as_str()));
    let mut report = json!({
        "version": 1,
        "characters": characters,
        "counts": totals.counts(),
    });
    extend(&mut report, totals.figures());
    let text = serde_json::to_string_pretty(&report).map_err(|e| e.to_string())?;
    delivery::write_file(&out.join(NAME), format!("{text}\n").as_bytes()).map_err(|e| e.to_string())
}

/// Rows of the last report but those of `characters`.
pub(crate) fn other_rows(out: &Path, characters: &[Character]) -> Vec<Value> {
    let ours: BTreeSet<&str> = characters.iter().map(|c| c.name.as_str()).collect();
    let mut rows = rows(out);
    rows.retain(|row| row["name"].as_str().is_some_and(|name| !ours.contains(name)));
    rows
}

/// Names of the characters that the last report calls built and faultless; `None` without a report.
pub(crate) fn built(out: &Path) -> Option<BTreeSet<String>> {
    let rows = rows(out);
    let built =
        |row: &Value| (row["state"] == "built").then(|| row["name"].as_str().map(str::to_owned)).flatten();
    if rows.is_empty() { None } else { Some(rows.iter().filter_map(built).collect()) }
}

/// Rows of the last report; none without one.
pub(crate) fn rows(out: &Path) -> Vec<Value> {
    let bytes = regular::read(&out.join(NAME), MAX_REPORT).unwrap_or_default();
    let mut value: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    match value.get_mut("characters").map(Value::take) {
        Some(Value::Array(rows)) => rows,
        _ => Vec::new(),
    }
}
