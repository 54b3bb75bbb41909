//! One batch from inputs to summary.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use coordinator::embedded::{BuildEvent, BuildRequest, Farm, FarmConfig};
use coordinator::state::Outputs;
use pipeline::Pipeline;
use plan::{FailureClass, JobFailure};
use worker::memo::StepMemo;

use crate::args::{PoolArgs, StoreArgs};
use crate::art::ArtFiles;
use crate::build::deliverer::Deliverer;
use crate::build::interrupt;
use crate::build::reporter::{Reporter, Totals};
use crate::build::row::Row;
use crate::build::site::Site;
use crate::build::tally::Tally;
use crate::failure::Failure;
use crate::inputs::Character;
use crate::project::{self, Prepared, Recipe};
use crate::stores::{self, Purpose};

/// Threads that write finished characters into their folders.
const DELIVERY_THREADS: usize = 2;
/// Bytes of steps inside jobs that are kept in memory.
const MEMO_BYTES: usize = 128 << 20;
/// Times a batch is built when the cache turns out to have lost what a job reads: each round finds what the one before
/// could not know.
const HEALING_ROUNDS: usize = 8;
/// Failures for want of bytes that the cache once had.
const LOST: [&str; 2] = ["input-lost", "blob-lost"];

/// A batch's unchanging parts.
pub(crate) struct Batch<'a> {
    /// Where bundles go.
    pub(crate) out: &'a Path,
    /// Settings and targets.
    pub(crate) recipe: &'a Recipe,
    /// Whether cached results count.
    pub(crate) read_cache: bool,
    /// Codes that are not accepted.
    pub(crate) fail_on: &'a [String],
    /// Told of everything.
    pub(crate) reporter: &'a Reporter,
}

/// Cores of this machine.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Starts a farm over the asked-for cache, telling what cannot be had.
///
/// # Errors
/// Usage for store addresses, failed when the system refuses threads.
pub(crate) fn farm(
    stores: &StoreArgs,
    purpose: Purpose,
    pool: PoolArgs,
    reporter: &Reporter,
) -> Result<Farm, Failure> {
    let opened = stores::open(stores, purpose)?;
    for notice in &opened.notices {
        reporter.warn(None, "cache-not-used", &format!("going on without the cache: {notice}"));
    }
    let mut config = FarmConfig::for_cores(cores());
    config.slots = pool.slots.map_or(config.slots, |slots| slots as usize);
    config.threads = pool.threads.map_or(config.threads, |threads| threads as usize);
    // Without the cache's results its remembered steps do not count either.
    let memo = match stores.no_cache {
        true => StepMemo::in_memory(MEMO_BYTES),
        false => StepMemo::over(Arc::clone(&opened.cache), MEMO_BYTES),
    };
    Farm::new(config, opened.cache, Arc::new(Pipeline), Arc::new(memo))
        .map_err(|e| Failure::failed(e.to_string()))
}

/// What a delivery thread is to do next for the character at a place of the batch.
enum Task {
    /// Its bundle is made.
    Deliver(Outputs, Tally),
    /// Its pictures are made; the bundle was delivered before.
    Pictures(Outputs, Tally),
    /// It failed.
    Fail(Option<JobFailure>, Tally),
}

/// Queues of the delivery threads. What concerns one character is done in order by one thread.
struct Queues(Vec<Sender<(usize, Task)>>);

impl Queues {
    fn push(&self, place: usize, task: Task) {
        // The threads outlive the queues.
        let _ = self.0[place % self.0.len()].send((place, task));
    }
}

