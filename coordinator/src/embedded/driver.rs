//! The one thread that owns the state.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use canonical::BlobRef;
use plan::{ActionResult, JobFailure, JobKey, JobKind};

use super::events::{BuildEvent, NodeName, Summary};
use super::{BuildRequest, FarmConfig, Shared, threads};
use crate::state::{
    self, BuildId, Capabilities, Config, Costs, Effect, Event, Found, Held, Lease, NodeEnd, NodeId,
    NodeState, Outputs, Reason, State, Submission, WorkerId,
};

/// The only worker there is.
pub(super) const WORKER: WorkerId = WorkerId(0);

pub(super) enum Message {
    Submit { id: BuildId, request: BuildRequest, events: Sender<BuildEvent> },
    LookedUp(Vec<(JobKey, Found)>),
    Reports { reports: Vec<Report>, bundle_ended: bool },
    Written(u64),
    Trouble { code: &'static str, message: String },
    Cancel(BuildId),
    Stop,
}

/// What became of a lease.
pub(super) enum Report {
    /// Done; the result is on its way to the cache under this ticket.
    Done(Held, Arc<ActionResult>, u64),
    Failed(Held, JobFailure),
    Missing(Held, Vec<BlobRef>),
}

pub(super) struct Driver {
    shared: Arc<Shared>,
    state: State,
    started: Instant,
    config: FarmConfig,
    builds: BTreeMap<BuildId, Live>,
    /// Bundles given out.
    bundles: usize,
    /// Results on their way to the cache.
    unwritten: BTreeSet<u64>,
    /// Results that were written before their job was reported.
    written_early: BTreeSet<u64>,
    /// Ended builds with the last ticket they wait for.
    ending: Vec<(u64, Live)>,
    lookups: Vec<JobKey>,
    told: BTreeSet<&'static str>,
}

/// A build as its caller sees it.
struct Live {
    characters: Vec<Character>,
    nodes: Vec<(NodeName, u32, JobKind)>,
    events: Sender<BuildEvent>,
    summary: Summary,
}

struct Character {
    name: Arc<str>,
    wanted: BTreeSet<String>,
    /// Of the wanted nodes that have ended.
    outputs: BTreeMap<String, Outputs>,
    /// Blobs its jobs made that nobody outside asks for.
    inner: Vec<BlobRef>,
}

impl Driver {
    pub(super) fn new(shared: Arc<Shared>, config: FarmConfig, costs: Costs) -> Self {
        // The threads of one process cannot get lost, so nothing but pauses after failures is ever due.
        let rules = Config {
            lease_ms: u64::MAX,
            lookup_ms: u64::MAX,
            unsatisfiable_ms: u64::MAX,
            backoff_ms: 100,
            backoff_max_ms: 2_000,
            max_attempts: 4,
            max_heals: 100,
            ..Config::default()
        };
        let mut state = State::new(rules, costs);
        state::apply(&mut state, Event::Hello { worker: WORKER, capabilities: Capabilities::All }, 0);
        Self {
            shared,
            state,
            started: Instant::now(),
            config,
            builds: BTreeMap::new(),
            bundles: 0,
            unwritten: BTreeSet::new(),
            written_early: BTreeSet::new(),
            ending: Vec::new(),
            lookups: Vec::new(),
            told: BTreeSet::new(),
        }
    }

    /// Until told to stop.
    pub(super) fn run(mut self, inbox: &Receiver<Message>) {
        loop {
            let first = match self.pause() {
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(pause) => inbox.recv_timeout(pause),
            };
            match first {
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(message) => self.handle(message),
                Err(RecvTimeoutError::Timeout) => self.happen(Event::Tick),
            }
            // Whatever has arrived meanwhile is taken before any work is given out.
            while let Ok(message) = inbox.try_recv() {
                if matches!(message, Message::Stop) {
                    return self.stop();
                }
                self.handle(message);
            }
            self.give_out();
        }
        self.stop();
    }

    fn stop(self) {
        let lanes = &self.shared;
        lanes.lookups.close();
        lanes.loads.close();
        lanes.runs.close();
    }

    fn pause(&self) -> Option<Duration> {
        let due_ms = self.state.next_due_ms().filter(|&due| due < u64::MAX)?;
        Some(Duration::from_millis(due_ms.saturating_sub(self.now_ms())))
    }

