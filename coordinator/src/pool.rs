//! The leader's loop: takes what has arrived, makes it part of the ledger, writes that to the journal, and only then
//! lets anything follow: answers, leases, events.
//!
//! Whatever arrives while a batch is being written makes up the next one, so the journal's pace is no limit on theirs.

mod audit;
mod commit;
mod message;
mod workers;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use plan::{ActionResult, JobKey};
use store::Store;
use tokio::sync::{mpsc, oneshot, watch};

use crate::journal::Journal;
use crate::ledger::{Answer, Entry, Ledger, Order, encode_entry};
use crate::metrics::{Metrics, count, set};
use crate::state::{BuildId, Effect, Event, Fence, Found, Held, Lease};

pub(crate) use message::{Ended, Gone, Handle, Message, Refusal, SyncAnswer, SyncCall};

use commit::RENEW;
use message::{Ask, AskBook};
use workers::{Poll, Workers};

/// Messages taken into one batch.
const BATCH: usize = 1024;
/// Keys looked up in one go.
const LOOKUPS: usize = 256;
/// How long a call of a worker waits for something to do.
const POLL_MS: u64 = 5_000;
/// How long a worker whose connection broke may take to come back.
const GRACE_MS: u64 = 500;
/// A worker that was answered and does not come back within this time is gone.
const SILENT_MS: u64 = 60_000;
/// The state hears at least so often that a worker is there.
const HEARD_MS: u64 = 20_000;
/// A lease that its worker has not heard of after this long is taken back.
const UNHEARD_MS: u64 = 3_000;
/// Leases are renewed in the journal when their last renewal is this old.
const RENEW_MS: u64 = 2_000;
/// What tenants may have at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// Unfinished builds of one tenant.
    pub builds: usize,
    /// Nodes in unfinished builds of one tenant.
    pub nodes: usize,
    /// Nodes in unfinished builds of all tenants.
    pub all_nodes: usize,
}

impl Default for Quotas {
    fn default() -> Self {
        Self { builds: 1_000, nodes: 1_000_000, all_nodes: 3_000_000 }
    }
}

/// Why a leader stopped.
#[derive(Debug)]
pub(crate) enum End {
    /// It was asked to; all is written.
    Stopped,
    /// Somebody else leads.
    Deposed,
    /// The journal cannot be used.
    Refused(String),
}

/// The leader.
pub(crate) struct Pool<'a, J> {
    pub(crate) journal: &'a mut J,
    pub(crate) ledger: Ledger,
    /// Bytes in the journal since its last snapshot.
    pub(crate) loaded: usize,
    pub(crate) store: Store,
    pub(crate) quotas: Quotas,
    /// Share of hits that are made again.
    pub(crate) audit: f64,
    pub(crate) metrics: Arc<Metrics>,
    /// Whether the journal takes what is written.
    pub(crate) ready: watch::Sender<bool>,
    /// To itself.
    pub(crate) own: mpsc::Sender<Message>,
    pub(crate) stop: watch::Receiver<bool>,
}

/// A leader at work.
struct Turn<'a, J> {
    pool: Pool<'a, J>,
    workers: Workers,
    /// Entries applied and not yet written.
    batch: Vec<u8>,
    /// What waits for the batch to be written.
    after: Vec<Ask>,
    finished: Vec<Poll>,
    lookups: Vec<JobKey>,
    watchers: BTreeMap<BuildId, Vec<(u64, AskBook)>>,
    /// Bytes in the journal since the last snapshot, and in that.
    written: usize,
    snapshot: usize,
    /// When the journal was last written to.
    committed: Instant,
    /// Whether the journal has lost what it was given.
    is_lost: bool,
}

impl<J: Journal> Pool<'_, J> {
    /// Leads until told to stop or deposed.
    pub(crate) async fn lead(self, first: Event, mut inbox: mpsc::Receiver<Message>) -> End {
        let mut stop = self.stop.clone();
        let mut turn = Turn::new(self);
        turn.happen(first);
        let mut messages = Vec::new();
        loop {
            if let Err(end) = turn.settle().await {
                return end;
            }
            let due = turn.pause();
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => break,
                _ = inbox.recv_many(&mut messages, BATCH) => {}
                () = tokio::time::sleep(due) => {}
            }
            messages.drain(..).for_each(|message| turn.take(message));
            turn.pass();
        }
        inbox.close();
        while let Ok(message) = inbox.try_recv() {
            turn.take(message);
        }
        turn.stop().await
    }
}

