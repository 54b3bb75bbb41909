//! The farm with jobs that do nothing: what scheduling itself costs.

mod buildgrid;

use std::collections::BTreeMap;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use buildgrid::BuildGrid;
use coordinator::embedded::{BuildRequest, Farm, FarmConfig};
use coordinator::journal::Redis;
use coordinator::serve::{Running, Settings, start_with};
use plan::{Executor, Graph, Job, JobFailure, JobKey, JobKind, Memo, NoMemo, NodeTemplate, Outcome};
use proto::v1;
use proto::v1::build_event::Event;
use proto::v1::farm_client::FarmClient;
use store::Store;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tonic::transport::{Channel, Endpoint};
use worker::link::LinkConfig;
use worker::remote::{Phase, RemoteConfig, Stores};
use worker::stored::StoreCache;

use crate::figures::Bench;

/// Jobs of the large builds.
const JOBS: usize = 1_000;
/// Jobs of the build in one process, which is faster.
const EMBEDDED_JOBS: usize = 20_000;
/// Times each of the large builds is made; the fastest counts.
const RUNS: usize = 5;
/// Times each of the small things is done; the median counts.
const SAMPLES: usize = 200;
/// Jobs at once.
const SLOTS: usize = 2;

/// Gives back its parameters.
struct Trivial;

impl Executor for Trivial {
    fn run(&self, job: &Job, _: &BTreeMap<String, Arc<[u8]>>, _: &dyn Memo) -> Result<Outcome, JobFailure> {
        Ok(Outcome { outputs: BTreeMap::from([("out".into(), job.params.clone())]), subgraph: None })
    }
    fn supports(&self, _: JobKind, _: &str) -> bool {
        true
    }
}

/// Characters of 20 jobs: a root, 18 that read it, one that reads those.
fn characters(jobs: usize, salt: usize) -> Result<Vec<(String, Graph)>, String> {
    let character = |number: usize| {
        let params = |node: usize| format!("{salt}:{number}:{node}").into_bytes();
        let mut nodes = vec![NodeTemplate::new("0", JobKind::Ingest, params(0))];
        let mut last = NodeTemplate::new("19", JobKind::Bundle, params(19));
        for n in 1..19 {
            let node = NodeTemplate::new(n.to_string(), JobKind::Skeleton, params(n));
            nodes.push(node.output("0", "0", "out"));
            last = last.output(n.to_string(), n.to_string(), "out");
        }
        nodes.push(last);
        let graph = Graph::new(nodes, vec!["19".into()]).map_err(|error| error.to_string())?;
        Ok((format!("c{number}"), graph))
    };
    (0..jobs / 20).map(character).collect()
}

fn wire(characters: &[(String, Graph)]) -> Vec<v1::Character> {
    let character =
        |(name, graph): &(String, Graph)| v1::Character { name: name.clone(), graph: Some(graph.into()) };
    characters.iter().map(character).collect()
}

fn one(params: String) -> Result<Vec<v1::Character>, String> {
    let node = NodeTemplate::new("only", JobKind::Rig, params.into_bytes());
    let graph = Graph::new(vec![node], vec!["only".into()]).map_err(|error| error.to_string())?;
    Ok(wire(&[("c".to_owned(), graph)]))
}

/// Coordinator, Redis and worker in this process and beside it.
pub(crate) fn farm() -> Result<Bench, String> {
    let mut bench = Bench::new("farm");
    let embedded = embedded()?;
    let rig = Bed::new()?;
    let rate = rig.rate()?;
    bench.higher("jobs_per_s_grpc_redis", rate, "1/s", Some(embedded));
    bench.higher("jobs_per_s_embedded", embedded, "1/s", None);
    let nothing = rig.median(|rig, _| rig.ask_nothing())?;
    let key = rig.known_key()?;
    let hit = rig.median(|rig, _| rig.ask_cache(&rig.channel, key))?;
    let buildgrid = rig.ask_buildgrid(key)?;
    bench.lower("ac_hit_p50_ms", hit, "ms", buildgrid);
    bench.lower("resubmit_1000_ms", rig.resubmit()?, "ms", None);
    let one_job = rig.median(|rig, number| rig.build(one(format!("single {number}"))?).map(drop))?;
    bench.lower("submit_to_done_p50_ms", one_job, "ms", Some(nothing));
    rig.end()?;
    Ok(bench)
}

