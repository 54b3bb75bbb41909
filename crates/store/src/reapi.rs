//! A store in a cache server of the Remote Execution API (FARM 6): its CAS holds our blobs, its action cache our
//! results, under our keys, which are digests of real actions (`plan::action`).
//!
//! A result is an `ActionResult` with the file [`RESULT`], which is the payload, and one file below [`BLOBS`] for each
//! blob that the payload names. The server decides what is kept and for how long; it cannot be listed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use bazel_remote_apis::google::bytestream;
use bytes::Bytes;
use canonical::{BlobRef, Digest};
use futures::{StreamExt, TryStreamExt, stream};
use re::action_cache_client::ActionCacheClient;
use re::capabilities_client::CapabilitiesClient;
use re::content_addressable_storage_client::ContentAddressableStorageClient;
use tokio::sync::OnceCell;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};

use crate::envelope::Action;
use crate::error::{Attempt, Error};
use crate::folder::Lookup;

/// The file of a result that holds its payload.
pub const RESULT: &str = "rigfarm/result";
/// The folder of a result whose files are the blobs that the payload names.
pub const BLOBS: &str = "rigfarm/blobs/";
/// The length of every action that a key is the digest of.
pub const ACTION_LEN: i64 = 192;

/// A message is this long at most where the server does not say otherwise, and never longer than this.
const BATCH: usize = 4 << 20;
/// What one blob in a batch takes besides its bytes.
const OVERHEAD: usize = 256;
/// Blobs in one question or batch.
const MOST: usize = 4096;
/// Bytes in one message of a stream.
const CHUNK: usize = 1 << 20;
/// Requests in flight at once.
const CONCURRENT: usize = 32;
/// Time limit of one request: this, and a second for each [`BYTES_PER_SECOND`].
const TIME_LIMIT: Duration = Duration::from_secs(10);
const BYTES_PER_SECOND: usize = 1 << 20;
const CONNECT: Duration = Duration::from_secs(3);
const ALIVE: Duration = Duration::from_secs(10);

#[derive(Clone, Debug)]
pub(crate) struct Reapi {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    endpoint: Endpoint,
    instance: String,
    token: Option<MetadataValue<Ascii>>,
    name: Arc<str>,
    read_only: bool,
    server: OnceCell<Server>,
}

/// What is known of a server once it has answered.
#[derive(Clone, Debug)]
struct Server {
    channel: Channel,
    /// Bytes in one message.
    batch: usize,
    takes_results: bool,
}

/// What an address says.
pub(crate) struct Target {
    /// `http://HOST:PORT` or `https://HOST:PORT`.
    pub(crate) uri: String,
    pub(crate) instance: String,
    pub(crate) token: Option<String>,
    /// For messages.
    pub(crate) name: String,
    pub(crate) read_only: bool,
}

impl Reapi {
    /// Nothing is sent yet; the reason when the address or token cannot be used.
    pub(crate) fn new(target: Target) -> Result<Self, String> {
        let endpoint = Endpoint::from_shared(target.uri.clone()).map_err(|error| error.to_string())?;
        let mut endpoint = endpoint
            .connect_timeout(CONNECT)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(ALIVE)
            .keep_alive_timeout(ALIVE);
        if target.uri.starts_with("https:") {
            let tls = tonic::transport::ClientTlsConfig::new().with_native_roots();
            endpoint = endpoint.tls_config(tls).map_err(|error| error.to_string())?;
        }
        let bearer = |token: String| MetadataValue::try_from(format!("Bearer {}", token.trim()));
        let token = target.token.map(bearer).transpose();
        let token = token.map_err(|_| "the token holds characters other than visible ASCII".to_owned())?;
        Ok(Self {
            inner: Arc::new(Inner {
                endpoint,
                instance: target.instance,
                token,
                name: target.name.into(),
                read_only: target.read_only,
                server: OnceCell::new(),
            }),
        })
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.inner.name
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.inner.read_only
    }

    pub(crate) async fn put_blobs(&self, blobs: Vec<Bytes>) -> Result<Vec<BlobRef>, Error> {
        let hashed = tokio::task::spawn_blocking(move || {
            let named = blobs.into_iter().map(|bytes| (BlobRef::of(&bytes), bytes));
            named.collect::<Vec<_>>()
        });
        let named = hashed.await.map_err(|error| self.io(&error.to_string()))?;
        let names: Vec<BlobRef> = named.iter().map(|(blob, _)| *blob).collect();
        let there = self.has(&names).await?;
        let mut seen = BTreeSet::new();
        let missing: Vec<_> = named
            .into_iter()
            .zip(there)
            .filter(|((blob, _), there)| !there && seen.insert(*blob))
            .map(|(named, _)| named)
            .collect();
        if !missing.is_empty() {
            if self.inner.read_only {
                return Err(Error::ReadOnly { place: Arc::clone(self.name()) });
            }
            self.upload(missing).await?;
        }
        Ok(names)
    }

