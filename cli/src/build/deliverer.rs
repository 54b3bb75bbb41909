//! Finished characters into their folders.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bundle::report::Report;
use canonical::BlobRef;
use coordinator::embedded::BuildRequest;
use coordinator::state::Outputs;
use plan::OutputRef;
use plan::character::PREVIEW;
use serde_json::{Value, json};
use worker::cache::CacheError;

use crate::build::reporter::Reporter;
use crate::build::row::Row;
use crate::build::site::Site;
use crate::build::tally::Tally;
use crate::delivery::{self, File};
use crate::project::Prepared;

/// Times a character is built again for the sake of one lost output: each may find another one lost.
const HEALING_ROUNDS: usize = 8;

/// What delivering needs to know.
pub(crate) struct Deliverer<'a> {
    /// Where bytes come from.
    pub(crate) farm: &'a dyn Site,
    /// The build, to make again what got lost.
    pub(crate) request: &'a BuildRequest,
    /// `--out`.
    pub(crate) out: &'a Path,
    /// Codes that are not accepted.
    pub(crate) fail_on: &'a [String],
    /// Told of what had to be mended.
    pub(crate) reporter: &'a Reporter,
    /// Held while a bundle is delivered, when some bundle lies inside another one's folder.
    pub(crate) turn: Option<Mutex<()>>,
}

impl Deliverer<'_> {
    /// Delivers a character that was built. `place` is its place in the build.
    pub(crate) fn deliver(&self, place: usize, prepared: &Prepared, outputs: &Outputs, tally: &Tally) -> Row {
        let row = match self.try_to_deliver(place, prepared, outputs, tally) {
            Ok(row) => row,
            Err(message) => Row::failed(&prepared.character, "not-delivered", message),
        };
        Row { run: tally.run, cached: tally.cached, seconds: tally.since.elapsed().as_secs_f64(), ..row }
    }

    fn try_to_deliver(
        &self,
        place: usize,
        prepared: &Prepared,
        outputs: &Outputs,
        tally: &Tally,
    ) -> Result<Row, String> {
        let read = |output: &OutputRef| self.fetch(place, tally, &output.blob);
        let named = |name: &str| outputs.get(name).ok_or_else(|| format!("the bundle job gave no {name}"));
        let manifest = pipeline::manifest(&read(named("manifest")?)?).map_err(|e| e.to_string())?;
        let report_name = format!("{}.report.json", manifest.stem);
        if let Some((path, _)) = manifest.files.iter().find(|(path, _)| !delivery::is_inside(path)) {
            return Err(format!("the bundle names {path:?}, which lies outside of its folder"));
        }
        let plain = read(named(&format!("file/{report_name}"))?)?;
        let (report, text) = complete_report(&plain, prepared, tally)?;
        let text: Arc<[u8]> = text.into_bytes().into();
        let files: Vec<File> = manifest
            .files
            .into_iter()
            .map(|(path, blob)| {
                let blob = if path == report_name { BlobRef::of(&text) } else { blob };
                File { path, blob }
            })
            .collect();
        let fetch = |file: &File| match file.path == report_name {
            true => Ok(Arc::clone(&text)),
            false => self.fetch(place, tally, &file.blob),
        };
        let folder = self.out.join(&prepared.character.place);
        let _turn = self.turn.as_ref().map(|turn| turn.lock().unwrap_or_else(PoisonError::into_inner));
        let changed = delivery::deliver(self.out, &folder, &report_name, &files, &fetch)
            .map_err(|e| format!("cannot deliver: {e}"))?;
        self.tell_of_old_pictures(prepared, &folder, changed);
        let row = Row::delivered(&prepared.character, report, &prepared.settings.checks, self.fail_on);
        Ok(Row { changed, ..row })
    }

    /// Pictures of an earlier model are a user's to keep, but not in silence.
    fn tell_of_old_pictures(&self, prepared: &Prepared, folder: &Path, changed: bool) {
        let are_made = prepared.graph.wanted().iter().any(|node| *node == PREVIEW);
        if changed && !are_made && folder.join("preview/index.html").exists() {
            let message =
                "preview/ shows the model of an earlier build: build with --targets preview, or delete it";
            self.reporter.warn(Some(&prepared.character.name), "preview-outdated", message);
        }
    }

    /// Puts the pictures of a character beside its bundle; what cannot be written is told and fails nothing.
    pub(crate) fn pictures(&self, place: usize, prepared: &Prepared, outputs: &Outputs, tally: &Tally) {
        let folder = self.out.join(&prepared.character.place);
        let _locked = delivery::lock(self.out);
        for (name, output) in outputs.starting("picture/") {
            let path = name.trim_start_matches("picture/");
            let written = self.fetch(place, tally, &output.blob).and_then(|bytes| {
                delivery::write_file(&folder.join(path), &bytes).map_err(|e| e.to_string())
            });
            if let Err(message) = written {
                self.reporter.warn(Some(&prepared.character.name), "picture-not-delivered", &message);
            }
        }
    }

    /// Bytes of an output. When the cache has lost them the character is built again, of which only the producer and
    /// what it needs runs.
    fn fetch(&self, place: usize, tally: &Tally, blob: &BlobRef) -> Result<Arc<[u8]>, String> {
        let output = tally.inline.get(blob).cloned().unwrap_or(OutputRef { blob: *blob, inline: None });
        let mut read = self.farm.read(&output);
        let Some((name, graph)) = self.request.characters.get(place) else {
            return read.map_err(|e| e.to_string());
        };
        for _ in 0..HEALING_ROUNDS {
            let Err(failure) = &read else { break };
            self.reporter.warn(Some(name), "cache-healed", &format!("{failure}; it is made again"));
            let request = BuildRequest {
                characters: vec![(name.clone(), graph.clone())],
                // A store that does not answer now would call the lost result a hit.
                read_cache: matches!(failure, CacheError::Gone(_)),
                ..self.request.clone()
            };
            self.farm.build(request).wait();
            read = self.farm.read(&output);
        }
        read.map_err(|e| e.to_string())
    }
}

/// The report with the key `run`, which alone may differ between builds of the same input.
fn complete_report(plain: &[u8], prepared: &Prepared, tally: &Tally) -> Result<(Report, String), String> {
    let unreadable = |e: serde_json::Error| format!("the report cannot be read: {e}");
    let report: Report = serde_json::from_slice(plain).map_err(unreadable)?;
    let mut value: Value = serde_json::from_slice(plain).map_err(unreadable)?;
    let seconds = |micros: u64| json!((micros as f64 / 1000.0).round() / 1000.0);
    let jobs: serde_json::Map<String, Value> =
        tally.micros.iter().map(|(kind, micros)| (kind.name().to_owned(), seconds(*micros))).collect();
    let total = seconds(tally.since.elapsed().as_micros() as u64);
    value["run"] = json!({
        "input": {
            "path": prepared.character.path.to_string_lossy(),
            "sha256": prepared.art.map(|art| art.digest.to_hex()),
            "bytes": prepared.art.map(|art| art.len),
        },
        "timings": {"total": total, "jobs": jobs},
        "jobs": {"run": tally.run, "cached": tally.cached},
    });
    Ok((report, bundle::json::to_text(&value)))
}
