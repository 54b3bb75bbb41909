//! The store as its users see it: a local place, perhaps memory for what does not fit, perhaps a remote place.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use canonical::{BlobRef, Digest};
use object_store::ObjectStore;
use object_store::path::Path as ObjectPath;

use crate::address;
use crate::envelope::Action;
use crate::error::Error;
use crate::folder::{Folder, Lookup};
use crate::notices::{Notice, Notices, Trouble};
use crate::objects::Objects;
use crate::options::Options;
use crate::place::Place;
use crate::remote::Remote;

/// Blobs and action results. Cheap to clone; all methods may be called at once from anywhere in a tokio runtime.
#[derive(Clone, Debug)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    local: Place,
    spill: Option<Arc<Spill>>,
    remote: Option<Remote>,
    notices: Arc<Notices>,
}

/// Memory for what the local place cannot take.
#[derive(Debug)]
struct Spill {
    memory: Place,
    bytes: AtomicU64,
    bound: u64,
}

impl Store {
    /// Opens the store at an address: `file:///path`, `memory:`, and with the cargo feature `cloud`
    /// `s3://bucket/prefix`, `gs://bucket/prefix`, `az://container/prefix`. `?mode=ro` makes it read-only.
    ///
    /// # Errors
    /// [`Error::Address`], [`Error::NoCloud`]; for a folder also those of making it. Object stores are not contacted.
    pub fn open(address: &str, options: &Options) -> Result<Self, Error> {
        Ok(Self::at(address::open(address, options)?, options))
    }

    /// An empty store that lives as long as its clones.
    pub fn memory() -> Self {
        let options = Options::default();
        Self::at(address::memory(&options), &options)
    }

    /// A store on any object store. `name` stands for it in messages.
    pub fn on(objects: Arc<dyn ObjectStore>, name: &str, options: &Options) -> Self {
        Self::at(Place::Objects(Objects::new(objects, ObjectPath::default(), name, options)), options)
    }

    /// This store with a remote place behind it: what is not here is read there and kept here; what is put here is
    /// uploaded in the background, unless the remote is read-only. The remote's failures become notices, and after a
    /// failure it is left alone for a while. Of `remote` only the local place counts.
    #[must_use]
    pub fn with_remote(&self, remote: &Store) -> Self {
        let Inner { local, spill, notices, .. } = &*self.inner;
        let mut sources = vec![local.clone()];
        sources.extend(spill.as_ref().map(|spill| spill.memory.clone()));
        let remote = Remote::new(remote.inner.local.clone(), sources, Arc::clone(notices));
        let inner = Inner {
            local: local.clone(),
            spill: spill.clone(),
            remote: Some(remote),
            notices: Arc::clone(notices),
        };
        Self { inner: Arc::new(inner) }
    }

    /// The folder of a store that has one, for use without async. It knows nothing of the remote place.
    pub fn folder(&self) -> Option<&Folder> {
        match &self.inner.local {
            Place::Folder(folder) => Some(folder),
            _ => None,
        }
    }

    /// Stores a blob unless it is there.
    ///
    /// # Errors
    /// [`Error::Full`], [`Error::ReadOnly`], [`Error::Unreachable`] … of the local place, unless
    /// [`Options::spill`] is set and memory is left.
    pub async fn put_blob(&self, bytes: Bytes) -> Result<BlobRef, Error> {
        let [name] = self.put_blobs(vec![bytes]).await?[..] else { unreachable!("one name for each blob") };
        Ok(name)
    }

    /// Stores blobs unless they are there; their names in the same order. For many small ones faster than one by
    /// one.
    ///
    /// # Errors
    /// As [`put_blob`](Self::put_blob); some of the blobs may be stored then.
    pub async fn put_blobs(&self, blobs: Vec<Bytes>) -> Result<Vec<BlobRef>, Error> {
        let names = match self.inner.local.put_blobs(blobs.clone()).await {
            Ok(names) => names,
            Err(error) => {
                let spill = self.spill_for(error)?;
                spill.take(blobs.iter().map(|bytes| bytes.len() as u64).sum(), self.inner.local.name())?;
                spill.memory.put_blobs(blobs).await?
            }
        };
        if let Some(remote) = &self.inner.remote {
            remote.put_blobs_later(&names).await;
        }
        Ok(names)
    }