fn embedded() -> Result<f64, String> {
    let mut best: f64 = 0.0;
    for run in 0..RUNS {
        let characters = characters(EMBEDDED_JOBS, run)?;
        let request = BuildRequest { characters, sources: Arc::new(BTreeMap::new()), read_cache: true };
        let cache = Arc::new(StoreCache::new(Store::memory()));
        let config = FarmConfig { slots: SLOTS, ..FarmConfig::for_cores(SLOTS) };
        let farm = Farm::new(config, cache, Arc::new(Trivial), Arc::new(NoMemo));
        let farm = farm.map_err(|error| error.to_string())?;
        let started = Instant::now();
        let summary = farm.build(request).wait();
        let seconds = started.elapsed().as_secs_f64();
        if summary.run != EMBEDDED_JOBS {
            return Err(format!("{} of {EMBEDDED_JOBS} jobs ran", summary.run));
        }
        best = best.max(EMBEDDED_JOBS as f64 / seconds);
    }
    Ok(best)
}

/// What the farm is measured on.
struct Bed {
    // In this order they go: Redis last.
    runtime: Runtime,
    /// Where calls are made: on the caller's own thread, as nothing is done meanwhile.
    calls: Runtime,
    coordinator: Running,
    channel: Channel,
    worker: JoinHandle<Result<(), worker::remote::RemoteError>>,
    phase: watch::Sender<Phase>,
    _redis: RedisServer,
}

impl Bed {
    fn new() -> Result<Self, String> {
        let redis = RedisServer::start()?;
        let runtime = Runtime::new().map_err(|error| error.to_string())?;
        let listen = "127.0.0.1:0".parse().map_err(|error: std::net::AddrParseError| error.to_string())?;
        let settings = Settings { listen, ..Settings::default() };
        let url = redis.url();
        let journal = {
            let _inside = runtime.enter();
            Redis::new(&url, "bench", "http://bench").map_err(|error| error.to_string())?
        };
        let coordinator = runtime.block_on(async {
            let mut running = start_with(settings, Store::memory(), |_| journal).await?;
            running.ready().await;
            Ok(running)
        });
        let coordinator = coordinator.map_err(|error: coordinator::serve::ServeError| error.to_string())?;
        let address = format!("http://{}", coordinator.address);
        let calls = Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
        let channel = calls.block_on(connect(&address))?;
        let (phase, wanted) = watch::channel(Phase::Work);
        let config = RemoteConfig {
            name: "bench".into(),
            slots: SLOTS,
            threads: SLOTS,
            memory_bytes: 64 << 20,
            fuse_us: 2_000,
        };
        let link = LinkConfig { address, token: None, authorities: None, identity: None };
        let work = move || {
            let memo = Arc::new(NoMemo);
            worker::remote::work(&config, &link, Arc::new(Trivial), memo, Stores::default(), wanted)
        };
        let worker = std::thread::spawn(work);
        Ok(Self { runtime, calls, coordinator, channel, worker, phase, _redis: redis })
    }

    fn client(&self) -> FarmClient<Channel> {
        FarmClient::new(self.channel.clone()).max_decoding_message_size(proto::limits::MESSAGE)
    }

    /// Submits, waits for the end, and gives jobs run and hit.
    fn build(&self, characters: Vec<v1::Character>) -> Result<(u64, u64), String> {
        let mut client = self.client();
        self.calls.block_on(async {
            let order = v1::SubmitRequest { characters, ..v1::SubmitRequest::default() };
            let answer = client.submit(order).await.map_err(|status| status.to_string())?;
            let Some(v1::submit_response::Answer::Build(build)) = answer.into_inner().answer else {
                return Err("sources are missing".to_owned());
            };
            let watch = v1::WatchRequest { build, after: 0 };
            let mut events = client.watch(watch).await.map_err(|status| status.to_string())?.into_inner();
            while let Some(event) = events.message().await.map_err(|status| status.to_string())? {
                if let Some(Event::BuildEnded(end)) = event.event {
                    return Ok((end.run, end.hits));
                }
            }
            Err("a build without an end".to_owned())
        })
    }

