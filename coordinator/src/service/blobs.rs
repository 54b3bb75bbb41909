//! Bytes by name.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use canonical::BlobRef;
use futures::StreamExt;
use proto::v1::blobs_server::Blobs;
use proto::{convert, limits, v1};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::{Request, Response, Status, Streaming};

use super::{Answers, Service, invalid, store_failed};
use crate::auth::Role;
use crate::metrics::count;

/// Bytes of blobs in memory at once, in units.
const UNITS: u32 = 1024;
const UNIT: u64 = 1 << 20;
/// How long a sender may be silent.
pub(super) const SILENCE: Duration = Duration::from_secs(60);

/// Memory for blobs on their way; who finds none waits.
#[derive(Debug)]
pub(crate) struct Room(Arc<Semaphore>);

impl Room {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(UNITS as usize)))
    }

    /// Room for so many bytes; a blob larger than all there is waits for all.
    pub(super) async fn take(&self, len: u64) -> Option<OwnedSemaphorePermit> {
        let units = u32::try_from(len / UNIT + 1).unwrap_or(UNITS).min(UNITS);
        // Never closed.
        Arc::clone(&self.0).acquire_many_owned(units).await.ok()
    }
}

#[tonic::async_trait]
impl Blobs for Service {
    async fn find_missing(
        &self,
        request: Request<v1::FindMissingRequest>,
    ) -> Result<Response<v1::FindMissingResponse>, Status> {
        self.check(request.metadata(), &[Role::Submit, Role::Worker])?;
        let blobs = convert::blobs(request.into_inner().blobs).map_err(invalid)?;
        let missing = self.missing(blobs).await?;
        Ok(Response::new(missing_response(missing)))
    }

    async fn put(
        &self,
        request: Request<Streaming<v1::PutBlobRequest>>,
    ) -> Result<Response<v1::PutBlobResponse>, Status> {
        self.check(request.metadata(), &[Role::Submit, Role::Worker])?;
        let (blob, bytes, _room) = self.receive(request.into_inner()).await?;
        if BlobRef::of(&bytes) != blob {
            return Err(Status::invalid_argument(format!("the bytes sent are not those of {}", blob.digest)));
        }
        count(&self.0.metrics.blob_bytes_in_total, blob.len);
        let put = self.0.store.put_blob(bytes).await;
        put.map_err(|error| store_failed(&self.0.metrics, &error))?;
        Ok(Response::new(v1::PutBlobResponse {}))
    }

    type GetStream = Answers<v1::BlobChunk>;

    async fn get(&self, request: Request<v1::GetBlobRequest>) -> Result<Response<Self::GetStream>, Status> {
        self.check(request.metadata(), &[Role::Submit, Role::Read, Role::Worker])?;
        let blob =
            request.into_inner().blob.ok_or(convert::WireError::Missing("the blob")).map_err(invalid)?;
        let blob: BlobRef = blob.try_into().map_err(invalid)?;
        let room = self.0.room.take(blob.len).await;
        let bytes = match self.0.store.get_blob(&blob).await {
            _ if blob == BlobRef::of(b"") => Bytes::new(),
            Ok(bytes) => bytes,
            Err(store::Error::Missing { .. } | store::Error::Corrupt { .. }) => {
                return Err(Status::not_found(format!("blob {} is gone from the store", blob.digest)));
            }
            Err(error) => return Err(store_failed(&self.0.metrics, &error)),
        };
        count(&self.0.metrics.blob_bytes_out_total, blob.len);
        let chunks = (0..bytes.len()).step_by(limits::CHUNK);
        let chunk = move |start: usize| {
            // Until all is sent.
            let _room = &room;
            let end = bytes.len().min(start + limits::CHUNK);
            Ok(v1::BlobChunk { data: bytes.slice(start..end).into() })
        };
        Ok(Response::new(futures::stream::iter(chunks.map(chunk)).boxed()))
    }
}

impl Service {
    /// Those of some blobs that are not in the store, each once.
    pub(super) async fn missing(&self, mut blobs: Vec<BlobRef>) -> Result<Vec<BlobRef>, Status> {
        blobs.sort_unstable();
        blobs.dedup();
        let there = self.0.store.has(&blobs).await.map_err(|error| store_failed(&self.0.metrics, &error))?;
        Ok(blobs.into_iter().zip(there).filter(|(_, there)| !there).map(|(blob, _)| blob).collect())
    }

    /// The bytes of one upload, never more than its name promises.
    async fn receive(
        &self,
        mut stream: Streaming<v1::PutBlobRequest>,
    ) -> Result<(BlobRef, Bytes, Option<OwnedSemaphorePermit>), Status> {
        let mut blob: Option<BlobRef> = None;
        let mut room = None;
        let mut bytes = Vec::new();
        while let Some(message) = next(&mut stream).await? {
            if let Some(named) = message.blob {
                if blob.is_some() {
                    return Err(Status::invalid_argument("one blob per stream"));
                }
                let named: BlobRef = named.try_into().map_err(invalid)?;
                room = self.0.room.take(named.len).await;
                blob = Some(named);
            }
            let Some(blob) = blob else {
                return Err(Status::invalid_argument("the first message names the blob"));
            };
            if (bytes.len() + message.data.len()) as u64 > blob.len {
                return Err(Status::invalid_argument("more bytes than the blob has"));
            }
            bytes.extend_from_slice(&message.data);
        }
        let blob = blob.ok_or_else(|| Status::invalid_argument("the first message names the blob"))?;
        Ok((blob, bytes.into(), room))
    }
}

async fn next(stream: &mut Streaming<v1::PutBlobRequest>) -> Result<Option<v1::PutBlobRequest>, Status> {
    let message = tokio::time::timeout(SILENCE, stream.message()).await;
    message.map_err(|_| Status::deadline_exceeded("no bytes for a minute"))?
}

pub(super) fn missing_response(missing: Vec<BlobRef>) -> v1::FindMissingResponse {
    v1::FindMissingResponse { missing: missing.into_iter().map(Into::into).collect() }
}
