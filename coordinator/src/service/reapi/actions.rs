//! Results by the digest of their action.
//!
//! A result of the farm's own is told as its clients of that API keep it: the file `rigfarm/result` is what is in the
//! cache, `rigfarm/blobs/HASH` are the blobs it names; beside them every output has its file `outputs/NAME`, with its
//! bytes where they are inline.

use std::collections::BTreeSet;

use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use bytes::Bytes;
use canonical::{BlobRef, Digest};
use plan::ActionResult;
use prost::Message;
use re::action_cache_server::ActionCache;
use store::Action;
use store::reapi::{self, Payload};
use tonic::{Request, Response, Status};

use super::super::{Service, store_failed};
use super::{READERS, WRITERS, blob, check_function, tenant, to_wire};
use crate::auth::Role;
use crate::metrics::count;

/// Folder of the outputs by name.
const OUTPUTS: &str = "outputs/";
/// What somebody else's result is preceded by in the store.
const FOREIGN: &[u8] = b"rae\x01";
/// Longest result.
const MOST: usize = 4 << 20;

#[tonic::async_trait]
impl ActionCache for Service {
    async fn get_action_result(
        &self,
        request: Request<re::GetActionResultRequest>,
    ) -> Result<Response<re::ActionResult>, Status> {
        let identity = self.check(request.metadata(), READERS)?;
        let request = request.into_inner();
        let tenant = tenant(&identity, &request.instance_name)?;
        check_function(request.digest_function)?;
        let action = blob(request.action_digest.as_ref())?;
        count(&self.0.metrics.lookups_total, 1);
        let found = match self.own_result(&action).await? {
            Some(found) => Some(found),
            None => self.foreign_result(&tenant, &action).await?,
        };
        match found {
            Some(result) => {
                count(&self.0.metrics.lookups_hit_total, 1);
                Ok(Response::new(result))
            }
            None => Err(Status::not_found("there is no such result, or not all of its blobs")),
        }
    }

    async fn update_action_result(
        &self,
        request: Request<re::UpdateActionResultRequest>,
    ) -> Result<Response<re::ActionResult>, Status> {
        let identity = self.check(request.metadata(), WRITERS)?;
        let may_run = self.check(request.metadata(), &[Role::Worker]).is_ok();
        let request = request.into_inner();
        let tenant = tenant(&identity, &request.instance_name)?;
        check_function(request.digest_function)?;
        let action = blob(request.action_digest.as_ref())?;
        let Some(result) = request.action_result else {
            return Err(Status::invalid_argument("the result is missing"));
        };
        if result.encoded_len() > MOST {
            return Err(Status::invalid_argument(format!("a result has at most {MOST} bytes")));
        }
        let own = match reapi::unpack(&result).filter(|_| may_run && is_ours(&action)) {
            Some((payload, refs)) => self.checked(payload, refs).await?,
            None => None,
        };
        let (key, kept) = match own {
            Some(kept) => (action.digest, kept),
            None => (foreign_key(&tenant, &action), foreign(&result)?),
        };
        self.all_there(&kept.refs).await?;
        let put = self.0.store.put_action(&key, &kept).await;
        put.map_err(|error| store_failed(&self.0.metrics, &error))?;
        Ok(Response::new(result))
    }
}

impl Service {
    /// The result of a job of the farm.
    async fn own_result(&self, action: &BlobRef) -> Result<Option<re::ActionResult>, Status> {
        if !is_ours(action) {
            return Ok(None);
        }
        let found = self.0.store.get_action(&action.digest).await;
        let Some(kept) = found.map_err(|error| store_failed(&self.0.metrics, &error))? else {
            return Ok(None);
        };
        let Ok(result) = ActionResult::decode(&kept.payload) else { return Ok(None) };
        Ok(Some(told(&kept, result)))
    }

    /// What another client of the tenant put.
    async fn foreign_result(
        &self,
        tenant: &str,
        action: &BlobRef,
    ) -> Result<Option<re::ActionResult>, Status> {
        let found = self.0.store.get_action(&foreign_key(tenant, action)).await;
        let found = found.map_err(|error| store_failed(&self.0.metrics, &error))?;
        let bytes = found.as_ref().and_then(|kept| kept.payload.strip_prefix(FOREIGN));
        Ok(bytes.and_then(|bytes| re::ActionResult::decode(bytes).ok()))
    }

    /// A result of a job of ours that a worker puts; nothing when it cannot be read, or names other blobs than its files:
    /// then it is somebody else's, whatever it calls itself.
    async fn checked(&self, payload: Payload, refs: Vec<BlobRef>) -> Result<Option<Action>, Status> {
        let payload = match payload {
            Payload::Inline(bytes) => bytes,
            Payload::Blob(blob) => self.read(&blob).await?,
        };
        let Ok(result) = ActionResult::decode(&payload) else { return Ok(None) };
        let named: BTreeSet<BlobRef> = result.stored_blobs().chain(result.log).collect();
        let is_whole = named == refs.into_iter().collect();
        Ok(is_whole.then(|| Action { payload, refs: named.into_iter().collect() }))
    }

    async fn all_there(&self, blobs: &[BlobRef]) -> Result<(), Status> {
        match self.missing(blobs.to_vec()).await?.first() {
            None => Ok(()),
            Some(blob) => Err(Status::failed_precondition(format!(
                "the result names blob {}, which is not here: put the blobs first",
                blob.digest
            ))),
        }
    }
}