    fn now_ms(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }

    fn handle(&mut self, message: Message) {
        match message {
            Message::Submit { id, request, events } => self.submit(id, request, events),
            Message::LookedUp(answers) => self.happen(Event::LookedUp(answers)),
            Message::Reports { reports, bundle_ended } => {
                self.bundles -= usize::from(bundle_ended);
                reports.into_iter().for_each(|report| self.report(report));
            }
            Message::Written(ticket) => {
                if !self.unwritten.remove(&ticket) {
                    self.written_early.insert(ticket);
                }
                self.end_written();
            }
            Message::Trouble { code, message } => self.notice(code, message),
            Message::Cancel(id) => self.happen(Event::Cancel(id)),
            // Taken by the loop.
            Message::Stop => {}
        }
    }

    fn report(&mut self, report: Report) {
        match report {
            Report::Done(held, result, ticket) => {
                if !self.written_early.remove(&ticket) {
                    self.unwritten.insert(ticket);
                }
                self.happen(Event::Complete(held, result));
            }
            Report::Failed(held, failure) => self.happen(Event::Fail(held, failure)),
            Report::Missing(held, blobs) => self.happen(Event::MissingInputs(held, blobs)),
        }
    }

    fn submit(&mut self, build: BuildId, request: BuildRequest, events: Sender<BuildEvent>) {
        let mut characters = Vec::new();
        let mut graphs = Vec::new();
        for (name, graph) in request.characters {
            let name: Arc<str> = name.into();
            let wanted = graph.wanted().iter().cloned().collect();
            let (outputs, inner) = (BTreeMap::new(), Vec::new());
            characters.push(Character { name: Arc::clone(&name), wanted, outputs, inner });
            graphs.push((name, graph));
        }
        let live = Live { characters, nodes: Vec::new(), events, summary: Summary::default() };
        self.builds.insert(build, live);
        self.happen(Event::Submit(Submission {
            build,
            tenant: "local".into(),
            band: 3,
            read_cache: request.read_cache,
            characters: graphs,
        }));
    }

    fn happen(&mut self, event: Event) {
        let now_ms = self.now_ms();
        for effect in state::apply(&mut self.state, event, now_ms) {
            self.follow(effect);
        }
    }

    fn follow(&mut self, effect: Effect) {
        match effect {
            Effect::Lookup(key) => self.lookups.push(key),
            Effect::Lease(_, bundle) => self.lease(bundle),
            Effect::NodePlanned { node, character, name, kind } => {
                let Some(live) = self.builds.get_mut(&node.build) else { return };
                let character_name = Arc::clone(&live.characters[character as usize].name);
                let name = NodeName { character: character_name, node: name };
                live.tell(BuildEvent::NodePlanned { node: name.clone(), kind });
                live.nodes.push((name, character, kind));
            }
            Effect::JobStarted(held, nodes) => {
                for id in nodes {
                    self.started(id, held.key);
                }
            }
            Effect::NodeEnded(end) => self.node_ended(*end),
            Effect::CharacterEnded(build, place, failure) => {
                if let Some(live) = self.builds.get_mut(&build) {
                    let inner = live.character_ended(place as usize, failure);
                    self.shared.memory.release(inner);
                }
            }
            Effect::BuildEnded(build) => self.build_ended(build),
            Effect::Healing(key, blob) => {
                let message =
                    format!("blob {} was gone from the store; job {key} made it again", blob.digest);
                self.notice("healed", message);
            }
            Effect::Nondeterministic(key, job) => {
                let message = format!("{} {key} gave two different results", job.kind);
                self.notice("nondeterministic", message);
            }
            // What runs in this process runs to its end; leases cannot get lost.
            Effect::Stop(_)
            | Effect::Rejected(_)
            | Effect::Renewed(..)
            | Effect::Lost(_)
            | Effect::Unsatisfiable(..) => {}
        }
    }

    fn lease(&mut self, bundle: Vec<Lease>) {
        self.bundles += 1;
        let loaded: Option<Vec<_>> =
            bundle.iter().map(|lease| threads::inputs_at_hand(&self.shared, lease)).collect();
        match loaded {
            Some(inputs) => self.shared.runs.push(bundle.into_iter().zip(inputs).collect()),
            None => self.shared.loads.push(bundle),
        }
    }

