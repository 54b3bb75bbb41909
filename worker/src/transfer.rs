//! Bytes to and from a coordinator.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use canonical::BlobRef;
use futures::{StreamExt, TryStreamExt, stream};
use proto::{limits, v1};
use tonic::{Code, Request, Status};

use crate::link::{self, Channel};

/// Blobs on their way at once.
const CONCURRENT: usize = 16;
/// Names in one question.
const QUESTION: usize = 20_000;
/// Time limit of one call: this, and a second for each [`BYTES_PER_SECOND`].
const TIME_LIMIT: Duration = Duration::from_secs(20);
const BYTES_PER_SECOND: u64 = 1 << 20;
/// Larger blobs are hashed where blocking is allowed.
const HASH_INLINE_UP_TO: usize = 1 << 20;

/// Speaks to the blobs of a coordinator. Cheap to clone.
#[derive(Clone)]
pub struct Transfer {
    client: v1::blobs_client::BlobsClient<Channel>,
}

/// Why bytes did not come or go.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransferError {
    /// Missing or damaged: run the producer again.
    #[error("blob {} is gone from the farm's store", .0.digest)]
    Gone(BlobRef),
    /// The coordinator is away or busy: try again.
    #[error("the coordinator is away: {0}")]
    Away(String),
    /// The coordinator does not want this; trying again does not help.
    #[error("the coordinator refuses: {0}")]
    Refused(String),
}

impl Transfer {
    /// Over a connection.
    pub fn new(channel: Channel) -> Self {
        let client = v1::blobs_client::BlobsClient::new(channel);
        let client = client.max_decoding_message_size(limits::MESSAGE);
        Self { client: client.max_encoding_message_size(limits::MESSAGE) }
    }

    /// Which of these are not there.
    ///
    /// # Errors
    /// [`TransferError::Away`] or [`TransferError::Refused`].
    pub async fn find_missing(&self, blobs: &[BlobRef]) -> Result<Vec<BlobRef>, TransferError> {
        let mut missing = Vec::new();
        for some in blobs.chunks(QUESTION) {
            let question = v1::FindMissingRequest { blobs: some.iter().map(|blob| (*blob).into()).collect() };
            let answer = self.client.clone().find_missing(timed(question, 0)).await.map_err(failed)?;
            let named = proto::convert::blobs(answer.into_inner().missing);
            missing.extend(named.map_err(|error| TransferError::Refused(error.to_string()))?);
        }
        Ok(missing)
    }

    /// Sends those that are not there.
    ///
    /// # Errors
    /// As [`Self::find_missing`].
    pub async fn put_missing(&self, blobs: &[(BlobRef, Arc<[u8]>)]) -> Result<(), TransferError> {
        let names: Vec<_> = blobs.iter().map(|(blob, _)| *blob).collect();
        let missing: std::collections::BTreeSet<_> = self.find_missing(&names).await?.into_iter().collect();
        // Nothing is never missing, and yet to be kept where results that name it are looked up.
        let sent = blobs.iter().filter(|(blob, _)| missing.contains(blob) || blob.len == 0).cloned();
        let puts = sent.map(|(blob, bytes)| {
            let transfer = self.clone();
            async move { transfer.put(blob, bytes).await }
        });
        let puts: Vec<_> = puts.collect();
        stream::iter(puts).buffer_unordered(CONCURRENT).try_collect().await
    }

    /// Sends one.
    ///
    /// # Errors
    /// As [`Self::find_missing`].
    pub async fn put(&self, blob: BlobRef, bytes: Arc<[u8]>) -> Result<(), TransferError> {
        let bytes = Bytes::from_owner(bytes);
        let count = bytes.len().div_ceil(limits::CHUNK).max(1);
        let chunk = move |at: usize| {
            let (from, to) = (at * limits::CHUNK, ((at + 1) * limits::CHUNK).min(bytes.len()));
            let name = (at == 0).then(|| blob.into());
            v1::PutBlobRequest { blob: name, data: bytes.slice(from..to).to_vec() }
        };
        let chunks = stream::iter((0..count).map(chunk));
        self.client.clone().put(timed(chunks, blob.len)).await.map(drop).map_err(failed)
    }

    /// The bytes of one, verified.
    ///
    /// # Errors
    /// [`TransferError`].
    pub async fn get(&self, blob: &BlobRef) -> Result<Arc<[u8]>, TransferError> {
        let failed = |status: Status| match status.code() {
            Code::NotFound | Code::DataLoss => TransferError::Gone(*blob),
            _ => failed(status),
        };
        // Nothing is always there.
        if *blob == BlobRef::of(&[]) {
            return Ok(Arc::from([]));
        }
        let request = v1::GetBlobRequest { blob: Some((*blob).into()) };
        let answer = self.client.clone().get(timed(request, blob.len)).await.map_err(failed)?;
        let mut chunks = answer.into_inner();
        let mut bytes = Vec::new();
        while let Some(chunk) = chunks.message().await.map_err(failed)? {
            if (bytes.len() + chunk.data.len()) as u64 > blob.len {
                return Err(TransferError::Gone(*blob));
            }
            bytes.extend_from_slice(&chunk.data);
        }
        let bytes: Arc<[u8]> = bytes.into();
        if name_of(&bytes).await == *blob { Ok(bytes) } else { Err(TransferError::Gone(*blob)) }
    }
}

async fn name_of(bytes: &Arc<[u8]>) -> BlobRef {
    if bytes.len() <= HASH_INLINE_UP_TO {
        return BlobRef::of(bytes);
    }
    let hashed = tokio::task::spawn_blocking({
        let bytes = Arc::clone(bytes);
        move || BlobRef::of(&bytes)
    });
    // The task fails only while the runtime shuts down.
    hashed.await.unwrap_or_else(|_| BlobRef::of(bytes))
}

fn timed<T>(message: T, len: u64) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(TIME_LIMIT + Duration::from_secs(len / BYTES_PER_SECOND));
    request
}

fn failed(status: Status) -> TransferError {
    match link::is_away(&status) {
        true => TransferError::Away(link::told(&status)),
        false => TransferError::Refused(link::told(&status)),
    }
}
