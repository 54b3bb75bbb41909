//! What happens to keys: looked up, made ready, finished, failed, lost, healed, forgotten.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use canonical::BlobRef;
use plan::{ActionResult, FailureClass, Job, JobFailure, JobKey};
use serde::{Deserialize, Serialize};

use super::event::{BuildId, Effect, Fence, Found, Held, NodeId, NodeState, Reason, WorkerId};
use super::node::Step;
use super::queue::{Place, Rank};
use super::{State, Turn, share};

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeyRecord {
    pub(super) job: Arc<Job>,
    pub(super) stage: KeyStage,
    /// Nodes of live builds that ever resolved to this key.
    pub(super) nodes: Vec<NodeId>,
    /// Those of them that wait for it, first come first.
    pub(super) waiters: Vec<NodeId>,
    /// Keys that wait for this one to make lost bytes again.
    pub(super) healing: Vec<JobKey>,
    /// When something is due (an entry of [`State::due`]).
    pub(super) due_ms: Option<u64>,
    /// Place in the queue while ready.
    pub(super) place: Option<Place>,
    /// Why it runs, if it does.
    pub(super) why: Reason,
    /// Whether the present result came from a run.
    pub(super) ran: bool,
    pub(super) attempts: u32,
    pub(super) losses: u32,
    pub(super) lost_on: BTreeSet<WorkerId>,
    pub(super) failed_on: BTreeSet<WorkerId>,
    pub(super) heals: u32,
    /// A result known before the present run, to compare with.
    #[serde(with = "share::maybe_result")]
    pub(super) previous: Option<Arc<ActionResult>>,
    pub(super) reported: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum KeyStage {
    Idle,
    LookingUp,
    Ready,
    Leased(WorkerId, Fence),
    Delayed,
    Healing(BTreeSet<JobKey>),
    Done(#[serde(with = "share::result")] Arc<ActionResult>),
    Dead(JobFailure),
}

impl KeyRecord {
    fn new(job: Job) -> Self {
        Self {
            job: Arc::new(job),
            stage: KeyStage::Idle,
            nodes: Vec::new(),
            waiters: Vec::new(),
            healing: Vec::new(),
            due_ms: None,
            place: None,
            why: Reason::NotInCache,
            ran: false,
            attempts: 0,
            losses: 0,
            lost_on: BTreeSet::new(),
            failed_on: BTreeSet::new(),
            heals: 0,
            previous: None,
            reported: false,
        }
    }

    pub(super) fn is_held(&self, held: Held) -> bool {
        match self.stage {
            KeyStage::Leased(worker, fence) => (worker, fence) == (held.worker, held.fence),
            _ => false,
        }
    }

    fn unneeded(&self) -> bool {
        self.waiters.is_empty() && self.healing.is_empty()
    }
}

impl State {
    pub(super) fn set_due(&mut self, key: JobKey, due_ms: Option<u64>) {
        let Some(record) = self.keys.get_mut(&key) else { return };
        if let Some(old) = record.due_ms.take() {
            self.due.remove(&(old, key));
        }
        record.due_ms = due_ms;
        self.due.extend(due_ms.map(|due| (due, key)));
    }

    /// The key that makes a blob which `key` reads, as far as live builds know.
    fn producer_of(&self, key: JobKey, blob: &BlobRef) -> Option<JobKey> {
        let nodes = &self.keys.get(&key)?.nodes;
        let known = nodes.iter().filter_map(|id| Some((id.index, self.builds.get(&id.build)?)));
        known.filter_map(|(index, build)| build.producer(index, blob)).next()
    }

    /// Whether `producer` may run again for `consumer`: not too often, and not when it waits for the consumer itself.
    fn can_heal(&self, producer: JobKey, consumer: JobKey) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![producer];
        while let Some(key) = open.pop() {
            if key == consumer {
                return false;
            }
            let record = self.keys.get(&key).filter(|_| seen.insert(key));
            if let Some(KeyStage::Healing(on)) = record.map(|record| &record.stage) {
                open.extend(on);
            }
        }
        self.keys.get(&producer).is_some_and(|record| record.heals < self.config.max_heals)
    }

    /// The best place among those of all who wait for a key.
    fn place_of(&self, key: JobKey) -> Option<Place> {
        let mut best: Option<Place> = None;
        let mut seen = BTreeSet::new();
        let mut open = vec![key];
        while let Some(key) = open.pop() {
            let Some(record) = self.keys.get(&key).filter(|_| seen.insert(key)) else { continue };
            open.extend(&record.healing);
            for waiter in &record.waiters {
                let Some(build) = self.builds.get(&waiter.build) else { continue };
                let node = &build.nodes[waiter.index as usize];
                let path_us = std::cmp::Reverse(node.path_us);
                let rank = Rank { build: build.order, character: node.character, path_us };
                let place = Place { band: build.band, tenant: Arc::clone(&build.tenant), rank };
                best = Some(best.map_or_else(|| place.clone(), |best| best.min(place.clone())));
            }
        }
        best
    }
}

impl Turn<'_> {
    /// A node resolved to a key.
    pub(super) fn attach(&mut self, id: NodeId, key: JobKey, job: Job, read_cache: bool) {
        let record = self.state.keys.entry(key).or_insert_with(|| KeyRecord::new(job));
        let is_known_here = record.nodes.iter().any(|node| node.build == id.build);
        record.nodes.push(id);
        match &record.stage {
            KeyStage::Done(result) if is_known_here && (read_cache || record.ran) => {
                let reason = if record.ran { Reason::Shared } else { Reason::InCache };
                self.todo.push(Step::Deliver(id, Arc::clone(result), NodeState::Hit, reason));
            }
            // For another build it is looked up: what has been lost meanwhile is made again for whoever asks again.
            KeyStage::Done(result) => {
                record.previous = Some(Arc::clone(result));
                record.waiters.push(id);
                self.start(key, read_cache);
            }
            KeyStage::Dead(failure)
                if matches!(failure.class, FailureClass::Deterministic | FailureClass::Poison) =>
            {
                self.todo.push(Step::Fail(id, failure.clone(), Reason::Own));
            }
            KeyStage::Dead(_) => {
                (record.attempts, record.reported) = (0, false);
                record.waiters.push(id);
                self.start(key, read_cache);
            }
            KeyStage::Idle => {
                record.waiters.push(id);
                self.start(key, read_cache);
            }
            KeyStage::Ready => {
                record.waiters.push(id);
                self.replace(key);
            }
            KeyStage::LookingUp | KeyStage::Leased(..) | KeyStage::Delayed | KeyStage::Healing(_) => {
                record.waiters.push(id);
            }
        }
    }

    /// A node stops waiting for a key.
    pub(super) fn detach(&mut self, id: NodeId, key: JobKey) {
        let Some(record) = self.state.keys.get_mut(&key) else { return };
        record.waiters.retain(|waiter| *waiter != id);
        self.idle_if_unneeded(key);
    }

    /// The last waiter of a key may have left.
    fn idle_if_unneeded(&mut self, key: JobKey) {
        let Some(record) = self.state.keys.get_mut(&key).filter(|record| record.unneeded()) else { return };
        match &mut record.stage {
            KeyStage::Ready | KeyStage::Delayed => {
                record.stage = KeyStage::Idle;
                if let Some(place) = record.place.take() {
                    self.state.queue.remove(&place, key);
                }
                self.state.set_due(key, None);
            }
            KeyStage::Healing(producers) => {
                let producers = std::mem::take(producers);
                record.stage = KeyStage::Idle;
                self.heal_no_more(key, producers);
            }
            KeyStage::Leased(worker, fence) => {
                self.effects.push(Effect::Stop(Held { worker: *worker, key, fence: *fence }));
            }
            KeyStage::Idle | KeyStage::LookingUp | KeyStage::Done(_) | KeyStage::Dead(_) => {}
        }
    }

    /// A key nobody worked at yet is looked up, or made ready when the cache does not count.
    fn start(&mut self, key: JobKey, read_cache: bool) {
        let Some(record) = self.state.keys.get_mut(&key) else { return };
        if read_cache {
            record.stage = KeyStage::LookingUp;
            self.effects.push(Effect::Lookup(key));
            self.state.set_due(key, Some(self.now_ms.saturating_add(self.state.config.lookup_ms)));
        } else {
            record.why = Reason::CacheNotRead;
            self.make_ready(key);
        }
    }

    pub(super) fn looked_up(&mut self, key: JobKey, found: Found) {
        let Some(record) = self.state.keys.get_mut(&key) else { return };
        if !matches!(record.stage, KeyStage::LookingUp) {
            return;
        }
        match found {
            Found::Hit(result) => {
                let job = &record.job;
                self.state.costs.observe(job.kind, job.input_bytes(), result.cost_us);
                let builds = &self.state.builds;
                let reads = |id: &NodeId| builds.get(&id.build).is_none_or(|build| build.read_cache);
                let (served, unserved) = record.waiters.drain(..).partition::<Vec<_>, _>(reads);
                record.waiters = unserved;
                record.why = Reason::CacheNotRead;
                record.previous = Some(Arc::clone(&result));
                let deliver = |id| Step::Deliver(id, Arc::clone(&result), NodeState::Hit, Reason::InCache);
                self.todo.extend(served.into_iter().rev().map(deliver));
                if record.unneeded() {
                    record.ran = false;
                    record.stage = KeyStage::Done(result);
                    self.state.set_due(key, None);
                    return;
                }
            }
            Found::Miss => record.why = Reason::NotInCache,
            Found::Incomplete => record.why = Reason::ResultIncomplete,
            Found::Unreadable => record.why = Reason::ResultUnreadable,
        }
        self.make_ready(key);
    }

    /// A key is to run as soon as a worker has room; or rests when nobody waits for it.
    pub(super) fn make_ready(&mut self, key: JobKey) {
        let place = self.state.place_of(key);
        let Some(record) = self.state.keys.get_mut(&key) else { return };
        let Some(place) = place else {
            record.stage = KeyStage::Idle;
            self.state.set_due(key, None);
            return;
        };
        record.stage = KeyStage::Ready;
        self.state.queue.insert(&place, key);
        record.place = Some(place);
        self.state.set_due(key, Some(self.now_ms.saturating_add(self.state.config.unsatisfiable_ms)));
    }

    /// Someone else waits for a ready key too: it may move forward.
    fn replace(&mut self, key: JobKey) {
        let place = self.state.place_of(key);
        let Some(record) = self.state.keys.get_mut(&key) else { return };
        if record.place != place {
            record.place.take().into_iter().for_each(|old| self.state.queue.remove(&old, key));
            place.iter().for_each(|new| self.state.queue.insert(new, key));
            record.place = place;
        }
    }

    /// The record behind a report, if the reporter holds the lease; else the report is rejected.
    fn held(&mut self, held: Held) -> Option<&mut KeyRecord> {
        if !self.state.keys.get(&held.key).is_some_and(|record| record.is_held(held)) {
            self.effects.push(Effect::Rejected(held));
            return None;
        }
        self.state.set_due(held.key, None);
        self.state.keys.get_mut(&held.key)
    }

    pub(super) fn complete(&mut self, held: Held, result: Arc<ActionResult>) {
        let Some(record) = self.held(held) else { return };
        let job = Arc::clone(&record.job);
        let previous = record.previous.replace(Arc::clone(&result));
        record.stage = KeyStage::Done(Arc::clone(&result));
        record.ran = true;
        let why = record.why.clone();
        let waiters = std::mem::take(&mut record.waiters);
        let consumers = std::mem::take(&mut record.healing);
        let gone = record.nodes.is_empty();
        self.state.costs.observe(job.kind, job.input_bytes(), result.cost_us);
        if previous.is_some_and(|old| old.outputs != result.outputs || old.subgraph != result.subgraph) {
            self.effects.push(Effect::Nondeterministic(held.key, job));
        }
        for (place, id) in waiters.into_iter().enumerate().rev() {
            let (state, reason) =
                if place == 0 { (NodeState::Run, why.clone()) } else { (NodeState::Hit, Reason::Shared) };
            self.todo.push(Step::Deliver(id, Arc::clone(&result), state, reason));
        }
        for consumer in consumers {
            self.healed(consumer, held.key);
        }
        if gone {
            self.state.keys.remove(&held.key);
        }
    }

    pub(super) fn fail(&mut self, held: Held, failure: JobFailure) {
        let config = self.state.config.clone();
        let now_ms = self.now_ms;
        let Some(record) = self.held(held) else { return };
        match failure.class {
            FailureClass::Transient if record.attempts < config.max_attempts => {
                record.failed_on.insert(held.worker);
                record.stage = KeyStage::Delayed;
                let due = now_ms.saturating_add(pause_ms(&config, held.key, record.attempts));
                self.state.set_due(held.key, Some(due));
                self.idle_if_unneeded(held.key);
                self.remove_if_gone(held.key);
            }
            FailureClass::Cancelled => self.give_back(held.key),
            _ => self.die(held.key, &failure),
        }
    }

    pub(super) fn release(&mut self, held: Held) {
        if self.held(held).is_some() {
            self.give_back(held.key);
        }
    }

    /// Back to ready without a mark against the key.
    fn give_back(&mut self, key: JobKey) {
        if let Some(record) = self.state.keys.get_mut(&key) {
            record.attempts = record.attempts.saturating_sub(1);
            self.make_ready(key);
            self.remove_if_gone(key);
        }
    }

    /// Everyone who waits for the key, directly or for healing, gets the same failure.
    pub(super) fn die(&mut self, key: JobKey, failure: &JobFailure) {
        let mut open = vec![key];
        while let Some(key) = open.pop() {
            let Some(record) = self.state.keys.get_mut(&key) else { continue };
            let before = std::mem::replace(&mut record.stage, KeyStage::Dead(failure.clone()));
            if let Some(place) = record.place.take() {
                self.state.queue.remove(&place, key);
            }
            open.append(&mut record.healing);
            let waiters = std::mem::take(&mut record.waiters);
            let fail = |id| Step::Fail(id, failure.clone(), Reason::Own);
            self.todo.extend(waiters.into_iter().rev().map(fail));
            self.state.set_due(key, None);
            if let KeyStage::Healing(producers) = before {
                self.heal_no_more(key, producers);
            }
            self.remove_if_gone(key);
        }
    }

    /// A key does not wait for these producers any more.
    fn heal_no_more(&mut self, consumer: JobKey, producers: BTreeSet<JobKey>) {
        for producer in producers {
            if let Some(record) = self.state.keys.get_mut(&producer) {
                record.healing.retain(|key| *key != consumer);
                self.idle_if_unneeded(producer);
            }
        }
    }

    pub(super) fn retry(&mut self, key: JobKey) {
        let Some(record) = self.state.keys.get_mut(&key) else { return };
        if matches!(record.stage, KeyStage::Dead(_)) {
            record.stage = KeyStage::Idle;
            (record.attempts, record.losses, record.heals) = (0, 0, 0);
            record.lost_on.clear();
            record.failed_on.clear();
            self.remove_if_gone(key);
        }
    }

    /// A worker died or fell silent.
    pub(super) fn lose(&mut self, key: JobKey) {
        let config = self.state.config.clone();
        let Some(record) = self.state.keys.get_mut(&key) else { return };
        let KeyStage::Leased(worker, fence) = record.stage else { return };
        record.losses += 1;
        record.lost_on.insert(worker);
        let held = Held { worker, key, fence };
        let (losses, workers) = (record.losses, record.lost_on.len());
        let poison = losses >= config.poison_losses && workers >= 2 || losses >= config.poison_losses_alone;
        let kind = record.job.kind;
        self.effects.extend([Effect::Lost(held), Effect::Stop(held)]);
        if poison {
            let message =
                format!("{losses} times a worker died running {kind} {key} ({workers} workers): poison");
            let (class, code) = (FailureClass::Poison, "poison".to_owned());
            self.die(key, &JobFailure { class, code, message });
        } else {
            self.make_ready(key);
            self.remove_if_gone(key);
        }
    }

    /// Bytes named by a leased key are gone: whoever made them makes them again, and the key waits.
    pub(super) fn missing_inputs(&mut self, held: Held, blobs: &[BlobRef]) {
        let Some(record) = self.held(held) else { return };
        record.attempts = record.attempts.saturating_sub(1);
        let kind = record.job.kind;
        let mut producers = BTreeMap::new();
        for blob in blobs {
            let code = match self.state.producer_of(held.key, blob) {
                None => "input-lost",
                Some(producer) if !self.state.can_heal(producer, held.key) => "blob-lost",
                Some(producer) => {
                    producers.insert(producer, *blob);
                    continue;
                }
            };
            let message = format!("input {} of {kind} {} is gone from the store", blob.digest, held.key);
            self.die(held.key, &JobFailure::deterministic(code, message));
            return;
        }
        if producers.is_empty() {
            self.give_back(held.key);
            return;
        }
        if let Some(record) = self.state.keys.get_mut(&held.key) {
            record.stage = KeyStage::Healing(producers.keys().copied().collect());
        }
        for (producer, blob) in producers {
            self.effects.push(Effect::Healing(producer, blob));
            self.heal(producer, held.key);
        }
        self.idle_if_unneeded(held.key);
        self.remove_if_gone(held.key);
    }

    fn heal(&mut self, producer: JobKey, consumer: JobKey) {
        let Some(record) = self.state.keys.get_mut(&producer) else { return };
        record.healing.push(consumer);
        match &record.stage {
            KeyStage::Done(_) => {
                record.heals += 1;
                record.why = Reason::ResultIncomplete;
                self.make_ready(producer);
            }
            KeyStage::Idle => self.make_ready(producer),
            KeyStage::Dead(failure) => {
                let failure = failure.clone();
                self.die(producer, &failure);
            }
            _ => {}
        }
    }

    fn healed(&mut self, consumer: JobKey, producer: JobKey) {
        let Some(record) = self.state.keys.get_mut(&consumer) else { return };
        if let KeyStage::Healing(producers) = &mut record.stage {
            producers.remove(&producer);
            if producers.is_empty() {
                self.make_ready(consumer);
            }
        }
    }

    /// An ended build lets go of a key.
    pub(super) fn forget(&mut self, key: JobKey, build: BuildId) {
        if let Some(record) = self.state.keys.get_mut(&key) {
            record.nodes.retain(|node| node.build != build);
            self.remove_if_gone(key);
        }
    }

    /// Drops the record of a key that no live build knows, unless it is leased or poison.
    fn remove_if_gone(&mut self, key: JobKey) {
        let kept = |record: &KeyRecord| match &record.stage {
            KeyStage::Leased(..) => true,
            KeyStage::Dead(failure) => failure.class == FailureClass::Poison,
            _ => false,
        };
        if self.state.keys.get(&key).is_some_and(|record| record.nodes.is_empty() && !kept(record)) {
            self.state.set_due(key, None);
            self.state.keys.remove(&key);
        }
    }
}

/// Half to all of the doubled pause; where exactly follows from key and attempt, so that keys spread.
fn pause_ms(config: &super::Config, key: JobKey, attempt: u32) -> u64 {
    let doubled = config.backoff_ms.saturating_mul(1 << attempt.saturating_sub(1).min(20));
    let full = doubled.min(config.backoff_max_ms);
    let bytes = key.0.as_bytes();
    let spread = u64::from(bytes[(attempt % 32) as usize]);
    full / 2 + full / 2 * spread / 255
}
