//! A store in memory or in an object store (S3, Google Cloud Storage, Azure).

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use canonical::{BlobRef, Digest};
use futures::{StreamExt, TryStreamExt, stream};
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};

use crate::envelope::{self, Action};
use crate::error::{Attempt, Error, is_without_bucket};
use crate::folder::Lookup;
use crate::layout::{Entry, Shelf};
use crate::options::Options;

/// Requests in flight at once; thousands at once break clients and servers.
const CONCURRENT_REQUESTS: usize = 64;
/// How long a blob that was seen is believed to be there. Well under every grace of a collector.
const KNOWN_FOR: Duration = Duration::from_secs(300);
/// More is not remembered.
const KNOWN_MOST: usize = 1 << 20;
/// Up to this size one write costs less than asking first.
const ASK_FIRST_ABOVE: usize = 16 << 10;
/// Larger blobs are hashed where blocking is allowed.
const HASH_INLINE_UP_TO: usize = 1 << 20;
/// Time limit of one request: this, and a second for each [`BYTES_PER_SECOND`].
const TIME_LIMIT: Duration = Duration::from_secs(10);
const BYTES_PER_SECOND: u64 = 1 << 20;

#[derive(Clone, Debug)]
pub(crate) struct Objects {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Arc<dyn ObjectStore>,
    root: Path,
    name: Arc<str>,
    read_only: bool,
    refresh: Duration,
    known: Mutex<HashMap<Digest, (u64, Instant)>>,
}

