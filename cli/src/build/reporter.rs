//! What a build tells: JSON lines for programs, bars or plain lines for people.

use coordinator::embedded::{BuildEvent, NodeName, Summary};
use coordinator::state::NodeState;
use serde_json::{Value, json};

use crate::build::progress::Progress;
use crate::build::row::{Row, RowState};
use crate::out::{self, Palette, Tone};

/// Tells what happens. May be used from several threads.
pub(crate) struct Reporter {
    json: bool,
    palette: Palette,
    progress: Progress,
}

/// A batch in numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    /// Characters by how they ended, in the order of [`RowState`].
    pub(crate) states: [usize; 4],
    /// Jobs that ran.
    pub(crate) run: usize,
    /// Jobs whose result was there.
    pub(crate) cached: usize,
    /// Time that cached results once took, in microseconds.
    pub(crate) saved_us: u64,
    /// From start to end.
    pub(crate) seconds: f64,
    /// Given up by the user.
    pub(crate) interrupted: bool,
}

impl Totals {
    /// Counts the jobs of one build.
    pub(crate) fn add(&mut self, summary: &Summary) {
        self.run += summary.run;
        self.cached += summary.hits + summary.cut_off;
        self.saved_us += summary.saved_us;
    }

    /// Characters that ended so.
    pub(crate) fn count(&self, state: RowState) -> usize {
        self.states[state as usize]
    }

    /// Characters by how they ended, as JSON.
    pub(crate) fn counts(&self) -> Value {
        RowState::ALL.iter().map(|state| (state.name().to_owned(), Value::from(self.count(*state)))).collect()
    }

    /// Everything but the counts, as JSON.
    pub(crate) fn figures(&self) -> Value {
        let rounded = |milliseconds: f64| milliseconds.round() / 1000.0;
        json!({
            "jobs": {"run": self.run, "cached": self.cached},
            "saved_seconds": rounded(self.saved_us as f64 / 1000.0),
            "seconds": rounded(self.seconds * 1000.0),
            "interrupted": self.interrupted,
        })
    }
}

/// Puts the keys of an object behind those of another.
pub(crate) fn extend(object: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}

impl Reporter {
    /// Bars where standard error is a terminal, unless JSON is asked for.
    pub(crate) fn new(json: bool) -> Self {
        Self { json, palette: Palette::of_stderr(), progress: Progress::new(!json) }
    }

    /// A batch begins.
    pub(crate) fn started(&self, characters: &[String], out: &std::path::Path) {
        self.emit(
            || json!({"v": 1, "event": "started", "characters": characters, "out": out.to_string_lossy()}),
        );
        self.progress.begin(characters.len());
    }

    /// Something in the build.
    pub(crate) fn see(&self, event: &BuildEvent) {
        match event {
            BuildEvent::NodePlanned { .. } => self.progress.planned(),
            BuildEvent::JobStarted { node, kind, .. } => {
                self.progress.job_started(&node.character, kind.name())
            }
            BuildEvent::JobFinished { node, kind, key, state, reason, micros, .. } => {
                self.progress.job_ended(matches!(state, NodeState::Hit | NodeState::CutOff));
                self.emit(|| {
                    let key = key.map(|key| key.to_string());
                    job_value(node, kind.name(), key, *state, &reason.to_string(), *micros)
                });
            }
            BuildEvent::Notice { code, message } => self.warn(None, code, message),
            BuildEvent::CharacterFinished { .. } | BuildEvent::BuildFinished(_) => {}
        }
    }

    /// A trouble that failed nothing.
    pub(crate) fn warn(&self, character: Option<&str>, code: &str, message: &str) {
        self.emit(|| {
            json!({"v": 1, "event": "warning", "character": character, "code": code, "level": "warning",
                "layer": "", "message": message, "setting": ""})
        });
        let place = character.map(|name| format!("{}: ", out::visible(name))).unwrap_or_default();
        let word = self.palette.paint(Tone::Warning, "warning");
        self.progress.line(&format!("{place}{word}: {}", out::visible(message)));
    }

    /// A character ended.
    pub(crate) fn character(&self, row: &Row) {
        let name = &row.character.name;
        self.progress.character_ended(name);
        for warning in &row.warnings {
            self.emit(|| {
                json!({"v": 1, "event": "warning", "character": name, "code": warning.code,
                    "level": warning.level, "layer": warning.layer, "message": warning.message,
                    "setting": warning.setting})
            });
        }
        self.emit(|| {
            let mut value = json!({"v": 1, "event": "character"});
            extend(&mut value, row.value());
            value
        });
        self.lines(row).iter().for_each(|line| self.progress.line(line));
    }

