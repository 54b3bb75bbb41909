//! From leases to reports: inputs are fetched, slots run jobs, what they made is left in the store.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use canonical::{BlobRef, Digest};
use futures::StreamExt;
use plan::{ActionResult, Executor, Job, JobFailure, Memo};
use proto::v1;
use proto::v1::report::What;
use tokio::sync::{Semaphore, mpsc};

use super::desk::{Desk, Ticket};
use super::shelf::{Shelf, Trouble};
use crate::run;

/// Blobs of one bundle fetched at once.
const FETCHES: usize = 16;
/// Inputs in memory are counted in units of this many bytes.
const UNIT: u64 = 1 << 20;
/// A slot reports after this long even when its bundle is not done.
const REPORT_AFTER: Duration = Duration::from_millis(1);
/// Jobs whose outputs are sent in one go.
const DEPOSIT: usize = 64;
/// Such goes at once.
const DEPOSITS: usize = 4;
/// The longest result that fits into a message beside others.
const MAX_RESULT: usize = 12 << 20;

/// A leased job.
pub(super) struct Leased {
    pub(super) ticket: Ticket,
    pub(super) job: Job,
    /// Inputs that came along.
    pub(super) inline: BTreeMap<Digest, Arc<[u8]>>,
}

/// Inputs by name.
type Inputs = BTreeMap<String, Arc<[u8]>>;

/// A bundle ready to run.
pub(super) struct Loaded {
    jobs: Vec<(Leased, Inputs)>,
    /// Holds its share of the memory for inputs.
    _room: tokio::sync::OwnedSemaphorePermit,
}

/// A job that was run.
pub(super) struct Ran {
    ticket: Ticket,
    job: Job,
    end: Result<Made, JobFailure>,
}

/// What a job made.
struct Made {
    result: ActionResult,
    blobs: Vec<(BlobRef, Arc<[u8]>)>,
}

/// Fetches the inputs of bundles.
#[derive(Clone)]
pub(super) struct Loader {
    pub(super) desk: Arc<Desk>,
    pub(super) shelf: Shelf,
    pub(super) room: Arc<Semaphore>,
    /// Units of `room` in all.
    pub(super) units: u32,
    pub(super) slots: std::sync::mpsc::Sender<Loaded>,
}

impl Loader {
    /// Until all that can run has gone to the slots and all that cannot is reported.
    pub(super) async fn load(self, bundle: Vec<Leased>) {
        let bytes: u64 = bundle.iter().map(|leased| leased.job.input_bytes()).sum();
        let units = (bytes / UNIT + 1).min(u64::from(self.units)) as u32;
        // Never closed.
        let Ok(room) = Arc::clone(&self.room).acquire_many_owned(units).await else { return };
        let mut jobs = Vec::new();
        let mut reports = Vec::new();
        for leased in bundle {
            if !self.desk.is_wanted(&leased.ticket) {
                continue;
            }
            match self.inputs(&leased).await {
                Ok(inputs) => jobs.push((leased, inputs)),
                Err(what) => {
                    tracing::warn!(job = %leased.ticket.key, kind = %leased.job.kind, "inputs cannot be had");
                    reports.push((leased.ticket, what));
                }
            }
        }
        self.desk.report(reports);
        if jobs.is_empty() || self.slots.send(Loaded { jobs, _room: room }).is_err() {
            self.desk.bundle_ended(None);
        }
    }

    async fn inputs(&self, leased: &Leased) -> Result<Inputs, What> {
        let mut inputs = Inputs::new();
        let mut wanted = Vec::new();
        for (name, blob) in &leased.job.inputs {
            match leased.inline.get(&blob.digest) {
                Some(bytes) => drop(inputs.insert(name.clone(), Arc::clone(bytes))),
                None => wanted.push((name.clone(), *blob)),
            }
        }
        let fetches = wanted.into_iter().map(|(name, blob)| {
            let shelf = self.shelf.clone();
            async move { (name, shelf.fetch(&blob).await) }
        });
        let fetched: Vec<_> = futures::stream::iter(fetches).buffered(FETCHES).collect().await;
        let mut gone = Vec::new();
        let mut away = None;
        for (name, found) in fetched {
            match found {
                Ok(bytes) => drop(inputs.insert(name, bytes)),
                Err(Trouble::Gone(blob)) => gone.push(blob.into()),
                Err(Trouble::Away(message)) => away = Some(message),
            }
        }
        match (gone.is_empty(), away) {
            (false, _) => Err(What::Missing(v1::MissingInputs { blobs: gone })),
            (true, Some(message)) => Err(failed(&JobFailure::transient("input-unreachable", message))),
            (true, None) => Ok(inputs),
        }
    }
}