/// Whether a digest may be a key of ours.
fn is_ours(action: &BlobRef) -> bool {
    action.len == plan::action::ACTION_LEN
}

fn foreign_key(tenant: &str, action: &BlobRef) -> Digest {
    Digest::of(format!("reapi result\n{tenant}\n{}\n{}", action.digest, action.len).as_bytes())
}

/// Somebody else's result as it is kept: with every blob it names.
fn foreign(result: &re::ActionResult) -> Result<Action, Status> {
    let files = result.output_files.iter().filter(|file| file.contents.is_empty()).map(|file| &file.digest);
    let trees = result.output_directories.iter().map(|folder| &folder.tree_digest);
    let others = [&result.stdout_digest, &result.stderr_digest];
    let named = files.map(Option::as_ref).map(blob);
    let more = trees.chain(others).flatten().map(|digest| blob(Some(digest)));
    let refs: BTreeSet<BlobRef> = named.chain(more).collect::<Result<_, _>>()?;
    let payload: Bytes = [FOREIGN, &result.encode_to_vec()].concat().into();
    // Nothing is always there.
    Ok(Action { payload, refs: refs.into_iter().filter(|blob| blob.len > 0).collect() })
}

/// A result of ours as it is told.
fn told(kept: &Action, result: ActionResult) -> re::ActionResult {
    let mut told = reapi::pack(kept);
    let outputs = result.outputs.into_iter().map(|(name, output)| re::OutputFile {
        path: format!("{OUTPUTS}{name}"),
        digest: Some(to_wire(&output.blob)),
        contents: output.inline.unwrap_or_default(),
        ..re::OutputFile::default()
    });
    told.output_files.extend(outputs);
    told
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use plan::{Job, JobKind};

    use super::*;

    /// The mapping of `plan::action`, made from the API's own messages.
    fn by_the_book(job: &Job) -> re::Action {
        let digest = |bytes: &[u8]| Some(to_wire(&BlobRef::of(bytes)));
        let file = |name: String, blob: &BlobRef| re::FileNode {
            name,
            digest: Some(to_wire(blob)),
            ..re::FileNode::default()
        };
        let inputs = job.inputs.iter().map(|(name, blob)| {
            let name = name.replace('%', "%25").replace('/', "%2F");
            file(name, blob)
        });
        let mut inputs = re::Directory { files: inputs.collect(), ..re::Directory::default() };
        inputs.files.sort_by(|a, b| a.name.cmp(&b.name));
        let root = re::Directory {
            files: vec![file("params".into(), &BlobRef::of(&job.params))],
            directories: vec![re::DirectoryNode {
                name: "inputs".into(),
                digest: digest(&inputs.encode_to_vec()),
            }],
            ..re::Directory::default()
        };
        let arguments = ["rigfarm", "run", job.kind.name(), &job.version].map(str::to_owned).to_vec();
        let command = re::Command { arguments, ..re::Command::default() };
        re::Action {
            command_digest: digest(&command.encode_to_vec()),
            input_root_digest: digest(&root.encode_to_vec()),
            ..re::Action::default()
        }
    }

    #[test]
    fn a_key_is_the_digest_of_a_real_action() {
        let inputs = ["raster/a", "raster/b%", "raster%", "recipe", "empty"];
        let inputs: BTreeMap<_, _> = inputs
            .iter()
            .map(|name| ((*name).to_owned(), BlobRef::of(name.replace("empty", "").as_bytes())))
            .collect();
        for (params, inputs) in [(b"page=0".to_vec(), inputs), (Vec::new(), BTreeMap::new())] {
            let job = Job { kind: JobKind::AtlasPage, version: "7".into(), params, inputs };
            let parts = plan::action::Action::of(&job);
            let mut action = re::Action::decode(&parts.action[..]).unwrap();
            assert_eq!(action.encode_to_vec(), parts.action, "as the API would write it");
            assert_eq!(parts.action.len() as u64, plan::action::ACTION_LEN);
            assert!(action.salt.starts_with(b"rigfarm job "));
            assert_eq!(reapi::action_digest(&job.key().0), to_wire(&BlobRef::of(&parts.action)));
            action.salt = Vec::new();
            assert_eq!(action, by_the_book(&job));
        }
    }

    #[test]
    fn results_keep_what_they_name() {
        let outputs = BTreeMap::from([
            ("small".to_owned(), b"s".to_vec()),
            ("file/a".to_owned(), b"a".to_vec()),
            ("file/b".to_owned(), b"a".to_vec()),
        ]);
        let result = ActionResult::of(&outputs, None, 3);
        let refs: Vec<BlobRef> = result.stored_blobs().collect();
        let kept = Action { payload: result.encode().into(), refs };
        let told = told(&kept, result);
        let (payload, refs) = reapi::unpack(&told).unwrap();
        assert_eq!(payload, Payload::Inline(kept.payload));
        assert_eq!(refs, [BlobRef::of(b"a")]);
        let named: Vec<&str> = told.output_files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(named[2..], ["outputs/file/a", "outputs/file/b", "outputs/small"]);
        // The same result as somebody else's names blobs that are in the CAS, and no others.
        assert_eq!(
            foreign(&re::ActionResult {
                output_files: told.output_files[1..].to_vec(),
                ..Default::default()
            })
            .unwrap()
            .refs,
            [BlobRef::of(b"a")]
        );
    }
}
