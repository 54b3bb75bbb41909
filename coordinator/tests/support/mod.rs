//! A farm in this process: coordinators on loopback, trivial workers, a client.

#![allow(dead_code, reason = "each test uses its share")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use coordinator::serve::{Running, Settings, start};
use plan::{ActionResult, Graph, Job, JobKind, NodeTemplate};
use proto::v1::build_event::Event;
use proto::v1::farm_client::FarmClient;
use proto::v1::report::What;
use proto::v1::workers_client::WorkersClient;
use proto::{PROTOCOL, v1};
use store::Store;
use tonic::transport::{Channel, Endpoint};

/// Settings for a test: any port of the loopback address.
pub(crate) fn settings() -> Settings {
    Settings { listen: "127.0.0.1:0".parse().unwrap(), ..Settings::default() }
}

pub(crate) async fn ready(settings: Settings, store: Store) -> Running {
    let mut running = start(settings, store).await.unwrap();
    running.ready().await;
    running
}

pub(crate) async fn channel(running: &Running) -> Channel {
    let endpoint = Endpoint::from_shared(format!("http://{}", running.address)).unwrap();
    endpoint.tcp_nodelay(true).connect().await.unwrap()
}

/// What a worker does with a job: gives a result, or nothing to keep it.
pub(crate) type Act = Arc<dyn Fn(&Job) -> Option<What> + Send + Sync>;

/// Gives back the parameters.
pub(crate) fn echo() -> Act {
    Arc::new(|job| Some(What::Done(result_of(job).encode())))
}

pub(crate) fn result_of(job: &Job) -> ActionResult {
    ActionResult::of(&BTreeMap::from([("out".to_owned(), job.params.clone())]), None, 10)
}

/// A worker that runs what it is given at once.
pub(crate) struct FakeWorker {
    client: WorkersClient<Channel>,
    act: Act,
    pub(crate) number: u64,
    pub(crate) ran: usize,
    pub(crate) bundles: u32,
    held: Vec<v1::Lease>,
    reports: Vec<v1::Report>,
}

pub(crate) fn every_kind() -> Vec<v1::Capability> {
    let able = |kind: JobKind| v1::Capability { kind: kind.name().into(), version: kind.version().into() };
    JobKind::all().map(able).collect()
}

impl FakeWorker {
    pub(crate) fn new(channel: Channel, act: Act) -> Self {
        let client = WorkersClient::new(channel).max_decoding_message_size(proto::limits::MESSAGE);
        Self { client, act, number: 0, ran: 0, bundles: 4, held: Vec::new(), reports: Vec::new() }
    }

    pub(crate) fn request(&self) -> v1::SyncRequest {
        v1::SyncRequest {
            protocol: PROTOCOL,
            worker: self.number,
            name: "fake".into(),
            capabilities: every_kind(),
            bundles: self.bundles,
            fuse_us: 2_000,
            held: self.held.clone(),
            reports: self.reports.clone(),
        }
    }

    /// One exchange; gives the jobs it brought.
    pub(crate) async fn sync(&mut self) -> Result<usize, tonic::Status> {
        let answer = self.client.sync(self.request()).await?.into_inner();
        self.number = answer.worker;
        self.reports.clear();
        self.held.retain(|lease| !answer.stop.contains(lease));
        let mut count = 0;
        for leased in answer.bundles.into_iter().flat_map(|bundle| bundle.jobs) {
            let lease = leased.lease.unwrap();
            let job: Job = leased.job.unwrap().try_into().unwrap();
            assert_eq!(job.key().0.as_bytes(), &lease.key[..]);
            count += 1;
            match (self.act)(&job) {
                Some(what) => self.reports.push(v1::Report { lease: Some(lease), what: Some(what) }),
                None => self.held.push(lease),
            }
        }
        self.ran += count;
        Ok(count)
    }

