//! Large blobs, as streams of bytes.

use bazel_remote_apis::google::bytestream as bs;
use bs::byte_stream_server::ByteStream;
use bytes::Bytes;
use canonical::{BlobRef, Digest};
use futures::StreamExt;
use proto::limits;
use tonic::{Request, Response, Status, Streaming};

use super::super::blobs::SILENCE;
use super::super::{Answers, Service, store_failed};
use super::{READERS, WRITERS, tenant};
use crate::metrics::count;

#[tonic::async_trait]
impl ByteStream for Service {
    type ReadStream = Answers<bs::ReadResponse>;

    async fn read(&self, request: Request<bs::ReadRequest>) -> Result<Response<Self::ReadStream>, Status> {
        let identity = self.check(request.metadata(), READERS)?;
        let request = request.into_inner();
        let name = Name::of_read(&request.resource_name)?;
        tenant(&identity, &name.instance)?;
        let from = u64::try_from(request.read_offset).ok().filter(|from| *from <= name.blob.len);
        let Some(from) = from else {
            return Err(Status::out_of_range("the offset lies outside of the blob"));
        };
        let most = match request.read_limit {
            0 => u64::MAX,
            most => u64::try_from(most).map_err(|_| Status::invalid_argument("the limit is negative"))?,
        };
        let room = self.0.room.take(name.blob.len).await;
        let bytes = self.read(&name.blob).await?;
        let to = from.saturating_add(most).min(bytes.len() as u64) as usize;
        let bytes = bytes.slice(from as usize..to);
        let chunks = (0..bytes.len()).step_by(limits::CHUNK).map(move |start| {
            // Until all is sent.
            let _room = &room;
            let end = bytes.len().min(start + limits::CHUNK);
            Ok(bs::ReadResponse { data: bytes.slice(start..end).into() })
        });
        Ok(Response::new(futures::stream::iter(chunks).boxed()))
    }

    async fn write(
        &self,
        request: Request<Streaming<bs::WriteRequest>>,
    ) -> Result<Response<bs::WriteResponse>, Status> {
        let identity = self.check(request.metadata(), WRITERS)?;
        let mut stream = request.into_inner();
        let Some(mut message) = next(&mut stream).await? else {
            return Err(Status::invalid_argument("nothing was sent"));
        };
        let name = Name::of_write(&message.resource_name)?;
        tenant(&identity, &name.instance)?;
        let whole = bs::WriteResponse { committed_size: name.blob.len as i64 };
        // What is there need not be sent to its end.
        if self.missing(vec![name.blob]).await?.is_empty() {
            return Ok(Response::new(whole));
        }
        let _room = self.0.room.take(name.blob.len).await;
        let mut bytes = Vec::new();
        loop {
            if message.write_offset != bytes.len() as i64 {
                let offset = bytes.len();
                return Err(Status::invalid_argument(format!("the next bytes have the offset {offset}")));
            }
            if (bytes.len() + message.data.len()) as u64 > name.blob.len {
                return Err(Status::invalid_argument("more bytes than the blob has"));
            }
            bytes.extend_from_slice(&message.data);
            if message.finish_write {
                break;
            }
            match next(&mut stream).await? {
                Some(next) => message = next,
                // Nothing is kept of what is not whole.
                None => return Ok(Response::new(bs::WriteResponse { committed_size: 0 })),
            }
        }
        if BlobRef::of(&bytes) != name.blob {
            let message = format!("the bytes sent are not those of {}", name.blob.digest);
            return Err(Status::invalid_argument(message));
        }
        count(&self.0.metrics.blob_bytes_in_total, name.blob.len);
        let put = self.0.store.put_blob(bytes.into()).await;
        put.map_err(|error| store_failed(&self.0.metrics, &error))?;
        Ok(Response::new(whole))
    }

    async fn query_write_status(
        &self,
        request: Request<bs::QueryWriteStatusRequest>,
    ) -> Result<Response<bs::QueryWriteStatusResponse>, Status> {
        let identity = self.check(request.metadata(), WRITERS)?;
        let name = Name::of_write(&request.get_ref().resource_name)?;
        tenant(&identity, &name.instance)?;
        let complete = self.missing(vec![name.blob]).await?.is_empty();
        let committed_size = if complete { name.blob.len as i64 } else { 0 };
        Ok(Response::new(bs::QueryWriteStatusResponse { committed_size, complete }))
    }
}

