//! The farm's state machine: what is known, and what follows from what happens. Pure: no clock, no threads, no I/O.
//!
//! Nodes wait, keys are leased (DESIGN 4). A *node* is a place in one build's graph; when all it reads is known it
//! resolves to a *key*, the name of a job. Everything that costs something happens once per key: cache lookup, lease,
//! retry, failure. Many nodes of many builds may wait on one key.
//!
//! ```text
//! node:  Waiting -> OnKey -> (Expanded ->) Finished | Failed
//! key:   Idle -> LookingUp -> Ready -> Leased -> Done
//!                               ^        | transient: Delayed -> Ready
//!                               |        | input lost: Healing -> Ready, the producer Done -> Ready
//!                               |        | worker lost or drained: Ready
//!                               |        `-> Dead (deterministic, transient too often, poison, unsatisfiable)
//! ```
//!
//! [`apply`] is the only way to change a [`State`], and depends on nothing but its arguments: whoever applies the same
//! events to the same state gets the same effects. Coordinators keep the events in a journal and so share one state.

mod build;
mod claim;
mod cost;
mod event;
mod key;
mod node;
mod outputs;
mod queue;
pub(crate) mod share;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use plan::{Job, JobKey};
use serde::{Deserialize, Serialize};

use build::Build;
use key::{KeyRecord, KeyStage};
use queue::Queue;

pub use cost::Costs;
pub use event::{
    BuildId, Capabilities, Effect, Event, Fence, Found, Held, Lease, NodeEnd, NodeId, NodeState, Reason,
    Submission, WorkerId,
};
pub use outputs::Outputs;

/// The numbers that steer the state machine; all times in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    /// How long a lease lasts without renewal.
    pub lease_ms: u64,
    /// After how long an unanswered lookup is asked again.
    pub lookup_ms: u64,
    /// First pause after a transient failure; doubles with each further one…
    pub backoff_ms: u64,
    /// …up to this. The actual pause lies between half and all of it.
    pub backoff_max_ms: u64,
    /// Runs of one key that may end in transient failures before it is given up.
    pub max_attempts: u32,
    /// Lost workers after which a key is poison, when they were at least two…
    pub poison_losses: u32,
    /// …and after which it is poison even when it was always the same one.
    pub poison_losses_alone: u32,
    /// Times one key may run again because its bytes were gone.
    pub max_heals: u32,
    /// How long a key may be ready without any worker able to run it before that is reported.
    pub unsatisfiable_ms: u64,
    /// How long a worker that says nothing counts as present.
    pub worker_ms: u64,
    /// Most jobs in one bundle.
    pub max_fused: usize,
    /// How deep subgraphs may nest.
    pub max_depth: u32,
    /// Most nodes of one build.
    pub max_nodes: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            lease_ms: 15_000,
            lookup_ms: 10_000,
            backoff_ms: 1_000,
            backoff_max_ms: 300_000,
            max_attempts: 5,
            poison_losses: 3,
            poison_losses_alone: 6,
            max_heals: 3,
            unsatisfiable_ms: 60_000,
            worker_ms: 60_000,
            max_fused: 64,
            max_depth: 16,
            max_nodes: 1_000_000,
        }
    }
}

/// Everything the farm knows. See the module for what is what.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    config: Config,
    costs: Costs,
    builds: BTreeMap<BuildId, Build>,
    /// Builds seen so far, for the order among them.
    submitted: u64,
    keys: BTreeMap<JobKey, KeyRecord>,
    queue: Queue,
    /// Keys by the time at which something is due: lease end, end of a pause, a lookup to repeat.
    due: BTreeSet<(u64, JobKey)>,
    fences: u64,
    workers: BTreeMap<WorkerId, Worker>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Worker {
    capabilities: Capabilities,
    seen_ms: u64,
}

impl State {
    /// A farm at rest.
    pub fn new(config: Config, costs: Costs) -> Self {
        Self { config, costs, ..Self::default() }
    }

    /// What was learned about costs.
    pub fn costs(&self) -> &Costs {
        &self.costs
    }

    /// A tenant's share against the others of its band; 1 unless set.
    pub fn set_weight(&mut self, tenant: Arc<str>, weight: u64) {
        self.queue.set_weight(tenant, weight);
    }

