//! The store for code that blocks.

use std::sync::Arc;

use bytes::Bytes;
use canonical::BlobRef;
use plan::JobKey;
use store::{Action, Error, Store};
use tokio::runtime::Handle;
use worker::cache::{Cache, CacheError};

/// A store for threads that may block, within a runtime that runs elsewhere.
pub(crate) struct Waiting {
    store: Store,
    runtime: Handle,
}

impl Waiting {
    /// To be made within the runtime and used on threads for blocking work.
    pub(crate) fn new(store: Store) -> Self {
        Self { store, runtime: Handle::current() }
    }

    fn wait<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, CacheError> {
        self.runtime.block_on(work).map_err(|error| match error {
            Error::Missing { blob, .. } | Error::Corrupt { blob, .. } => CacheError::Gone(blob),
            other => CacheError::Failed(other.to_string()),
        })
    }
}

impl Cache for Waiting {
    fn get_actions(&self, keys: &[JobKey]) -> Result<Vec<Option<Vec<u8>>>, CacheError> {
        let keys: Vec<_> = keys.iter().map(|key| key.0).collect();
        let found = self.wait(self.store.get_actions(&keys))?;
        Ok(found.into_iter().map(|action| action.map(|action| action.payload.into())).collect())
    }

    fn put_action(&self, key: JobKey, encoded: &[u8], blobs: &[BlobRef]) -> Result<(), CacheError> {
        let action = Action { payload: Bytes::copy_from_slice(encoded), refs: blobs.to_vec() };
        self.wait(self.store.put_action(&key.0, &action))
    }

    fn get_blob(&self, blob: &BlobRef) -> Result<Arc<[u8]>, CacheError> {
        self.wait(self.store.get_blob(blob)).map(|bytes| Arc::from(&bytes[..]))
    }

    fn put_blobs(&self, blobs: &[Arc<[u8]>]) -> Result<(), CacheError> {
        let blobs = blobs.iter().map(|bytes| Bytes::from_owner(Arc::clone(bytes))).collect();
        self.wait(self.store.put_blobs(blobs)).map(drop)
    }
}
