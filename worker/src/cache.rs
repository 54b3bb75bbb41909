//! What running jobs needs of a store.

use std::sync::Arc;

use canonical::BlobRef;
use plan::JobKey;

/// Blobs and action results. Calls may block; they are made from threads of their own, never from the compute pool.
pub trait Cache: Send + Sync {
    /// The encoded results of jobs, in the order asked; `None` unless the result and all its blobs are there.
    ///
    /// # Errors
    /// [`CacheError::Failed`] when the store does not answer.
    fn get_actions(&self, keys: &[JobKey]) -> Result<Vec<Option<Vec<u8>>>, CacheError>;

    /// Keeps the encoded result of a job. `blobs` are those it names and does not hold inline; they were put before.
    ///
    /// # Errors
    /// [`CacheError::Failed`] when the store does not take it.
    fn put_action(&self, key: JobKey, encoded: &[u8], blobs: &[BlobRef]) -> Result<(), CacheError>;

    /// The bytes of a blob, verified.
    ///
    /// # Errors
    /// [`CacheError::Gone`] when the blob is missing or was damaged (then it is set aside), [`CacheError::Failed`]
    /// when the store does not answer.
    fn get_blob(&self, blob: &BlobRef) -> Result<Arc<[u8]>, CacheError>;

    /// Keeps blobs, those that are there already included.
    ///
    /// # Errors
    /// [`CacheError::Failed`] when the store does not take them all.
    fn put_blobs(&self, blobs: &[Arc<[u8]>]) -> Result<(), CacheError>;

    /// Waits for whatever the store does in the background.
    fn flush(&self) {}

    /// Troubles since the last call that failed nothing, in words for people.
    fn notices(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Why a cache did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CacheError {
    /// Missing or damaged: run the producer again.
    #[error("blob {} is gone from the store", .0.digest)]
    Gone(BlobRef),
    /// The store is full, read-only, unreachable…: go on without it.
    #[error("{0}")]
    Failed(String),
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCache;

impl Cache for NoCache {
    fn get_actions(&self, keys: &[JobKey]) -> Result<Vec<Option<Vec<u8>>>, CacheError> {
        Ok(vec![None; keys.len()])
    }
    fn put_action(&self, _: JobKey, _: &[u8], _: &[BlobRef]) -> Result<(), CacheError> {
        Ok(())
    }
    fn get_blob(&self, blob: &BlobRef) -> Result<Arc<[u8]>, CacheError> {
        Err(CacheError::Gone(*blob))
    }
    fn put_blobs(&self, _: &[Arc<[u8]>]) -> Result<(), CacheError> {
        Ok(())
    }
}