    /// All leases, in order of key.
    pub fn leased(&self) -> impl Iterator<Item = Held> {
        self.keys.iter().filter_map(|(key, record)| match record.stage {
            KeyStage::Leased(worker, fence) => Some(Held { worker, key: *key, fence }),
            _ => None,
        })
    }

    /// The job behind a lease, if it is held, and whether it runs although a result may be in the cache.
    pub fn held(&self, held: Held) -> Option<(Arc<Job>, bool)> {
        let record = self.keys.get(&held.key).filter(|record| record.is_held(held))?;
        Some((Arc::clone(&record.job), record.why == Reason::CacheNotRead))
    }

    /// The builds that know a key.
    pub fn builds_of(&self, key: JobKey) -> BTreeSet<BuildId> {
        let record = self.keys.get(&key);
        record.into_iter().flat_map(|record| &record.nodes).map(|node| node.build).collect()
    }

    /// Nodes of all builds of some tenants.
    pub fn nodes_of(&self, is_meant: impl Fn(&str) -> bool) -> usize {
        self.builds.values().filter(|build| is_meant(&build.tenant)).map(|build| build.nodes.len()).sum()
    }

    /// Builds that have not ended.
    pub fn builds(&self) -> usize {
        self.builds.len()
    }

    /// The job of a key that a build knows.
    pub fn job(&self, key: JobKey) -> Option<&Arc<Job>> {
        self.keys.get(&key).map(|record| &record.job)
    }

    /// Whether a worker has said what it can run, and this is it.
    pub fn knows(&self, worker: WorkerId, capabilities: &Capabilities) -> bool {
        self.workers.get(&worker).is_some_and(|known| known.capabilities == *capabilities)
    }

    /// Workers that have said what they can run and are not gone.
    pub fn workers(&self) -> impl Iterator<Item = WorkerId> {
        self.workers.keys().copied()
    }

    /// Keys that wait for a worker now.
    pub fn ready(&self) -> usize {
        self.queue.len()
    }

    /// Whether no build is left.
    pub fn is_idle(&self) -> bool {
        self.builds.is_empty()
    }

    /// When [`Event::Tick`] will next have something to do.
    pub fn next_due_ms(&self) -> Option<u64> {
        self.due.first().map(|(due, _)| *due)
    }

    /// What a build still waits for, per node: name of the character, name of the node, kind, key if known, and
    /// expected cost in microseconds; in order of planning.
    pub fn unfinished(&self, build: BuildId) -> Vec<Unfinished> {
        self.builds.get(&build).map(|build| build.unfinished(&self.costs)).unwrap_or_default()
    }
}

/// A node that has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// Which.
    pub index: u32,
    /// The job, when all it reads is known.
    pub key: Option<JobKey>,
    /// Expected cost in microseconds.
    pub cost_us: u64,
    /// Whether its job has run or been found and its subgraph is what is waited for.
    pub expanded: bool,
}

/// Makes one event part of the state. `now_ms` must not run backwards by much; nothing but due times depends on it.
pub fn apply(state: &mut State, event: Event, now_ms: u64) -> Vec<Effect> {
    let mut turn = Turn { state, now_ms, effects: Vec::new(), todo: Vec::new() };
    match event {
        Event::Submit(submission) => turn.submit(submission),
        Event::LookedUp(answers) => {
            for (key, found) in answers {
                turn.looked_up(key, found);
            }
        }
        Event::Hello { worker, capabilities } => {
            turn.state.workers.insert(worker, Worker { capabilities, seen_ms: now_ms });
        }
        Event::Claim { worker, fuse_us } => turn.claim(worker, fuse_us),
        Event::Renew(held) => turn.renew(held),
        Event::Complete(held, result) => turn.complete(held, result),
        Event::Fail(held, failure) => turn.fail(held, failure),
        Event::MissingInputs(held, blobs) => turn.missing_inputs(held, &blobs),
        Event::Release(held) => turn.release(held),
        Event::WorkerGone(worker) => turn.worker_gone(worker),
        Event::Cancel(build) => turn.cancel(build),
        Event::Retry(key) => turn.retry(key),
        Event::Tick => turn.tick(),
        Event::Lead { epoch, config, weights } => turn.lead(epoch, config, weights),
    }
    turn.settle();
    turn.effects
}

/// One event at work.
struct Turn<'a> {
    state: &'a mut State,
    now_ms: u64,
    effects: Vec<Effect>,
    /// Steps still to be taken, last first.
    todo: Vec<node::Step>,
}
