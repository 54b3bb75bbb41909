//! What became of one character: a row of the batch report.

use std::collections::BTreeMap;

use bundle::report::{Audit, Report, Warning};
use serde_json::{Value, json};
use settings::Checks;

use crate::inputs::Character;

/// How a character ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowState {
    /// Delivered, and everything asked of it holds.
    Built,
    /// Delivered, but an audit, a threshold or a code of `--fail-on` speaks against it.
    Faulty,
    /// Nothing was delivered.
    Failed,
    /// Given up before it was done.
    Cancelled,
}

impl RowState {
    /// In order of the discriminants.
    pub(crate) const ALL: [Self; 4] = [Self::Built, Self::Faulty, Self::Failed, Self::Cancelled];

    /// As in the batch report.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Built => "built",
            Self::Faulty => "faulty",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What became of one character.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Which.
    pub(crate) character: Character,
    /// How it ended.
    pub(crate) state: RowState,
    /// From its first job to its delivery.
    pub(crate) seconds: f64,
    /// Jobs that ran.
    pub(crate) run: usize,
    /// Jobs whose result was there.
    pub(crate) cached: usize,
    /// Whether the delivered files are others than before.
    pub(crate) changed: bool,
    /// The first audit that did not pass, else the one with the largest figure.
    pub(crate) worst_audit: Option<Audit>,
    /// Everything the report warns of.
    pub(crate) warnings: Vec<Warning>,
    /// What makes it faulty, for people.
    pub(crate) faults: Vec<String>,
    /// Why it failed: code and message naming the file.
    pub(crate) error: Option<(String, String)>,
}

impl Row {
    /// A character that was not delivered.
    pub(crate) fn failed(character: &Character, code: &str, message: String) -> Self {
        let state = if code == "cancelled" { RowState::Cancelled } else { RowState::Failed };
        Self {
            character: character.clone(),
            state,
            seconds: 0.0,
            run: 0,
            cached: 0,
            changed: false,
            worst_audit: None,
            warnings: Vec::new(),
            faults: Vec::new(),
            error: Some((code.to_owned(), message)),
        }
    }

    /// A delivered character, judged by its report.
    pub(crate) fn delivered(
        character: &Character,
        report: Report,
        checks: &Checks,
        fail_on: &[String],
    ) -> Self {
        let faults = faults(&report, checks, fail_on);
        Self {
            character: character.clone(),
            state: if faults.is_empty() { RowState::Built } else { RowState::Faulty },
            seconds: 0.0,
            run: 0,
            cached: 0,
            changed: true,
            worst_audit: worst(&report.audits),
            warnings: report.warnings,
            faults,
            error: None,
        }
    }

    /// The row as JSON.
    pub(crate) fn value(&self) -> Value {
        let mut codes: BTreeMap<&str, u64> = BTreeMap::new();
        for warning in self.warnings.iter().filter(|warning| warning.level != "info") {
            *codes.entry(&warning.code).or_default() += 1;
        }
        let delivered = matches!(self.state, RowState::Built | RowState::Faulty);
        json!({
            "name": self.character.name,
            "input": self.character.path.to_string_lossy(),
            "bundle": delivered.then(|| self.character.place.to_string_lossy()),
            "state": self.state.name(),
            "seconds": (self.seconds * 1000.0).round() / 1000.0,
            "hits": self.cached,
            "jobs": {"run": self.run, "cached": self.cached},
            "changed": self.changed,
            "worst_audit": self.worst_audit,
            "warnings": codes,
            "faults": self.faults,
            "error": self.error.as_ref().map(|(code, message)| json!({"code": code, "message": message})),
        })
    }
}

fn worst(audits: &[Audit]) -> Option<Audit> {
    let failed = audits.iter().find(|audit| !audit.ok);
    let largest = || audits.iter().max_by(|a, b| a.worst.total_cmp(&b.worst));
    failed.or_else(largest).cloned()
}

/// What the settings and flags do not let pass.
fn faults(report: &Report, checks: &Checks, fail_on: &[String]) -> Vec<String> {
    let mut faults = Vec::new();
    for audit in report.audits.iter().filter(|audit| !audit.ok && checks.audits) {
        let tolerated = audit.name == "triangle-flips" && audit.worst <= checks.max_flips as f64;
        if !tolerated {
            let place =
                if audit.r#where.is_empty() { String::new() } else { format!(" at {}", audit.r#where) };
            faults.push(format!("audit {} failed{place}: {:.4}", audit.name, audit.worst));
        }
    }
    let is_listed = |code: &&String| checks.fail_on.contains(code) || fail_on.contains(code);
    let mut codes: Vec<&String> = report.warnings.iter().map(|w| &w.code).filter(is_listed).collect();
    codes.sort();
    codes.dedup();
    faults.extend(codes.into_iter().map(|code| format!("warning {code} is not accepted")));
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_what_checks_and_flags_say() {
        let audit =
            |name: &str, worst: f64| Audit { name: name.into(), ok: false, worst, r#where: String::new() };
        let warning = |code: &str| Warning { code: code.into(), level: "info".into(), ..Warning::default() };
        let report = Report {
            audits: vec![audit("triangle-flips", 2.0), audit("neutral-pose", 1.0)],
            warnings: vec![warning("no-mouth"), warning("no-mouth"), warning("no-eyes")],
            ..Report::default()
        };
        let check = |checks: Checks, fail_on: &[&str], expected: &[&str]| {
            let fail_on: Vec<String> = fail_on.iter().map(ToString::to_string).collect();
            assert_eq!(faults(&report, &checks, &fail_on), expected);
        };
        let flips = "audit triangle-flips failed: 2.0000";
        let neutral = "audit neutral-pose failed: 1.0000";
        check(Checks::default(), &[], &[flips, neutral]);
        check(Checks { max_flips: 2, ..Checks::default() }, &[], &[neutral]);
        let lenient = Checks { audits: false, fail_on: vec!["no-eyes".into()], ..Checks::default() };
        check(lenient.clone(), &[], &["warning no-eyes is not accepted"]);
        check(
            lenient,
            &["no-mouth", "other"],
            &["warning no-eyes is not accepted", "warning no-mouth is not accepted"],
        );
    }
}
