//! A remote place behind a local one, sound and broken.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use canonical::{BlobRef, Digest};
use store::testing::{Damage, Faults, Faulty, damage_blob};
use store::{Action, Error, Options, Store, Trouble};

fn remote_on(objects: &Faulty, options: &Options) -> Store {
    Store::on(Arc::new(objects.clone()), "remote", options)
}

fn blobs(count: usize) -> Vec<Bytes> {
    (0..count).map(|number| format!("blob {number}").into()).collect()
}

#[tokio::test]
async fn what_one_built_another_fetches() {
    let objects = Faulty::default();
    let remote = remote_on(&objects, &Options::default());
    let first = Store::memory().with_remote(&remote);
    let refs = first.put_blobs(blobs(10)).await.unwrap();
    let key = Digest::of(b"key");
    let action = Action { payload: "p".into(), refs: refs.clone() };
    first.put_action(&key, &action).await.unwrap();
    first.flush().await;
    assert_eq!(first.notices(), []);

    let local = Store::memory();
    let second = local.with_remote(&remote_on(&objects, &Options { read_only: true, ..Options::default() }));
    assert_eq!(second.has(&refs).await.unwrap(), [true; 10]);
    assert_eq!(second.get_action(&key).await.unwrap(), Some(action.clone()));
    let stats = local.stats().await.unwrap();
    assert_eq!((stats.actions.entries, stats.blobs.entries), (1, 0), "blobs come when they are read");
    for (blob, bytes) in refs.iter().zip(blobs(10)) {
        assert_eq!(second.get_blob(blob).await.unwrap(), bytes);
    }
    assert_eq!(local.get_action(&key).await.unwrap(), Some(action), "all is here now");
    let before = objects.requests();
    second.get_action(&key).await.unwrap();
    second.get_blob(&refs[0]).await.unwrap();
    assert_eq!(objects.requests(), before, "and the remote place is not asked again");

    second.put_blob("private".into()).await.unwrap();
    second.flush().await;
    assert_eq!(remote.has(&[BlobRef::of(b"private")]).await.unwrap(), [false], "read-only");
    assert_eq!(second.notices(), []);
}

#[tokio::test]
async fn damage_on_either_side_is_healed_by_the_other() {
    for damage in Damage::ALL {
        let remote = remote_on(&Faulty::default(), &Options::default());
        let local = Store::memory();
        let store = local.with_remote(&remote);
        let blob = store.put_blob("precious".into()).await.unwrap();
        store.flush().await;
        damage_blob(&local, &blob, damage).await;
        assert_eq!(store.get_blob(&blob).await.unwrap(), "precious");
        assert_eq!(local.get_blob(&blob).await.unwrap(), "precious", "{damage:?}");

        damage_blob(&remote, &blob, damage).await;
        let other = Store::memory().with_remote(&remote);
        assert!(other.get_blob(&blob).await.is_err(), "{damage:?}: never wrong bytes");
    }
}

#[tokio::test]
async fn a_dead_remote_costs_a_few_requests_and_no_build() {
    let objects = Faulty::new(Faults { errors: 1000, ..Faults::default() });
    let store = Store::memory().with_remote(&remote_on(&objects, &Options::default()));
    let refs = store.put_blobs(blobs(100)).await.unwrap();
    for blob in &refs {
        let key = blob.digest;
        assert_eq!(store.get_action(&key).await.unwrap(), None);
        let action = Action { payload: Bytes::new(), refs: vec![*blob] };
        store.put_action(&key, &action).await.unwrap();
        assert_eq!(store.get_action(&key).await.unwrap(), Some(action));
    }
    store.flush().await;
    let notices = store.notices();
    let mut troubles: Vec<_> = notices.iter().map(|notice| notice.trouble).collect();
    troubles.sort_by_key(|trouble| *trouble as u8);
    assert_eq!(troubles, [Trouble::NotRead, Trouble::NotKept], "{notices:?}");
    assert!(notices.iter().all(|notice| matches!(notice.error, Error::Unreachable { .. })), "{notices:?}");
    assert!(objects.requests() < 100, "left alone between tries: {}", objects.requests());
    assert!(notices[0].to_string().starts_with("remote is unreachable: "), "{}", notices[0]);
}

#[tokio::test]
async fn a_result_is_not_uploaded_without_its_blobs() {
    let objects = Faulty::default();
    let remote = remote_on(&objects, &Options::default());
    let store = Store::memory().with_remote(&remote);
    let (there, absent) = (store.put_blob("there".into()).await.unwrap(), BlobRef::of(b"absent"));
    let [whole, partial] = [b"w", b"p"].map(|key| Digest::of(key));
    store.put_action(&whole, &Action { payload: Bytes::new(), refs: vec![there] }).await.unwrap();
    store.put_action(&partial, &Action { payload: Bytes::new(), refs: vec![there, absent] }).await.unwrap();
    store.flush().await;
    let stats = remote.stats().await.unwrap();
    assert_eq!((stats.actions.entries, stats.blobs.entries), (1, 1));
    assert_eq!(store.notices().len(), 1);
}

/// FARM 8.5: a reader of a cache that loses and damages a tenth of what it takes never gets wrong bytes, and the
/// producer heals it.
#[tokio::test]
async fn a_lossy_cache_never_lies_and_is_healed() {
    for seed in 0..8 {
        let faults = Faults {
            seed,
            lost_writes: 50,
            flipped_writes: 50,
            cut_writes: 50,
            errors: 20,
            ..Faults::default()
        };
        let objects = Faulty::new(Faults { budget: Some(60), ..faults });
        let writer = remote_on(&objects, &Options::default());
        let contents = blobs(100);
        let mut healed = 0;
        for bytes in &contents {
            let blob = BlobRef::of(bytes);
            // As a farm does: what cannot be read is produced again.
            for attempt in 0.. {
                assert!(attempt < 100, "seed {seed}: the budget ends the faults");
                match writer.get_blob(&blob).await {
                    Ok(found) => {
                        assert_eq!(&found, bytes);
                        break;
                    }
                    Err(_) => drop(writer.put_blob(bytes.clone()).await),
                }
                healed += u32::from(attempt > 0);
            }
        }
        assert!(healed > 0, "seed {seed}: there were faults");
        objects.set(Faults::default());
        let found = writer.verify().await.unwrap();
        assert_eq!((found.blobs.entries, found.corrupt_blobs.len()), (100, 0), "seed {seed}");
    }
}

/// Old entries in an object store are written again when they are put or hit, so that a collection which listed them
/// before keeps them; young ones are not.
#[tokio::test]
async fn use_is_seen_by_the_collector_of_an_object_store() {
    let objects = Faulty::default();
    let bytes = Bytes::from(vec![1; 100_000]);
    let (blob, key) = (BlobRef::of(&bytes), Digest::of(b"key"));
    let use_both = async |refresh| {
        let store = remote_on(&objects, &Options { refresh, ..Options::default() });
        assert_eq!(store.put_blob(bytes.clone()).await.unwrap(), blob);
        assert!(store.get_action(&key).await.unwrap().is_some());
        store.stats().await.unwrap().oldest.unwrap()
    };
    let store = remote_on(&objects, &Options::default());
    store.put_blob(bytes.clone()).await.unwrap();
    store.put_action(&key, &Action { payload: Bytes::new(), refs: vec![blob] }).await.unwrap();
    let written = store.stats().await.unwrap().oldest.unwrap();
    assert_eq!(use_both(Options::default().refresh).await, written, "young");
    assert!(use_both(Duration::ZERO).await > written, "old by this measure");
}