impl Batch<'_> {
    /// Builds and delivers the characters; each has its row in the result, in the order given.
    pub(crate) fn run(&self, farm: &dyn Site, characters: &[Character]) -> (Vec<Row>, Totals) {
        let started = Instant::now();
        let names: Vec<String> = characters.iter().map(|c| c.name.clone()).collect();
        self.reporter.started(&names, self.out);
        let art = Arc::new(ArtFiles::default());
        let mut ready = Vec::new();
        let mut rows = BTreeMap::new();
        for prepared in project::prepare(characters, self.recipe, &art, cores()) {
            match prepared {
                Ok(prepared) => ready.push(prepared),
                Err(refused) => {
                    let row = Row::failed(&refused.character, refused.code, refused.message);
                    self.reporter.character(&row);
                    rows.insert(refused.character.name, row);
                }
            }
        }
        let request = BuildRequest {
            characters: ready.iter().map(|p| (p.character.name.clone(), p.graph.clone())).collect(),
            sources: art,
            read_cache: self.read_cache,
        };
        let (built, mut totals) = self.build(farm, &request, &ready);
        rows.extend(built.into_iter().map(|row| (row.character.name.clone(), row)));
        let rows: Vec<Row> = characters.iter().filter_map(|c| rows.remove(&c.name)).collect();
        totals.seconds = started.elapsed().as_secs_f64();
        totals.interrupted = interrupt::is_asked();
        rows.iter().for_each(|row| totals.states[row.state as usize] += 1);
        (rows, totals)
    }

    /// Delivery has threads of its own: a finished character does not wait for the others. Characters that failed
    /// since the cache lost what they read are built again: now the loss is known, and what is lost is made again.
    fn build(&self, farm: &dyn Site, request: &BuildRequest, ready: &[Prepared]) -> (Vec<Row>, Totals) {
        let folders: BTreeSet<&Path> = ready.iter().map(|p| p.character.place.as_path()).collect();
        let nested = folders.iter().any(|f| f.ancestors().skip(1).any(|a| folders.contains(a)));
        let deliverer = Deliverer {
            farm,
            request,
            out: self.out,
            fail_on: self.fail_on,
            reporter: self.reporter,
            turn: nested.then(Mutex::default),
        };
        let rows = Mutex::new(Vec::new());
        let mut attempts = Attempts { totals: Totals::default(), delivered: BTreeSet::new() };
        std::thread::scope(|scope| {
            let start_thread = |_| {
                let (sender, receiver) = channel();
                let (deliverer, rows) = (&deliverer, &rows);
                scope.spawn(move || self.follow(deliverer, ready, &receiver, rows));
                sender
            };
            let queues = Queues((0..DELIVERY_THREADS.min(ready.len())).map(start_thread).collect());
            let mut places: Vec<usize> = (0..ready.len()).collect();
            for round in 1..=HEALING_ROUNDS {
                let may = round < HEALING_ROUNDS;
                places = self.attempt(farm, request, &places, may, &mut attempts, &queues);
            }
        });
        (rows.into_inner().unwrap_or_else(PoisonError::into_inner), attempts.totals)
    }

    /// One delivery thread.
    fn follow(
        &self,
        deliverer: &Deliverer,
        ready: &[Prepared],
        tasks: &Receiver<(usize, Task)>,
        rows: &Mutex<Vec<Row>>,
    ) {
        for (place, task) in tasks {
            let prepared = &ready[place];
            let row = match task {
                Task::Deliver(outputs, tally) => deliverer.deliver(place, prepared, &outputs, &tally),
                Task::Fail(failure, tally) => failed(&prepared.character, failure, &tally),
                Task::Pictures(outputs, tally) => {
                    deliverer.pictures(place, prepared, &outputs, &tally);
                    continue;
                }
            };
            self.reporter.character(&row);
            rows.lock().unwrap_or_else(PoisonError::into_inner).push(row);
        }
    }

    /// Builds the characters at `places` and passes on what is made: a bundle as soon as it is there, whatever else was
    /// asked for. Gives the characters to be built again, if they `may`.
    fn attempt(
        &self,
        farm: &dyn Site,
        request: &BuildRequest,
        places: &[usize],
        may: bool,
        attempts: &mut Attempts,
        queues: &Queues,
    ) -> Vec<usize> {
        let mut again = Vec::new();
        if places.is_empty() {
            return again;
        }
        let characters: Vec<_> = places.iter().map(|&place| request.characters[place].clone()).collect();
        let place_of: BTreeMap<String, usize> =
            characters.iter().zip(places).map(|((name, _), &place)| (name.clone(), place)).collect();
        let mut build = farm.build(BuildRequest { characters, ..request.clone() });
        interrupt::calls(Some(build.stopper()));
        let mut tallies: BTreeMap<Arc<str>, Tally> = BTreeMap::new();
        for event in build.by_ref() {
            self.reporter.see(&event);
            match event {
                BuildEvent::JobStarted { node, .. } => {
                    tallies.entry(node.character).or_insert_with(Tally::new);
                }
                BuildEvent::JobFinished { ref node, ref outputs, .. } => {
                    let tally = tallies.entry(Arc::clone(&node.character)).or_insert_with(Tally::new);
                    tally.see(&event);
                    if let (plan::character::BUNDLE, Some(outputs)) = (&*node.node, outputs)
                        && let Some(&place) = place_of.get(&*node.character)
                    {
                        attempts.delivered.insert(place);
                        queues.push(place, Task::Deliver(outputs.clone(), tally.clone()));
                    }
                }
                BuildEvent::CharacterFinished { place, character, failure, mut outputs } => {
                    let place = places[place];
                    let tally = tallies.remove(&character).unwrap_or_else(Tally::new);
                    let is_lost = failure.as_ref().is_some_and(|f| LOST.contains(&f.code.as_str()));
                    if attempts.delivered.contains(&place) {
                        let pictures = outputs.remove(plan::character::PREVIEW);
                        pictures
                            .into_iter()
                            .for_each(|p| queues.push(place, Task::Pictures(p, tally.clone())));
                        if let Some(failure) = failure.filter(|f| f.class != FailureClass::Cancelled) {
                            self.reporter.warn(Some(&character), &failure.code, &failure.message);
                        }
                    } else if let (true, true, Some(failure)) = (may, is_lost, &failure) {
                        let message = format!("{failure}; it is made again");
                        self.reporter.warn(Some(&character), "cache-healed", &message);
                        again.push(place);
                    } else {
                        queues.push(place, Task::Fail(failure, tally));
                    }
                }
                _ => {}
            }
        }
        interrupt::calls(None);
        attempts.totals.add(&build.wait());
        again
    }
}

/// What the rounds of a batch have in common.
struct Attempts {
    totals: Totals,
    /// Places of the characters whose bundles were passed on.
    delivered: BTreeSet<usize>,
}

fn failed(character: &Character, failure: Option<JobFailure>, tally: &Tally) -> Row {
    let (code, message) = match failure {
        Some(failure) if failure.class == FailureClass::Cancelled => {
            ("cancelled".to_owned(), failure.message)
        }
        Some(failure) => (failure.code, failure.message),
        None => ("not-delivered".to_owned(), "the build gave no bundle".to_owned()),
    };
    let row = Row::failed(character, &code, format!("{}: {message}", character.path.display()));
    Row { run: tally.run, cached: tally.cached, seconds: tally.since.elapsed().as_secs_f64(), ..row }
}
