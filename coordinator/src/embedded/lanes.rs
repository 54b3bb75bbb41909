//! Queues between the threads of the farm.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use plan::{ActionResult, JobKey};

use crate::state::Lease;

/// Keys to look up in one go.
pub(super) type Lookup = Vec<JobKey>;

/// Leased jobs whose inputs are to be fetched.
pub(super) type Bundle = Vec<Lease>;

/// Leased jobs with their inputs, to be run in this order by one slot.
pub(super) type Loaded = Vec<(Lease, Inputs)>;

/// Inputs by name.
pub(super) type Inputs = std::collections::BTreeMap<String, Arc<[u8]>>;

/// A result to be put into the cache.
pub(super) struct Write {
    pub(super) ticket: u64,
    pub(super) key: JobKey,
    pub(super) result: Arc<ActionResult>,
    /// The bytes of the outputs that are not inline.
    pub(super) blobs: Vec<Arc<[u8]>>,
}

/// A queue that waits; once closed it only empties.
pub(super) struct Lane<T> {
    state: Mutex<(VecDeque<T>, bool)>,
    filled: Condvar,
}

impl<T> Default for Lane<T> {
    fn default() -> Self {
        Self { state: Mutex::new((VecDeque::new(), false)), filled: Condvar::new() }
    }
}

impl<T> Lane<T> {
    pub(super) fn push(&self, item: T) {
        self.lock().0.push_back(item);
        self.filled.notify_one();
    }

    pub(super) fn close(&self) {
        self.lock().1 = true;
        self.filled.notify_all();
    }

    /// The next item; `None` when closed and empty.
    pub(super) fn pop(&self) -> Option<T> {
        self.pop_some(1).into_iter().next()
    }

    /// One to `most` items; none when closed and empty.
    pub(super) fn pop_some(&self, most: usize) -> Vec<T> {
        let mut state = self.lock();
        while state.0.is_empty() && !state.1 {
            state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let count = most.min(state.0.len());
        state.0.drain(..count).collect()
    }

    fn lock(&self) -> MutexGuard<'_, (VecDeque<T>, bool)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
