//! What a farm does when something about it is not as it should be.

#[allow(dead_code, reason = "each suite uses some of it")]
mod sandbox;

use std::collections::BTreeMap;
use std::sync::Arc;

use canonical::BlobRef;
use coordinator::serve::{self, Running, Settings};
use coordinator::state::Config;
use plan::{Executor, Job, JobFailure, JobKind, Memo, NoMemo, Outcome};
use proto::v1;
use sandbox::{Sandbox, contents};
use store::{Options, Store};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use worker::link::{self, LinkConfig};
use worker::remote::{self, Phase, RemoteConfig, Stores};
use worker::transfer::{Transfer, TransferError};

/// A coordinator in this process.
struct Farm {
    runtime: Runtime,
    running: Option<Running>,
    url: String,
}

impl Farm {
    fn start(store: Store, rules: Config) -> Self {
        let runtime = Runtime::new().unwrap();
        let settings = Settings { listen: ([127, 0, 0, 1], 0).into(), rules, ..Settings::default() };
        let mut running = runtime.block_on(serve::start(settings, store)).unwrap();
        runtime.block_on(running.ready());
        let url = format!("http://{}", running.address);
        Self { runtime, running: Some(running), url }
    }

    fn link(&self) -> LinkConfig {
        LinkConfig { address: self.url.clone(), ..LinkConfig::default() }
    }
}

impl Drop for Farm {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            self.runtime.block_on(running.kill());
        }
    }
}

/// A worker in this process; told to drain when dropped.
struct Worker {
    tell: watch::Sender<Phase>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Worker {
    fn start(farm: &Farm, executor: Arc<dyn Executor>, stores: Stores) -> Self {
        let (tell, phase) = watch::channel(Phase::Work);
        let link = farm.link();
        let config = RemoteConfig {
            name: "tester".into(),
            slots: 1,
            threads: 1,
            memory_bytes: 64 << 20,
            fuse_us: 2_000,
        };
        let work = move || remote::work(&config, &link, executor, Arc::new(NoMemo), stores, phase).unwrap();
        Self { tell, thread: Some(std::thread::spawn(work)) }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.tell.send(Phase::Drain);
        let ended = self.thread.take().map(std::thread::JoinHandle::join);
        assert!(ended.is_some_and(|ended| ended.is_ok()) || std::thread::panicking());
    }
}

/// The real pipeline, with something wrong about it.
struct Wrong(fn(&Job) -> Option<Result<Outcome, JobFailure>>, bool);

impl Executor for Wrong {
    fn run(
        &self,
        job: &Job,
        inputs: &BTreeMap<String, Arc<[u8]>>,
        memo: &dyn Memo,
    ) -> Result<Outcome, JobFailure> {
        (self.0)(job).unwrap_or_else(|| pipeline::Pipeline.run(job, inputs, memo))
    }
    fn supports(&self, kind: JobKind, version: &str) -> bool {
        self.1 && pipeline::Pipeline.supports(kind, version)
    }
}

#[test]
fn jobs_for_workers_of_another_release_fail_and_say_so() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    let farm = Farm::start(Store::memory(), Config { unsatisfiable_ms: 200, ..Config::default() });
    let _worker = Worker::start(&farm, Arc::new(Wrong(|_| None, false)), Stores::default());
    let said = sandbox.expect(1, &["submit", "mika.psd", "--coordinator", &farm.url, "--wait"]);
    assert!(said.err.contains("no worker runs ingest version"), "{}", said.err);
}

#[test]
fn a_panicking_job_fails_its_character_alone() {
    let sandbox = Sandbox::new();
    sandbox.art("chars/a.psd", 1);
    sandbox.art("chars/b.psd", 2);
    let farm = Farm::start(Store::memory(), Config::default());
    let panics = |job: &Job| {
        static FIRST: std::sync::Mutex<Option<plan::JobKey>> = std::sync::Mutex::new(None);
        let mut first = FIRST.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let is_victim = job.kind == JobKind::Rig && *first.get_or_insert(job.key()) == job.key();
        drop(first);
        if is_victim { panic!("on purpose") } else { None }
    };
    let _worker = Worker::start(&farm, Arc::new(Wrong(panics, true)), Stores::default());
    let said = sandbox.expect(1, &["build", "chars", "--coordinator", &farm.url, "--out", "dist", "--json"]);
    let rows = said.events().into_iter().filter(|event| event["event"] == "character");
    let mut states: Vec<String> =
        rows.map(|row| format!("{} {}", row["state"], row["error"]["code"])).collect();
    states.sort();
    assert_eq!(states, ["\"built\" null", "\"failed\" \"job-panicked\""]);
}

