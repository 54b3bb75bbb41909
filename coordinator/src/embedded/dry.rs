//! What a build would do, found out by cache lookups alone.

use std::collections::BTreeMap;

use plan::{JobKey, JobKind};
use worker::cache::Cache;

use super::events::NodeName;
use super::{BuildRequest, threads};
use crate::state::{
    self, BuildId, Config, Costs, Effect, Event, Found, NodeState, Reason, State, Submission,
};

/// What a build would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forecast {
    /// The nodes known without running anything, in order of planning.
    pub nodes: Vec<PlannedNode>,
    /// What went wrong reading the cache, if anything; then everything counts as to be run.
    pub trouble: Option<String>,
}

/// A node and what would become of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedNode {
    /// Which.
    pub node: NodeName,
    /// What it does.
    pub kind: JobKind,
    /// The job, when all it reads is known.
    pub key: Option<JobKey>,
    /// What would become of it.
    pub expectation: Expectation,
    /// For a hit the time it once took, else the time expected; in microseconds.
    pub cost_us: u64,
}

/// What would become of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// Its result is there.
    Hit,
    /// It would run, for this reason.
    Run(Reason),
    /// It reads what is not made yet: it runs, or is cut off. What it would bring is not counted.
    Unknown,
    /// Its graph is wrong, in the words of the failure.
    Failed(String),
}

impl Forecast {
    /// Expected time of all jobs that would or may run, in microseconds of one slot.
    pub fn to_run_us(&self) -> u64 {
        let open =
            |node: &&PlannedNode| matches!(node.expectation, Expectation::Run(_) | Expectation::Unknown);
        self.nodes.iter().filter(open).map(|node| node.cost_us).sum()
    }

    /// Time that hits save, in microseconds of one slot.
    pub fn saved_us(&self) -> u64 {
        let hits = self.nodes.iter().filter(|node| node.expectation == Expectation::Hit);
        hits.map(|node| node.cost_us).sum()
    }
}

/// What a build would do. Asks the cache, and may block on it.
pub(crate) fn forecast(cache: &dyn Cache, request: &BuildRequest, costs: Costs) -> Forecast {
    let mut state = State::new(Config::default(), costs);
    let build = BuildId(0);
    let characters: Vec<_> =
        request.characters.iter().map(|(name, graph)| (name.as_str().into(), graph.clone())).collect();
    let names: Vec<std::sync::Arc<str>> =
        characters.iter().map(|(name, _)| std::sync::Arc::clone(name)).collect();
    let submission =
        Submission { build, tenant: "local".into(), band: 3, read_cache: request.read_cache, characters };
    let mut forecast = Forecast::default();
    let mut reasons = BTreeMap::new();
    let mut effects = state::apply(&mut state, Event::Submit(submission), 0);
    while !effects.is_empty() {
        let mut keys = Vec::new();
        for effect in effects {
            match effect {
                Effect::Lookup(key) => keys.push(key),
                Effect::NodePlanned { character, name, kind, .. } => forecast.nodes.push(PlannedNode {
                    node: NodeName {
                        character: std::sync::Arc::clone(&names[character as usize]),
                        node: name,
                    },
                    kind,
                    key: None,
                    expectation: Expectation::Unknown,
                    cost_us: 0,
                }),
                Effect::NodeEnded(end) => {
                    let node = &mut forecast.nodes[end.node.index as usize];
                    node.key = end.key;
                    node.cost_us = end.cost_us;
                    node.expectation = match (end.state, end.failure) {
                        (NodeState::Failed | NodeState::Cancelled, failure) => {
                            Expectation::Failed(failure.map(|failure| failure.message).unwrap_or_default())
                        }
                        _ => Expectation::Hit,
                    };
                }
                _ => {}
            }
        }
        effects = Vec::new();
        if !keys.is_empty() {
            let found = look_up(cache, &keys, &mut forecast.trouble);
            let answers: Vec<_> = keys.into_iter().zip(found).collect();
            reasons.extend(answers.iter().filter_map(|(key, found)| Some((*key, reason(found)?))));
            effects = state::apply(&mut state, Event::LookedUp(answers), 0);
        }
    }
    for open in state.unfinished(build) {
        let node = &mut forecast.nodes[open.index as usize];
        node.key = open.key;
        node.cost_us = open.cost_us;
        let reason = open.key.map(|key| reasons.get(&key).cloned().unwrap_or(Reason::CacheNotRead));
        node.expectation = match reason {
            _ if open.expanded => Expectation::Hit,
            Some(reason) => Expectation::Run(reason),
            None => Expectation::Unknown,
        };
    }
    forecast
}

fn look_up(cache: &dyn Cache, keys: &[JobKey], trouble: &mut Option<String>) -> Vec<Found> {
    match cache.get_actions(keys) {
        Ok(found) => found.iter().map(|encoded| threads::found_in(encoded.as_deref())).collect(),
        Err(error) => {
            *trouble = Some(error.to_string());
            vec![Found::Miss; keys.len()]
        }
    }
}

fn reason(found: &Found) -> Option<Reason> {
    match found {
        Found::Hit(_) => None,
        Found::Miss => Some(Reason::NotInCache),
        Found::Incomplete => Some(Reason::ResultIncomplete),
        Found::Unreadable => Some(Reason::ResultUnreadable),
    }
}
