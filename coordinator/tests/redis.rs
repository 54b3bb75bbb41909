//! Several coordinators, their Redis, and what becomes of builds when any of them goes away.

#[path = "support/redis_server.rs"]
mod redis_server;
mod support;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use coordinator::journal::{Claim, Journal, JournalError, Redis, Since};
use coordinator::serve::{Running, start_with};
use proto::v1;
use redis_server::RedisServer;
use store::Store;
use support::{
    FakeWorker, build, channel, characters, client, echo, order, settings, single, submit, summary, watch,
};

/// What takes longer does not happen at all.
const HANGS: Duration = Duration::from_secs(120);

async fn coordinator(redis: &str, store: &Store) -> Running {
    let journal = |address: &str| Redis::new(redis, "test", address).unwrap();
    let mut running = start_with(settings(), store.clone(), journal).await.unwrap();
    running.ready().await;
    running
}

fn leads(running: &Running) -> bool {
    running.metrics.leading.load(Ordering::Relaxed) == 1
}

async fn until_it_leads(running: &Running) {
    let leading = async {
        while !leads(running) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(HANGS, leading).await.expect("nobody takes the lead");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_replica_answers_and_a_build_outlives_its_leaders() {
    let Some(server) = RedisServer::start() else { return };
    let store = Store::memory();
    let first = coordinator(&server.url(), &store).await;
    let second = coordinator(&server.url(), &store).await;
    assert!(leads(&first) && !leads(&second));
    // All speak to the follower.
    let mut farm = client(channel(&second).await);
    let worker = tokio::spawn(FakeWorker::new(channel(&second).await, echo()).run());
    assert_eq!(build(&mut farm, order(characters(3, "a"))).await.run, 60);
    assert_eq!(second.metrics.builds_submitted_total.load(Ordering::Relaxed), 0);
    worker.abort();

    // A job is leased by the first leader, who stops; the second takes the result.
    let held = submit(&mut farm, order(single("held"))).await;
    let mut keeper = FakeWorker::new(channel(&second).await, Arc::new(|_| None));
    assert_eq!(keeper.sync().await.unwrap(), 1);
    first.stop();
    first.join().await.unwrap();
    until_it_leads(&second).await;
    keeper.finish_held().await.unwrap();
    assert_eq!(summary(&watch(&mut farm, held).await).run, 1);

    // Killed with a job leased and nobody to follow: the third loads what there is.
    let held = submit(&mut farm, order(single("held again"))).await;
    assert_eq!(keeper.sync().await.unwrap(), 1);
    second.kill().await;
    let third = coordinator(&server.url(), &store).await;
    until_it_leads(&third).await;
    keeper.reconnect(channel(&third).await);
    keeper.finish_held().await.unwrap();
    let mut farm = client(channel(&third).await);
    let events = watch(&mut farm, held).await;
    assert_eq!(summary(&events).run, 1);
    assert!(!format!("{events:?}").contains("worker-lost"));
    let listed = farm.list(v1::ListRequest::default()).await.unwrap().into_inner().builds;
    assert_eq!(listed.len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_emptied_redis_is_filled_again_by_its_leader() {
    let Some(mut server) = RedisServer::start() else { return };
    let store = Store::memory();
    let first = coordinator(&server.url(), &store).await;
    let second = coordinator(&server.url(), &store).await;
    let mut farm = client(channel(&first).await);
    let held = submit(&mut farm, order(single("held"))).await;
    let mut keeper = FakeWorker::new(channel(&first).await, Arc::new(|_| None));
    assert_eq!(keeper.sync().await.unwrap(), 1);
    server.lose();
    let finishing = async {
        while keeper.finish_held().await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(HANGS, finishing).await.expect("the leader does not come back");
    assert_eq!(summary(&watch(&mut farm, held).await).run, 1);
    assert!(leads(&first) && !leads(&second));
    // What is in Redis now is all there is to know.
    first.kill().await;
    until_it_leads(&second).await;
    let mut farm = client(channel(&second).await);
    assert_eq!(summary(&watch(&mut farm, held).await).run, 1);
}

#[tokio::test]
async fn a_redis_that_forgets_is_refused() {
    let Some(server) = RedisServer::start() else { return };
    server.set("maxmemory", "100mb");
    server.set("maxmemory-policy", "allkeys-lru");
    let journal = |address: &str| Redis::new(&server.url(), "test", address).unwrap();
    let running = start_with(settings(), Store::memory(), journal).await.unwrap();
    let refused = running.join().await.unwrap_err().to_string();
    assert!(refused.contains("CONFIG SET maxmemory-policy noeviction"), "{refused}");
}

#[tokio::test]
async fn without_redis_clients_are_told_to_wait() {
    let journal = |address: &str| Redis::new("redis://127.0.0.1:1/0", "test", address).unwrap();
    let running = start_with(settings(), Store::memory(), journal).await.unwrap();
    let mut farm = client(channel(&running).await);
    let refused = farm.submit(order(single("x"))).await.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::Unavailable);
    assert!(proto::retry::after(&refused).is_some());
}

#[tokio::test]
async fn a_deposed_leader_writes_nothing() {
    let Some(mut server) = RedisServer::start() else { return };
    let journal = |address: &str| Redis::new(&server.url(), "test", address).unwrap();
    let (mut old, mut new) = (journal("a"), journal("b"));
    assert!(matches!(old.claim().await, Ok(Claim::Ours { since: Since::Changed, .. })));
    old.load().await.unwrap();
    old.append(b"one").await.unwrap();
    assert_eq!(new.claim().await, Ok(Claim::Theirs("a".into())));
    old.release().await;
    let Ok(Claim::Ours { epoch, .. }) = new.claim().await else { panic!("the lead is free") };
    assert_eq!(new.load().await.unwrap().batches, [b"one"]);
    for late in [old.append(b"late").await, old.save(b"late").await, old.renew().await] {
        assert_eq!(late, Err(JournalError::Fenced));
    }
    new.append(b"two").await.unwrap();
    assert_eq!(new.load().await.unwrap().batches, [b"one", b"two"]);
    new.save(b"all").await.unwrap();
    let kept = new.load().await.unwrap();
    assert_eq!((kept.snapshot.as_deref(), kept.batches.len()), (Some(b"all".as_slice()), 0));
    // The lead runs out while nobody else wants it: nothing has changed.
    new.release().await;
    assert!(matches!(new.claim().await, Ok(Claim::Ours { since: Since::Same, .. })));
    server.lose();
    let again = loop {
        match new.claim().await {
            Err(JournalError::Unreachable(_)) => tokio::time::sleep(Duration::from_millis(50)).await,
            claimed => break claimed,
        }
    };
    assert!(
        matches!(again, Ok(Claim::Ours { epoch: later, since: Since::Lost }) if later > epoch),
        "{again:?}"
    );
}