    /// A batch ended.
    pub(crate) fn summary(&self, totals: &Totals) {
        self.progress.end();
        self.emit(|| {
            let mut value = json!({"v": 1, "event": "summary"});
            extend(&mut value, totals.counts());
            extend(&mut value, totals.figures());
            value
        });
        self.tell(&summary_line(totals));
    }

    /// One line for people.
    pub(crate) fn tell(&self, line: &str) {
        self.progress.line(&out::visible(line));
    }

    /// One line for programs, when they listen.
    pub(crate) fn emit(&self, value: impl FnOnce() -> Value) {
        if self.json {
            out::json(value());
        }
    }

    /// What is told of a character, ready for a terminal.
    fn lines(&self, row: &Row) -> Vec<String> {
        let name = out::visible(&row.character.name);
        let mut lines = Vec::new();
        for warning in row.warnings.iter().filter(|warning| warning.level == "warning") {
            let layer =
                if warning.layer.is_empty() { String::new() } else { format!(" [{}]", warning.layer) };
            let word = self.palette.paint(Tone::Warning, "warning");
            let text = format!("{}{layer}: {}", warning.code, warning.message);
            lines.push(format!("{name}: {word} {}", out::visible(&text)));
        }
        let word = self.palette.paint(Tone::Bad, "fault");
        lines.extend(row.faults.iter().map(|fault| format!("{name}: {word}: {}", out::visible(fault))));
        let jobs = format!("{} run, {} from cache", out::counted(row.run, "job"), row.cached);
        let took = out::duration(row.seconds);
        lines.push(match (&row.error, row.state) {
            (_, RowState::Cancelled) => format!("{name}: {}", self.palette.paint(Tone::Faint, "cancelled")),
            (Some((_, message)), _) => {
                let word = self.palette.paint(Tone::Bad, "failed");
                format!("{name}: {word}: {}", out::visible(message))
            }
            (None, state) => {
                let tone = if state == RowState::Built { Tone::Good } else { Tone::Bad };
                let word = match (state, row.changed) {
                    (RowState::Built, true) => "built",
                    (RowState::Built, false) => "unchanged",
                    _ => state.name(),
                };
                format!("{name}: {} in {took} ({jobs}{})", self.palette.paint(tone, word), notes(row))
            }
        });
        lines
    }
}

/// What only the report tells.
fn notes(row: &Row) -> String {
    match row.warnings.iter().filter(|warning| warning.level != "warning").count() {
        0 => String::new(),
        count => format!("; {} in its report", out::counted(count, "note")),
    }
}

fn job_value(
    node: &NodeName,
    kind: &str,
    key: Option<String>,
    state: NodeState,
    reason: &str,
    micros: u64,
) -> Value {
    let state = match state {
        NodeState::Run => "run",
        NodeState::Hit => "hit",
        NodeState::CutOff => "cut-off",
        NodeState::Failed => "failed",
        NodeState::Cancelled => "cancelled",
    };
    json!({"v": 1, "event": "job", "character": &*node.character, "node": &*node.node, "kind": kind,
        "state": state, "reason": reason, "seconds": micros as f64 / 1e6, "key": key})
}

/// `3 characters: 2 built, 1 failed; 211 of 214 jobs from cache, 41 s saved; 12 s`
fn summary_line(totals: &Totals) -> String {
    let counts: Vec<String> = RowState::ALL
        .into_iter()
        .filter(|state| totals.count(*state) > 0)
        .map(|state| format!("{} {}", totals.count(state), state.name()))
        .collect();
    let characters = out::counted(totals.states.iter().sum(), "character");
    if counts.is_empty() {
        return "nothing to build".to_owned();
    }
    let all = totals.run + totals.cached;
    let saved = out::duration(totals.saved_us as f64 / 1e6);
    let took = out::duration(totals.seconds);
    format!(
        "{characters}: {}; {} of {all} from cache, {saved} saved; took {took}",
        counts.join(", "),
        totals.cached
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_names_hits_and_time_saved() {
        let totals = Totals {
            states: [2, 0, 1, 0],
            run: 3,
            cached: 211,
            saved_us: 41_000_000,
            seconds: 12.3,
            interrupted: false,
        };
        assert_eq!(
            summary_line(&totals),
            "3 characters: 2 built, 1 failed; 211 of 214 from cache, 41 s saved; took 12 s"
        );
    }
}