/// What slots use to run jobs.
pub(super) struct Slot {
    pub(super) desk: Arc<Desk>,
    pub(super) pool: Arc<rayon::ThreadPool>,
    pub(super) executor: Arc<dyn Executor>,
    pub(super) memo: Arc<dyn Memo>,
    pub(super) ran: mpsc::UnboundedSender<Ran>,
}

impl Slot {
    /// Runs bundles until no more come.
    pub(super) fn work(&self, bundles: &std::sync::Mutex<Receiver<Loaded>>) {
        loop {
            let next = {
                let bundles = bundles.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                bundles.recv()
            };
            let Ok(bundle) = next else { return };
            let started = Instant::now();
            let mut rest = bundle.jobs.into_iter();
            while rest.len() > 0 {
                // Inside the pool nothing waits; what is made is handed on outside.
                let ran = self.pool.install(|| self.run_some(&mut rest));
                // Received until the process ends.
                ran.into_iter().for_each(|ran| drop(self.ran.send(ran)));
            }
            self.desk.bundle_ended(Some(started.elapsed()));
        }
    }

    /// Runs jobs of a bundle until it is time to report.
    fn run_some(&self, rest: &mut std::vec::IntoIter<(Leased, Inputs)>) -> Vec<Ran> {
        let first = Instant::now();
        let mut ran = Vec::new();
        for (leased, inputs) in rest {
            if !self.desk.begin(&leased.ticket) {
                continue;
            }
            let started = Instant::now();
            let outcome = run::run(&*self.executor, &leased.job, &inputs, &*self.memo);
            let cost_us = started.elapsed().as_micros() as u64;
            let end = outcome.map(|mut outcome| {
                let result = ActionResult::of(&outcome.outputs, outcome.subgraph.take(), cost_us);
                let made = outcome.outputs.into_values().zip(result.outputs.values());
                // What is inline travels with the result.
                let stored = made.filter(|(_, output)| output.inline.is_none());
                let blobs = stored.map(|(bytes, output)| (output.blob, Arc::from(bytes))).collect();
                Made { result, blobs }
            });
            ran.push(Ran { ticket: leased.ticket, job: leased.job, end });
            if first.elapsed() >= REPORT_AFTER {
                break;
            }
        }
        ran
    }
}

/// Leaves in the store what slots made and reports it, until all slots have ended.
pub(super) async fn deposit_all(desk: Arc<Desk>, shelf: Shelf, mut ran: mpsc::UnboundedReceiver<Ran>) {
    let turns = Arc::new(Semaphore::new(DEPOSITS));
    let mut some = Vec::new();
    while ran.recv_many(&mut some, DEPOSIT).await > 0 {
        let (desk, shelf, batch) = (Arc::clone(&desk), shelf.clone(), std::mem::take(&mut some));
        // Never closed. While all turns are taken, more come together into the next go.
        let Ok(turn) = Arc::clone(&turns).acquire_owned().await else { return };
        tokio::spawn(async move {
            let reports = deposit(&desk, &shelf, batch).await;
            desk.report(reports);
            drop(turn);
        });
    }
}

async fn deposit(desk: &Desk, shelf: &Shelf, batch: Vec<Ran>) -> Vec<(Ticket, What)> {
    let mut blobs: BTreeMap<BlobRef, Arc<[u8]>> = BTreeMap::new();
    let mut made = Vec::new();
    let mut reports = Vec::new();
    for ran in batch.into_iter().filter(|ran| desk.is_wanted(&ran.ticket)) {
        match ran.end {
            Ok(end) => {
                blobs.extend(end.blobs);
                made.push((ran.ticket, ran.job, end.result));
            }
            Err(failure) => {
                let (job, code) = (ran.ticket.key, &failure.code);
                tracing::warn!(%job, kind = %ran.job.kind, code, message = failure.message, "job failed");
                reports.push((ran.ticket, failed(&failure)));
            }
        }
    }
    let blobs: Vec<_> = blobs.into_iter().collect();
    let kept = shelf.deposit(&blobs).await;
    for (ticket, job, result) in made {
        reports.push((ticket, what_of(&ticket, &job, &result, &kept)));
    }
    reports
}

fn what_of(ticket: &Ticket, job: &Job, result: &ActionResult, kept: &Result<(), Trouble>) -> What {
    if let Err(trouble) = kept {
        let message = match trouble {
            Trouble::Away(message) => message.clone(),
            Trouble::Gone(blob) => format!("blob {} was lost while it was sent", blob.digest),
        };
        return failed(&JobFailure::transient("output-not-kept", message));
    }
    let encoded = result.encode();
    if encoded.len() > MAX_RESULT {
        let message = format!("{} gave {} outputs, too many to report", job.kind, result.outputs.len());
        return failed(&JobFailure::deterministic("result-too-large", message));
    }
    tracing::info!(job = %ticket.key, kind = %job.kind, micros = result.cost_us, "job done");
    What::Done(encoded)
}

fn failed(failure: &JobFailure) -> What {
    What::Failed(failure.into())
}
