//! The shared tier behind a local place: asked with patience that runs out, written by a task of its own.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use canonical::{BlobRef, Digest};
use futures::{StreamExt, stream};
use tokio::sync::{Semaphore, mpsc, oneshot};

use crate::envelope::Action;
use crate::error::Error;
use crate::notices::{Notices, Trouble};
use crate::place::Place;

/// Uploads waiting at most; they are names, the bytes stay in the local place until their turn.
const QUEUE: usize = 1 << 16;
/// Uploads taken from the queue together.
const BATCH: usize = 256;
const CONCURRENT_UPLOADS: usize = 16;
/// Memory for blobs on their way, in units of [`UNIT`].
const UNITS_IN_FLIGHT: u32 = 4096;
const UNIT: u64 = 64 << 10;
/// After a failure the remote is left alone for this long, doubled with each further failure …
const PAUSE: Duration = Duration::from_secs(1);
/// … up to this many times.
const DOUBLINGS: u32 = 6;

#[derive(Debug)]
pub(crate) struct Remote {
    link: Arc<Link>,
    queue: OnceLock<mpsc::Sender<Upload>>,
}

/// What reading and uploading share.
#[derive(Debug)]
struct Link {
    place: Place,
    /// Where uploads find their bytes.
    local: Vec<Place>,
    notices: Arc<Notices>,
    takes_writes: AtomicBool,
    failures: Mutex<Failures>,
    in_flight: Semaphore,
}

#[derive(Debug, Default)]
struct Failures {
    in_a_row: u32,
    pause_until: Option<Instant>,
    last: Option<Error>,
}

#[derive(Debug)]
enum Upload {
    Blob(BlobRef),
    Action(Digest, Action),
    Done(oneshot::Sender<()>),
}

impl Remote {
    pub(crate) fn new(place: Place, local: Vec<Place>, notices: Arc<Notices>) -> Self {
        let takes_writes = AtomicBool::new(!place.is_read_only());
        let in_flight = Semaphore::new(UNITS_IN_FLIGHT as usize);
        let link = Link { place, local, notices, takes_writes, failures: Mutex::default(), in_flight };
        Self { link: Arc::new(link), queue: OnceLock::new() }
    }

    pub(crate) fn place(&self) -> &Place {
        &self.link.place
    }

    /// Makes a request; `None`, and a notice, when it failed or the remote is being left alone.
    pub(crate) async fn ask<T>(&self, request: impl Future<Output = Result<T, Error>>) -> Option<T> {
        match self.link.attempt(request).await {
            Ok(answer) => Some(answer),
            // That somebody has not got something is an answer.
            Err(Error::Missing { .. }) => None,
            Err(error) => {
                self.link.notices.add(Trouble::NotRead, error);
                None
            }
        }
    }

    pub(crate) async fn put_blobs_later(&self, blobs: &[BlobRef]) {
        for blob in blobs {
            self.enqueue(Upload::Blob(*blob)).await;
        }
    }

    pub(crate) async fn put_action_later(&self, key: &Digest, action: &Action) {
        self.enqueue(Upload::Action(*key, action.clone())).await;
    }

    /// Waits until all that was enqueued before is uploaded or given up.
    pub(crate) async fn flush(&self) {
        if let Some(queue) = self.queue.get() {
            let (done, is_done) = oneshot::channel();
            // If the task is gone there is nothing to wait for.
            if queue.send(Upload::Done(done)).await.is_ok() {
                let _ = is_done.await;
            }
        }
    }

    async fn enqueue(&self, upload: Upload) {
        if !self.link.takes_writes.load(Ordering::Relaxed) {
            return;
        }
        let queue = self.queue.get_or_init(|| {
            let (sender, receiver) = mpsc::channel(QUEUE);
            tokio::spawn(upload_all(Arc::clone(&self.link), receiver));
            sender
        });
        // Fails only when the runtime is going down.
        let _ = queue.send(upload).await;
    }
}

