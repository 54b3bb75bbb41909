//! All that the coordinators of one farm share: the state machine, and the builds as their clients see them. Pure, as
//! the state is: whoever applies the same entries to the same ledger gets the same answers.
//!
//! A journal holds the entries; a snapshot holds a whole ledger ([`Ledger::encode`]).

mod book;
mod format;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use plan::{Graph, JobKey, JobKind};
use serde::{Deserialize, Serialize};

use crate::state::{
    self, BuildId, Capabilities, Costs, Effect, Event, Held, State, Submission, WorkerId, share,
};

pub use book::{Book, Character, Node, Told};
pub use format::{FormatError, decode_entries, encode_entry};

/// Builds that have ended and are still remembered.
const KEEP_BUILDS: usize = 1_000;
/// Events of ended builds that are still remembered.
const KEEP_EVENTS: usize = 1_000_000;
/// How many builds or workers one epoch numbers at least, in bits.
const EPOCH_BITS: u32 = 16;

/// What may happen to a ledger.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Entry {
    /// A client submits a build.
    Submit(Order),
    /// A new worker process arrives under this name.
    Arrive(Arc<str>, Capabilities),
    /// A worker that has a number and is not known any more comes back.
    Return(WorkerId, Arc<str>, Capabilities),
    /// Two results of one key were seen, which is of this kind and version.
    Flawed(JobKey, JobKind, String),
    /// Something else happens.
    Happen(Event),
}

/// A build as its client orders it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    /// Chosen by the client: the same id of the same tenant is the same build. Empty: never the same.
    pub request: Arc<str>,
    /// For people.
    pub title: Arc<str>,
    /// Who pays.
    pub tenant: Arc<str>,
    /// Priority band, 1 (first) to 5.
    pub band: u8,
    /// Whether cached results count.
    pub read_cache: bool,
    /// The characters by name, in order of priority.
    #[serde(with = "share::graphs")]
    pub characters: Vec<(Arc<str>, Graph)>,
}

/// What the sender of an entry learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The number of the build.
    Build(BuildId),
    /// The number of the worker.
    Worker(WorkerId),
    /// Nothing.
    Nothing,
}

/// See the module.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Ledger {
    state: State,
    books: BTreeMap<BuildId, Book>,
    requests: BTreeMap<(Arc<str>, Arc<str>), BuildId>,
    next_build: u64,
    next_worker: u64,
    names: BTreeMap<WorkerId, Arc<str>>,
    /// Kinds and versions that gave different results for one key.
    flawed: BTreeSet<(JobKind, String)>,
    now_ms: u64,
    #[serde(skip)]
    touched: BTreeSet<BuildId>,
}

impl Ledger {
    /// A farm at rest.
    pub fn new(config: state::Config, costs: Costs) -> Self {
        Self { state: State::new(config, costs), next_build: 1, next_worker: 1, ..Self::default() }
    }

    /// Makes one entry part of the ledger. Time does not run backwards: an earlier `now_ms` counts as the latest seen.
    pub fn apply(&mut self, entry: Entry, now_ms: u64) -> (Answer, Vec<Effect>) {
        self.now_ms = self.now_ms.max(now_ms);
        match entry {
            Entry::Submit(order) => self.submit(order),
            Entry::Arrive(name, capabilities) => {
                let worker = WorkerId(self.next_worker);
                self.next_worker += 1;
                self.names.insert(worker, name);
                (Answer::Worker(worker), self.happen(Event::Hello { worker, capabilities }))
            }
            Entry::Return(worker, name, capabilities) => {
                self.names.insert(worker, name);
                (Answer::Nothing, self.happen(Event::Hello { worker, capabilities }))
            }
            Entry::Flawed(key, kind, version) => {
                self.flaw(key, kind, version);
                (Answer::Nothing, Vec::new())
            }
            Entry::Happen(event) => {
                if let Event::Lead { epoch, .. } = event {
                    let first = epoch << EPOCH_BITS;
                    self.next_build = self.next_build.max(first);
                    self.next_worker = self.next_worker.max(first);
                }
                (Answer::Nothing, self.happen(event))
            }
        }
    }

    /// The state machine.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The latest time seen, in milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// All builds remembered, oldest first.
    pub fn books(&self) -> impl DoubleEndedIterator<Item = (BuildId, &Book)> {
        self.books.iter().map(|(build, book)| (*build, book))
    }

    /// One build, if it is remembered.
    pub fn book(&self, build: BuildId) -> Option<&Book> {
        self.books.get(&build)
    }

    /// The build that a tenant's request started.
    pub fn requested(&self, tenant: &Arc<str>, request: &Arc<str>) -> Option<BuildId> {
        self.requests.get(&(Arc::clone(tenant), Arc::clone(request))).copied()
    }

    /// A worker's name for people.
    pub fn name(&self, worker: WorkerId) -> Arc<str> {
        self.names.get(&worker).cloned().unwrap_or_else(|| format!("worker {}", worker.0).into())
    }

