//! What happens between farm and workers: claims, renewals, losses, the passing of time.

use std::collections::BTreeMap;
use std::sync::Arc;

use plan::{FailureClass, JobFailure, JobKey};

use super::event::{Effect, Fence, Held, Lease, WorkerId};
use super::key::KeyStage;
use super::{Config, State, Turn};

/// How many fences one epoch has: more than any leader gives out.
const FENCE_BITS: u32 = 32;

impl Turn<'_> {
    /// One bundle for a worker: the first ready key in order and, while they are small, others of its character.
    pub(super) fn claim(&mut self, worker: WorkerId, fuse_us: u64) {
        let now_ms = self.now_ms;
        let Some(record) = self.state.workers.get_mut(&worker) else { return };
        record.seen_ms = now_ms;
        let Some(first) = self.state.queue.first(|key| self.state.suits(worker, key, now_ms)) else { return };
        let mut keys = vec![first];
        let mut total_us = self.state.expected_us(first);
        if total_us <= fuse_us {
            let place = self.state.keys.get(&first).and_then(|record| record.place.as_ref());
            let others = place.into_iter().flat_map(|place| self.state.queue.of_character(place));
            for key in others.filter(|key| *key != first) {
                total_us = total_us.saturating_add(self.state.expected_us(key));
                if total_us > fuse_us || keys.len() >= self.state.config.max_fused {
                    break;
                }
                if self.state.suits(worker, key, now_ms) {
                    keys.push(key);
                }
            }
        }
        let leases = keys.into_iter().filter_map(|key| self.lease(worker, key)).collect();
        self.effects.push(Effect::Lease(worker, leases));
    }

    fn lease(&mut self, worker: WorkerId, key: JobKey) -> Option<Lease> {
        let cost_us = self.state.expected_us(key);
        let until_ms = self.now_ms.saturating_add(self.state.config.lease_ms);
        self.state.fences += 1;
        let fence = Fence(self.state.fences);
        let record = self.state.keys.get_mut(&key)?;
        record.stage = KeyStage::Leased(worker, fence);
        record.attempts += 1;
        let place = record.place.take()?;
        let node = *record.waiters.first().or(record.nodes.first())?;
        let job = Arc::clone(&record.job);
        let waiters = record.waiters.clone();
        let inline = self.state.builds.get(&node.build).map(|build| build.inline_inputs(node.index));
        self.state.queue.remove(&place, key);
        self.state.queue.charge(&place, cost_us);
        self.state.set_due(key, Some(until_ms));
        self.effects.push(Effect::JobStarted(Held { worker, key, fence }, waiters));
        Some(Lease { key, fence, until_ms, job, inline: inline.unwrap_or_default(), node })
    }

    pub(super) fn renew(&mut self, all: Vec<Held>) {
        let until_ms = self.now_ms.saturating_add(self.state.config.lease_ms);
        let mut renewed = Vec::new();
        for held in all {
            if let Some(worker) = self.state.workers.get_mut(&held.worker) {
                worker.seen_ms = self.now_ms;
            }
            if self.state.holds(held) {
                self.state.set_due(held.key, Some(until_ms));
                renewed.push(held);
            } else {
                self.effects.push(Effect::Stop(held));
            }
        }
        self.effects.push(Effect::Renewed(renewed, until_ms));
    }

    pub(super) fn worker_gone(&mut self, worker: WorkerId) {
        self.state.workers.remove(&worker);
        let leased = self.state.keys.iter().filter(|(_, record)| match record.stage {
            KeyStage::Leased(holder, _) => holder == worker,
            _ => false,
        });
        for key in leased.map(|(key, _)| *key).collect::<Vec<_>>() {
            self.lose(key);
        }
    }

    pub(super) fn lead(&mut self, epoch: u64, config: Config, weights: BTreeMap<Arc<str>, u64>) {
        let now_ms = self.now_ms;
        self.state.fences = self.state.fences.max(epoch << FENCE_BITS);
        self.state.queue.set_weights(weights);
        self.state.config = config;
        self.state.workers.values_mut().for_each(|worker| worker.seen_ms = now_ms);
        let under_way = self.state.keys.iter().filter_map(|(key, record)| match record.stage {
            KeyStage::LookingUp => Some((*key, true)),
            KeyStage::Leased(..) => Some((*key, false)),
            _ => None,
        });
        for (key, is_lookup) in under_way.collect::<Vec<_>>() {
            let config = &self.state.config;
            let last_ms = if is_lookup { config.lookup_ms } else { config.lease_ms };
            self.effects.extend(is_lookup.then_some(Effect::Lookup(key)));
            self.state.set_due(key, Some(now_ms.saturating_add(last_ms)));
        }
    }

    pub(super) fn tick(&mut self) {
        while let Some(&(due_ms, key)) = self.state.due.first().filter(|(due, _)| *due <= self.now_ms) {
            let config = &self.state.config;
            let (again_ms, unsatisfiable_ms) = (config.lookup_ms, config.unsatisfiable_ms);
            let Some(record) = self.state.keys.get(&key) else {
                self.state.due.remove(&(due_ms, key));
                continue;
            };
            match record.stage {
                KeyStage::LookingUp => {
                    self.effects.push(Effect::Lookup(key));
                    self.state.set_due(key, Some(self.now_ms.saturating_add(again_ms.max(1))));
                }
                KeyStage::Leased(..) => {
                    self.state.set_due(key, None);
                    self.lose(key);
                }
                KeyStage::Delayed => self.make_ready(key),
                KeyStage::Ready => {
                    self.state.set_due(key, Some(self.now_ms.saturating_add(unsatisfiable_ms.max(1))));
                    self.end_unsatisfiable(key);
                }
                _ => self.state.set_due(key, None),
            }
        }
    }

    /// A key that has waited for so long, though there are workers, and none of them is able to run it, fails. While
    /// there is no worker at all it waits on: the first one may be on its way.
    fn end_unsatisfiable(&mut self, key: JobKey) {
        let alive = self.state.alive(self.now_ms);
        let Some(record) = self.state.keys.get(&key) else { return };
        if alive.iter().any(|worker| self.state.covers(*worker, key)) {
            return;
        }
        let job = Arc::clone(&record.job);
        if !record.reported {
            self.effects.push(Effect::Unsatisfiable(key, Arc::clone(&job)));
            if let Some(record) = self.state.keys.get_mut(&key) {
                record.reported = true;
            }
        }
        if !alive.is_empty() {
            let message = format!(
                "no worker runs {} version {}, and there are {} that run other versions: \
                 start one of this release",
                job.kind,
                job.version,
                alive.len()
            );
            let (class, code) = (FailureClass::Unsatisfiable, "no-worker".to_owned());
            self.die(key, &JobFailure { class, code, message });
        }
    }
}