async fn upload_all(link: Arc<Link>, mut queue: mpsc::Receiver<Upload>) {
    let mut batch = Vec::new();
    while queue.recv_many(&mut batch, BATCH).await > 0 {
        let mut blobs = BTreeMap::new();
        let mut actions = BTreeMap::new();
        let mut waiting = Vec::new();
        for upload in batch.drain(..) {
            match upload {
                Upload::Blob(blob) => drop(blobs.insert(blob.digest, blob)),
                Upload::Action(key, action) => drop(actions.insert(key, action)),
                Upload::Done(done) => waiting.push(done),
            }
        }
        // Blobs before the results that name them.
        let blob_uploads = blobs.into_values().map(|blob| link.upload_blob(blob));
        stream::iter(blob_uploads).buffer_unordered(CONCURRENT_UPLOADS).for_each(|_| async {}).await;
        let action_uploads = actions.into_iter().map(|(key, action)| link.upload_action(key, action));
        stream::iter(action_uploads).buffer_unordered(CONCURRENT_UPLOADS).for_each(|()| async {}).await;
        for done in waiting {
            // Who no longer waits need not be told.
            let _ = done.send(());
        }
    }
}

impl Link {
    /// Whether the blob is there now.
    async fn upload_blob(&self, blob: BlobRef) -> bool {
        if !self.takes_writes.load(Ordering::Relaxed) {
            return false;
        }
        let units = u32::try_from(blob.len / UNIT)
            .map_or(UNITS_IN_FLIGHT, |units| units.min(UNITS_IN_FLIGHT - 1) + 1);
        let Ok(_permit) = self.in_flight.acquire_many(units).await else { return false };
        match self.read_local(&blob).await {
            Ok(bytes) => self.write(self.place.put_blobs(vec![bytes])).await,
            Err(error) => {
                self.notices.add(Trouble::NotKept, error);
                false
            }
        }
    }

    /// Uploads a result once all its blobs are there; without them it would be a promise nobody can keep.
    async fn upload_action(&self, key: Digest, action: Action) {
        if !self.takes_writes.load(Ordering::Relaxed) {
            return;
        }
        let there = match self.attempt(self.place.has(&action.refs)).await {
            Ok(there) => there,
            Err(error) => return self.notices.add(Trouble::NotKept, error),
        };
        for (blob, is_there) in action.refs.iter().zip(there) {
            if !is_there && !self.upload_blob(*blob).await {
                return;
            }
        }
        self.write(self.place.put_action(&key, &action)).await;
    }

    async fn read_local(&self, blob: &BlobRef) -> Result<Bytes, Error> {
        let mut failure = Error::Missing { blob: *blob, place: Arc::clone(self.place.name()) };
        for place in &self.local {
            match place.get_blob(blob).await {
                Ok(bytes) => return Ok(bytes),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    async fn write<T>(&self, request: impl Future<Output = Result<T, Error>>) -> bool {
        let written = self.attempt(request).await;
        if let Err(error) = written {
            if matches!(error, Error::ReadOnly { .. }) {
                self.takes_writes.store(false, Ordering::Relaxed);
            }
            self.notices.add(Trouble::NotKept, error);
            return false;
        }
        true
    }

    /// Makes a request unless the remote failed lately; then the last error is the answer.
    async fn attempt<T>(&self, request: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        if let Some(error) = self.failures().pausing() {
            return Err(error);
        }
        let answer = request.await;
        let mut failures = self.failures();
        match &answer {
            Err(error @ (Error::Unreachable { .. } | Error::Denied { .. } | Error::Io { .. })) => {
                failures.add(error)
            }
            _ => *failures = Failures::default(),
        }
        answer
    }

    fn failures(&self) -> std::sync::MutexGuard<'_, Failures> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Failures {
    fn pausing(&self) -> Option<Error> {
        self.pause_until.filter(|until| Instant::now() < *until).and(self.last.clone())
    }

    fn add(&mut self, error: &Error) {
        // Requests that were under way together fail together; that is one failure.
        if self.pausing().is_none() {
            self.pause_until = Some(Instant::now() + PAUSE * (1 << self.in_a_row.min(DOUBLINGS)));
            self.in_a_row += 1;
        }
        self.last = Some(error.clone());
    }
}
