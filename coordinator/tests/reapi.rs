//! The cache services of the Remote Execution API, spoken to by our own client, by the API's messages, and by BuildGrid.

mod support;

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use bazel_remote_apis::google::bytestream as bs;
use bs::byte_stream_client::ByteStreamClient;
use bytes::Bytes;
use canonical::{BlobRef, Digest};
use coordinator::auth::{Role, Token};
use coordinator::serve::{Running, Settings};
use plan::{ActionResult, Job, JobKind};
use re::action_cache_client::ActionCacheClient;
use re::content_addressable_storage_client::ContentAddressableStorageClient as Cas;
use store::testing::{BUILDGRID, peer};
use store::{Action, Error, Options, Store, reapi};
use support::{FakeWorker, build, channel, client, echo, order, ready, settings, single};
use tonic::Code;

fn open(at: &str, instance: &str) -> Store {
    Store::open(&format!("reapi://{at}/{instance}"), &Options::default()).unwrap()
}

/// What any such server has to do for us.
async fn check_store(store: &Store) {
    let sizes = [0_usize, 1, 1000, 3_900_000, 9_000_000];
    let blobs: Vec<Bytes> = sizes.iter().map(|size| vec![*size as u8; *size].into()).collect();
    let names = store.put_blobs(blobs.clone()).await.unwrap();
    assert_eq!(names, blobs.iter().map(|bytes| BlobRef::of(bytes)).collect::<Vec<_>>());
    assert_eq!(store.put_blobs(blobs.clone()).await.unwrap(), names, "a second time");
    let absent = BlobRef::of(b"absent");
    let asked = [names[4], absent, names[0], names[1]];
    assert_eq!(store.has(&asked).await.unwrap(), [true, false, true, true]);
    for (name, bytes) in names.iter().zip(&blobs) {
        assert_eq!(store.get_blob(name).await.unwrap(), bytes);
    }
    assert!(matches!(store.get_blob(&absent).await, Err(Error::Missing { .. })));
    let many: Vec<Bytes> = (0..3000).map(|n| format!("blob {n}").repeat(200).into()).collect();
    let several = store.put_blobs(many).await.unwrap();
    assert!(store.has(&several).await.unwrap().iter().all(|there| *there));

    let key = Digest::of(b"key");
    assert_eq!(store.get_action(&key).await.unwrap(), None);
    // The blobs of a result in the order of their names.
    let mut refs = vec![names[1], names[4]];
    refs.sort_unstable();
    let action = Action { payload: "what there is".into(), refs };
    store.put_action(&key, &action).await.unwrap();
    let found = store.get_actions(&[Digest::of(b"other"), key]).await.unwrap();
    assert_eq!(found, [None, Some(action)]);
}

