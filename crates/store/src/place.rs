//! One place where things are kept: a folder, an object store, or a cache server.

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use canonical::{BlobRef, Digest};
use futures::future::try_join_all;
use futures::{StreamExt, TryStreamExt, stream};

use crate::envelope::Action;
use crate::error::Error;
use crate::folder::{Folder, Lookup};
use crate::layout::{Entry, Shelf};
use crate::objects::Objects;
#[cfg(feature = "reapi")]
use crate::reapi::Reapi;

/// Entries moved to or from an object store at once.
const CONCURRENT_TRANSFERS: usize = 16;
/// Threads that write files at once.
const FILE_WRITERS: usize = 8;
/// So few blobs are not worth a second thread.
const FEW: usize = 8;

/// One place. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Folder(Folder),
    Objects(Objects),
    #[cfg(feature = "reapi")]
    Reapi(Reapi),
}

impl Place {
    pub(crate) fn name(&self) -> &Arc<str> {
        match self {
            Self::Folder(folder) => folder.name(),
            Self::Objects(objects) => objects.name(),
            #[cfg(feature = "reapi")]
            Self::Reapi(reapi) => reapi.name(),
        }
    }

    pub(crate) fn is_read_only(&self) -> bool {
        match self {
            Self::Folder(folder) => folder.is_read_only(),
            Self::Objects(objects) => objects.is_read_only(),
            #[cfg(feature = "reapi")]
            Self::Reapi(reapi) => reapi.is_read_only(),
        }
    }