    /// A blob's bytes, which are sure to be the ones named.
    ///
    /// # Errors
    /// [`Error::Missing`], or [`Error::Corrupt`] after moving damaged bytes to the quarantine: run the producer
    /// again. Otherwise when reading fails.
    pub async fn get_blob(&self, blob: &BlobRef) -> Result<Bytes, Error> {
        let failure = match self.inner.local.get_blob(blob).await {
            Ok(bytes) => return Ok(bytes),
            Err(error) => error,
        };
        if let Some(memory) = self.spilled()
            && let Ok(bytes) = memory.get_blob(blob).await
        {
            return Ok(bytes);
        }
        let Some(remote) = &self.inner.remote else { return Err(failure) };
        match remote.ask(remote.place().get_blob(blob)).await {
            Some(bytes) => {
                if !matches!(failure, Error::Missing { .. }) {
                    self.inner.notices.add(Trouble::NotRead, failure);
                }
                if let Err(error) = self.inner.local.put_blobs(vec![bytes.clone()]).await {
                    self.inner.notices.add(Trouble::NotKept, error);
                }
                Ok(bytes)
            }
            None => Err(failure),
        }
    }

    /// Which blobs are there, here or at the remote place, in the order asked. Use it to decide what to upload, not
    /// before reading: reading tells as well.
    ///
    /// # Errors
    /// When the local place cannot be asked.
    pub async fn has(&self, blobs: &[BlobRef]) -> Result<Vec<bool>, Error> {
        let mut there = self.inner.local.has(blobs).await?;
        if let Some(memory) = self.spilled() {
            let (at, open) = still_open(&there, blobs);
            fill(&mut there, &at, memory.has(&open).await?);
        }
        if let Some(remote) = &self.inner.remote {
            let (at, open) = still_open(&there, blobs);
            if !open.is_empty()
                && let Some(answers) = remote.ask(remote.place().has(&open)).await
            {
                fill(&mut there, &at, answers);
            }
        }
        Ok(there)
    }

    /// Whether the local place answers and lets us in; a folder did when it was opened. For messages at a start: nothing
    /// else depends on it.
    ///
    /// # Errors
    /// [`Error::NoBucket`], [`Error::Denied`], [`Error::Unreachable`].
    pub async fn check(&self) -> Result<(), Error> {
        self.inner.local.check().await
    }

    /// Somebody else has found these blobs gone or damaged: that they were seen here earlier counts no more.
    pub fn forget(&self, blobs: &[BlobRef]) {
        self.inner.local.forget(blobs);
        if let Some(remote) = &self.inner.remote {
            remote.place().forget(blobs);
        }
    }

    /// The result of a job: a hit only if all blobs it names are there, here or at the remote place.
    ///
    /// # Errors
    /// When the local place cannot be read. A damaged result is quarantined and is no hit.
    pub async fn get_action(&self, key: &Digest) -> Result<Option<Action>, Error> {
        Ok(self.get_actions(&[*key]).await?.pop().flatten())
    }

    /// The results of jobs, in the order asked; much faster than one by one.
    ///
    /// # Errors
    /// As [`get_action`](Self::get_action).
    pub async fn get_actions(&self, keys: &[Digest]) -> Result<Vec<Option<Action>>, Error> {
        let local = self.inner.local.lookups(keys).await?;
        let mut hits = self.complete(local).await?;
        if let Some(memory) = self.spilled() {
            let (at, open) = missed(&hits, keys);
            let found = memory.lookups(&open).await?;
            replace(&mut hits, &at, self.complete(found).await?);
        }
        if let Some(remote) = &self.inner.remote {
            let (at, open) = missed(&hits, keys);
            if !open.is_empty()
                && let Some(found) = remote.ask(remote.place().lookups(&open)).await
            {
                let found = self.complete(found).await?;
                self.keep_actions(&open, &found).await;
                replace(&mut hits, &at, found);
            }
        }
        Ok(hits)
    }

    /// Stores the result of a job, in place of an earlier one. Put the blobs it names before.
    ///
    /// # Errors
    /// As [`put_blob`](Self::put_blob).
    pub async fn put_action(&self, key: &Digest, action: &Action) -> Result<(), Error> {
        if let Err(error) = self.inner.local.put_action(key, action).await {
            let spill = self.spill_for(error)?;
            spill.take(action.payload.len() as u64, self.inner.local.name())?;
            spill.memory.put_action(key, action).await?;
        }
        if let Some(remote) = &self.inner.remote {
            remote.put_action_later(key, action).await;
        }
        Ok(())
    }

