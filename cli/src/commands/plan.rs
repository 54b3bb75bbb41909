//! `rigfarm plan`: what a build would run and what is there.

use std::collections::BTreeMap;
use std::sync::Arc;

use coordinator::embedded::{BuildRequest, Expectation, Forecast, PlannedNode};
use serde_json::json;

use crate::args::{PlanArgs, PoolArgs};
use crate::art::ArtFiles;
use crate::build::reporter::Reporter;
use crate::build::run;
use crate::failure::Failure;
use crate::out::say;
use crate::project::{self, Recipe};
use crate::remote::session::Session;
use crate::stores::Purpose;
use crate::{inputs, out, remote};

/// Prints every node that is known without running anything.
pub(crate) fn run(args: &PlanArgs) -> Result<(), Failure> {
    let recipe = Recipe::new(&args.settings)?;
    let characters = inputs::find(&args.inputs).map_err(|e| Failure::usage(e.to_string()))?;
    let reporter = Reporter::new(args.json);
    let art = Arc::new(ArtFiles::default());
    let mut ready = Vec::new();
    let mut refused = 0;
    for prepared in project::prepare(&characters, &recipe, &art, run::cores()) {
        match prepared {
            Ok(prepared) => ready.push((prepared.character.name, prepared.graph)),
            Err(character) => {
                refused += 1;
                tell_refused(args.json, &character);
            }
        }
    }
    let request = BuildRequest { characters: ready, sources: art, read_cache: !args.store.no_cache };
    let forecast = match &args.farm.coordinator {
        None => run::farm(&args.store, Purpose::Plan, PoolArgs::default(), &reporter)?.plan(&request),
        Some(_) => remote::plan::forecast(&Session::open(&args.farm)?, &request)?,
    };
    if args.json {
        forecast.nodes.iter().for_each(|node| out::json(value(node)));
        out::json(totals(&forecast));
    } else {
        show(&forecast);
    }
    if let Some(trouble) = &forecast.trouble {
        reporter.warn(None, "cache-not-read", &format!("the cache is not read: {trouble}"));
    }
    if refused == 0 { Ok(()) } else { Err(Failure::failed("")) }
}

/// A character that cannot be built.
pub(crate) fn tell_refused(as_json: bool, refused: &project::Refused) {
    let name = &refused.character.name;
    if as_json {
        out::json(json!({"v": 1, "event": "character", "name": name, "state": "failed",
            "error": {"code": refused.code, "message": refused.message}}));
    }
    out::note(format!("{name}: would fail: {}", refused.message));
}

/// What becomes of a node and why, in words.
fn verdict(expectation: &Expectation) -> (&'static str, String) {
    match expectation {
        Expectation::Hit => ("hit", "result in the cache".to_owned()),
        Expectation::Run(reason) => ("run", reason.to_string()),
        Expectation::Unknown => ("unknown", "reads what is not made yet: runs, or is cut off".to_owned()),
        Expectation::Failed(message) => ("failed", message.clone()),
    }
}

fn value(node: &PlannedNode) -> serde_json::Value {
    let (state, reason) = verdict(&node.expectation);
    json!({"v": 1, "event": "node", "character": &*node.node.character, "node": &*node.node.node,
        "kind": node.kind.name(), "state": state, "reason": reason,
        "estimate_seconds": node.cost_us as f64 / 1e6, "key": node.key.map(|key| key.to_string())})
}

fn counts(forecast: &Forecast) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::from([("run", 0), ("hit", 0), ("unknown", 0), ("failed", 0)]);
    for node in &forecast.nodes {
        *counts.entry(verdict(&node.expectation).0).or_default() += 1;
    }
    counts
}

fn totals(forecast: &Forecast) -> serde_json::Value {
    json!({"v": 1, "event": "summary", "nodes": counts(forecast),
        "to_run_seconds": forecast.to_run_us() as f64 / 1e6, "saved_seconds": forecast.saved_us() as f64 / 1e6})
}

fn show(forecast: &Forecast) {
    let mut character = "";
    for node in &forecast.nodes {
        if &*node.node.character != character {
            character = &node.node.character;
            out::line(character);
        }
        let (state, reason) = verdict(&node.expectation);
        let cost = out::duration(node.cost_us as f64 / 1e6);
        say!("  {state:7} {:24} {cost:>9}  {reason}", node.node.node);
    }
    let counts = counts(forecast);
    say!(
        "{} to run and {} unknown, about {} on one core; {} from cache, {} saved",
        counts["run"],
        counts["unknown"],
        out::duration(forecast.to_run_us() as f64 / 1e6),
        counts["hit"],
        out::duration(forecast.saved_us() as f64 / 1e6),
    );
}