    async fn upload(&self, blobs: Vec<(BlobRef, Bytes)>) -> Result<(), Error> {
        let server = self.server(Attempt::Write).await?;
        let (small, large): (Vec<_>, Vec<_>) =
            blobs.into_iter().partition(|(_, bytes)| bytes.len() + OVERHEAD <= server.batch);
        let batches = batches(small, server.batch).into_iter().map(|batch| self.upload_batch(&server, batch));
        stream::iter(batches.collect::<Vec<_>>())
            .buffer_unordered(CONCURRENT)
            .try_collect::<Vec<()>>()
            .await?;
        let streams = large.into_iter().map(|(blob, bytes)| self.upload_stream(&server, blob, bytes));
        stream::iter(streams.collect::<Vec<_>>())
            .buffer_unordered(CONCURRENT)
            .try_collect::<Vec<()>>()
            .await?;
        Ok(())
    }

    async fn upload_batch(&self, server: &Server, batch: Vec<(BlobRef, Bytes)>) -> Result<(), Error> {
        let len = batch.iter().map(|(_, bytes)| bytes.len()).sum();
        let request = |(blob, bytes): (BlobRef, Bytes)| re::batch_update_blobs_request::Request {
            digest: Some(to_wire(&blob)),
            data: bytes.into(),
            compressor: 0,
        };
        let request = re::BatchUpdateBlobsRequest {
            instance_name: self.inner.instance.clone(),
            requests: batch.into_iter().map(request).collect(),
            digest_function: 0,
        };
        let answer = cas(server).batch_update_blobs(self.call(request, len)).await;
        let answer = answer.map_err(|status| self.failed(Attempt::Write, &status))?.into_inner();
        let refused = answer.responses.into_iter().filter_map(|response| response.status);
        match refused.into_iter().find(|status| status.code != 0) {
            None => Ok(()),
            Some(status) => {
                Err(self.failed(Attempt::Write, &Status::new(Code::from_i32(status.code), status.message)))
            }
        }
    }

    async fn upload_stream(&self, server: &Server, blob: BlobRef, bytes: Bytes) -> Result<(), Error> {
        let len = bytes.len();
        let prefix =
            if self.inner.instance.is_empty() { String::new() } else { format!("{}/", self.inner.instance) };
        // An upload of the same bytes under the same name is the same upload.
        let upload = &blob.digest.to_hex()[..32];
        let name = format!("{prefix}uploads/{upload}/blobs/{}/{}", blob.digest.to_hex(), blob.len);
        let message = move |at: usize| {
            let end = (at + CHUNK).min(bytes.len());
            bytestream::WriteRequest {
                resource_name: if at == 0 { name.clone() } else { String::new() },
                write_offset: at as i64,
                finish_write: end == bytes.len(),
                data: bytes.slice(at..end).to_vec(),
            }
        };
        let messages = stream::iter((0..len.max(1)).step_by(CHUNK).map(message));
        let mut client = bytestream::byte_stream_client::ByteStreamClient::new(server.channel.clone());
        let written = client.write(self.call(messages, len)).await;
        let written = written.map_err(|status| self.failed(Attempt::Write, &status))?.into_inner();
        match written.committed_size {
            // A server that had the blob need not take all of it.
            size if size == len as i64 || size == -1 => Ok(()),
            size => Err(self.io(&format!("took {size} of {len} bytes of blob {}", blob.digest))),
        }
    }

    pub(crate) async fn get_blob(&self, blob: &BlobRef) -> Result<Bytes, Error> {
        if blob.len == 0 && blob.digest == Digest::of(b"") {
            return Ok(Bytes::new());
        }
        let server = self.server(Attempt::Read).await?;
        let bytes = match blob.len {
            len if len as usize + OVERHEAD <= server.batch => self.read_batch(&server, blob).await?,
            _ => self.read_stream(&server, blob).await?,
        };
        let (expected, hashed) = (*blob, bytes.clone());
        let is_it = tokio::task::spawn_blocking(move || BlobRef::of(&hashed) == expected).await;
        match is_it {
            Ok(true) => Ok(bytes),
            _ => Err(Error::Corrupt { blob: *blob, place: Arc::clone(self.name()) }),
        }
    }

