//! `rigfarm list` and `rigfarm status`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proto::v1;
use serde_json::json;

use crate::args::{ListArgs, StatusArgs};
use crate::failure::Failure;
use crate::out::{self, say};
use crate::remote::session::Session;

/// Builds that `status` looks at.
const LOOKED_AT: u32 = 1000;

/// Lists builds, newest first.
pub(crate) fn run(args: &ListArgs) -> Result<(), Failure> {
    let session = Session::open(&args.ask.farm)?;
    let builds = list(&session, args.most, args.before)?;
    tell(args.ask.json, &builds);
    if builds.is_empty() && !args.ask.json {
        out::note("no builds");
    }
    Ok(())
}

/// Tells of one build, or of all that have not ended.
pub(crate) fn status(args: &StatusArgs) -> Result<(), Failure> {
    let session = Session::open(&args.ask.farm)?;
    let Some(build) = args.build else {
        let mut builds = list(&session, LOOKED_AT, 0)?;
        builds.retain(|build| !build.ended);
        tell(args.ask.json, &builds);
        if builds.is_empty() && !args.ask.json {
            out::note("no build is under way");
        }
        return Ok(());
    };
    let mut found = list(&session, 1, build.saturating_add(1))?;
    found.retain(|line| line.build == build);
    if found.is_empty() {
        return Err(Failure::usage(format!("build {build} is not known at {}", session.address)));
    }
    tell(args.ask.json, &found);
    Ok(())
}

fn list(session: &Session, most: u32, before: u64) -> Result<Vec<v1::BuildLine>, Failure> {
    let request = v1::ListRequest { most, before };
    let answer = session.wait(async { session.farm().list(request).await })?;
    Ok(answer.into_inner().builds)
}

fn tell(as_json: bool, builds: &[v1::BuildLine]) {
    for build in builds {
        if as_json { out::json(value(build)) } else { show(build) }
    }
}

fn state(build: &v1::BuildLine) -> &'static str {
    let summary = build.summary.unwrap_or_default();
    match build.ended {
        false => "running",
        true if summary.cancelled > 0 && summary.failed == 0 => "cancelled",
        true if summary.failed_characters > 0 => "failed",
        true => "done",
    }
}

fn value(build: &v1::BuildLine) -> serde_json::Value {
    let summary = build.summary.unwrap_or_default();
    json!({"v": 1, "event": "build", "build": build.build, "state": state(build), "title": build.title,
        "tenant": build.tenant, "submitted_ms": build.submitted_ms,
        "characters": {"all": build.characters, "ended": build.characters_ended, "failed": summary.failed_characters},
        "jobs": {"all": build.nodes, "ended": build.nodes_ended, "run": summary.run,
            "cached": summary.hits + summary.cut_off, "failed": summary.failed},
        "run_seconds": summary.run_us as f64 / 1e6, "saved_seconds": summary.saved_us as f64 / 1e6})
}

fn show(build: &v1::BuildLine) {
    let submitted = UNIX_EPOCH + Duration::from_millis(build.submitted_ms);
    let age = SystemTime::now().duration_since(submitted).unwrap_or_default();
    say!(
        "{:>6}  {:9}  {:>4} of {} characters  {:>5} of {} jobs  {:>12} ago  {}",
        build.build,
        state(build),
        build.characters_ended,
        build.characters,
        build.nodes_ended,
        build.nodes,
        out::duration(age.as_secs_f64()),
        build.title,
    );
}
