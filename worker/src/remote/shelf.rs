//! Bytes near the jobs: in memory, in a folder of this machine, in a store shared with the coordinator, and behind all
//! of them the coordinator itself.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use canonical::BlobRef;
use store::Store;

use crate::transfer::{Transfer, TransferError};

/// How long inputs are asked for when nobody answers.
const FETCH: Duration = Duration::from_secs(60);
/// How long what was made is offered: making it again costs more.
const DEPOSIT: Duration = Duration::from_secs(900);
/// Pause after the first attempt; doubles with each…
const PAUSE: Duration = Duration::from_millis(200);
/// …up to this.
const MAX_PAUSE: Duration = Duration::from_secs(5);

/// Where a worker finds bytes and leaves them.
#[derive(Clone)]
pub(super) struct Shelf {
    inner: Arc<Inner>,
}

struct Inner {
    near: Mutex<Near>,
    /// Own and bounded: a shortcut, nothing more.
    disk: Option<Store>,
    /// The farm's own store, if this machine reaches it.
    shared: Option<Store>,
    transfer: Transfer,
}

/// The newest blobs in memory, as many as fit.
struct Near {
    blobs: BTreeMap<BlobRef, Arc<[u8]>>,
    order: VecDeque<BlobRef>,
    bytes: usize,
    bound: usize,
}

/// Why bytes cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// Nobody has them: their producer must run again.
    Gone(BlobRef),
    /// Somebody does not answer, or refuses; in words for people.
    Away(String),
}

impl Shelf {
    pub(super) fn new(bound: usize, disk: Option<Store>, shared: Option<Store>, transfer: Transfer) -> Self {
        let near = Near { blobs: BTreeMap::new(), order: VecDeque::new(), bytes: 0, bound };
        Self { inner: Arc::new(Inner { near: Mutex::new(near), disk, shared, transfer }) }
    }

    /// The bytes of a blob, verified, from the nearest place.
    pub(super) async fn fetch(&self, blob: &BlobRef) -> Result<Arc<[u8]>, Trouble> {
        if let Some(bytes) = self.near().blobs.get(blob) {
            return Ok(Arc::clone(bytes));
        }
        if let Some(disk) = &self.inner.disk
            && let Ok(bytes) = disk.get_blob(blob).await
        {
            return Ok(self.hold(*blob, Arc::from(&bytes[..])));
        }
        let bytes = self.fetch_far(blob).await?;
        self.keep(vec![Arc::clone(&bytes)]);
        Ok(self.hold(*blob, bytes))
    }

    async fn fetch_far(&self, blob: &BlobRef) -> Result<Arc<[u8]>, Trouble> {
        if let Some(shared) = &self.inner.shared {
            match shared.get_blob(blob).await {
                Ok(bytes) => return Ok(Arc::from(&bytes[..])),
                Err(store::Error::Missing { .. } | store::Error::Corrupt { .. }) => {}
                Err(error) => tracing::warn!(%error, "the store does not answer, the coordinator is asked"),
            }
        }
        let transfer = &self.inner.transfer;
        again(FETCH, || transfer.get(blob)).await
    }

    /// Leaves bytes where readers of the whole farm find them. Only after that may a result name them.
    pub(super) async fn deposit(&self, blobs: &[(BlobRef, Arc<[u8]>)]) -> Result<(), Trouble> {
        if blobs.is_empty() {
            return Ok(());
        }
        blobs.iter().for_each(|(blob, bytes)| drop(self.hold(*blob, Arc::clone(bytes))));
        self.keep(blobs.iter().map(|(_, bytes)| Arc::clone(bytes)).collect());
        if let Some(shared) = &self.inner.shared {
            let bytes = blobs.iter().map(|(_, bytes)| Bytes::from_owner(Arc::clone(bytes))).collect();
            match shared.put_blobs(bytes).await {
                Ok(_) => return Ok(()),
                Err(error) => tracing::warn!(%error, "the store takes nothing, the coordinator is asked"),
            }
        }
        let transfer = &self.inner.transfer;
        again(DEPOSIT, || transfer.put_missing(blobs)).await
    }

    /// Waits for what is still being written to this machine's folder.
    pub(super) async fn flush(&self) {
        if let Some(disk) = &self.inner.disk {
            disk.flush().await;
        }
    }

    fn hold(&self, blob: BlobRef, bytes: Arc<[u8]>) -> Arc<[u8]> {
        self.near().hold(blob, &bytes);
        bytes
    }

    /// Writes to this machine's folder, while nobody waits.
    fn keep(&self, blobs: Vec<Arc<[u8]>>) {
        let Some(disk) = self.inner.disk.clone() else { return };
        let bytes = blobs.into_iter().map(Bytes::from_owner).collect();
        tokio::spawn(async move {
            if let Err(error) = disk.put_blobs(bytes).await {
                tracing::warn!(%error, "bytes are not kept on this machine");
            }
        });
    }

    fn near(&self) -> std::sync::MutexGuard<'_, Near> {
        self.inner.near.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Near {
    fn hold(&mut self, blob: BlobRef, bytes: &Arc<[u8]>) {
        if bytes.len() > self.bound || self.blobs.contains_key(&blob) {
            return;
        }
        self.blobs.insert(blob, Arc::clone(bytes));
        self.order.push_back(blob);
        self.bytes += bytes.len();
        while self.bytes > self.bound {
            let Some(oldest) = self.order.pop_front() else { return };
            self.bytes -= self.blobs.remove(&oldest).map_or(0, |bytes| bytes.len());
        }
    }
}

/// Asks again and again, with pauses, as long as the other side is only away.
async fn again<T, F>(patience: Duration, mut ask: impl FnMut() -> F) -> Result<T, Trouble>
where
    F: Future<Output = Result<T, TransferError>>,
{
    let since = Instant::now();
    let mut pause = PAUSE;
    loop {
        match ask().await {
            Ok(answer) => return Ok(answer),
            Err(TransferError::Gone(blob)) => return Err(Trouble::Gone(blob)),
            Err(TransferError::Away(_)) if since.elapsed() < patience => tokio::time::sleep(pause).await,
            Err(error) => return Err(Trouble::Away(error.to_string())),
        }
        pause = (pause * 2).min(MAX_PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_the_newest_stay() {
        let mut near = Near { blobs: BTreeMap::new(), order: VecDeque::new(), bytes: 0, bound: 20 };
        let blob = |byte: u8, len: usize| (BlobRef::of(&vec![byte; len]), Arc::from(vec![byte; len]));
        for (name, bytes) in [blob(0, 10), blob(1, 10), blob(1, 10), blob(2, 10), blob(3, 21)] {
            near.hold(name, &bytes);
        }
        let there: Vec<_> = near.order.iter().copied().collect();
        assert_eq!(there, [blob(1, 10).0, blob(2, 10).0]);
        assert_eq!((near.bytes, near.blobs.len()), (20, 2));
    }
}