    async fn read_batch(&self, server: &Server, blob: &BlobRef) -> Result<Bytes, Error> {
        let request = re::BatchReadBlobsRequest {
            instance_name: self.inner.instance.clone(),
            digests: vec![to_wire(blob)],
            acceptable_compressors: Vec::new(),
            digest_function: 0,
        };
        let answer = cas(server).batch_read_blobs(self.call(request, blob.len as usize)).await;
        let answer = answer.map_err(|status| self.unread(blob, &status))?.into_inner();
        let Some(response) = answer.responses.into_iter().next() else {
            return Err(Error::Missing { blob: *blob, place: Arc::clone(self.name()) });
        };
        match response.status {
            Some(status) if status.code != 0 => {
                Err(self.unread(blob, &Status::new(Code::from_i32(status.code), status.message)))
            }
            _ => Ok(response.data.into()),
        }
    }

    async fn read_stream(&self, server: &Server, blob: &BlobRef) -> Result<Bytes, Error> {
        let name = match self.inner.instance.as_str() {
            "" => format!("blobs/{}/{}", blob.digest.to_hex(), blob.len),
            instance => format!("{instance}/blobs/{}/{}", blob.digest.to_hex(), blob.len),
        };
        let request = bytestream::ReadRequest { resource_name: name, read_offset: 0, read_limit: 0 };
        let mut client = bytestream::byte_stream_client::ByteStreamClient::new(server.channel.clone())
            .max_decoding_message_size(2 * BATCH);
        let answer = client.read(self.call(request, blob.len as usize)).await;
        let mut chunks = answer.map_err(|status| self.unread(blob, &status))?.into_inner();
        let mut bytes = Vec::new();
        while let Some(chunk) = chunks.message().await.map_err(|status| self.unread(blob, &status))? {
            if (bytes.len() + chunk.data.len()) as u64 > blob.len {
                return Err(Error::Corrupt { blob: *blob, place: Arc::clone(self.name()) });
            }
            bytes.extend_from_slice(&chunk.data);
        }
        Ok(bytes.into())
    }

    pub(crate) async fn has(&self, blobs: &[BlobRef]) -> Result<Vec<bool>, Error> {
        if blobs.is_empty() {
            return Ok(Vec::new());
        }
        let server = self.server(Attempt::Read).await?;
        let asked = blobs.chunks(MOST).map(|some| {
            let request = re::FindMissingBlobsRequest {
                instance_name: self.inner.instance.clone(),
                blob_digests: some.iter().map(to_wire).collect(),
                digest_function: 0,
            };
            let (mut client, request) = (cas(&server), self.call(request, 0));
            async move { client.find_missing_blobs(request).await }
        });
        let mut missing = BTreeSet::new();
        let mut answers = stream::iter(asked.collect::<Vec<_>>()).buffered(CONCURRENT);
        while let Some(answer) = answers.next().await {
            let answer = answer.map_err(|status| self.failed(Attempt::Read, &status))?.into_inner();
            missing.extend(answer.missing_blob_digests.iter().filter_map(from_wire));
        }
        let is_there = |blob: &BlobRef| blob.len == 0 || !missing.contains(blob);
        Ok(blobs.iter().map(is_there).collect())
    }

    pub(crate) async fn lookups(&self, keys: &[Digest]) -> Result<Vec<Lookup>, Error> {
        let found: Vec<Option<Action>> = {
            let asked = keys.iter().map(|key| self.result(*key));
            stream::iter(asked.collect::<Vec<_>>()).buffered(CONCURRENT).try_collect().await?
        };
        let named: Vec<BlobRef> = found.iter().flatten().flat_map(|action| &action.refs).copied().collect();
        let mut there = self.has(&named).await?.into_iter();
        let lookup = |action: Action| {
            let there = there.by_ref().take(action.refs.len()).collect::<Vec<_>>();
            let gone = action.refs.iter().zip(there).filter(|(_, there)| !there).map(|(blob, _)| *blob);
            let gone = gone.collect();
            (action, gone)
        };
        Ok(found
            .into_iter()
            .map({
                let mut lookup = lookup;
                move |action| action.map(&mut lookup)
            })
            .collect())
    }