impl Service {
    /// The bytes of a blob.
    pub(super) async fn read(&self, blob: &BlobRef) -> Result<Bytes, Status> {
        if *blob == BlobRef::of(b"") {
            return Ok(Bytes::new());
        }
        match self.0.store.get_blob(blob).await {
            Ok(bytes) => {
                count(&self.0.metrics.blob_bytes_out_total, blob.len);
                Ok(bytes)
            }
            Err(store::Error::Missing { .. } | store::Error::Corrupt { .. }) => {
                Err(Status::not_found(format!("blob {} is not here", blob.digest)))
            }
            Err(error) => Err(store_failed(&self.0.metrics, &error)),
        }
    }
}

async fn next(stream: &mut Streaming<bs::WriteRequest>) -> Result<Option<bs::WriteRequest>, Status> {
    let message = tokio::time::timeout(SILENCE, stream.message()).await;
    message.map_err(|_| Status::deadline_exceeded("no bytes for a minute"))?
}

/// A resource name, taken apart.
#[derive(Debug, PartialEq, Eq)]
struct Name {
    instance: String,
    blob: BlobRef,
}

impl Name {
    /// `[INSTANCE/]blobs/HASH/SIZE`
    fn of_read(name: &str) -> Result<Self, Status> {
        let parts: Vec<&str> = name.split('/').collect();
        let at = parts.len().checked_sub(3).filter(|at| parts[*at] == "blobs");
        at.and_then(|at| Self::new(&parts[..at], parts[at + 1], parts[at + 2])).ok_or_else(|| wrong(name))
    }

    /// `[INSTANCE/]uploads/UUID/blobs/HASH/SIZE[/ANYTHING]`
    fn of_write(name: &str) -> Result<Self, Status> {
        let parts: Vec<&str> = name.split('/').collect();
        let is_upload = |at: &usize| parts[*at] == "uploads" && parts.get(at + 2) == Some(&"blobs");
        let at = (0..parts.len()).find(is_upload).filter(|at| at + 4 < parts.len());
        at.and_then(|at| Self::new(&parts[..at], parts[at + 3], parts[at + 4])).ok_or_else(|| wrong(name))
    }

    fn new(instance: &[&str], hash: &str, size: &str) -> Option<Self> {
        let len = size.parse::<i64>().ok().and_then(|size| u64::try_from(size).ok())?;
        Some(Self { instance: instance.join("/"), blob: BlobRef { digest: Digest::from_hex(hash)?, len } })
    }
}

fn wrong(name: &str) -> Status {
    let name: String = name.chars().take(200).collect();
    Status::invalid_argument(format!(
        "{name:?} is no blob: write [INSTANCE/]blobs/HASH/SIZE to read, \
         [INSTANCE/]uploads/UUID/blobs/HASH/SIZE to write"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_understood_or_refused() {
        let hash = "ab".repeat(32);
        let read = |name: &str| Name::of_read(&name.replace('#', &hash)).ok().map(said);
        let write = |name: &str| Name::of_write(&name.replace('#', &hash)).ok().map(said);
        fn said(name: Name) -> String {
            format!("{} {}", name.instance, name.blob.len)
        }
        assert_eq!(read("blobs/#/7").as_deref(), Some(" 7"));
        assert_eq!(read("a/b/blobs/#/7").as_deref(), Some("a/b 7"));
        assert_eq!(write("uploads/x/blobs/#/0").as_deref(), Some(" 0"));
        assert_eq!(write("film/uploads/x/blobs/#/7/more/of/it").as_deref(), Some("film 7"));
        for wrong in ["", "blobs/#", "blobs/#/-1", "blobs/xyz/7", "blobs/#/7/8", "compressed-blobs/zstd/#/7"]
        {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        for wrong in ["uploads/x/blobs/#", "uploads/x/#/7", "uploads/blobs/#/7", "blobs/#/7", "uploads"] {
            assert_eq!(write(wrong), None, "{wrong}");
        }
    }
}
