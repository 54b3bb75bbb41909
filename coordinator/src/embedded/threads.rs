//! Loaders, slots and writers.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use canonical::{BlobRef, Digest};
use plan::{ActionResult, JobFailure, JobKey, Outcome};
use worker::cache::{Cache, CacheError};

use super::driver::{Driver, Message, Report, WORKER};
use super::lanes::{Inputs, Loaded, Lookup, Write};
use super::{FarmConfig, FarmError, Shared, Threads};
use crate::state::{Costs, Found, Held, Lease};

/// Threads that wait for the cache, of each sort.
const IO_THREADS: usize = 2;
/// A slot reports after this long even when its bundle is not done.
const REPORT_AFTER: Duration = Duration::from_millis(1);
/// Results written in one go.
const WRITE_BATCH: usize = 64;

pub(super) fn start(
    threads: &mut Threads,
    shared: &Arc<Shared>,
    driver: &Sender<Message>,
    inbox: Receiver<Message>,
    config: &FarmConfig,
) -> Result<(), FarmError> {
    let costs = shared.costs.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let state = Driver::new(Arc::clone(shared), config.clone(), costs);
    threads.workers.push(spawn("driver", move || state.run(&inbox))?);
    let add = |list: &mut Vec<_>, name: &str, work: fn(&Shared, &Sender<Message>)| -> Result<(), FarmError> {
        let (shared, driver) = (Arc::clone(shared), driver.clone());
        list.push(spawn(name, move || work(&shared, &driver))?);
        Ok(())
    };
    for _ in 0..IO_THREADS {
        add(&mut threads.workers, "lookup", look_up)?;
        add(&mut threads.workers, "load", load)?;
        add(&mut threads.writers, "write", write)?;
    }
    for _ in 0..config.slots.max(1) {
        add(&mut threads.workers, "slot", run)?;
    }
    Ok(())
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, FarmError> {
    Ok(std::thread::Builder::new().name(name.into()).spawn(work)?)
}

/// Sends to the driver, which outlives all lanes.
fn tell(driver: &Sender<Message>, message: Message) {
    let _ = driver.send(message);
}

fn look_up(shared: &Shared, driver: &Sender<Message>) {
    while let Some(keys) = shared.lookups.pop() {
        let answers = answer(shared, &keys, driver);
        tell(driver, Message::LookedUp(keys.into_iter().zip(answers).collect()));
    }
}

fn answer(shared: &Shared, keys: &Lookup, driver: &Sender<Message>) -> Vec<Found> {
    match shared.cache.get_actions(keys) {
        Ok(found) => found.into_iter().map(|encoded| found_in(encoded.as_deref())).collect(),
        Err(error) => {
            let message = format!("the cache is not read: {error}");
            tell(driver, Message::Trouble { code: "cache-not-read", message });
            vec![Found::Miss; keys.len()]
        }
    }
}

/// What an encoded result amounts to.
pub(super) fn found_in(encoded: Option<&[u8]>) -> Found {
    match encoded.map(ActionResult::decode) {
        None => Found::Miss,
        Some(Ok(result)) => Found::Hit(Arc::new(result)),
        Some(Err(_)) => Found::Unreadable,
    }
}

/// All inputs of a lease, if none of them must be fetched.
pub(super) fn inputs_at_hand(shared: &Shared, lease: &Lease) -> Option<Inputs> {
    let inputs = lease.job.inputs.iter();
    inputs.map(|(name, blob)| Some((name.clone(), at_hand(shared, lease, blob)?))).collect()
}

fn at_hand(shared: &Shared, lease: &Lease, blob: &BlobRef) -> Option<Arc<[u8]>> {
    lease.inline.get(&blob.digest).cloned().or_else(|| shared.memory.get(blob))
}

fn load(shared: &Shared, driver: &Sender<Message>) {
    while let Some(bundle) = shared.loads.pop() {
        let mut loaded = Vec::new();
        let mut reports = Vec::new();
        for lease in bundle {
            match fetch_inputs(shared, &lease, driver) {
                Ok(inputs) => loaded.push((lease, inputs)),
                Err(report) => reports.push(report),
            }
        }
        let bundle_ended = loaded.is_empty();
        if !bundle_ended {
            shared.runs.push(loaded);
        }
        tell(driver, Message::Reports { reports, bundle_ended });
    }
}

fn fetch_inputs(shared: &Shared, lease: &Lease, driver: &Sender<Message>) -> Result<Inputs, Report> {
    let mut inputs = BTreeMap::new();
    let mut gone = Vec::new();
    for (name, blob) in &lease.job.inputs {
        if let Some(bytes) = at_hand(shared, lease, blob) {
            inputs.insert(name.clone(), bytes);
            continue;
        }
        let read =
            read_source(shared, lease, blob).map_err(|failure| Report::Failed(held(lease), failure))?;
        match read.map_or_else(|| shared.cache.get_blob(blob), Ok) {
            Ok(bytes) => {
                shared.memory.read(*blob, &bytes);
                inputs.insert(name.clone(), bytes);
            }
            Err(error) => {
                // Also when the store does not answer: what it cannot give is made again.
                if let CacheError::Failed(_) = error {
                    let message = format!("the cache is not read: {error}");
                    tell(driver, Message::Trouble { code: "cache-not-read", message });
                }
                gone.push(*blob);
            }
        }
    }
    if gone.is_empty() { Ok(inputs) } else { Err(Report::Missing(held(lease), gone)) }
}

fn read_source(shared: &Shared, lease: &Lease, blob: &BlobRef) -> Result<Option<Arc<[u8]>>, JobFailure> {
    let sources: Vec<_> = {
        let all = shared.lock_sources();
        let own = all.get(&lease.node.build).into_iter();
        let others = all.iter().filter(|(build, _)| **build != lease.node.build).map(|(_, sources)| sources);
        own.chain(others).cloned().collect()
    };
    let Some(read) = sources.into_iter().find_map(|sources| sources.read(blob)) else { return Ok(None) };
    let bytes = read.map_err(|message| JobFailure::deterministic("source-unreadable", message))?;
    if BlobRef::of(&bytes) != *blob {
        let message = "the file changed while it was being built: build again".to_owned();
        return Err(JobFailure::deterministic("source-changed", message));
    }
    Ok(Some(bytes))
}

fn held(lease: &Lease) -> Held {
    Held { worker: WORKER, key: lease.key, fence: lease.fence }
}

/// A job that was run.
struct Ran {
    held: Held,
    end: Result<(Arc<ActionResult>, Outcome), JobFailure>,
}

fn run(shared: &Shared, driver: &Sender<Message>) {
    while let Some(bundle) = shared.runs.pop() {
        let mut rest = bundle.into_iter();
        while rest.len() > 0 {
            // Inside the pool nothing waits; what is made is handed on outside.
            let ran = shared.pool.install(|| run_some(shared, &mut rest));
            let reports = ran.into_iter().map(|ran| deposit(shared, ran)).collect();
            tell(driver, Message::Reports { reports, bundle_ended: rest.len() == 0 });
        }
    }
}

/// Runs jobs of a bundle until it is time to report.
fn run_some(shared: &Shared, rest: &mut <Loaded as IntoIterator>::IntoIter) -> Vec<Ran> {
    let first = Instant::now();
    let mut ran = Vec::new();
    for (lease, inputs) in rest {
        let started = Instant::now();
        let end = worker::run::run(&*shared.executor, &lease.job, &inputs, &*shared.memo);
        let cost_us = started.elapsed().as_micros() as u64;
        let end = end.map(|mut outcome| {
            let result = ActionResult::of(&outcome.outputs, outcome.subgraph.take(), cost_us);
            (Arc::new(result), outcome)
        });
        ran.push(Ran { held: held(&lease), end });
        if first.elapsed() >= REPORT_AFTER {
            break;
        }
    }
    ran
}

/// Passes what a job made on to readers and writers.
fn deposit(shared: &Shared, ran: Ran) -> Report {
    let (result, outcome) = match ran.end {
        Ok(end) => end,
        Err(failure) => return Report::Failed(ran.held, failure),
    };
    let mut made = Vec::new();
    let mut blobs = Vec::new();
    for (bytes, output) in outcome.outputs.into_values().zip(result.outputs.values()) {
        // What is inline travels with the result.
        if output.inline.is_none() {
            let bytes: Arc<[u8]> = bytes.into();
            made.push((output.blob, Arc::clone(&bytes)));
            blobs.push(bytes);
        }
    }
    shared.memory.made(&made);
    let ticket = keep_later(shared, ran.held.key, &result, blobs);
    Report::Done(ran.held, result, ticket)
}

fn write(shared: &Shared, driver: &Sender<Message>) {
    loop {
        let batch = shared.writes.pop_some(WRITE_BATCH);
        if batch.is_empty() {
            return;
        }
        match keep(shared, &batch) {
            Ok(()) => shared.memory.saved(batch.iter().flat_map(|write| write.result.stored_blobs())),
            Err(error) => {
                shared.memory.set_adrift();
                let message = format!("results are not kept for the next build: {error}");
                tell(driver, Message::Trouble { code: "cache-not-written", message });
            }
        }
        batch.iter().for_each(|write| tell(driver, Message::Written(write.ticket)));
    }
}

/// Blobs first: a result is only ever seen with all it names.
fn keep(shared: &Shared, batch: &[Write]) -> Result<(), CacheError> {
    let blobs: Vec<_> = batch.iter().flat_map(|write| &write.blobs).cloned().collect();
    if !blobs.is_empty() {
        shared.cache.put_blobs(&blobs)?;
    }
    for write in batch {
        let named: Vec<_> = write.result.stored_blobs().collect();
        shared.cache.put_action(write.key, &write.result.encode(), &named)?;
    }
    Ok(())
}

/// Hands a result to the writers; gives its ticket.
fn keep_later(shared: &Shared, key: JobKey, result: &Arc<ActionResult>, blobs: Vec<Arc<[u8]>>) -> u64 {
    let ticket = shared.tickets.fetch_add(1, Ordering::Relaxed);
    shared.writes.push(Write { ticket, key, result: Arc::clone(result), blobs });
    ticket
}

/// Costs are kept as the result of a job that nobody can ask for.
fn costs_key() -> JobKey {
    JobKey(Digest::of(b"rigfarm costs 1"))
}

/// What earlier builds learned about costs.
pub(super) fn recall_costs(cache: &dyn Cache) -> Costs {
    let recall = || {
        let encoded = cache.get_actions(&[costs_key()]).ok()?.pop()??;
        let result = ActionResult::decode(&encoded).ok()?;
        let text = String::from_utf8(result.outputs.get("costs")?.inline.clone()?).ok()?;
        Some(Costs::decode(&text))
    };
    recall().unwrap_or_default()
}

/// Lets everyone see what was learned about costs, and later builds too; gives the ticket of that.
pub(super) fn publish_costs(shared: &Shared, costs: &Costs) -> u64 {
    *shared.costs.lock().unwrap_or_else(PoisonError::into_inner) = costs.clone();
    let outputs = BTreeMap::from([("costs".to_owned(), costs.encode().into_bytes())]);
    keep_later(shared, costs_key(), &Arc::new(ActionResult::of(&outputs, None, 0)), Vec::new())
}