    /// Waits until background work is done: uploads to the remote place, eviction from a folder. Call it before the
    /// process ends.
    pub async fn flush(&self) {
        if let Some(remote) = &self.inner.remote {
            remote.flush().await;
        }
        if let Place::Folder(folder) = &self.inner.local {
            let folder = folder.clone();
            // Fails only while the runtime goes down.
            let _ = tokio::task::spawn_blocking(move || folder.settle()).await;
        }
    }

    /// The troubles since the last call, one for each kind and place.
    pub fn notices(&self) -> Vec<Notice> {
        self.inner.notices.take()
    }

    pub(crate) fn local(&self) -> &Place {
        &self.inner.local
    }

    fn at(local: Place, options: &Options) -> Self {
        let spill = options.spill.then(|| {
            let memory = address::memory(&Options::default());
            Arc::new(Spill { memory, bytes: AtomicU64::new(0), bound: options.spill_bytes })
        });
        Self { inner: Arc::new(Inner { local, spill, remote: None, notices: Arc::default() }) }
    }

    /// The spill, if this error is one it helps with; with a notice.
    fn spill_for(&self, error: Error) -> Result<&Spill, Error> {
        match &self.inner.spill {
            Some(spill) if error.is_about_the_place() => {
                self.inner.notices.add(Trouble::KeptInMemory, error);
                Ok(spill)
            }
            _ => Err(error),
        }
    }

    /// The spill's memory, if anything is in it.
    fn spilled(&self) -> Option<&Place> {
        let spill = self.inner.spill.as_deref()?;
        (spill.bytes.load(Ordering::Acquire) > 0).then_some(&spill.memory)
    }

    /// Keeps the lookups whose blobs are all somewhere.
    async fn complete(&self, lookups: Vec<Lookup>) -> Result<Vec<Option<Action>>, Error> {
        let missing: Vec<BlobRef> =
            lookups.iter().flatten().flat_map(|(_, missing)| missing).copied().collect();
        let has_elsewhere = self.inner.remote.is_some() || self.spilled().is_some();
        let mut there = match has_elsewhere && !missing.is_empty() {
            true => self.has(&missing).await?,
            false => vec![false; missing.len()],
        }
        .into_iter();
        let mut is_complete =
            |missing: &[BlobRef]| there.by_ref().take(missing.len()).fold(true, |all, is| all & is);
        let kept = lookups.into_iter().map(|lookup| {
            let (action, missing) = lookup?;
            is_complete(&missing).then_some(action)
        });
        Ok(kept.collect())
    }

    async fn keep_actions(&self, keys: &[Digest], found: &[Option<Action>]) {
        for (key, action) in keys.iter().zip(found) {
            let Some(action) = action else { continue };
            if let Err(error) = self.inner.local.put_action(key, action).await {
                self.inner.notices.add(Trouble::NotKept, error);
            }
        }
    }
}

impl Spill {
    /// Counts bytes in; the place is full when memory is, too.
    fn take(&self, len: u64, place: &Arc<str>) -> Result<(), Error> {
        let before = self.bytes.fetch_add(len.max(1), Ordering::AcqRel);
        if before.saturating_add(len) > self.bound {
            self.bytes.fetch_sub(len.max(1), Ordering::AcqRel);
            return Err(Error::Full { place: Arc::clone(place) });
        }
        Ok(())
    }
}

/// Positions and names of the blobs not found yet.
fn still_open(there: &[bool], blobs: &[BlobRef]) -> (Vec<usize>, Vec<BlobRef>) {
    there
        .iter()
        .zip(blobs)
        .enumerate()
        .filter(|(_, (there, _))| !**there)
        .map(|(at, (_, blob))| (at, *blob))
        .unzip()
}

fn fill(there: &mut [bool], at: &[usize], answers: Vec<bool>) {
    at.iter().zip(answers).for_each(|(at, answer)| there[*at] = answer);
}

/// Positions and keys of the jobs without a hit yet.
fn missed(hits: &[Option<Action>], keys: &[Digest]) -> (Vec<usize>, Vec<Digest>) {
    hits.iter()
        .zip(keys)
        .enumerate()
        .filter(|(_, (hit, _))| hit.is_none())
        .map(|(at, (_, key))| (at, *key))
        .unzip()
}

fn replace(hits: &mut [Option<Action>], at: &[usize], found: Vec<Option<Action>>) {
    at.iter().zip(found).for_each(|(at, action)| hits[*at] = action);
}
