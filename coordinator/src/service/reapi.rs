//! The cache services of the Remote Execution API (FARM 6): Capabilities, ActionCache, CAS and ByteStream, so that cache
//! clients of that API read what the farm made, and keep here what they made themselves.
//!
//! The instance name is the tenant; none stands for the tenant of the token. Blobs are shared by all, since a name is as
//! good as the bytes. Results of the farm's own jobs are found under the digest of their action, which is the job's key
//! (`plan::action`); who may run jobs may put results there. What other clients put is kept apart for each tenant.

mod actions;
mod cas;
mod stream;

use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use bazel_remote_apis::build::bazel::semver::SemVer;
use bazel_remote_apis::google::rpc;
use canonical::{BlobRef, Digest};
use re::capabilities_server::Capabilities;
use tonic::{Code, Request, Response, Status};

use super::Service;
use crate::auth::{Identity, Role};

/// Bytes of blobs in one message: below what clients take by default, 4 MiB.
pub(super) const BATCH: usize = 4_000_000;
/// Who may read.
const READERS: &[Role] = &[Role::Submit, Role::Read, Role::Worker];
/// Who may write blobs, and results for itself.
const WRITERS: &[Role] = &[Role::Submit, Role::Worker];

#[tonic::async_trait]
impl Capabilities for Service {
    async fn get_capabilities(
        &self,
        request: Request<re::GetCapabilitiesRequest>,
    ) -> Result<Response<re::ServerCapabilities>, Status> {
        let identity = self.check(request.metadata(), READERS)?;
        tenant(&identity, &request.get_ref().instance_name)?;
        let version = |major, minor| Some(SemVer { major, minor, patch: 0, prerelease: String::new() });
        Ok(Response::new(re::ServerCapabilities {
            cache_capabilities: Some(re::CacheCapabilities {
                digest_functions: vec![re::digest_function::Value::Sha256 as i32],
                action_cache_update_capabilities: Some(re::ActionCacheUpdateCapabilities {
                    update_enabled: self.check(request.metadata(), WRITERS).is_ok(),
                }),
                max_batch_total_size_bytes: BATCH as i64,
                symlink_absolute_path_strategy: re::symlink_absolute_path_strategy::Value::Disallowed as i32,
                ..re::CacheCapabilities::default()
            }),
            low_api_version: version(2, 0),
            high_api_version: version(2, 3),
            ..re::ServerCapabilities::default()
        }))
    }
}

/// The tenant that an instance name stands for.
fn tenant(identity: &Identity, instance: &str) -> Result<std::sync::Arc<str>, Status> {
    if instance.len() > proto::limits::NAME {
        return Err(Status::invalid_argument("the instance name is too long"));
    }
    identity.tenant_for(instance)
}

/// Only SHA-256 is known here; nothing said means that.
fn check_function(function: i32) -> Result<(), Status> {
    let known = [re::digest_function::Value::Unknown as i32, re::digest_function::Value::Sha256 as i32];
    match known.contains(&function) {
        true => Ok(()),
        false => Err(Status::invalid_argument("only SHA-256 is known here")),
    }
}

fn blob(digest: Option<&re::Digest>) -> Result<BlobRef, Status> {
    let digest = digest.ok_or_else(|| Status::invalid_argument("a digest is missing"))?;
    let wrong = || {
        let (hash, size) = (&digest.hash, digest.size_bytes);
        Status::invalid_argument(format!("{hash:?} of {size} bytes is no SHA-256 digest"))
    };
    let len = u64::try_from(digest.size_bytes).map_err(|_| wrong())?;
    Ok(BlobRef { digest: Digest::from_hex(&digest.hash).ok_or_else(wrong)?, len })
}

fn to_wire(blob: &BlobRef) -> re::Digest {
    re::Digest { hash: blob.digest.to_hex(), size_bytes: i64::try_from(blob.len).unwrap_or(i64::MAX) }
}

/// What became of one of several blobs.
fn status_of(status: &Status) -> rpc::Status {
    rpc::Status { code: status.code() as i32, message: status.message().to_owned(), details: Vec::new() }
}

fn fine() -> rpc::Status {
    rpc::Status { code: Code::Ok as i32, ..rpc::Status::default() }
}