/// A result that the farm itself would take.
fn result() -> (Digest, ActionResult) {
    let job = Job { kind: JobKind::Rig, version: "1".into(), params: vec![7], inputs: [].into() };
    (job.key().0, ActionResult::of(&[("file/a".to_owned(), vec![5; 5000])].into(), None, 1))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_coordinator_is_a_store() {
    let behind = Store::memory();
    let running = ready(settings(), behind.clone()).await;
    let store = open(&running.address.to_string(), "film");
    check_store(&store).await;

    // What names blobs that are not there is refused. What is a result of the farm's is one for the farm.
    let action = Action { payload: "x".into(), refs: vec![BlobRef::of(b"absent")] };
    assert!(store.put_action(&Digest::of(b"y"), &action).await.is_err());
    let (key, result) = result();
    store.put_blob(vec![5; 5000].into()).await.unwrap();
    let refs: Vec<BlobRef> = result.stored_blobs().collect();
    let kept = Action { payload: result.encode().into(), refs };
    store.put_action(&key, &kept).await.unwrap();
    assert_eq!(behind.get_action(&key).await.unwrap(), Some(kept));
    let stats = store.stats().await.unwrap_err().to_string();
    assert!(stats.contains("cannot be listed"), "{stats}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_farm_made_is_found_under_the_digest_of_its_action() {
    let running = ready(settings(), Store::memory()).await;
    let worker = tokio::spawn(FakeWorker::new(channel(&running).await, echo()).run());
    let mut farm = client(channel(&running).await);
    assert_eq!(build(&mut farm, order(single("p"))).await.run, 1);
    let job = Job {
        kind: JobKind::Rig,
        version: JobKind::Rig.version().into(),
        params: b"p".to_vec(),
        inputs: [].into(),
    };
    let store = open(&running.address.to_string(), "");
    let found = store.get_action(&job.key().0).await.unwrap().unwrap();
    let result = ActionResult::decode(&found.payload).unwrap();
    assert_eq!(result.outputs["out"].inline.as_deref(), Some(b"p".as_slice()));
    let mut actions = ActionCacheClient::new(channel(&running).await);
    let asked = re::GetActionResultRequest {
        action_digest: Some(reapi::action_digest(&job.key().0)),
        ..re::GetActionResultRequest::default()
    };
    let told = actions.get_action_result(asked).await.unwrap().into_inner();
    let file = told.output_files.iter().find(|file| file.path == "outputs/out").unwrap();
    assert_eq!(file.contents, b"p");
    worker.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_is_refused_piece_by_piece() {
    let running = ready(settings(), Store::memory()).await;
    let mut cas = Cas::new(channel(&running).await);
    let upload = |named: &[u8], data: &[u8]| re::batch_update_blobs_request::Request {
        digest: Some(reapi::to_wire(&BlobRef::of(named))),
        data: data.to_vec(),
        compressor: 0,
    };
    let requests = vec![upload(b"right", b"right"), upload(b"right", b"wrong"), upload(b"", b"")];
    let asked = re::BatchUpdateBlobsRequest { requests, ..re::BatchUpdateBlobsRequest::default() };
    let answer = cas.batch_update_blobs(asked).await.unwrap().into_inner();
    let codes: Vec<i32> = answer.responses.iter().map(|r| r.status.as_ref().unwrap().code).collect();
    assert_eq!(codes, [0, Code::InvalidArgument as i32, 0]);
    let digests = [&b"right"[..], b"absent", b""].map(|bytes| reapi::to_wire(&BlobRef::of(bytes))).to_vec();
    let asked =
        re::BatchReadBlobsRequest { digests: digests.clone(), ..re::BatchReadBlobsRequest::default() };
    let answer = cas.batch_read_blobs(asked).await.unwrap().into_inner();
    let codes: Vec<i32> = answer.responses.iter().map(|r| r.status.as_ref().unwrap().code).collect();
    assert_eq!(codes, [0, Code::NotFound as i32, 0]);
    let missing = |function: i32, digests: Vec<re::Digest>| re::FindMissingBlobsRequest {
        blob_digests: digests,
        digest_function: function,
        ..re::FindMissingBlobsRequest::default()
    };
    let found = cas.find_missing_blobs(missing(0, digests.clone())).await.unwrap().into_inner();
    assert_eq!(found.missing_blob_digests, digests[1..2]);
    let odd = re::Digest { hash: "12".into(), size_bytes: -1 };
    for asked in [missing(99, digests), missing(0, vec![odd])] {
        assert_eq!(cas.find_missing_blobs(asked).await.unwrap_err().code(), Code::InvalidArgument);
    }

    let mut streams = ByteStreamClient::new(channel(&running).await);
    let name = BlobRef::of(b"in pieces");
    let resource = format!("film/uploads/u/blobs/{}/9", name.digest.to_hex());
    let piece = |offset: i64, data: &[u8], last: bool| bs::WriteRequest {
        resource_name: resource.clone(),
        write_offset: offset,
        finish_write: last,
        data: data.to_vec(),
    };
    let mut write = async |pieces: Vec<bs::WriteRequest>| {
        let written = streams.write(tokio_stream::iter(pieces)).await;
        written.map(|written| written.into_inner().committed_size).map_err(|status| status.code())
    };
    assert_eq!(write(vec![piece(0, b"in wrongs", true)]).await, Err(Code::InvalidArgument));
    assert_eq!(
        write(vec![piece(0, b"in ", false), piece(2, b"pieces", true)]).await,
        Err(Code::InvalidArgument)
    );
    assert_eq!(write(vec![piece(0, b"in pieces and more", true)]).await, Err(Code::InvalidArgument));
    assert_eq!(write(vec![piece(0, b"in ", false)]).await, Ok(0));
    assert_eq!(write(vec![piece(0, b"in ", false), piece(3, b"pieces", true)]).await, Ok(9));
    assert_eq!(write(vec![piece(0, b"in ", false)]).await, Ok(9), "it is there");
    let read = bs::ReadRequest {
        resource_name: format!("blobs/{}/9", name.digest.to_hex()),
        read_offset: 3,
        read_limit: 4,
    };
    let mut chunks = streams.read(read).await.unwrap().into_inner();
    assert_eq!(chunks.message().await.unwrap().unwrap().data, b"piec");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn instances_are_tenants() {
    let folder = tempfile::tempdir().unwrap();
    let token = |name: &str, role: Role, tenant: &str| {
        std::fs::write(folder.path().join(name), name).unwrap();
        let hash = Digest::of(name.as_bytes());
        Token { name: name.into(), hash, roles: vec![role], tenant: Some(tenant.into()) }
    };
    let tokens =
        vec![token("ann", Role::Submit, "a"), token("bob", Role::Submit, "b"), token("eve", Role::Read, "a")];
    let running = ready(Settings { tokens, ..settings() }, Store::memory()).await;
    let of = |name: &str, instance: &str| {
        let file = folder.path().join(name);
        open(&running.address.to_string(), &format!("{instance}?token_file={}", file.display()))
    };
    let key = Digest::of(b"key");
    let action = Action { payload: "ann's".into(), refs: vec![] };
    of("ann", "a").put_action(&key, &action).await.unwrap();
    assert_eq!(
        of("ann", "").get_action(&key).await.unwrap(),
        Some(action.clone()),
        "the tenant is the token's"
    );
    assert_eq!(of("eve", "a").get_action(&key).await.unwrap(), Some(action.clone()));
    assert_eq!(of("bob", "").get_action(&key).await.unwrap(), None);
    assert!(matches!(of("bob", "a").get_action(&key).await, Err(Error::Denied { .. })));
    assert!(matches!(of("eve", "a").put_action(&key, &action).await, Err(Error::ReadOnly { .. })));
    assert!(matches!(of("eve", "a").put_blob("x".into()).await, Err(Error::ReadOnly { .. })));
    assert!(matches!(open(&running.address.to_string(), "a").check().await, Err(Error::Denied { .. })));
    // Only who may run jobs puts results of the farm.
    let (key, result) = result();
    of("ann", "a").put_blob(vec![5; 5000].into()).await.unwrap();
    let kept = Action { payload: result.encode().into(), refs: result.stored_blobs().collect() };
    of("ann", "a").put_action(&key, &kept).await.unwrap();
    assert_eq!(of("bob", "b").get_action(&key).await.unwrap(), None);
}

/// BuildGrid, killed when dropped.
struct BuildGrid(Child);

impl Drop for BuildGrid {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn bgd() -> Option<Command> {
    let program = peer("bg/bin/bgd");
    if !program.is_file() {
        println!("skipped: there is no BuildGrid (./dev test installs it)");
        return None;
    }
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Some(command)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn buildgrid_is_a_store() {
    let Some(mut command) = bgd() else { return };
    let folder = tempfile::tempdir().unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let config = folder.path().join("bgd.yml");
    std::fs::write(&config, BUILDGRID.replace("PORT", &port.to_string())).unwrap();
    let mut server = BuildGrid(command.args(["server", "start"]).arg(&config).spawn().unwrap());
    let store = open(&format!("127.0.0.1:{port}"), "");
    let coming = async {
        while let Err(error) = store.check().await {
            assert_eq!(server.0.try_wait().unwrap(), None, "{error}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), coming).await.expect("BuildGrid does not come up");
    check_store(&store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn buildgrid_reads_and_writes_here() {
    if bgd().is_none() {
        return;
    }
    let running = ready(settings(), Store::memory()).await;
    let folder = tempfile::tempdir().unwrap();
    // Larger than a batch.
    let bytes = vec![3_u8; 6_000_000];
    std::fs::write(folder.path().join("up"), &bytes).unwrap();
    let name = BlobRef::of(&bytes);
    let digest = format!("{}/{}", name.digest.to_hex(), name.len);
    run_bgd(&running, folder.path(), &["capabilities"], &[]).await;
    run_bgd(&running, folder.path(), &["cas"], &["upload-file", "up"]).await;
    let store = open(&running.address.to_string(), "");
    assert_eq!(store.get_blob(&name).await.unwrap(), bytes);
    run_bgd(&running, folder.path(), &["cas"], &["download-file", &digest, "down"]).await;
    assert_eq!(std::fs::read(folder.path().join("down")).unwrap(), bytes);
    // A result that our client puts is one for its client too.
    let key = Digest::of(b"key");
    let action = Action { payload: "payload".into(), refs: vec![name] };
    store.put_action(&key, &action).await.unwrap();
    let key = format!("{}/{}", key.to_hex(), reapi::ACTION_LEN);
    run_bgd(&running, folder.path(), &["actioncache"], &["get", &key]).await;
}

/// Runs its client against a coordinator.
async fn run_bgd(running: &Running, folder: &std::path::Path, group: &[&str], args: &[&str]) {
    let mut command = bgd().unwrap();
    command.args(group).args(["--remote", &format!("http://{}", running.address)]).args(args);
    command.current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    let said = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let text = String::from_utf8_lossy(&[said.stdout, said.stderr].concat()).into_owned();
    assert!(said.status.success(), "{group:?} {args:?}: {text}");
}