    pub(crate) async fn put_blobs(&self, blobs: Vec<Bytes>) -> Result<Vec<BlobRef>, Error> {
        match self {
            Self::Folder(folder) => {
                let part = blobs.len().div_ceil(FILE_WRITERS).max(FEW);
                let parts = blobs.chunks(part).map(|part| {
                    let part = part.to_vec();
                    blocking(folder, move |folder| part.iter().map(|bytes| folder.put_blob(bytes)).collect())
                });
                let names: Vec<Result<Vec<BlobRef>, Error>> = try_join_all(parts).await?;
                Ok(names.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
            }
            Self::Objects(objects) => {
                let puts = blobs.into_iter().map(|bytes| {
                    let objects = objects.clone();
                    async move { objects.put_blob(bytes).await }
                });
                stream::iter(puts).buffered(CONCURRENT_TRANSFERS).try_collect().await
            }
            #[cfg(feature = "reapi")]
            Self::Reapi(reapi) => reapi.put_blobs(blobs).await,
        }
    }

    pub(crate) async fn get_blob(&self, blob: &BlobRef) -> Result<Bytes, Error> {
        match self {
            Self::Folder(folder) => {
                let blob = *blob;
                blocking(folder, move |folder| folder.get_blob(&blob)).await?
            }
            Self::Objects(objects) => objects.get_blob(blob).await,
            #[cfg(feature = "reapi")]
            Self::Reapi(reapi) => reapi.get_blob(blob).await,
        }
    }

    pub(crate) async fn has(&self, blobs: &[BlobRef]) -> Result<Vec<bool>, Error> {
        match self {
            Self::Folder(folder) => {
                let blobs = blobs.to_vec();
                blocking(folder, move |folder| folder.has(&blobs)).await
            }
            Self::Objects(objects) => objects.has(blobs).await,
            #[cfg(feature = "reapi")]
            Self::Reapi(reapi) => reapi.has(blobs).await,
        }
    }

    /// Somebody has found these gone: what was seen earlier counts no more.
    pub(crate) fn forget(&self, blobs: &[BlobRef]) {
        if let Self::Objects(objects) = self {
            blobs.iter().for_each(|blob| objects.forget(&blob.digest));
        }
    }

    pub(crate) async fn check(&self) -> Result<(), Error> {
        match self {
            Self::Folder(_) => Ok(()),
            Self::Objects(objects) => objects.check().await,
            #[cfg(feature = "reapi")]
            Self::Reapi(reapi) => reapi.check().await,
        }
    }

    pub(crate) async fn lookups(&self, keys: &[Digest]) -> Result<Vec<Lookup>, Error> {
        match self {
            Self::Folder(folder) => {
                let keys = keys.to_vec();
                blocking(folder, move |folder| keys.iter().map(|key| folder.lookup(key)).collect()).await?
            }
            Self::Objects(objects) => objects.lookups(keys).await,
            #[cfg(feature = "reapi")]
            Self::Reapi(reapi) => reapi.lookups(keys).await,
        }
    }

    /// The blobs that results name, none for a result that is gone or damaged (which is quarantined). Unlike a
    /// lookup it does not count as use.
    pub(crate) async fn refs(&self, keys: Vec<Digest>) -> Result<Vec<Option<Vec<BlobRef>>>, Error> {
        match self {
            Self::Folder(folder) => {
                blocking(folder, move |folder| keys.iter().map(|key| folder.refs(key)).collect()).await?
            }
            Self::Objects(objects) => {
                let asked = keys.into_iter().map(|key| {
                    let objects = objects.clone();
                    async move { objects.refs(&key).await }
                });
                stream::iter(asked).buffered(CONCURRENT_TRANSFERS).try_collect().await
            }
            #[cfg(feature = "reapi")]
            Self::Reapi(reapi) => Err(reapi.cannot("listed")),
        }
    }

    /// Reads and hashes a blob as [`get_blob`](Self::get_blob) does, without counting it as used.
    pub(crate) async fn check_blob(&self, blob: &BlobRef) -> Result<(), Error> {
        match self {
            Self::Folder(folder) => {
                let blob = *blob;
                blocking(folder, move |folder| folder.check_blob(&blob)).await?
            }
            Self::Objects(objects) => objects.get_blob(blob).await.map(drop),
            #[cfg(feature = "reapi")]
            Self::Reapi(reapi) => reapi.get_blob(blob).await.map(drop),
        }
    }

    pub(crate) async fn put_action(&self, key: &Digest, action: &Action) -> Result<(), Error> {
        match self {
            Self::Folder(folder) => {
                let (key, action) = (*key, action.clone());
                blocking(folder, move |folder| folder.put_action(&key, &action)).await?
            }
            Self::Objects(objects) => objects.put_action(key, action).await,
            #[cfg(feature = "reapi")]
            Self::Reapi(reapi) => reapi.put_action(key, action).await,
        }
    }

    pub(crate) async fn list(&self, shelf: Shelf) -> Result<Vec<Entry>, Error> {
        match self {
            Self::Folder(folder) => blocking(folder, move |folder| folder.list(shelf)).await?,
            Self::Objects(objects) => objects.list(shelf).await,
            #[cfg(feature = "reapi")]
            Self::Reapi(reapi) => Err(reapi.cannot("listed")),
        }
    }

    /// Moves an entry of a folder to the quarantine, unless it is read-only.
    pub(crate) async fn set_aside(&self, shelf: Shelf, name: Digest) -> Result<(), Error> {
        match self {
            Self::Folder(folder) => blocking(folder, move |folder| folder.quarantine(shelf, &name)).await,
            Self::Objects(_) => Ok(()),
            #[cfg(feature = "reapi")]
            Self::Reapi(_) => Ok(()),
        }
    }

    pub(crate) async fn remove(&self, shelf: Shelf, name: Digest, cutoff: SystemTime) -> Result<bool, Error> {
        match self {
            Self::Folder(folder) => {
                blocking(folder, move |folder| folder.remove(shelf, &name, cutoff)).await?
            }
            Self::Objects(objects) => objects.remove(shelf, &name, cutoff).await,
            #[cfg(feature = "reapi")]
            Self::Reapi(reapi) => Err(reapi.cannot("collected")),
        }
    }
}

/// Runs file work where blocking is allowed.
async fn blocking<T: Send + 'static>(
    folder: &Folder,
    work: impl FnOnce(&Folder) -> T + Send + 'static,
) -> Result<T, Error> {
    let for_task = folder.clone();
    let done = tokio::task::spawn_blocking(move || work(&for_task)).await;
    done.map_err(|error| Error::Io { place: Arc::clone(folder.name()), reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::address;
    use crate::options::Options;

    /// The race of a collector with an uploader, step by step: listed as old, used, then asked to go.
    #[tokio::test]
    async fn what_was_used_after_it_was_listed_stays() {
        let temporary = tempfile::tempdir().unwrap();
        let options = Options { refresh: Duration::ZERO, ..Options::default() };
        let folder = Place::Folder(Folder::open(temporary.path(), &options).unwrap());
        let bytes = Bytes::from(vec![1; 100_000]);
        for place in [folder, address::memory(&options)] {
            let blob = place.put_blobs(vec![bytes.clone()]).await.unwrap()[0];
            if let Place::Folder(folder) = &place {
                let file = std::fs::File::open(folder.path(Shelf::Blobs, &blob.digest)).unwrap();
                file.set_modified(SystemTime::now() - Duration::from_secs(7200)).unwrap();
            }
            let listed = place.list(Shelf::Blobs).await.unwrap()[0];
            if let Place::Objects(objects) = &place {
                objects.forget(&blob.digest);
            }
            place.put_blobs(vec![bytes.clone()]).await.unwrap();
            assert!(!place.remove(Shelf::Blobs, blob.digest, listed.used).await.unwrap(), "{}", place.name());
            assert_eq!(place.get_blob(&blob).await.unwrap(), bytes);
            assert!(place.remove(Shelf::Blobs, blob.digest, SystemTime::now()).await.unwrap());
            assert_eq!(place.has(&[blob]).await.unwrap(), [false]);
        }
    }
}