impl Objects {
    pub(crate) fn new(store: Arc<dyn ObjectStore>, root: Path, name: &str, options: &Options) -> Self {
        let inner = Inner {
            store,
            root,
            name: name.into(),
            read_only: options.read_only,
            refresh: options.refresh,
            known: Mutex::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.inner.name
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.inner.read_only
    }

    #[cfg(feature = "testing")]
    pub(crate) fn object_store(&self) -> &Arc<dyn ObjectStore> {
        &self.inner.store
    }

    /// Stores a blob, unless it is there and young enough not to be collected. What was seen there before does not
    /// count: bytes are often made again since somebody found that they are gone.
    pub(crate) async fn put_blob(&self, bytes: Bytes) -> Result<BlobRef, Error> {
        let blob = BlobRef { digest: digest_of(bytes.clone()).await, len: bytes.len() as u64 };
        let path = self.path(Shelf::Blobs, &blob.digest);
        if self.inner.read_only || bytes.len() > ASK_FIRST_ABOVE {
            let is_kept = |found: &ObjectMeta| found.size == blob.len && !self.needs_refresh(found);
            if self.head(&path).await?.is_some_and(|found| is_kept(&found)) {
                self.learn(&blob);
                return Ok(blob);
            }
        }
        self.put(&path, bytes).await?;
        self.learn(&blob);
        Ok(blob)
    }

    pub(crate) async fn get_blob(&self, blob: &BlobRef) -> Result<Bytes, Error> {
        let place = || Arc::clone(self.name());
        let found = self.get(&self.path(Shelf::Blobs, &blob.digest), Some(blob.len)).await?;
        match found {
            Contents::None => {
                self.forget(&blob.digest);
                Err(Error::Missing { blob: *blob, place: place() })
            }
            Contents::Bytes(bytes, _) if digest_of(bytes.clone()).await == blob.digest => {
                self.learn(blob);
                Ok(bytes)
            }
            Contents::Bytes(..) | Contents::WrongLength => {
                self.forget(&blob.digest);
                self.quarantine(Shelf::Blobs, &blob.digest).await;
                Err(Error::Corrupt { blob: *blob, place: place() })
            }
        }
    }

    pub(crate) async fn has(&self, blobs: &[BlobRef]) -> Result<Vec<bool>, Error> {
        let asked = blobs.iter().copied().map(|blob| {
            let objects = self.clone();
            async move {
                if objects.is_known(&blob) {
                    return Ok(true);
                }
                let found = objects.head(&objects.path(Shelf::Blobs, &blob.digest)).await?;
                let is_there = found.is_some_and(|found| found.size == blob.len);
                if is_there {
                    objects.learn(&blob);
                }
                Ok(is_there)
            }
        });
        stream::iter(asked).buffered(CONCURRENT_REQUESTS).try_collect().await
    }

    /// Whether the place is there and lets us in: asks for what nobody keeps.
    pub(crate) async fn check(&self) -> Result<(), Error> {
        self.get(&self.path(Shelf::Actions, &Digest::from_bytes([0; 32])), None).await.map(drop)
    }

    /// What is known of a job key. A damaged result is moved to the quarantine; one found old is written again.
    pub(crate) async fn lookup(&self, key: &Digest) -> Result<Lookup, Error> {
        let path = self.path(Shelf::Actions, key);
        let Contents::Bytes(bytes, meta) = self.get(&path, None).await? else { return Ok(None) };
        let Some(action) = envelope::open(key, &bytes) else {
            self.quarantine(Shelf::Actions, key).await;
            return Ok(None);
        };
        let there = self.has(&action.refs).await?;
        let missing: Vec<_> =
            action.refs.iter().zip(there).filter(|(_, there)| !there).map(|(blob, _)| *blob).collect();
        if missing.is_empty() && !self.inner.read_only && self.needs_refresh(&meta) {
            // Only to be seen in use by the collector; the hit does not depend on it.
            let _ = self.put(&path, bytes).await;
        }
        Ok(Some((action, missing)))
    }

    pub(crate) async fn lookups(&self, keys: &[Digest]) -> Result<Vec<Lookup>, Error> {
        let asked = keys.iter().copied().map(|key| {
            let objects = self.clone();
            async move { objects.lookup(&key).await }
        });
        stream::iter(asked).buffered(CONCURRENT_REQUESTS).try_collect().await
    }

    /// The blobs a result names, without counting it as used.
    pub(crate) async fn refs(&self, key: &Digest) -> Result<Option<Vec<BlobRef>>, Error> {
        let found = self.get(&self.path(Shelf::Actions, key), None).await?;
        let Contents::Bytes(bytes, _) = found else { return Ok(None) };
        let action = envelope::open(key, &bytes);
        if action.is_none() {
            self.quarantine(Shelf::Actions, key).await;
        }
        Ok(action.map(|action| action.refs))
    }

    pub(crate) async fn put_action(&self, key: &Digest, action: &Action) -> Result<(), Error> {
        self.put(&self.path(Shelf::Actions, key), envelope::seal(key, action)).await
    }

    pub(crate) async fn list(&self, shelf: Shelf) -> Result<Vec<Entry>, Error> {
        let prefix = Path::from(format!("{}/{}", self.inner.root, shelf.name()));
        let listed = self.inner.store.list(Some(&prefix));
        let entries = listed.try_filter_map(|meta| async move {
            let name = meta.location.filename().and_then(Digest::from_hex);
            Ok(name.map(|name| Entry {
                name,
                len: meta.size,
                used: meta.last_modified.into(),
                is_foreign: false,
            }))
        });
        entries.try_collect().await.map_err(|error| self.error(Attempt::Read, &error))
    }

    /// Removes an entry that was not written since `cutoff`; whether it is gone.
    pub(crate) async fn remove(
        &self,
        shelf: Shelf,
        name: &Digest,
        cutoff: SystemTime,
    ) -> Result<bool, Error> {
        if self.inner.read_only {
            return Err(Error::ReadOnly { place: Arc::clone(self.name()) });
        }
        let path = self.path(shelf, name);
        let Some(found) = self.head(&path).await? else { return Ok(true) };
        if SystemTime::from(found.last_modified) > cutoff {
            return Ok(false);
        }
        self.forget(name);
        match self.limited(0, Attempt::Write, self.inner.store.delete(&path)).await? {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(true),
            Err(error) => Err(self.error(Attempt::Write, &error)),
        }
    }

    pub(crate) fn path(&self, shelf: Shelf, name: &Digest) -> Path {
        Path::from(format!("{}/{}", self.inner.root, shelf.path(name)))
    }

    async fn quarantine(&self, shelf: Shelf, name: &Digest) {
        if self.inner.read_only {
            return;
        }
        let (from, to) = (self.path(shelf, name), self.path(Shelf::Quarantine, name));
        let moved = self.limited(0, Attempt::Write, self.inner.store.rename(&from, &to)).await;
        if !matches!(moved, Ok(Ok(()))) {
            // Better no evidence than wrong bytes.
            let _ = self.limited(0, Attempt::Write, self.inner.store.delete(&from)).await;
        }
    }

    async fn head(&self, path: &Path) -> Result<Option<ObjectMeta>, Error> {
        match self.limited(0, Attempt::Read, self.inner.store.head(path)).await? {
            Ok(found) => Ok(Some(found)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.error(Attempt::Read, &error)),
        }
    }

    async fn get(&self, path: &Path, expected: Option<u64>) -> Result<Contents, Error> {
        let got = async {
            let found = self.inner.store.get(path).await?;
            let meta = found.meta.clone();
            if expected.is_some_and(|len| len != meta.size) {
                return Ok(Contents::WrongLength);
            }
            Ok(Contents::Bytes(found.bytes().await?, meta))
        };
        match self.limited(expected.unwrap_or(0), Attempt::Read, got).await? {
            Ok(contents) => Ok(contents),
            Err(error @ object_store::Error::NotFound { .. }) if !is_without_bucket(&error) => {
                Ok(Contents::None)
            }
            Err(error) => Err(self.error(Attempt::Read, &error)),
        }
    }

    async fn put(&self, path: &Path, bytes: Bytes) -> Result<(), Error> {
        if self.inner.read_only {
            return Err(Error::ReadOnly { place: Arc::clone(self.name()) });
        }
        let len = bytes.len() as u64;
        match self.limited(len, Attempt::Write, self.inner.store.put(path, bytes.into())).await? {
            Ok(_) => Ok(()),
            Err(error) => Err(self.error(Attempt::Write, &error)),
        }
    }

    /// Bounds the time of a request that moves `len` bytes.
    async fn limited<T>(
        &self,
        len: u64,
        attempt: Attempt,
        request: impl Future<Output = Result<T, object_store::Error>>,
    ) -> Result<Result<T, object_store::Error>, Error> {
        let limit = TIME_LIMIT + Duration::from_secs(len / BYTES_PER_SECOND);
        tokio::time::timeout(limit, request).await.map_err(|_| {
            let what = if attempt == Attempt::Read { "read" } else { "write" };
            let reason = format!("no answer to a {what} of {len} bytes within {} s", limit.as_secs());
            Error::Unreachable { place: Arc::clone(self.name()), reason }
        })
    }

    fn needs_refresh(&self, found: &ObjectMeta) -> bool {
        let age = SystemTime::now().duration_since(found.last_modified.into());
        age.is_ok_and(|age| age >= self.inner.refresh)
    }

    fn error(&self, attempt: Attempt, error: &object_store::Error) -> Error {
        Error::of_object_store(self.name(), attempt, error)
    }

    fn is_known(&self, blob: &BlobRef) -> bool {
        let known = self.inner.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&blob.digest).is_some_and(|(len, seen)| *len == blob.len && seen.elapsed() < KNOWN_FOR)
    }

    fn learn(&self, blob: &BlobRef) {
        let mut known = self.inner.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= KNOWN_MOST {
            known.clear();
        }
        known.insert(blob.digest, (blob.len, Instant::now()));
    }

    pub(crate) fn forget(&self, digest: &Digest) {
        self.inner.known.lock().unwrap_or_else(PoisonError::into_inner).remove(digest);
    }
}

enum Contents {
    None,
    WrongLength,
    Bytes(Bytes, ObjectMeta),
}

async fn digest_of(bytes: Bytes) -> Digest {
    if bytes.len() <= HASH_INLINE_UP_TO {
        return Digest::of(&bytes);
    }
    let hashed = tokio::task::spawn_blocking({
        let bytes = bytes.clone();
        move || Digest::of(&bytes)
    });
    // The task fails only while the runtime shuts down.
    hashed.await.unwrap_or_else(|_| Digest::of(&bytes))
}