impl State {
    fn expected_us(&self, key: JobKey) -> u64 {
        self.keys.get(&key).map_or(0, |record| self.costs.of(record.job.kind, record.job.input_bytes()))
    }

    fn holds(&self, held: Held) -> bool {
        self.keys.get(&held.key).is_some_and(|record| record.is_held(held))
    }

    /// Whether a worker is able to run a key, and is not one that failed it while others are able too.
    fn suits(&self, worker: WorkerId, key: JobKey, now_ms: u64) -> bool {
        let Some(record) = self.keys.get(&key).filter(|_| self.covers(worker, key)) else { return false };
        let fresh = |other: WorkerId| !record.failed_on.contains(&other) && self.covers(other, key);
        !record.failed_on.contains(&worker) || !self.alive(now_ms).into_iter().any(fresh)
    }

    fn covers(&self, worker: WorkerId, key: JobKey) -> bool {
        let record = self.keys.get(&key).zip(self.workers.get(&worker));
        record.is_some_and(|(record, worker)| worker.capabilities.cover(&record.job))
    }

    fn alive(&self, now_ms: u64) -> Vec<WorkerId> {
        let since = now_ms.saturating_sub(self.config.worker_ms);
        self.workers.iter().filter(|(_, worker)| worker.seen_ms >= since).map(|(id, _)| *id).collect()
    }
}
