//! A cache that lives as long as the process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use canonical::BlobRef;
use plan::JobKey;

use crate::cache::{Cache, CacheError};

/// Blobs and action results in memory, without bound.
#[derive(Debug, Default)]
pub struct MemoryCache {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    actions: BTreeMap<JobKey, (Vec<u8>, Vec<BlobRef>)>,
    blobs: BTreeMap<BlobRef, Arc<[u8]>>,
}

impl MemoryCache {
    /// Number of results and of blobs.
    pub fn len(&self) -> (usize, usize) {
        let kept = self.lock();
        (kept.actions.len(), kept.blobs.len())
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == (0, 0)
    }

    /// The names of all blobs, in order.
    pub fn blobs(&self) -> Vec<BlobRef> {
        self.lock().blobs.keys().copied().collect()
    }

    /// Loses a blob, as a failing store might.
    pub fn lose(&self, blob: &BlobRef) {
        self.lock().blobs.remove(blob);
    }

    /// Puts other bytes in a blob's place, as a failing disk might.
    pub fn damage(&self, blob: &BlobRef, bytes: &[u8]) {
        self.lock().blobs.insert(*blob, bytes.into());
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cache for MemoryCache {
    fn get_actions(&self, keys: &[JobKey]) -> Result<Vec<Option<Vec<u8>>>, CacheError> {
        let kept = self.lock();
        let complete = |blobs: &[BlobRef]| blobs.iter().all(|blob| kept.blobs.contains_key(blob));
        let get = |key| kept.actions.get(key).filter(|(_, blobs)| complete(blobs));
        Ok(keys.iter().map(|key| get(key).map(|(bytes, _)| bytes.clone())).collect())
    }

    fn put_action(&self, key: JobKey, encoded: &[u8], blobs: &[BlobRef]) -> Result<(), CacheError> {
        self.lock().actions.insert(key, (encoded.to_vec(), blobs.to_vec()));
        Ok(())
    }

    fn get_blob(&self, blob: &BlobRef) -> Result<Arc<[u8]>, CacheError> {
        let found = self.lock().blobs.get(blob).cloned().ok_or(CacheError::Gone(*blob))?;
        if BlobRef::of(&found) != *blob {
            self.lose(blob);
            return Err(CacheError::Gone(*blob));
        }
        Ok(found)
    }

    fn put_blobs(&self, blobs: &[Arc<[u8]>]) -> Result<(), CacheError> {
        let named: Vec<_> = blobs.iter().map(|bytes| (BlobRef::of(bytes), Arc::clone(bytes))).collect();
        self.lock().blobs.extend(named);
        Ok(())
    }
}