impl<'a, J: Journal> Turn<'a, J> {
    fn new(pool: Pool<'a, J>) -> Self {
        let mut workers = Workers::default();
        let now_ms = pool.journal.now_ms();
        let loaded = pool.loaded;
        pool.ledger.state().leased().for_each(|held| workers.granted(held, now_ms));
        let known = pool.ledger.state().workers();
        workers.gone.extend(known.map(|worker| (worker, now_ms + SILENT_MS)));
        Self {
            pool,
            workers,
            batch: Vec::new(),
            after: Vec::new(),
            finished: Vec::new(),
            lookups: Vec::new(),
            watchers: BTreeMap::new(),
            written: loaded,
            snapshot: 0,
            committed: Instant::now(),
            is_lost: false,
        }
    }

    fn now_ms(&self) -> u64 {
        self.pool.journal.now_ms().max(self.pool.ledger.now_ms())
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Submit(order, reply) => self.submit(order, reply),
            Message::Cancel(build) => self.happen(Event::Cancel(build)),
            Message::Retry(key) => self.happen(Event::Retry(key)),
            Message::Sync(call) => self.sync(*call),
            Message::SyncGone(worker, serial) => {
                if self.workers.is_last(worker, serial) {
                    let until_ms = self.now_ms() + GRACE_MS;
                    self.workers.gone.insert(worker, until_ms);
                }
                drop(self.workers.take(serial));
            }
            Message::Undelivered(leases) => leases.into_iter().for_each(|held| self.release(held)),
            Message::LookedUp(answers) => self.looked_up(answers),
            Message::Nondeterministic(key, kind, version) => {
                self.enter(Entry::Flawed(key, kind, version));
            }
            Message::Await(build, after, then) => self.watch(build, after, then),
            Message::Look(then) => self.after.push(then),
        }
    }

    fn submit(&mut self, order: Order, reply: oneshot::Sender<Result<BuildId, Refusal>>) {
        if let Err(refusal) = self.admit(&order) {
            count(&self.pool.metrics.submissions_refused_total, 1);
            let _ = reply.send(Err(refusal));
            return;
        }
        count(&self.pool.metrics.builds_submitted_total, 1);
        if let Answer::Build(build) = self.enter(Entry::Submit(order)) {
            self.after.push(Box::new(move |_| drop(reply.send(Ok(build)))));
        }
    }

    fn admit(&self, order: &Order) -> Result<(), Refusal> {
        let ledger = &self.pool.ledger;
        if ledger.requested(&order.tenant, &order.request).is_some() {
            return Ok(());
        }
        let tenant = &order.tenant;
        let open = ledger.books().filter(|(_, book)| book.ended_ms.is_none() && book.tenant == *tenant);
        let builds = open.count();
        if builds >= self.pool.quotas.builds {
            return Err(Refusal::Builds { tenant: Arc::clone(tenant), builds });
        }
        let new: usize = order.characters.iter().map(|(_, graph)| graph.nodes().len()).sum();
        let nodes = ledger.state().nodes_of(|other| other == &**tenant);
        if nodes + new > self.pool.quotas.nodes {
            return Err(Refusal::Nodes { tenant: Arc::clone(tenant), nodes });
        }
        if ledger.state().nodes_of(|_| true) + new > self.pool.quotas.all_nodes {
            return Err(Refusal::Farm);
        }
        Ok(())
    }

    fn sync(&mut self, call: SyncCall) {
        let now_ms = self.now_ms();
        let worker = match call.worker {
            None => match self.enter(Entry::Arrive(Arc::clone(&call.name), call.capabilities.clone())) {
                Answer::Worker(worker) => worker,
                _ => return,
            },
            Some(worker) => {
                let is_new = !self.pool.ledger.state().knows(worker, &call.capabilities);
                if self.workers.hears(worker, now_ms, HEARD_MS) || is_new {
                    self.enter(Entry::Return(worker, call.name, call.capabilities.clone()));
                }
                worker
            }
        };
        let _ = call.number.send(worker);
        self.workers.gone.insert(worker, now_ms + SILENT_MS);
        let is_last_word = call.bundles == 0 && !call.reports.is_empty();
        for (key, fence, ended) in call.reports {
            self.ended(Held { worker, key, fence: Fence(fence) }, ended);
        }
        let mut answer = SyncAnswer { worker: worker.0, ..SyncAnswer::default() };
        let mut renewed = Vec::new();
        for &(key, fence) in &call.held {
            if !self.workers.holds(worker, key, fence) {
                answer.stop.push((key, fence));
            } else if self.workers.renew(worker, key, now_ms.saturating_sub(RENEW_MS), now_ms) {
                renewed.push(Held { worker, key, fence: Fence(fence) });
            }
        }
        if !renewed.is_empty() {
            self.happen(Event::Renew(renewed));
        }
        let since_ms = now_ms.saturating_sub(UNHEARD_MS);
        for (key, fence) in self.workers.unheard(worker, since_ms, |lease| call.held.contains(lease)) {
            self.release(Held { worker, key, fence: Fence(fence) });
        }
        let until_ms = if is_last_word { now_ms } else { now_ms + POLL_MS };
        let (bundles, fuse_us, reply) = (call.bundles, call.fuse_us, call.reply);
        let poll = Poll { worker, bundles, fuse_us, until_ms, answer, reply };
        self.finished.extend(self.workers.park(call.serial, poll));
    }

    fn ended(&mut self, held: Held, ended: Ended) {
        self.workers.ended(held.worker, held.key, held.fence.0);
        let metrics = &self.pool.metrics;
        match &ended {
            Ended::Done(_) => count(&metrics.reports_done_total, 1),
            Ended::Failed(_) => count(&metrics.reports_failed_total, 1),
            Ended::Missing(_) | Ended::Released => {}
        }
        self.happen(match ended {
            Ended::Done(result) => Event::Complete(held, result),
            Ended::Failed(failure) => Event::Fail(held, failure),
            Ended::Missing(blobs) => Event::MissingInputs(held, blobs),
            Ended::Released => Event::Release(held),
        });
    }

    fn release(&mut self, held: Held) {
        self.workers.ended(held.worker, held.key, held.fence.0);
        self.happen(Event::Release(held));
    }

    fn watch(&mut self, build: BuildId, after: u64, then: AskBook) {
        let book = self.pool.ledger.book(build);
        if book.is_some_and(|book| (book.log.len() as u64) <= after && book.ended_ms.is_none()) {
            self.watchers.entry(build).or_default().push((after, then));
        } else {
            self.after.push(Box::new(move |ledger| then(ledger.book(build))));
        }
    }

    /// What time alone brings about.
    fn pass(&mut self) {
        let now_ms = self.now_ms();
        if self.pool.ledger.state().next_due_ms().is_some_and(|due_ms| due_ms <= now_ms) {
            self.happen(Event::Tick);
        }
        let gone = self.workers.gone.iter().filter(|(_, until_ms)| **until_ms <= now_ms);
        for worker in gone.map(|(worker, _)| *worker).collect::<Vec<_>>() {
            self.workers.forget(worker);
            self.happen(Event::WorkerGone(worker));
        }
    }

    fn happen(&mut self, event: Event) {
        self.enter(Entry::Happen(event));
    }

    fn enter(&mut self, entry: Entry) -> Answer {
        self.enter_for(entry, None)
    }

    /// Makes an entry part of ledger and batch, and follows what is not for books.
    fn enter_for(&mut self, entry: Entry, mut claimed: Option<&mut Vec<Lease>>) -> Answer {
        let now_ms = self.now_ms();
        if self.pool.journal.keeps() {
            encode_entry(&mut self.batch, &entry, now_ms);
        }
        let (answer, effects) = self.pool.ledger.apply(entry, now_ms);
        for effect in effects {
            match (effect, &mut claimed) {
                (Effect::Lease(worker, leases), Some(claimed)) => {
                    count(&self.pool.metrics.leases_total, leases.len() as u64);
                    for Lease { key, fence, .. } in &leases {
                        self.workers.granted(Held { worker, key: *key, fence: *fence }, now_ms);
                    }
                    claimed.extend(leases);
                }
                (effect, _) => self.follow(effect),
            }
        }
        answer
    }

    fn follow(&mut self, effect: Effect) {
        let metrics = &self.pool.metrics;
        match effect {
            Effect::Lookup(key) => self.lookups.push(key),
            Effect::Stop(held) => self.workers.stop(held),
            Effect::Rejected(held) => {
                count(&metrics.reports_rejected_total, 1);
                tracing::info!(worker = held.worker.0, job = %held.key, "report without a lease");
            }
            Effect::Lost(held) => {
                count(&metrics.leases_lost_total, 1);
                tracing::warn!(worker = held.worker.0, job = %held.key, "worker lost");
            }
            Effect::BuildEnded(build) => {
                count(&metrics.builds_ended_total, 1);
                tracing::info!(build = build.0, "build ended");
            }
            Effect::Healing(key, blob) => {
                count(&metrics.healed_total, 1);
                tracing::warn!(job = %key, blob = %blob.digest, "blob gone; its job runs again");
            }
            Effect::Nondeterministic(key, job) => {
                count(&metrics.nondeterministic_total, 1);
                tracing::error!(job = %key, kind = %job.kind, version = job.version, "two different results");
            }
            Effect::Unsatisfiable(key, job) => {
                count(&metrics.unsatisfiable_total, 1);
                tracing::warn!(job = %key, kind = %job.kind, version = job.version, "no worker can run this");
            }
            Effect::Lease(..)
            | Effect::Renewed(..)
            | Effect::NodePlanned { .. }
            | Effect::JobStarted(..)
            | Effect::NodeEnded(_)
            | Effect::CharacterEnded(..) => {}
        }
    }

    /// Gives ready jobs to waiting workers, a bundle to each in turn.
    fn give_out(&mut self) {
        let mut serials: Vec<u64> = self
            .workers
            .polls
            .iter()
            .filter(|(_, poll)| poll.bundles > 0)
            .map(|(serial, _)| *serial)
            .collect();
        while self.pool.ledger.state().ready() > 0 && !serials.is_empty() {
            serials.retain(|serial| self.claim(*serial));
        }
    }

    /// One bundle; whether more may follow.
    fn claim(&mut self, serial: u64) -> bool {
        let Some(poll) = self.workers.polls.get(&serial) else { return false };
        if self.pool.ledger.state().ready() == 0 || poll.bundles as usize <= poll.answer.bundles.len() {
            return false;
        }
        let (worker, fuse_us) = (poll.worker, poll.fuse_us);
        let mut leases = Vec::new();
        self.enter_for(Entry::Happen(Event::Claim { worker, fuse_us }), Some(&mut leases));
        let given = !leases.is_empty();
        if let Some(poll) = self.workers.polls.get_mut(&serial)
            && given
        {
            poll.answer.bundles.push(leases);
        }
        given
    }

    /// Writes the batch and lets follow what waited for it.
    async fn settle(&mut self) -> Result<(), End> {
        self.give_out();
        let now_ms = self.now_ms();
        let due = self.workers.polls.iter().filter(|(_, poll)| poll.has_news() || poll.until_ms <= now_ms);
        for serial in due.map(|(serial, _)| *serial).collect::<Vec<_>>() {
            self.finished.extend(self.workers.take(serial));
        }
        self.commit().await?;
        for then in std::mem::take(&mut self.after) {
            then(&self.pool.ledger);
        }
        let mut lost = Vec::new();
        for poll in std::mem::take(&mut self.finished) {
            lost.extend(poll.finish());
        }
        if !lost.is_empty() {
            // Taken back with the next batch; should there be no room, the leases run out.
            let _ = self.pool.own.try_send(Message::Undelivered(lost));
        }
        self.tell_watchers();
        self.look_up();
        self.measure();
        self.save_if_due().await
    }

    fn tell_watchers(&mut self) {
        for build in self.pool.ledger.take_touched() {
            let Some(waiting) = self.watchers.remove(&build) else { continue };
            let book = self.pool.ledger.book(build);
            let events = book.map_or(u64::MAX, |book| book.log.len() as u64);
            let is_served = |after: u64| after < events || book.is_none_or(|book| book.ended_ms.is_some());
            let mut still = Vec::new();
            for (after, then) in waiting {
                if is_served(after) { then(book) } else { still.push((after, then)) }
            }
            if !still.is_empty() {
                self.watchers.insert(build, still);
            }
        }
    }

    fn look_up(&mut self) {
        while !self.lookups.is_empty() {
            let rest = self.lookups.split_off(self.lookups.len().min(LOOKUPS));
            let keys = std::mem::replace(&mut self.lookups, rest);
            let state = self.pool.ledger.state();
            let is_flawed = |key: &JobKey| {
                state.job(*key).is_some_and(|job| self.pool.ledger.is_flawed(job.kind, &job.version))
            };
            let flawed: Vec<bool> = keys.iter().map(is_flawed).collect();
            let (store, own) = (self.pool.store.clone(), self.pool.own.clone());
            let metrics = Arc::clone(&self.pool.metrics);
            tokio::spawn(async move {
                let mut answers = answer(&store, keys, &metrics).await;
                for ((_, found), flawed) in answers.iter_mut().zip(flawed) {
                    if flawed {
                        *found = Found::Miss;
                    }
                }
                // Without a leader the next one asks again.
                let _ = own.send(Message::LookedUp(answers)).await;
            });
        }
    }

    fn measure(&self) {
        let (metrics, ledger) = (&self.pool.metrics, &self.pool.ledger);
        let (ready, leased) = (ledger.state().ready(), self.workers.leased());
        set(&metrics.jobs_ready, ready);
        set(&metrics.jobs_leased, leased);
        set(&metrics.jobs_wanted, ready + leased);
        set(&metrics.workers, ledger.state().workers().count());
        set(&metrics.builds_open, ledger.state().builds());
    }

    /// Until the next thing is due.
    fn pause(&self) -> Duration {
        let due_ms = self.workers.due_ms().into_iter().chain(self.pool.ledger.state().next_due_ms()).min();
        let now_ms = self.pool.journal.now_ms();
        let due = due_ms.map(|due_ms| Duration::from_millis(due_ms.saturating_sub(now_ms)));
        due.unwrap_or(RENEW).min(RENEW)
    }

    /// Answers everybody, writes all, and lets somebody else lead.
    async fn stop(mut self) -> End {
        for serial in self.workers.polls.keys().copied().collect::<Vec<_>>() {
            self.finished.extend(self.workers.take(serial));
        }
        if let Err(end) = self.settle().await {
            return end;
        }
        if self.pool.journal.keeps()
            && let Err(end) = self.save().await
        {
            return end;
        }
        self.pool.journal.release().await;
        End::Stopped
    }
}

async fn answer(store: &Store, keys: Vec<JobKey>, metrics: &Metrics) -> Vec<(JobKey, Found)> {
    let digests: Vec<_> = keys.iter().map(|key| key.0).collect();
    metrics.lookups_total.fetch_add(keys.len() as u64, Ordering::Relaxed);
    let found = match store.get_actions(&digests).await {
        Ok(found) => found,
        Err(error) => {
            count(&metrics.store_failures_total, 1);
            tracing::error!(%error, "the cache is not read");
            vec![None; keys.len()]
        }
    };
    let found =
        found.into_iter().map(|action| match action.map(|action| ActionResult::decode(&action.payload)) {
            None => Found::Miss,
            Some(Ok(result)) => Found::Hit(Arc::new(result)),
            Some(Err(_)) => Found::Unreadable,
        });
    let answers: Vec<_> = keys.into_iter().zip(found).collect();
    let hits = answers.iter().filter(|(_, found)| matches!(found, Found::Hit(_))).count();
    count(&metrics.lookups_hit_total, hits as u64);
    answers
}