    /// Ends the jobs it kept, and takes no more meanwhile.
    pub(crate) async fn finish_held(&mut self) -> Result<(), tonic::Status> {
        let done = Some(What::Done(ActionResult::of(&[].into(), None, 10).encode()));
        let report = |lease| v1::Report { lease: Some(lease), what: done.clone() };
        self.reports.extend(self.held.drain(..).map(report));
        self.report().await
    }

    /// Tells what it did, and takes no more meanwhile.
    pub(crate) async fn report(&mut self) -> Result<(), tonic::Status> {
        let bundles = std::mem::take(&mut self.bundles);
        let told = self.sync().await;
        self.bundles = bundles;
        told.map(drop)
    }

    pub(crate) fn reconnect(&mut self, channel: Channel) {
        self.client = WorkersClient::new(channel);
    }

    /// Until the coordinator is gone for good.
    pub(crate) async fn run(mut self) {
        let mut failures = 0;
        while failures < 100 {
            match self.sync().await {
                Ok(_) => failures = 0,
                Err(_) => {
                    failures += 1;
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
        }
    }
}

/// Characters of 20 jobs: a root, 18 that read it, one that reads those.
pub(crate) fn characters(count: usize, salt: &str) -> Vec<v1::Character> {
    let character = |number: usize| {
        let params = |node: usize| format!("{salt}{number}:{node}").into_bytes();
        let mut nodes = vec![NodeTemplate::new("0", JobKind::Ingest, params(0))];
        let mut last = NodeTemplate::new("19", JobKind::Bundle, params(19));
        for n in 1..19 {
            let node = NodeTemplate::new(n.to_string(), JobKind::Skeleton, params(n));
            nodes.push(node.output("0", "0", "out"));
            last = last.output(n.to_string(), n.to_string(), "out");
        }
        nodes.push(last);
        let graph = Graph::new(nodes, vec!["19".into()]).unwrap();
        v1::Character { name: format!("c{number}"), graph: Some((&graph).into()) }
    };
    (0..count).map(character).collect()
}

/// One character of one job.
pub(crate) fn single(params: &str) -> Vec<v1::Character> {
    let node = NodeTemplate::new("only", JobKind::Rig, params.as_bytes().to_vec());
    let graph = Graph::new(vec![node], vec!["only".into()]).unwrap();
    vec![v1::Character { name: "c".into(), graph: Some((&graph).into()) }]
}

pub(crate) fn client(channel: Channel) -> FarmClient<Channel> {
    FarmClient::new(channel).max_decoding_message_size(proto::limits::MESSAGE)
}

pub(crate) fn order(characters: Vec<v1::Character>) -> v1::SubmitRequest {
    v1::SubmitRequest { characters, ..v1::SubmitRequest::default() }
}

pub(crate) async fn submit(client: &mut FarmClient<Channel>, order: v1::SubmitRequest) -> u64 {
    match client.submit(order).await.unwrap().into_inner().answer.unwrap() {
        v1::submit_response::Answer::Build(build) => build,
        v1::submit_response::Answer::Missing(missing) => panic!("missing {missing:?}"),
    }
}

/// All events of a build until its end.
pub(crate) async fn watch(client: &mut FarmClient<Channel>, build: u64) -> Vec<Event> {
    let mut events = Vec::new();
    let mut after = 0;
    while !matches!(events.last(), Some(Event::BuildEnded(_))) {
        let stream = client.watch(v1::WatchRequest { build, after }).await;
        let Ok(stream) = stream else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let mut stream = stream.into_inner();
        while let Ok(Some(event)) = stream.message().await {
            assert_eq!(event.id, after + 1, "events come in order, each once");
            after = event.id;
            events.push(event.event.unwrap());
        }
    }
    events
}

pub(crate) fn summary(events: &[Event]) -> v1::BuildEnded {
    match events.last() {
        Some(Event::BuildEnded(summary)) => *summary,
        other => panic!("no end: {other:?}"),
    }
}

/// Submits and waits.
pub(crate) async fn build(client: &mut FarmClient<Channel>, order: v1::SubmitRequest) -> v1::BuildEnded {
    let build = submit(client, order).await;
    summary(&watch(client, build).await)
}
