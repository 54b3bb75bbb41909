//! Bytes on their way between jobs and to the cache.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use canonical::BlobRef;

/// Blobs in memory: those not written yet, and of the others as many as fit, the newest.
pub(super) struct Memory {
    held: Mutex<Held>,
    saved: Condvar,
    bound: usize,
}

#[derive(Default)]
struct Held {
    blobs: BTreeMap<BlobRef, (Arc<[u8]>, bool)>,
    /// Saved blobs, oldest first.
    saved: VecDeque<BlobRef>,
    bytes: usize,
    unsaved_bytes: usize,
    /// Nothing can be written: what is unsaved stays, and nobody waits for it.
    adrift: bool,
}

impl Memory {
    pub(super) fn new(bound: usize) -> Self {
        Self { held: Mutex::default(), saved: Condvar::new(), bound }
    }

    pub(super) fn get(&self, blob: &BlobRef) -> Option<Arc<[u8]>> {
        self.lock().blobs.get(blob).map(|(bytes, _)| Arc::clone(bytes))
    }

    /// Holds what was just made until it is saved at least. Waits while too much is unsaved.
    pub(super) fn made(&self, blobs: &[(BlobRef, Arc<[u8]>)]) {
        let mut held = self.lock();
        while held.unsaved_bytes > self.bound && !held.adrift {
            held = self.saved.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
        for (blob, bytes) in blobs {
            held.hold(*blob, bytes, false);
        }
    }

    /// Holds what was read, which can be read again.
    pub(super) fn read(&self, blob: BlobRef, bytes: &Arc<[u8]>) {
        let mut held = self.lock();
        held.hold(blob, bytes, true);
        held.shrink(self.bound);
    }

    /// These are in the cache now.
    pub(super) fn saved(&self, blobs: impl Iterator<Item = BlobRef>) {
        let mut held = self.lock();
        for blob in blobs {
            if let Some((bytes, saved)) = held.blobs.get_mut(&blob).filter(|(_, saved)| !saved) {
                *saved = true;
                let len = bytes.len();
                held.unsaved_bytes -= len;
                held.saved.push_back(blob);
            }
        }
        held.shrink(self.bound);
        self.saved.notify_all();
    }

    /// The cache takes nothing any more.
    pub(super) fn set_adrift(&self) {
        self.lock().adrift = true;
        self.saved.notify_all();
    }

    /// Nobody is known to need these any more. Saved ones leave in their time; when nothing can be saved they leave
    /// now, and whoever does need one has it made again.
    pub(super) fn release(&self, blobs: Vec<BlobRef>) {
        let mut held = self.lock();
        if !held.adrift {
            return;
        }
        for blob in blobs {
            if held.blobs.get(&blob).is_some_and(|(_, saved)| !saved) {
                let freed = held.blobs.remove(&blob).map_or(0, |(bytes, _)| bytes.len());
                held.bytes -= freed;
                held.unsaved_bytes -= freed;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn hold(&mut self, blob: BlobRef, bytes: &Arc<[u8]>, saved: bool) {
        if self.blobs.contains_key(&blob) {
            return;
        }
        self.blobs.insert(blob, (Arc::clone(bytes), saved));
        self.bytes += bytes.len();
        if saved {
            self.saved.push_back(blob);
        } else {
            self.unsaved_bytes += bytes.len();
        }
    }

    fn shrink(&mut self, bound: usize) {
        while self.bytes > bound {
            let Some(oldest) = self.saved.pop_front() else { return };
            let freed = self.blobs.remove(&oldest).map_or(0, |(bytes, _)| bytes.len());
            self.bytes -= freed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blob(byte: u8) -> (BlobRef, Arc<[u8]>) {
        (BlobRef::of(&[byte; 10]), Arc::from([byte; 10]))
    }

    fn there(memory: &Memory) -> Vec<bool> {
        (0..4).map(|byte| memory.get(&blob(byte).0).is_some()).collect()
    }

    #[test]
    fn saved_bytes_leave_oldest_first_and_unsaved_ones_stay() {
        let memory = Memory::new(20);
        memory.made(&[blob(0)]);
        memory.read(blob(1).0, &blob(1).1);
        memory.read(blob(2).0, &blob(2).1);
        assert_eq!(there(&memory), [true, false, true, false]);
        memory.saved([blob(0).0, blob(0).0].into_iter());
        memory.read(blob(3).0, &blob(3).1);
        assert_eq!(there(&memory), [true, false, false, true]);
        memory.read(blob(1).0, &blob(1).1);
        assert_eq!(there(&memory), [false, true, false, true]);
    }

    #[test]
    fn what_cannot_be_saved_stays_until_nobody_needs_it() {
        let memory = Memory::new(10);
        memory.made(&[blob(0)]);
        memory.release(vec![blob(0).0]);
        memory.set_adrift();
        memory.made(&[blob(1), blob(2)]);
        memory.made(&[blob(3)]);
        assert_eq!(there(&memory), [true, true, true, true]);
        memory.release(vec![blob(1).0, blob(3).0, blob(3).0]);
        assert_eq!(there(&memory), [true, false, true, false]);
    }
}
