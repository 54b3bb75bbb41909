//! One coordinator on loopback, with workers that do nothing.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use canonical::BlobRef;
use plan::{Graph, JobKind, NodeTemplate};
use proto::v1;
use proto::v1::blobs_client::BlobsClient;
use proto::v1::build_event::Event;
use proto::v1::report::What;
use store::Store;
use support::{
    FakeWorker, build, channel, characters, client, echo, order, ready, settings, single, submit, watch,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn builds_run_once_and_hit_afterwards() {
    let running = ready(settings(), Store::memory()).await;
    let worker = tokio::spawn(FakeWorker::new(channel(&running).await, echo()).run());
    let mut client = client(channel(&running).await);
    let summary = build(&mut client, order(characters(5, ""))).await;
    assert_eq!((summary.run, summary.hits, summary.failed), (100, 0, 0));
    let summary = build(&mut client, order(characters(5, ""))).await;
    assert_eq!((summary.run, summary.hits), (0, 100));
    let summary =
        build(&mut client, v1::SubmitRequest { ignore_cache: true, ..order(characters(5, "")) }).await;
    assert_eq!((summary.run, summary.hits), (100, 0));

    let listed = client.list(v1::ListRequest::default()).await.unwrap().into_inner().builds;
    assert_eq!(listed.len(), 3);
    assert!(listed.iter().all(|line| line.ended && line.nodes_ended == 100 && line.characters_ended == 5));
    let fetch = v1::FetchRequest { build: listed[0].build, characters: vec!["c3".into()] };
    let fetched = client.fetch(fetch).await.unwrap().into_inner().message().await.unwrap().unwrap();
    assert_eq!(
        (fetched.character.as_str(), fetched.outputs[0].inline.as_deref()),
        ("c3", Some(b"3:19".as_slice()))
    );
    let plan = v1::PlanRequest { characters: characters(1, ""), ignore_cache: false };
    let planned = client.plan(plan).await.unwrap().into_inner().nodes;
    assert!(planned.iter().all(|node| node.expectation() == v1::Expectation::Hit) && planned.len() == 20);

    running.stop();
    running.join().await.unwrap();
    worker.abort();
}

#[tokio::test]
async fn one_request_is_one_build_and_missing_sources_are_named() {
    let running = ready(settings(), Store::memory()).await;
    let mut farm = client(channel(&running).await);
    let art = b"art".to_vec();
    let node = NodeTemplate::new("a", JobKind::Ingest, vec![]).blob("psd", BlobRef::of(&art));
    let graph = Graph::new(vec![node], vec!["a".into()]).unwrap();
    let character = v1::Character { name: "c".into(), graph: Some((&graph).into()) };
    let asked = v1::SubmitRequest { request_id: "r".into(), ..order(vec![character]) };
    let answer = farm.submit(asked.clone()).await.unwrap().into_inner().answer.unwrap();
    let v1::submit_response::Answer::Missing(missing) = answer else { panic!("{answer:?}") };
    assert_eq!(missing.missing, vec![BlobRef::of(&art).into()]);

    let mut blobs = BlobsClient::new(channel(&running).await);
    let put = |name: &[u8], data: &[&[u8]]| {
        let mut parts: Vec<_> =
            data.iter().map(|data| v1::PutBlobRequest { blob: None, data: data.to_vec() }).collect();
        parts[0].blob = Some(BlobRef::of(name).into());
        tokio_stream::iter(parts)
    };
    for (name, data) in [(b"art", [b"ar".as_slice(), b"x"]), (b"art", [b"ar", b"tt"]), (b"art", [b"ar", b""])]
    {
        let refused = blobs.put(put(name, &data)).await.unwrap_err();
        assert_eq!(refused.code(), tonic::Code::InvalidArgument);
    }
    blobs.put(put(b"art", &[b"a", b"rt"])).await.unwrap();
    let mut got =
        blobs.get(v1::GetBlobRequest { blob: Some(BlobRef::of(&art).into()) }).await.unwrap().into_inner();
    assert_eq!(got.message().await.unwrap().unwrap().data, art);

    let first = submit(&mut farm, asked.clone()).await;
    assert_eq!(submit(&mut farm, asked.clone()).await, first);
    let other = v1::SubmitRequest { request_id: "s".into(), ..asked };
    assert_ne!(submit(&mut farm, other).await, first);
    farm.cancel(v1::CancelRequest { build: first }).await.unwrap();
    let events = watch(&mut farm, first).await;
    assert_eq!(support::summary(&events).cancelled, 1);
    let unknown = farm.cancel(v1::CancelRequest { build: 1 }).await.unwrap_err();
    assert_eq!(unknown.code(), tonic::Code::NotFound);
}

#[tokio::test]
async fn a_result_without_its_blobs_is_no_result() {
    let running = ready(settings(), Store::memory()).await;
    let lies = Arc::new(AtomicBool::new(true));
    let act = {
        let lies = Arc::clone(&lies);
        let honest = echo();
        Arc::new(move |job: &plan::Job| {
            if lies.swap(false, Ordering::Relaxed) {
                let outputs = [("out".to_owned(), vec![7; 1 << 20])].into();
                return Some(What::Done(plan::ActionResult::of(&outputs, None, 1).encode()));
            }
            honest(job)
        })
    };
    tokio::spawn(FakeWorker::new(channel(&running).await, act).run());
    let mut farm = client(channel(&running).await);
    let build = submit(&mut farm, order(single("x"))).await;
    let events = watch(&mut farm, build).await;
    let started = events.iter().filter(|event| matches!(event, Event::JobStarted(_))).count();
    assert_eq!((started, support::summary(&events).run), (2, 1));
    assert_eq!(running.metrics.reports_incomplete_total.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_worker_whose_connection_breaks_is_gone_within_seconds() {
    let running = ready(settings(), Store::memory()).await;
    let mut farm = client(channel(&running).await);
    let build = submit(&mut farm, order(single("x"))).await;
    let mut keeper = FakeWorker::new(channel(&running).await, Arc::new(|_| None));
    assert_eq!(keeper.sync().await.unwrap(), 1);
    // It waits for more, and its connection breaks.
    let waiting = tokio::time::timeout(std::time::Duration::from_millis(100), keeper.sync()).await;
    assert!(waiting.is_err());
    drop(keeper);
    let mut other = FakeWorker::new(channel(&running).await, echo());
    assert_eq!(other.sync().await.unwrap(), 1);
    other.report().await.unwrap();
    let events = watch(&mut farm, build).await;
    assert!(
        events.iter().any(|event| matches!(event, Event::Notice(notice) if notice.code == "worker-lost"))
    );
    assert_eq!(support::summary(&events).run, 1);
}

#[tokio::test]
async fn what_is_not_deterministic_is_found_and_kept_no_more() {
    let running = ready(coordinator::serve::Settings { audit: 1.0, ..settings() }, Store::memory()).await;
    let runs = std::sync::atomic::AtomicU8::new(0);
    let fickle: support::Act = Arc::new(move |_| {
        let run = runs.fetch_add(1, Ordering::Relaxed);
        Some(What::Done(plan::ActionResult::of(&[("out".to_owned(), vec![run])].into(), None, 1).encode()))
    });
    tokio::spawn(FakeWorker::new(channel(&running).await, fickle).run());
    let mut farm = client(channel(&running).await);
    assert_eq!(build(&mut farm, order(single("x"))).await.run, 1);
    assert_eq!(build(&mut farm, order(single("x"))).await.hits, 1);
    let audit = farm.list(v1::ListRequest::default()).await.unwrap().into_inner().builds[0].clone();
    assert_eq!(audit.tenant, "audit");
    let events = watch(&mut farm, audit.build).await;
    let told = |event: &Event| matches!(event, Event::Notice(notice) if notice.code == "nondeterministic");
    assert!(events.iter().any(told), "{events:?}");
    // Nothing of this kind and version is believed or kept.
    assert_eq!(build(&mut farm, order(single("x"))).await.run, 1);
    assert_eq!(build(&mut farm, order(single("x"))).await.run, 1);
}

#[tokio::test]
async fn probes_and_counters_are_served() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let metrics = Some("127.0.0.1:0".parse().unwrap());
    let running = ready(coordinator::serve::Settings { metrics, ..settings() }, Store::memory()).await;
    for (path, status, part) in [
        ("/metrics", "200", "rigfarm_leading 1\n"),
        ("/healthz", "200", "ok"),
        ("/readyz", "200", "ready"),
        ("/", "404", "/metrics"),
    ] {
        let mut stream = tokio::net::TcpStream::connect(running.metrics_address.unwrap()).await.unwrap();
        stream.write_all(format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        assert!(text.starts_with(&format!("HTTP/1.1 {status}")) && text.contains(part), "{path}: {text}");
    }
}