    /// Sends collected lookups, and bundles to slots: one for each slot and as many again, so that inputs are there
    /// when a slot becomes free.
    fn give_out(&mut self) {
        while !self.lookups.is_empty() {
            let rest = self.lookups.split_off(self.lookups.len().min(256));
            self.shared.lookups.push(std::mem::replace(&mut self.lookups, rest));
        }
        let fuse_us = self.config.fuse_us;
        while self.bundles < 2 * self.config.slots.max(1) {
            let before = self.bundles;
            self.happen(Event::Claim { worker: WORKER, fuse_us });
            if self.bundles == before {
                break;
            }
        }
    }

    fn started(&mut self, id: NodeId, key: JobKey) {
        let Some(live) = self.builds.get(&id.build) else { return };
        let (node, _, kind) = &live.nodes[id.index as usize];
        live.tell(BuildEvent::JobStarted { node: node.clone(), kind: *kind, key });
    }

    fn node_ended(&mut self, end: NodeEnd) {
        let Some(live) = self.builds.get_mut(&end.node.build) else { return };
        let (node, character, kind) = live.nodes[end.node.index as usize].clone();
        live.summary.count(end.state, &end.reason, end.cost_us);
        let character = &mut live.characters[character as usize];
        match &end.outputs {
            Some(made) if character.wanted.contains(&*node.node) => {
                character.outputs.insert(node.node.to_string(), made.clone());
            }
            Some(made) if end.state == NodeState::Run => character.inner.extend(made.stored_blobs()),
            _ => {}
        }
        let failed = matches!(end.state, NodeState::Failed | NodeState::Cancelled);
        let micros = if failed || end.reason == Reason::Shared { 0 } else { end.cost_us };
        live.tell(BuildEvent::JobFinished {
            node,
            kind,
            key: end.key,
            state: end.state,
            reason: end.reason,
            micros,
            outputs: end.outputs,
            failure: end.failure,
        });
    }

    fn build_ended(&mut self, build: BuildId) {
        self.shared.lock_sources().remove(&build);
        if let Some(live) = self.builds.remove(&build) {
            if live.summary.run > 0 {
                self.unwritten.insert(threads::publish_costs(&self.shared, self.state.costs()));
            }
            self.ending.push((self.unwritten.last().copied().unwrap_or(0), live));
        }
        self.end_written();
    }

    fn end_written(&mut self) {
        let oldest = self.unwritten.first().copied().unwrap_or(u64::MAX);
        let is_written = |last: &u64| *last < oldest;
        let (ended, waiting) =
            std::mem::take(&mut self.ending).into_iter().partition(|(last, _)| is_written(last));
        self.ending = waiting;
        for (_, live) in <Vec<(u64, Live)>>::into_iter(ended) {
            live.tell(BuildEvent::BuildFinished(live.summary));
        }
        if self.builds.is_empty() && self.ending.is_empty() {
            self.told.clear();
        }
    }

    /// Tells all builds; each kind of trouble with the cache once, until no build is left.
    fn notice(&mut self, code: &'static str, message: String) {
        let once = code.starts_with("cache");
        if once && !self.told.insert(code) {
            return;
        }
        let live = self.builds.values().chain(self.ending.iter().map(|(_, live)| live));
        live.for_each(|live| live.tell(BuildEvent::Notice { code, message: message.clone() }));
    }
}

impl Live {
    fn tell(&self, event: BuildEvent) {
        // A caller who does not listen any more has cancelled.
        let _ = self.events.send(event);
    }

    /// Gives the blobs that are of no use any more.
    fn character_ended(&mut self, place: usize, failure: Option<JobFailure>) -> Vec<BlobRef> {
        let character = &mut self.characters[place];
        let (name, outputs) = (Arc::clone(&character.name), std::mem::take(&mut character.outputs));
        let asked: BTreeSet<BlobRef> = outputs.values().flat_map(Outputs::stored_blobs).collect();
        let mut inner = std::mem::take(&mut character.inner);
        inner.retain(|blob| !asked.contains(blob));
        self.summary.failed_characters += usize::from(failure.is_some());
        self.tell(BuildEvent::CharacterFinished { place, character: name, failure, outputs });
        inner
    }
}
