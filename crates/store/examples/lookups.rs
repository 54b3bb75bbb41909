//! Times the lookups of a warm build: 200 results that name 600 blobs, in a folder and on other stores.
//!
//! `cargo run --release -p store --example lookups`

use std::time::Instant;

use bytes::Bytes;
use canonical::Digest;
use object_store::local::LocalFileSystem;
use store::{Action, Folder, Options, Store};

const ACTIONS: usize = 200;
const ROUNDS: usize = 9;

#[tokio::main]
async fn main() {
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let options = Options::default();
    let folder = Folder::open(&temporary.path().join("cache"), &options).expect("it opens");
    let store =
        Store::open(&format!("file://{}/cache", temporary.path().display()), &options).expect("it opens");
    let files = LocalFileSystem::new_with_prefix(temporary.path().join("cache")).expect("it opens");
    let objects = Store::on(std::sync::Arc::new(files), "files", &options);

    let blobs: Vec<Bytes> = (0..3 * ACTIONS).map(|number| vec![number as u8; 4096 + number].into()).collect();
    let started = Instant::now();
    let refs = store.put_blobs(blobs.clone()).await.expect("they are stored");
    println!("put 600 blobs of 4 KiB       {:8.2} ms", started.elapsed().as_secs_f64() * 1e3);
    let other = LocalFileSystem::new_with_prefix(temporary.path()).expect("it opens");
    let other = Store::on(std::sync::Arc::new(other), "other", &options);
    let started = Instant::now();
    other.put_blobs(blobs.clone()).await.expect("they are stored");
    println!("the same by object_store     {:8.2} ms", started.elapsed().as_secs_f64() * 1e3);
    let keys: Vec<Digest> = (0..ACTIONS).map(|number| Digest::of(&number.to_le_bytes())).collect();
    let started = Instant::now();
    for (key, refs) in keys.iter().zip(refs.chunks(3)) {
        let action = Action { payload: vec![1; 500].into(), refs: refs.to_vec() };
        store.put_action(key, &action).await.expect("it is stored");
    }
    println!("put 200 results one by one   {:8.2} ms", started.elapsed().as_secs_f64() * 1e3);

    time("get 200 results, no async    ", async || {
        assert!(keys.iter().all(|key| folder.get_action(key).is_ok_and(|found| found.is_some())));
    })
    .await;
    time("get 200 results, one batch   ", async || {
        let found = store.get_actions(&keys).await.expect("readable");
        assert!(found.iter().all(Option::is_some));
    })
    .await;
    time("get 200 results one by one   ", async || {
        for key in &keys {
            assert!(store.get_action(key).await.expect("readable").is_some());
        }
    })
    .await;
    time("the same, object_store, cold ", async || {
        let fresh = LocalFileSystem::new_with_prefix(temporary.path().join("cache")).expect("it opens");
        let fresh = Store::on(std::sync::Arc::new(fresh), "files", &options);
        let found = fresh.get_actions(&keys).await.expect("readable");
        assert!(found.iter().all(Option::is_some));
    })
    .await;
    time("the same, object_store, warm ", async || {
        let found = objects.get_actions(&keys).await.expect("readable");
        assert!(found.iter().all(Option::is_some));
    })
    .await;
    time("has 600 blobs, no async      ", async || {
        assert!(folder.has(&refs).iter().all(|there| *there));
    })
    .await;
    time("get 600 blobs, no async      ", async || {
        assert!(refs.iter().all(|blob| folder.get_blob(blob).is_ok()));
    })
    .await;
    time("open the store               ", async || {
        Folder::open(&temporary.path().join("cache"), &options).expect("it opens");
    })
    .await;
    let big = vec![7_u8; 64 << 20];
    time("hash 64 MiB                  ", async || assert_ne!(Digest::of(&big), Digest::of(b""))).await;
    let started = Instant::now();
    let blob = folder.put_blob(&big).expect("it is stored");
    println!("put one blob of 64 MiB       {:8.2} ms", started.elapsed().as_secs_f64() * 1e3);
    time("get it                       ", async || drop(folder.get_blob(&blob).expect("it is there"))).await;
}

/// Prints the best of some rounds.
async fn time(name: &str, work: impl AsyncFn()) {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let started = Instant::now();
        work().await;
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    println!("{name}{:8.2} ms", times[0]);
}