    /// Whether results of this kind and version must not be trusted.
    pub fn is_flawed(&self, kind: JobKind, version: &str) -> bool {
        !self.flawed.is_empty() && self.flawed.contains(&(kind, version.to_owned()))
    }

    /// Kinds and versions that gave different results for one key.
    pub fn flawed(&self) -> &BTreeSet<(JobKind, String)> {
        &self.flawed
    }

    /// The builds with new events since the last call.
    pub fn take_touched(&mut self) -> BTreeSet<BuildId> {
        std::mem::take(&mut self.touched)
    }

    fn submit(&mut self, order: Order) -> (Answer, Vec<Effect>) {
        if let Some(build) = self.requested(&order.tenant, &order.request) {
            return (Answer::Build(build), Vec::new());
        }
        let build = BuildId(self.next_build);
        self.next_build += 1;
        if !order.request.is_empty() {
            self.requests.insert((Arc::clone(&order.tenant), Arc::clone(&order.request)), build);
        }
        self.books.insert(build, Book::new(&order, self.now_ms));
        let Order { tenant, band, read_cache, characters, .. } = order;
        let submission = Submission { build, tenant, band, read_cache, characters };
        (Answer::Build(build), self.happen(Event::Submit(submission)))
    }

    /// Applies an event and writes into the books what their clients should know.
    fn happen(&mut self, event: Event) -> Vec<Effect> {
        let gone = if let Event::WorkerGone(worker) = &event { Some(*worker) } else { None };
        let effects = state::apply(&mut self.state, event, self.now_ms);
        effects.iter().for_each(|effect| self.note(effect));
        // What it leaves behind is told of by its name.
        if let Some(worker) = gone {
            self.names.remove(&worker);
        }
        effects
    }

    fn note(&mut self, effect: &Effect) {
        match effect {
            Effect::NodePlanned { node, character, name, kind } => {
                self.tell(node.build, |book| book.planned(*character, name, *kind));
            }
            Effect::JobStarted(held, nodes) => {
                let worker = self.name(held.worker);
                for node in nodes {
                    let told = Told::Started(node.index, held.key, Arc::clone(&worker));
                    self.tell(node.build, |book| book.log.push(told));
                }
            }
            Effect::NodeEnded(end) => self.tell(end.node.build, |book| book.node_ended(end)),
            Effect::CharacterEnded(build, place, failure) => {
                self.tell(*build, |book| book.character_ended(*place, failure.clone()));
            }
            Effect::BuildEnded(build) => {
                let now_ms = self.now_ms;
                self.tell(*build, |book| book.build_ended(now_ms));
                self.forget_old();
            }
            Effect::Healing(key, blob) => {
                let message =
                    format!("blob {} was gone from the store; job {key} makes it again", blob.digest);
                self.notify(*key, "healed", &message);
            }
            Effect::Nondeterministic(key, job) => {
                self.flaw(*key, job.kind, job.version.clone());
            }
            Effect::Unsatisfiable(key, job) => {
                let message =
                    format!("no worker runs {} version {}: start one of this release", job.kind, job.version);
                self.notify(*key, "no-worker", &message);
            }
            Effect::Lost(held) => {
                let message = format!(
                    "{} was lost while it ran {}; the job runs again",
                    self.name(held.worker),
                    held.key
                );
                self.notify(held.key, "worker-lost", &message);
            }
            Effect::Lookup(_)
            | Effect::Lease(..)
            | Effect::Renewed(..)
            | Effect::Stop(_)
            | Effect::Rejected(_) => {}
        }
    }

    fn tell(&mut self, build: BuildId, tell: impl FnOnce(&mut Book)) {
        if let Some(book) = self.books.get_mut(&build) {
            tell(book);
            self.touched.insert(build);
        }
    }

    fn notify(&mut self, key: JobKey, code: &str, message: &str) {
        for build in self.state.builds_of(key) {
            self.tell(build, |book| book.log.push(Told::Notice(code.into(), message.into())));
        }
    }

    fn flaw(&mut self, key: JobKey, kind: JobKind, version: String) {
        let message =
            format!("{kind} {key} gave two different results; results of its version are kept no more");
        self.flawed.insert((kind, version));
        self.notify(key, "nondeterministic", &message);
    }

    fn forget_old(&mut self) {
        let ended: Vec<_> =
            self.books.iter().filter(|(_, book)| book.ended_ms.is_some()).map(|(build, _)| *build).collect();
        let mut events: usize = ended.iter().map(|build| self.books[build].log.len()).sum();
        let mut count = ended.len();
        for build in ended {
            if count <= KEEP_BUILDS && events <= KEEP_EVENTS {
                break;
            }
            if let Some(book) = self.books.remove(&build) {
                self.requests.remove(&(Arc::clone(&book.tenant), Arc::clone(&book.request)));
                events -= book.log.len();
                count -= 1;
            }
        }
    }

    /// Whether the lease is held; with its job, and whether its result should be compared with what the cache has.
    pub fn held(&self, held: Held) -> Option<(Arc<plan::Job>, bool)> {
        self.state.held(held)
    }
}
