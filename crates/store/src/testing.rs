//! Stores that lose and damage, for tests of what is built on the store (FARM 8.6).

mod peers;
mod s3;

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use canonical::{BlobRef, Digest};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

use crate::layout::Shelf;
use crate::place::Place;
use crate::store::Store;

pub use peers::{BUILDGRID, peer};
pub use s3::{BUCKET, S3Server};

/// A way to hurt a stored entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// One bit in the middle is turned.
    Flip,
    /// The second half is lost.
    Truncate,
    /// All is lost.
    Delete,
}

impl Damage {
    /// All ways.
    pub const ALL: [Self; 3] = [Self::Flip, Self::Truncate, Self::Delete];

    fn applied(self, bytes: &[u8]) -> Option<Bytes> {
        let mut bytes = bytes.to_vec();
        let middle = bytes.len() / 2;
        match self {
            Self::Flip => *bytes.get_mut(middle)? ^= 1,
            Self::Truncate => bytes.truncate(middle),
            Self::Delete => return None,
        }
        Some(bytes.into())
    }
}

/// Damages a blob in the local place of a store, behind its back. An empty blob cannot be flipped: it is deleted.
pub async fn damage_blob(store: &Store, blob: &BlobRef, damage: Damage) {
    damage_entry(store, Shelf::Blobs, &blob.digest, damage).await;
}

/// Damages an action result in the local place of a store, behind its back.
pub async fn damage_action(store: &Store, key: &Digest, damage: Damage) {
    damage_entry(store, Shelf::Actions, key, damage).await;
}

async fn damage_entry(store: &Store, shelf: Shelf, name: &Digest, damage: Damage) {
    match store.local() {
        Place::Folder(folder) => {
            let path = folder.path(shelf, name);
            let bytes = std::fs::read(&path).expect("the entry is there");
            match damage.applied(&bytes) {
                Some(bytes) => std::fs::write(&path, bytes),
                None => std::fs::remove_file(&path),
            }
            .expect("the folder is writable");
        }
        Place::Objects(objects) => {
            let (path, inner) = (objects.path(shelf, name), objects.object_store());
            let bytes =
                inner.get(&path).await.expect("the entry is there").bytes().await.expect("it is readable");
            match damage.applied(&bytes) {
                Some(bytes) => inner.put(&path, bytes.into()).await.map(drop),
                None => inner.delete(&path).await,
            }
            .expect("the store is writable");
        }
        #[cfg(feature = "reapi")]
        Place::Reapi(_) => panic!("what others keep cannot be damaged"),
    }
}

/// What a [`Faulty`] store does wrong, each in so many of 1000 requests of its kind. The choice depends on the seed
/// and the order of requests alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Faults {
    /// Seed of all choices.
    pub seed: u64,
    /// Writes that are acknowledged and lost.
    pub lost_writes: u32,
    /// Writes of which one bit is turned.
    pub flipped_writes: u32,
    /// Writes of which the second half is lost.
    pub cut_writes: u32,
    /// Requests answered with an error, as by an overloaded server.
    pub errors: u32,
    /// Requests answered late …
    pub stalls: u32,
    /// … by this.
    pub stall: Duration,
    /// Faults of all kinds at most, so that a test ends; `None`: no bound.
    pub budget: Option<u32>,
}

/// An object store in memory with faults. Faults can be changed while it is used.
#[derive(Clone, Debug, Default)]
pub struct Faulty {
    inner: Arc<InMemory>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    faults: Faults,
    random: u64,
    done: u32,
    requests: u64,
}

impl Faulty {
    /// An empty store.
    pub fn new(faults: Faults) -> Self {
        let faulty = Self::default();
        faulty.set(faults);
        faulty
    }

    /// Changes the faults from now on; the budget begins anew.
    pub fn set(&self, faults: Faults) {
        let mut state = self.state();
        (state.faults, state.random, state.done) = (faults, faults.seed, 0);
    }

    /// Faults done since they were set.
    pub fn faults_done(&self) -> u32 {
        self.state().done
    }

    /// Requests of any kind since the store was made.
    pub fn requests(&self) -> u64 {
        self.state().requests
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn request(&self) -> Result<()> {
        let (stall, error) = {
            let mut state = self.state();
            state.requests += 1;
            let (faults, stall) = (state.faults, state.faults.stall);
            (state.draws(faults.stalls).then_some(stall), state.draws(faults.errors))
        };
        if let Some(stall) = stall {
            tokio::time::sleep(stall).await;
        }
        if error {
            return Err(object_store::Error::Generic { store: "Faulty", source: "503 slow down".into() });
        }
        Ok(())
    }
}

impl State {
    fn draws(&mut self, per_mille: u32) -> bool {
        // SplitMix64
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let is_within = self.faults.budget.is_none_or(|budget| self.done < budget);
        let is_drawn = is_within && mixed % 1000 < u64::from(per_mille);
        self.done += u32::from(is_drawn);
        is_drawn
    }
}

impl fmt::Display for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faulty")
    }
}

#[async_trait]
impl ObjectStore for Faulty {
    async fn put_opts(&self, path: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.request().await?;
        let faults = self.state().faults;
        let bytes = Bytes::from(payload);
        let damage = {
            let mut state = self.state();
            let flip = state.draws(faults.flipped_writes).then_some(Damage::Flip);
            let cut = state.draws(faults.cut_writes).then_some(Damage::Truncate);
            let lost = state.draws(faults.lost_writes).then_some(Damage::Delete);
            lost.or(cut).or(flip)
        };
        let kept = match damage {
            Some(damage) => damage.applied(&bytes),
            None => Some(bytes),
        };
        match kept {
            Some(bytes) => self.inner.put_opts(path, bytes.into(), options).await,
            None => Ok(PutResult { e_tag: None, version: None, extensions: Default::default() }),
        }
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.request().await?;
        self.inner.put_multipart_opts(path, options).await
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        self.request().await?;
        self.inner.get_opts(path, options).await
    }

    async fn get_ranges(&self, path: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        self.request().await?;
        self.inner.get_ranges(path, ranges).await
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let faulty = self.clone();
        let checked = paths.and_then(move |path| {
            let faulty = faulty.clone();
            async move { faulty.request().await.map(|()| path) }
        });
        self.inner.delete_stream(checked.boxed())
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.request().await?;
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.request().await?;
        self.inner.copy_opts(from, to, options).await
    }
}