    /// The result under a key, whether or not its blobs are there.
    pub(crate) async fn result(&self, key: Digest) -> Result<Option<Action>, Error> {
        let server = self.server(Attempt::Read).await?;
        let request = re::GetActionResultRequest {
            instance_name: self.inner.instance.clone(),
            action_digest: Some(action_digest(&key)),
            inline_output_files: vec![RESULT.to_owned()],
            ..re::GetActionResultRequest::default()
        };
        let answer = actions(&server).get_action_result(self.call(request, 0)).await;
        let found = match answer {
            Ok(answer) => answer.into_inner(),
            Err(status) if status.code() == Code::NotFound => return Ok(None),
            Err(status) => return Err(self.failed(Attempt::Read, &status)),
        };
        let Some((payload, refs)) = unpack(&found) else { return Ok(None) };
        let payload = match payload {
            Payload::Inline(bytes) => bytes,
            Payload::Blob(blob) => match self.get_blob(&blob).await {
                Ok(bytes) => bytes,
                Err(Error::Missing { .. } | Error::Corrupt { .. }) => return Ok(None),
                Err(error) => return Err(error),
            },
        };
        Ok(Some(Action { payload, refs }))
    }

    pub(crate) async fn put_action(&self, key: &Digest, action: &Action) -> Result<(), Error> {
        let server = self.server(Attempt::Write).await?;
        if self.inner.read_only || !server.takes_results {
            return Err(Error::ReadOnly { place: Arc::clone(self.name()) });
        }
        self.put_blobs(vec![action.payload.clone()]).await?;
        let request = re::UpdateActionResultRequest {
            instance_name: self.inner.instance.clone(),
            action_digest: Some(action_digest(key)),
            action_result: Some(pack(action)),
            ..re::UpdateActionResultRequest::default()
        };
        let call = self.call(request, action.payload.len());
        let written = actions(&server).update_action_result(call).await;
        written.map(drop).map_err(|status| self.failed(Attempt::Write, &status))
    }

    pub(crate) async fn check(&self) -> Result<(), Error> {
        self.server(Attempt::Read).await.map(drop)
    }

    /// For what no such server can do.
    pub(crate) fn cannot(&self, what: &str) -> Error {
        self.io(&format!(
            "a cache server of the Remote Execution API cannot be {what}: it looks after itself"
        ))
    }

    /// The server, asked once what it can do.
    async fn server(&self, attempt: Attempt) -> Result<Server, Error> {
        let ask = || async {
            let channel = self.inner.endpoint.connect().await.map_err(|error| Error::Unreachable {
                place: Arc::clone(self.name()),
                reason: with_causes(&error),
            })?;
            let request = re::GetCapabilitiesRequest { instance_name: self.inner.instance.clone() };
            let answer =
                CapabilitiesClient::new(channel.clone()).get_capabilities(self.call(request, 0)).await;
            let able = answer.map_err(|status| self.failed(attempt, &status))?.into_inner();
            let cache = able.cache_capabilities.unwrap_or_default();
            let sha256 = re::digest_function::Value::Sha256 as i32;
            if !cache.digest_functions.is_empty() && !cache.digest_functions.contains(&sha256) {
                return Err(self.io("the server knows no SHA-256"));
            }
            let batch = usize::try_from(cache.max_batch_total_size_bytes).unwrap_or(0);
            let takes_results =
                cache.action_cache_update_capabilities.is_none_or(|update| update.update_enabled);
            let batch = if batch == 0 { BATCH } else { batch.min(BATCH) };
            // The rest of the message needs room too.
            Ok(Server { channel, batch: batch - batch / 16, takes_results })
        };
        self.inner.server.get_or_try_init(ask).await.cloned()
    }

    fn call<T>(&self, message: T, len: usize) -> Request<T> {
        let mut request = Request::new(message);
        request.set_timeout(TIME_LIMIT + Duration::from_secs((len / BYTES_PER_SECOND) as u64));
        if let Some(token) = &self.inner.token {
            request.metadata_mut().insert("authorization", token.clone());
        }
        request
    }

    fn unread(&self, blob: &BlobRef, status: &Status) -> Error {
        match status.code() {
            Code::NotFound => Error::Missing { blob: *blob, place: Arc::clone(self.name()) },
            Code::DataLoss => Error::Corrupt { blob: *blob, place: Arc::clone(self.name()) },
            _ => self.failed(Attempt::Read, status),
        }
    }

