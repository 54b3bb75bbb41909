//! Blobs, many in one message.

use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use canonical::BlobRef;
use futures::{StreamExt, stream};
use proto::limits;
use re::content_addressable_storage_server::ContentAddressableStorage;
use re::{batch_read_blobs_response, batch_update_blobs_response};
use tonic::{Request, Response, Status};

use super::super::{Answers, Service, store_failed};
use super::{BATCH, READERS, WRITERS, blob, check_function, fine, status_of, tenant, to_wire};
use crate::metrics::count;

/// Blobs of one message read at once.
const READS: usize = 16;

#[tonic::async_trait]
impl ContentAddressableStorage for Service {
    async fn find_missing_blobs(
        &self,
        request: Request<re::FindMissingBlobsRequest>,
    ) -> Result<Response<re::FindMissingBlobsResponse>, Status> {
        let identity = self.check(request.metadata(), READERS)?;
        let request = request.into_inner();
        tenant(&identity, &request.instance_name)?;
        check_function(request.digest_function)?;
        if request.blob_digests.len() > limits::LIST {
            return Err(Status::invalid_argument("too many digests in one question"));
        }
        let asked = request.blob_digests.iter().map(|digest| blob(Some(digest)));
        let missing = self.missing(asked.collect::<Result<_, _>>()?).await?;
        // Nothing is always there.
        let missing = missing.iter().filter(|blob| blob.len > 0).map(to_wire).collect();
        Ok(Response::new(re::FindMissingBlobsResponse { missing_blob_digests: missing }))
    }

    async fn batch_update_blobs(
        &self,
        request: Request<re::BatchUpdateBlobsRequest>,
    ) -> Result<Response<re::BatchUpdateBlobsResponse>, Status> {
        let identity = self.check(request.metadata(), WRITERS)?;
        let request = request.into_inner();
        tenant(&identity, &request.instance_name)?;
        check_function(request.digest_function)?;
        let mut responses = Vec::with_capacity(request.requests.len());
        let mut kept = Vec::new();
        for upload in request.requests {
            let checked = checked(&upload);
            let status = checked.as_ref().map_or_else(status_of, |_| fine());
            responses
                .push(batch_update_blobs_response::Response { digest: upload.digest, status: Some(status) });
            if checked.is_ok() {
                count(&self.0.metrics.blob_bytes_in_total, upload.data.len() as u64);
                kept.push(upload.data.into());
            }
        }
        let put = self.0.store.put_blobs(kept).await;
        put.map_err(|error| store_failed(&self.0.metrics, &error))?;
        Ok(Response::new(re::BatchUpdateBlobsResponse { responses }))
    }

    async fn batch_read_blobs(
        &self,
        request: Request<re::BatchReadBlobsRequest>,
    ) -> Result<Response<re::BatchReadBlobsResponse>, Status> {
        let identity = self.check(request.metadata(), READERS)?;
        let request = request.into_inner();
        tenant(&identity, &request.instance_name)?;
        check_function(request.digest_function)?;
        let asked: Vec<BlobRef> =
            request.digests.iter().map(|digest| blob(Some(digest))).collect::<Result<_, _>>()?;
        let total = asked.iter().fold(0_u64, |total, blob| total.saturating_add(blob.len));
        if total > BATCH as u64 || asked.len() > limits::LIST {
            return Err(Status::invalid_argument(format!(
                "{total} bytes are more than the {BATCH} of one message: read large blobs as streams"
            )));
        }
        let _room = self.0.room.take(total).await;
        let reads = asked.into_iter().map(|blob| async move {
            let read = self.read(&blob).await;
            let status = read.as_ref().map_or_else(status_of, |_| fine());
            batch_read_blobs_response::Response {
                digest: Some(to_wire(&blob)),
                data: read.map(Into::into).unwrap_or_default(),
                status: Some(status),
                ..batch_read_blobs_response::Response::default()
            }
        });
        let responses = stream::iter(reads.collect::<Vec<_>>()).buffered(READS).collect().await;
        Ok(Response::new(re::BatchReadBlobsResponse { responses }))
    }

    type GetTreeStream = Answers<re::GetTreeResponse>;

    async fn get_tree(
        &self,
        _: Request<re::GetTreeRequest>,
    ) -> Result<Response<Self::GetTreeStream>, Status> {
        Err(Status::unimplemented("trees are not read here: read their directories as blobs"))
    }

    async fn split_blob(
        &self,
        _: Request<re::SplitBlobRequest>,
    ) -> Result<Response<re::SplitBlobResponse>, Status> {
        Err(Status::unimplemented("blobs are not split here"))
    }

    async fn splice_blob(
        &self,
        _: Request<re::SpliceBlobRequest>,
    ) -> Result<Response<re::SpliceBlobResponse>, Status> {
        Err(Status::unimplemented("blobs are not spliced here"))
    }

    type GetChunkMappingStream = Answers<re::GetChunkMappingResponse>;

    async fn get_chunk_mapping(
        &self,
        _: Request<re::GetChunkMappingRequest>,
    ) -> Result<Response<Self::GetChunkMappingStream>, Status> {
        Err(Status::unimplemented("blobs are not split here"))
    }

    async fn register_chunk_mapping(
        &self,
        _: Request<tonic::Streaming<re::RegisterChunkMappingRequest>>,
    ) -> Result<Response<re::RegisterChunkMappingResponse>, Status> {
        Err(Status::unimplemented("blobs are not spliced here"))
    }
}

/// The name of an upload, if its bytes have it.
fn checked(upload: &re::batch_update_blobs_request::Request) -> Result<BlobRef, Status> {
    let named = blob(upload.digest.as_ref())?;
    if upload.compressor != re::compressor::Value::Identity as i32 {
        return Err(Status::invalid_argument("compressed blobs are not taken here"));
    }
    if BlobRef::of(&upload.data) != named {
        return Err(Status::invalid_argument(format!("the bytes sent are not those of {}", named.digest)));
    }
    Ok(named)
}
