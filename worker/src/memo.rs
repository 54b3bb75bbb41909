//! Memory and disk for steps inside jobs.

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use canonical::Digest;
use plan::{ActionResult, JobKey, Memo};

use crate::cache::Cache;

/// Steps that took at least this long also go to the cache, in microseconds.
const WORTH_KEEPING_US: u64 = 5_000;
/// Writes waiting for the cache; more are not written.
const WAITING_WRITES: usize = 64;
/// Name of the only output of a kept step.
const OUTPUT: &str = "memo";

/// A [`Memo`] in memory, bounded, with a [`Cache`] behind it for what took long. Reads fall through to the cache;
/// writes to it happen on a thread of their own and are left out when it cannot keep up.
pub struct StepMemo {
    held: Mutex<Held>,
    bound: usize,
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
}

impl StepMemo {
    /// Holds at most `bound` bytes in memory.
    pub fn in_memory(bound: usize) -> Self {
        Self { held: Mutex::default(), bound, cache: None, writer: None }
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
        Self { held: Mutex::default(), bound, cache: Some(cache), writer }
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
        let bytes = recall(&**self.cache.as_ref()?, key)?;
        self.hold(key, Arc::clone(&bytes));
        Some(bytes)
    }

    fn put(&self, key: &Digest, bytes: &[u8], cost_us: u64) {
        let bytes: Arc<[u8]> = bytes.into();
        self.hold(key, Arc::clone(&bytes));
        if let Some((sender, _)) = self.writer.as_ref().filter(|_| cost_us >= WORTH_KEEPING_US) {
            // Full or closed: made again next time.
            let _ = sender.try_send((*key, bytes, cost_us));
        }
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
            memo.put(key, &[7; 4], 1_000_000);
        }
        memo.put(&keys[3], &[7; 11], 0);
        let there: Vec<_> = keys.iter().map(|key| memo.get(key).is_some()).collect();
        assert_eq!(there, [false, true, true, false]);
    }

    #[test]
    fn what_took_long_outlives_the_memory() {
        let cache = Arc::new(MemoryCache::default());
        let (long, short, large) = (Digest::of(b"l"), Digest::of(b"s"), Digest::of(b"x"));
        {
            let memo = StepMemo::over(cache.clone(), 1 << 20);
            memo.put(&long, b"long", WORTH_KEEPING_US);
            memo.put(&short, b"short", WORTH_KEEPING_US - 1);
            memo.put(&large, &[3; 10_000], WORTH_KEEPING_US);
        }
        let memo = StepMemo::over(cache, 1 << 20);
        assert_eq!(memo.get(&long).as_deref(), Some(&b"long"[..]));
        assert_eq!(memo.get(&large).as_deref(), Some(&[3; 10_000][..]));
        assert_eq!(memo.get(&short), None);
    }
}