    fn failed(&self, attempt: Attempt, status: &Status) -> Error {
        let (place, reason) = (Arc::clone(self.name()), told(status));
        match status.code() {
            Code::PermissionDenied | Code::Unimplemented if attempt == Attempt::Write => {
                Error::ReadOnly { place }
            }
            Code::Unauthenticated | Code::PermissionDenied => Error::Denied { place, reason },
            Code::InvalidArgument | Code::FailedPrecondition | Code::Unimplemented | Code::NotFound => {
                Error::Io { place, reason }
            }
            _ => Error::Unreachable { place, reason },
        }
    }

    fn io(&self, reason: &str) -> Error {
        Error::Io { place: Arc::clone(self.name()), reason: reason.to_owned() }
    }
}

/// Where the payload of a result is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// In the message.
    Inline(Bytes),
    /// In the CAS.
    Blob(BlobRef),
}

/// The digest of the action whose result a key names.
pub fn action_digest(key: &Digest) -> re::Digest {
    re::Digest { hash: key.to_hex(), size_bytes: ACTION_LEN }
}

/// A blob's name there.
pub fn to_wire(blob: &BlobRef) -> re::Digest {
    re::Digest { hash: blob.digest.to_hex(), size_bytes: i64::try_from(blob.len).unwrap_or(i64::MAX) }
}

/// A blob's name here; `None` when it is none.
pub fn from_wire(digest: &re::Digest) -> Option<BlobRef> {
    let len = u64::try_from(digest.size_bytes).ok()?;
    Some(BlobRef { digest: Digest::from_hex(&digest.hash)?, len })
}

/// A result as it is kept there.
pub fn pack(action: &Action) -> re::ActionResult {
    let file = |path: String, blob: &BlobRef, contents: Vec<u8>| re::OutputFile {
        path,
        digest: Some(to_wire(blob)),
        contents,
        ..re::OutputFile::default()
    };
    let payload = file(RESULT.to_owned(), &BlobRef::of(&action.payload), action.payload.to_vec());
    let refs: BTreeSet<&BlobRef> = action.refs.iter().collect();
    let blobs =
        refs.into_iter().map(|blob| file(format!("{BLOBS}{}", blob.digest.to_hex()), blob, Vec::new()));
    re::ActionResult {
        output_files: std::iter::once(payload).chain(blobs).collect(),
        ..re::ActionResult::default()
    }
}

/// The payload of a result that was kept there, and the blobs it names; `None` for somebody else's.
pub fn unpack(result: &re::ActionResult) -> Option<(Payload, Vec<BlobRef>)> {
    let blob_of = |file: &re::OutputFile| from_wire(file.digest.as_ref()?);
    let file = result.output_files.iter().find(|file| file.path == RESULT)?;
    let blob = blob_of(file)?;
    let payload = if BlobRef::of(&file.contents) == blob {
        Payload::Inline(Bytes::copy_from_slice(&file.contents))
    } else {
        Payload::Blob(blob)
    };
    let named = result.output_files.iter().filter(|file| file.path.starts_with(BLOBS));
    Some((payload, named.map(blob_of).collect::<Option<_>>()?))
}

fn batches(blobs: Vec<(BlobRef, Bytes)>, most: usize) -> Vec<Vec<(BlobRef, Bytes)>> {
    let mut batches: Vec<Vec<(BlobRef, Bytes)>> = Vec::new();
    let mut room = 0;
    for (blob, bytes) in blobs {
        let len = bytes.len() + OVERHEAD;
        match batches.last_mut().filter(|batch| len <= room && batch.len() < MOST) {
            Some(batch) => batch.push((blob, bytes)),
            None => {
                batches.push(vec![(blob, bytes)]);
                room = most;
            }
        }
        room = room.saturating_sub(len);
    }
    batches
}

fn cas(server: &Server) -> ContentAddressableStorageClient<Channel> {
    ContentAddressableStorageClient::new(server.channel.clone())
        .max_decoding_message_size(2 * BATCH)
        .max_encoding_message_size(2 * BATCH)
}

fn actions(server: &Server) -> ActionCacheClient<Channel> {
    ActionCacheClient::new(server.channel.clone())
        .max_decoding_message_size(2 * BATCH)
        .max_encoding_message_size(2 * BATCH)
}

fn told(status: &Status) -> String {
    match status.message() {
        "" => status.code().description().to_lowercase(),
        message => message.to_owned(),
    }
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        said = format!("{said}: {error}");
        cause = error.source();
    }
    said
}
