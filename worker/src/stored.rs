//! The store as a cache.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use canonical::BlobRef;
use plan::JobKey;
use store::{Action, Error, Store};
use tokio::runtime::{Builder, Runtime};

use crate::cache::{Cache, CacheError};

/// A [`Store`] as running jobs use it. Reads try the store's folder first, if it has one, and need no runtime then;
/// everything else waits on a small runtime of its own, which starts when first needed.
#[derive(Debug)]
pub struct StoreCache {
    store: Store,
    runtime: OnceLock<Result<Runtime, String>>,
}

impl StoreCache {
    /// Over a store with all its tiers.
    pub fn new(store: Store) -> Self {
        Self { store, runtime: OnceLock::new() }
    }

    fn wait<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, CacheError> {
        self.runtime()?.block_on(work).map_err(failed)
    }

    fn runtime(&self) -> Result<&Runtime, CacheError> {
        let start = || Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = self.runtime.get_or_init(|| start().map_err(|error| error.to_string()));
        runtime.as_ref().map_err(|error| CacheError::Failed(format!("cannot start a thread: {error}")))
    }
}

impl Cache for StoreCache {
    fn get_actions(&self, keys: &[JobKey]) -> Result<Vec<Option<Vec<u8>>>, CacheError> {
        let local =
            |key: &JobKey| self.store.folder().and_then(|folder| folder.get_action(&key.0).ok().flatten());
        let mut found: Vec<_> = keys.iter().map(local).collect();
        let missed: Vec<usize> = (0..keys.len()).filter(|&at| found[at].is_none()).collect();
        if !missed.is_empty() {
            let open: Vec<_> = missed.iter().map(|&at| keys[at].0).collect();
            let answers = self.wait(self.store.get_actions(&open))?;
            missed.into_iter().zip(answers).for_each(|(at, answer)| found[at] = answer);
        }
        Ok(found.into_iter().map(|action| action.map(|action| action.payload.into())).collect())
    }

    fn put_action(&self, key: JobKey, encoded: &[u8], blobs: &[BlobRef]) -> Result<(), CacheError> {
        let action = Action { payload: Bytes::copy_from_slice(encoded), refs: blobs.to_vec() };
        self.wait(self.store.put_action(&key.0, &action))
    }

    fn get_blob(&self, blob: &BlobRef) -> Result<Arc<[u8]>, CacheError> {
        let local = self.store.folder().and_then(|folder| folder.get_blob(blob).ok());
        let bytes = match local {
            Some(bytes) => bytes,
            None => self.wait(self.store.get_blob(blob))?,
        };
        Ok(Arc::from(&bytes[..]))
    }

    fn put_blobs(&self, blobs: &[Arc<[u8]>]) -> Result<(), CacheError> {
        let blobs = blobs.iter().map(|bytes| Bytes::from_owner(Arc::clone(bytes))).collect();
        self.wait(self.store.put_blobs(blobs)).map(drop)
    }

    fn flush(&self) {
        // Without a runtime nothing was put.
        if let Some(Ok(runtime)) = self.runtime.get() {
            runtime.block_on(self.store.flush());
        }
    }

    fn notices(&self) -> Vec<String> {
        self.store.notices().iter().map(ToString::to_string).collect()
    }
}

fn failed(error: Error) -> CacheError {
    match error {
        Error::Missing { blob, .. } | Error::Corrupt { blob, .. } => CacheError::Gone(blob),
        other => CacheError::Failed(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonical::Digest;
    use store::Options;

    fn check(store: Store) {
        let cache = StoreCache::new(store);
        let key = JobKey(Digest::of(b"job"));
        let (bytes, blob): (Arc<[u8]>, _) = (Arc::from(*b"bytes"), BlobRef::of(b"bytes"));
        assert_eq!(cache.get_actions(&[key]), Ok(vec![None]));
        assert_eq!(cache.get_blob(&blob), Err(CacheError::Gone(blob)));
        cache.put_action(key, b"result", &[blob]).unwrap();
        assert_eq!(cache.get_actions(&[key]), Ok(vec![None]), "a result without its blob");
        cache.put_blobs(&[Arc::clone(&bytes)]).unwrap();
        let other = JobKey(Digest::of(b"other"));
        assert_eq!(cache.get_actions(&[other, key]), Ok(vec![None, Some(b"result".to_vec())]));
        assert_eq!(cache.get_blob(&blob), Ok(bytes));
        cache.flush();
        assert_eq!(cache.notices(), Vec::<String>::new());
    }

    #[test]
    fn memory_and_folder() {
        check(Store::memory());
        let folder = tempfile::tempdir().unwrap();
        let address = format!("file://{}", folder.path().display());
        check(Store::open(&address, &Options::default()).unwrap());
    }
}
