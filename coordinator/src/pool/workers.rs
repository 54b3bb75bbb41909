//! What the leader knows of its workers beyond the state: who waits for an answer, and who was given what. Nothing of
//! this outlives the leadership; leases do, in the state.

use std::collections::BTreeMap;

use plan::JobKey;
use tokio::sync::oneshot;

use super::message::SyncAnswer;
use crate::state::{Held, Lease, WorkerId};

/// A worker that waits for work or for word to stop.
pub(super) struct Poll {
    pub(super) worker: WorkerId,
    pub(super) bundles: u32,
    pub(super) fuse_us: u64,
    pub(super) until_ms: u64,
    pub(super) answer: SyncAnswer,
    pub(super) reply: oneshot::Sender<SyncAnswer>,
}

impl Poll {
    pub(super) fn has_news(&self) -> bool {
        !self.answer.bundles.is_empty() || !self.answer.stop.is_empty()
    }

    /// Hands the answer over; gives back leases that reached nobody.
    pub(super) fn finish(self) -> Vec<Held> {
        let worker = self.worker;
        let Err(answer) = self.reply.send(self.answer) else { return Vec::new() };
        let leases = answer.bundles.into_iter().flatten();
        leases.map(|Lease { key, fence, .. }| Held { worker, key, fence }).collect()
    }
}

/// A lease as its worker may know it.
#[derive(Clone, Copy, Debug)]
struct Granted {
    fence: u64,
    at_ms: u64,
    renewed_ms: u64,
}

/// Everything about workers.
#[derive(Default)]
pub(super) struct Workers {
    /// In order of arrival.
    pub(super) polls: BTreeMap<u64, Poll>,
    waiting: BTreeMap<WorkerId, u64>,
    leases: BTreeMap<WorkerId, BTreeMap<JobKey, Granted>>,
    /// When each worker counts as gone unless it calls again.
    pub(super) gone: BTreeMap<WorkerId, u64>,
    /// When the state last heard of each.
    heard: BTreeMap<WorkerId, u64>,
}

impl Workers {
    /// Parks a call; gives the one it replaces.
    pub(super) fn park(&mut self, serial: u64, poll: Poll) -> Option<Poll> {
        let replaced = self.waiting.insert(poll.worker, serial).and_then(|serial| self.polls.remove(&serial));
        self.polls.insert(serial, poll);
        replaced
    }

    pub(super) fn take(&mut self, serial: u64) -> Option<Poll> {
        let poll = self.polls.remove(&serial)?;
        if self.waiting.get(&poll.worker) == Some(&serial) {
            self.waiting.remove(&poll.worker);
        }
        Some(poll)
    }

    /// Whether the state should hear of the worker, since it has not for so long; then it counts as told.
    pub(super) fn hears(&mut self, worker: WorkerId, now_ms: u64, every_ms: u64) -> bool {
        let heard = self.heard.entry(worker).or_insert(0);
        let is_due = heard.saturating_add(every_ms) <= now_ms;
        if is_due {
            *heard = now_ms;
        }
        is_due
    }

    /// A worker is gone; its leases end one by one.
    pub(super) fn forget(&mut self, worker: WorkerId) {
        self.gone.remove(&worker);
        self.heard.remove(&worker);
    }

    /// Whether this call of the worker, or none, is the last that waited.
    pub(super) fn is_last(&self, worker: WorkerId, serial: u64) -> bool {
        self.waiting.get(&worker).is_none_or(|last| *last == serial)
    }

    pub(super) fn granted(&mut self, held: Held, now_ms: u64) {
        let granted = Granted { fence: held.fence.0, at_ms: now_ms, renewed_ms: now_ms };
        self.leases.entry(held.worker).or_default().insert(held.key, granted);
    }

    pub(super) fn ended(&mut self, worker: WorkerId, key: JobKey, fence: u64) {
        if let Some(leases) = self.leases.get_mut(&worker) {
            if leases.get(&key).is_some_and(|granted| granted.fence == fence) {
                leases.remove(&key);
            }
            if leases.is_empty() {
                self.leases.remove(&worker);
            }
        }
    }

    /// Tells a waiting worker to stop.
    pub(super) fn stop(&mut self, held: Held) {
        self.ended(held.worker, held.key, held.fence.0);
        let serial = self.waiting.get(&held.worker);
        if let Some(poll) = serial.and_then(|serial| self.polls.get_mut(serial)) {
            poll.answer.stop.push((held.key, held.fence.0));
        }
    }

    pub(super) fn holds(&self, worker: WorkerId, key: JobKey, fence: u64) -> bool {
        let granted = self.leases.get(&worker).and_then(|leases| leases.get(&key));
        granted.is_some_and(|granted| granted.fence == fence)
    }

    /// Whether a lease was last renewed before `since_ms`; then it counts as renewed now.
    pub(super) fn renew(&mut self, worker: WorkerId, key: JobKey, since_ms: u64, now_ms: u64) -> bool {
        let granted = self.leases.get_mut(&worker).and_then(|leases| leases.get_mut(&key));
        let old = granted.filter(|granted| granted.renewed_ms < since_ms);
        old.map(|granted| granted.renewed_ms = now_ms).is_some()
    }

    /// Leases given before `since_ms` of which the worker says nothing: their answer never reached it.
    pub(super) fn unheard(
        &self,
        worker: WorkerId,
        since_ms: u64,
        named: impl Fn(&(JobKey, u64)) -> bool,
    ) -> Vec<(JobKey, u64)> {
        let leases = self.leases.get(&worker).into_iter().flatten();
        let old = leases.filter(|(_, granted)| granted.at_ms < since_ms);
        old.map(|(key, granted)| (*key, granted.fence)).filter(|lease| !named(lease)).collect()
    }

    /// Leases given out.
    pub(super) fn leased(&self) -> usize {
        self.leases.values().map(BTreeMap::len).sum()
    }

    /// When the first waiting call or broken connection is due.
    pub(super) fn due_ms(&self) -> Option<u64> {
        let polls = self.polls.values().map(|poll| poll.until_ms);
        polls.chain(self.gone.values().copied()).min()
    }
}