    fn rate(&self) -> Result<f64, String> {
        let mut best: f64 = 0.0;
        for run in 0..RUNS {
            let characters = wire(&characters(JOBS, run)?);
            let started = Instant::now();
            let (ran, _) = self.build(characters)?;
            let seconds = started.elapsed().as_secs_f64();
            if ran != JOBS as u64 {
                return Err(format!("{ran} of {JOBS} jobs ran"));
            }
            best = best.max(JOBS as f64 / seconds);
        }
        Ok(best)
    }

    /// Milliseconds until a build of known jobs has ended.
    fn resubmit(&self) -> Result<f64, String> {
        let mut best = f64::INFINITY;
        for _ in 0..RUNS {
            let characters = wire(&characters(JOBS, 0)?);
            let started = Instant::now();
            let (ran, hits) = self.build(characters)?;
            best = best.min(started.elapsed().as_secs_f64() * 1e3);
            if (ran, hits) != (0, JOBS as u64) {
                return Err(format!("{ran} jobs ran again"));
            }
        }
        Ok(best)
    }

    /// One exchange that needs nothing.
    fn ask_nothing(&self) -> Result<(), String> {
        let mut blobs = v1::blobs_client::BlobsClient::new(self.channel.clone());
        let asked = blobs.find_missing(v1::FindMissingRequest::default());
        self.calls.block_on(asked).map(drop).map_err(|status| status.to_string())
    }

    /// The key of a job that has run.
    fn known_key(&self) -> Result<JobKey, String> {
        let (_, graph) = characters(20, 0)?.remove(0);
        let NodeTemplate { kind, version, params, .. } = graph.nodes()[0].clone();
        Ok(Job { kind, version, params, inputs: BTreeMap::new() }.key())
    }

    /// One exchange that looks a result up.
    fn ask_cache(&self, channel: &Channel, key: JobKey) -> Result<(), String> {
        let asked = re::GetActionResultRequest {
            action_digest: Some(store::reapi::action_digest(&key.0)),
            inline_output_files: vec![store::reapi::RESULT.to_owned()],
            ..re::GetActionResultRequest::default()
        };
        let mut actions = re::action_cache_client::ActionCacheClient::new(channel.clone());
        let told = self.calls.block_on(actions.get_action_result(asked));
        let told = told.map_err(|status| format!("a result that is there is not found: {status}"))?;
        match told.into_inner().output_files.is_empty() {
            false => Ok(()),
            true => Err("a result without a file".to_owned()),
        }
    }

    /// The same of BuildGrid, if it is there.
    fn ask_buildgrid(&self, key: JobKey) -> Result<Option<f64>, String> {
        let Some(server) = BuildGrid::start(&self.calls, &key.0) else {
            eprintln!("skipped: there is no BuildGrid to measure beside (./dev test installs it)");
            return Ok(None);
        };
        let channel = self.calls.block_on(connect(&server.url))?;
        self.median(|rig, _| rig.ask_cache(&channel, key)).map(Some)
    }

    /// Milliseconds of the median of many times.
    fn median(&self, mut act: impl FnMut(&Self, usize) -> Result<(), String>) -> Result<f64, String> {
        let mut times = Vec::with_capacity(SAMPLES);
        for number in 0..SAMPLES {
            let started = Instant::now();
            act(self, number)?;
            times.push(started.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        Ok(times[SAMPLES / 2])
    }

    fn end(self) -> Result<(), String> {
        self.phase.send_replace(Phase::Drain);
        let drained = self.worker.join().map_err(|_| "the worker panicked".to_owned())?;
        drained.map_err(|error| error.to_string())?;
        self.coordinator.stop();
        self.runtime.block_on(self.coordinator.join()).map_err(|error| error.to_string())
    }
}

async fn connect(address: &str) -> Result<Channel, String> {
    let endpoint = Endpoint::from_shared(address.to_owned()).map_err(|error| error.to_string())?;
    endpoint.tcp_nodelay(true).connect().await.map_err(|error| error.to_string())
}

/// A Redis that keeps nothing on disk and ends with the bench.
struct RedisServer {
    child: Child,
    port: u16,
}

impl RedisServer {
    fn start() -> Result<Self, String> {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = free.map_err(|error| error.to_string())?.port();
        let child = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let child = child.map_err(|error| format!("skipped: redis-server: {error}"))?;
        let server = Self { child, port };
        for _ in 0..200 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Ok(server);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err("redis-server does not come up".to_owned())
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        // It has ended, or does so now.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
