//! Memory and disk for steps inside jobs.

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use canonical::Digest;
use plan::{ActionResult, JobKey, Memo};

use crate::cache::Cache;

/// Steps that took at least this long also go to the cache, in microseconds: about ten times what keeping and finding
/// them again takes.
const WORTH_KEEPING_US: u64 = 2_000;
/// Steps whose beginning is remembered; only those that fail never end.
const OPEN_STEPS: usize = 4096;
/// Writes waiting for the cache; more are not written.
const WAITING_WRITES: usize = 64;
/// Name of the only output of a kept step.
const OUTPUT: &str = "memo";

/// A [`Memo`] in memory, bounded, with a [`Cache`] behind it for what took long. Reads fall through to the cache;
/// writes to it happen on a thread of their own and are left out when it cannot keep up.
pub struct StepMemo {
    held: Mutex<Held>,
    bound: usize,
    /// In microseconds; [`WORTH_KEEPING_US`] but in tests.
    worth_keeping_us: u64,
    cache: Option<Arc<dyn Cache>>,
    writer: Option<(SyncSender<Step>, JoinHandle<()>)>,
}

/// Key, bytes, and what they cost in microseconds.
type Step = (Digest, Arc<[u8]>, u64);

#[derive(Default)]
struct Held {
    steps: BTreeMap<Digest, Arc<[u8]>>,
    order: VecDeque<Digest>,
    bytes: usize,
    /// When somebody asked in vain, to see how long making takes.
    began: BTreeMap<Digest, Instant>,
}

impl StepMemo {
    /// Holds at most `bound` bytes in memory.
    pub fn in_memory(bound: usize) -> Self {
        Self { held: Mutex::default(), bound, worth_keeping_us: WORTH_KEEPING_US, cache: None, writer: None }
    }

    /// Holds at most `bound` bytes in memory, and what took long in `cache` too.
    pub fn over(cache: Arc<dyn Cache>, bound: usize) -> Self {
        let (sender, receiver) = sync_channel::<Step>(WAITING_WRITES);
        let behind = Arc::clone(&cache);
        let write = move || {
            for (key, bytes, cost_us) in receiver {
                // A memo is a shortcut: what cannot be kept is made again.
                let _ = keep(&*behind, &key, &bytes, cost_us);
            }
        };
        let thread = std::thread::Builder::new().name("memo".into()).spawn(write);
        let writer = thread.ok().map(|thread| (sender, thread));
        let mut memo = Self::in_memory(bound);
        (memo.cache, memo.writer) = (Some(cache), writer);
        memo
    }

    fn hold(&self, key: &Digest, bytes: Arc<[u8]>) {
        let mut held = self.lock();
        if bytes.len() > self.bound || held.steps.contains_key(key) {
            return;
        }
        held.bytes += bytes.len();
        held.steps.insert(*key, bytes);
        held.order.push_back(*key);
        while held.bytes > self.bound {
            let Some(oldest) = held.order.pop_front() else { return };
            let freed = held.steps.remove(&oldest).map_or(0, |bytes| bytes.len());
            held.bytes -= freed;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memo for StepMemo {
    fn get(&self, key: &Digest) -> Option<Arc<[u8]>> {
        if let Some(bytes) = self.lock().steps.get(key) {
            return Some(Arc::clone(bytes));
        }
        let recalled = self.cache.as_ref().and_then(|cache| recall(&**cache, key));
        match &recalled {
            Some(bytes) => self.hold(key, Arc::clone(bytes)),
            None => self.lock().begin(key),
        }
        recalled
    }

    fn put(&self, key: &Digest, bytes: &[u8]) {
        let began = self.lock().began.remove(key);
        let cost_us = began.map_or(0, |began| began.elapsed().as_micros() as u64);
        let bytes: Arc<[u8]> = bytes.into();
        self.hold(key, Arc::clone(&bytes));
        if let Some((sender, _)) = self.writer.as_ref().filter(|_| cost_us >= self.worth_keeping_us) {
            // Full or closed: made again next time.
            let _ = sender.try_send((*key, bytes, cost_us));
        }
    }
}

impl Held {
    fn begin(&mut self, key: &Digest) {
        if self.began.len() >= OPEN_STEPS {
            self.began.clear();
        }
        self.began.insert(*key, Instant::now());
    }
}

impl Drop for StepMemo {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.writer.take() {
            drop(sender);
            let _ = thread.join();
        }
    }
}

/// A step in the cache is an action result of its own, under a key no job can have.
fn cache_key(key: &Digest) -> JobKey {
    JobKey(Digest::of(&[b"rigfarm memo 1".as_slice(), key.as_bytes()].concat()))
}

fn keep(
    cache: &dyn Cache,
    key: &Digest,
    bytes: &Arc<[u8]>,
    cost_us: u64,
) -> Result<(), crate::cache::CacheError> {
    let result = ActionResult::of(&BTreeMap::from([(OUTPUT.to_owned(), bytes.to_vec())]), None, cost_us);
    let blobs: Vec<_> = result.stored_blobs().collect();
    if !blobs.is_empty() {
        cache.put_blobs(std::slice::from_ref(bytes))?;
    }
    cache.put_action(cache_key(key), &result.encode(), &blobs)
}

fn recall(cache: &dyn Cache, key: &Digest) -> Option<Arc<[u8]>> {
    let encoded = cache.get_actions(&[cache_key(key)]).ok()?.pop()??;
    let result = ActionResult::decode(&encoded).ok()?;
    let output = result.outputs.get(OUTPUT)?;
    match &output.inline {
        Some(bytes) => Some(bytes.as_slice().into()),
        None => cache.get_blob(&output.blob).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemoryCache;

    #[test]
    fn memory_is_bounded() {
        let memo = StepMemo::in_memory(10);
        let keys: Vec<_> = (0..4u8).map(|n| Digest::of(&[n])).collect();
        for key in &keys[..3] {
            memo.put(key, &[7; 4]);
        }
        memo.put(&keys[3], &[7; 11]);
        let there: Vec<_> = keys.iter().map(|key| memo.get(key).is_some()).collect();
        assert_eq!(there, [false, true, true, false]);
    }

    /// What a memo over a cache recalls of steps that were asked for and then made.
    fn recalled(worth_keeping_us: u64) -> Vec<Option<usize>> {
        let cache = Arc::new(MemoryCache::default());
        let sizes = [4, 10_000];
        let keys = sizes.map(|len| Digest::of(&[len as u8]));
        {
            let mut memo = StepMemo::over(cache.clone(), 1 << 20);
            memo.worth_keeping_us = worth_keeping_us;
            for (key, len) in keys.iter().zip(sizes) {
                assert_eq!(memo.get(key), None);
                memo.put(key, &vec![3; len]);
            }
            assert!(memo.lock().began.is_empty());
        }
        let memo = StepMemo::over(cache, 1 << 20);
        keys.iter().map(|key| memo.get(key).map(|bytes| bytes.len())).collect()
    }

    #[test]
    fn only_what_took_long_outlives_the_memory() {
        assert_eq!(recalled(0), [Some(4), Some(10_000)]);
        assert_eq!(recalled(u64::MAX), [None, None]);
    }
}