#[test]
fn bytes_that_are_not_what_they_are_called_are_refused() {
    let farm = Farm::start(Store::memory(), Config::default());
    farm.runtime.block_on(async {
        let transfer = Transfer::new(link::open(&farm.link()).unwrap());
        let (name, bytes): (_, Arc<[u8]>) = (BlobRef::of(b"right"), Arc::from(*b"wrong"));
        assert!(matches!(transfer.put(name, bytes).await, Err(TransferError::Refused(_))));
        assert_eq!(transfer.find_missing(&[name]).await, Ok(vec![name]));
        assert_eq!(transfer.get(&name).await, Err(TransferError::Gone(name)));
        transfer.put(name, Arc::from(*b"right")).await.unwrap();
        assert_eq!(transfer.get(&name).await.unwrap()[..], *b"right");
        // Larger than a chunk, and nothing at all.
        for bytes in [vec![7_u8; 3 << 20], Vec::new()] {
            let (name, bytes) = (BlobRef::of(&bytes), Arc::<[u8]>::from(bytes));
            transfer.put_missing(&[(name, Arc::clone(&bytes))]).await.unwrap();
            assert_eq!(transfer.get(&name).await.unwrap(), bytes);
        }
    });
}

#[test]
fn messages_beyond_all_bounds_are_refused_and_harm_nobody() {
    let farm = Farm::start(Store::memory(), Config::default());
    farm.runtime.block_on(async {
        let mut client = v1::farm_client::FarmClient::new(link::open(&farm.link()).unwrap());
        let title = "x".repeat(17 << 20);
        let huge = v1::SubmitRequest { title, ..v1::SubmitRequest::default() };
        assert!(client.submit(huge).await.is_err());
        let odd = v1::SubmitRequest {
            characters: vec![v1::Character { name: "a".into(), graph: None }],
            ..v1::SubmitRequest::default()
        };
        assert!(client.submit(odd).await.is_err());
        assert!(client.list(v1::ListRequest::default()).await.unwrap().into_inner().builds.is_empty());
    });
}

#[test]
fn a_worker_whose_store_is_read_only_goes_through_the_coordinator() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    sandbox.expect(0, &["build", "mika.psd", "--out", "expected"]);
    let address = format!("file://{}", sandbox.path("farm").display());
    let farm = Farm::start(Store::open(&address, &Options::default()).unwrap(), Config::default());
    let shared = Store::open(&format!("{address}?mode=ro"), &Options::default()).unwrap();
    let stores = Stores { own: None, shared: Some(shared) };
    let _worker = Worker::start(&farm, Arc::new(pipeline::Pipeline), stores);
    sandbox.expect(0, &["build", "mika.psd", "--coordinator", &farm.url, "--out", "dist"]);
    assert!(contents(&sandbox.path("expected/mika")) == contents(&sandbox.path("dist/mika")));
}

#[test]
fn a_farm_whose_store_takes_nothing_says_so() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    std::fs::create_dir(sandbox.path("farm")).unwrap();
    let address = format!("file://{}?mode=ro", sandbox.path("farm").display());
    let farm = Farm::start(Store::open(&address, &Options::default()).unwrap(), Config::default());
    let said = sandbox.run(&["submit", "mika.psd", "--coordinator", &farm.url]);
    assert!(matches!(said.status, 1 | 3), "{}", said.err);
    assert!(said.err.contains("cannot be written to"), "{}", said.err);
}

#[test]
fn lost_blobs_are_made_again_while_a_bundle_is_delivered() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    let address = format!("file://{}", sandbox.path("farm").display());
    let farm = Farm::start(Store::open(&address, &Options::default()).unwrap(), Config::default());
    let _worker = Worker::start(&farm, Arc::new(pipeline::Pipeline), Stores::default());
    let build = |out: &str| {
        sandbox.expect(0, &["build", "mika.psd", "--coordinator", &farm.url, "--out", out, "--json"])
    };
    build("first");
    let moc3 = BlobRef::of(&std::fs::read(sandbox.path("first/mika/mika.moc3")).unwrap());
    let hex = moc3.digest.to_hex();
    std::fs::remove_file(sandbox.path(&format!("farm/cas/{}/{hex}", &hex[..2]))).unwrap();
    let said = build("second");
    assert!(said.nodes().values().any(|state| state == "run"), "{:?}", said.nodes());
    assert!(contents(&sandbox.path("first/mika")) == contents(&sandbox.path("second/mika")));
}
