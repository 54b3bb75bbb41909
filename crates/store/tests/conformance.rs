//! One suite on every kind of store.

use std::sync::Arc;

use bytes::Bytes;
use canonical::{BlobRef, Digest};
use object_store::local::LocalFileSystem;
use store::testing::{Damage, Faulty, damage_action, damage_blob};
use store::{Action, Error, GcOptions, Options, Store, Trouble};
use tempfile::TempDir;

/// Runs a body on every kind of store, each time on an empty one; with it, whether a remote place heals damage.
async fn check(body: impl AsyncFn(&Store, bool)) {
    for kind in ["memory", "folder", "local file system", "object store", "tiers", "tiers, remote read-only"]
    {
        println!("on {kind}");
        let folder = TempDir::new().unwrap();
        let at = |name: &str| format!("file://{}/{name}", folder.path().display());
        let options = Options::default();
        let store = match kind {
            "memory" => Store::open("memory:", &options).unwrap(),
            "folder" => Store::open(&at("cache"), &options).unwrap(),
            "local file system" => {
                let files = LocalFileSystem::new_with_prefix(folder.path()).unwrap();
                Store::on(Arc::new(files), "files", &options)
            }
            "object store" => Store::on(Arc::new(Faulty::default()), "objects", &options),
            "tiers" => Store::open(&at("cache"), &options).unwrap().with_remote(&Store::memory()),
            _ => {
                let remote = Store::open("memory:?mode=ro", &options).unwrap();
                Store::open(&at("cache"), &options).unwrap().with_remote(&remote)
            }
        };
        body(&store, kind == "tiers").await;
        store.flush().await;
        assert_eq!(store.notices(), [], "on {kind}");
    }
}

fn blobs(count: usize) -> Vec<Bytes> {
    (0..count).map(|number| format!("blob {number}").into()).collect()
}

fn is_missing<T>(result: Result<T, Error>) -> bool {
    matches!(result, Err(Error::Missing { .. }))
}

/// Every body of the suite, in order.
macro_rules! suite {
    ($($body:ident,)*) => {
        $(
            mod $body {
                #[tokio::test]
                async fn everywhere() {
                    super::check(super::$body).await;
                }
            }
        )*

        /// The same in a bucket, if there is a server for one.
        #[cfg(feature = "cloud")]
        #[tokio::test]
        async fn in_a_bucket() {
            let Some(server) = store::testing::S3Server::start() else { return };
            $(
                let address = server.address(store::testing::BUCKET, stringify!($body));
                let store = Store::open(&address, &Options::default()).unwrap();
                store.check().await.unwrap();
                $body(&store, false).await;
                assert_eq!(store.notices(), [], stringify!($body));
            )*
        }
    };
}

suite! {
    blobs_come_back,
    what_is_not_there_is_missing,
    a_result_is_a_hit_only_with_all_its_blobs,
    damaged_blobs_are_found_and_set_aside,
    damaged_results_are_no_hits,
    verify_finds_all_damage_at_once,
    garbage_goes_and_what_results_name_stays,
}

/// A bucket that is not there, a server that is not.
#[cfg(feature = "cloud")]
#[tokio::test]
async fn what_is_wrong_with_a_bucket_is_told() {
    let Some(mut server) = store::testing::S3Server::start() else { return };
    let absent = Store::open(&server.address("absent", ""), &Options::default()).unwrap();
    let no_bucket = |error: Error| matches!(error, Error::NoBucket { .. });
    assert!(no_bucket(absent.check().await.unwrap_err()));
    assert!(no_bucket(absent.put_blob("x".into()).await.unwrap_err()));
    assert!(no_bucket(absent.get_action(&Digest::of(b"x")).await.unwrap_err()));
    let address = server.address(store::testing::BUCKET, "");
    let read_only = Store::open(&format!("{address}&mode=ro"), &Options::default()).unwrap();
    assert!(matches!(read_only.put_blob("x".into()).await, Err(Error::ReadOnly { .. })));
    server.kill();
    assert!(matches!(read_only.check().await, Err(Error::Unreachable { .. })));
}

async fn blobs_come_back(store: &Store, _: bool) {
    for bytes in [Bytes::new(), "x".into(), vec![7; 100_000].into(), vec![9; 3_000_000].into()] {
        let blob = store.put_blob(bytes.clone()).await.unwrap();
        assert_eq!(blob, BlobRef::of(&bytes));
        assert_eq!(store.put_blob(bytes.clone()).await.unwrap(), blob, "a second time");
        assert_eq!(store.get_blob(&blob).await.unwrap(), bytes);
    }
    let names = store.put_blobs(blobs(200)).await.unwrap();
    assert_eq!(names, blobs(200).iter().map(|bytes| BlobRef::of(bytes)).collect::<Vec<_>>());
    assert_eq!(store.put_blobs(Vec::new()).await.unwrap(), []);
}

async fn what_is_not_there_is_missing(store: &Store, _: bool) {
    let there = store.put_blob("there".into()).await.unwrap();
    let absent = BlobRef::of(b"absent");
    let longer = BlobRef { len: 6, ..there };
    assert_eq!(store.has(&[absent, there, longer, there]).await.unwrap(), [false, true, false, true]);
    assert!(is_missing(store.get_blob(&absent).await));
    assert_eq!(store.get_action(&absent.digest).await.unwrap(), None);
}

async fn a_result_is_a_hit_only_with_all_its_blobs(store: &Store, heals: bool) {
    let refs = store.put_blobs(blobs(3)).await.unwrap();
    let [whole, partial, empty] = [b"whole", b"parts", b"empty"].map(|key| Digest::of(key));
    let action = Action { payload: "w".into(), refs: refs.clone() };
    store.put_action(&whole, &action).await.unwrap();
    let incomplete = Action { payload: "p".into(), refs: vec![refs[0], BlobRef::of(b"not stored")] };
    store.put_action(&partial, &incomplete).await.unwrap();
    store.put_action(&empty, &Action::default()).await.unwrap();
    assert_eq!(store.get_action(&whole).await.unwrap(), Some(action.clone()));
    assert_eq!(store.get_action(&partial).await.unwrap(), None);
    let absent = Digest::of(b"absent");
    let found = store.get_actions(&[absent, whole, partial, empty, whole]).await.unwrap();
    let expected = [None, Some(action.clone()), None, Some(Action::default()), Some(action)];
    assert_eq!(found, expected);
    store.flush().await;
    let told: Vec<_> = store.notices().iter().map(|notice| notice.trouble).collect();
    assert_eq!(
        told,
        if heals { vec![Trouble::NotKept] } else { vec![] },
        "the incomplete one is not uploaded"
    );
    store.put_blob("not stored".into()).await.unwrap();
    assert_eq!(store.get_action(&partial).await.unwrap(), Some(incomplete));
    let newer = Action { payload: "newer".into(), refs: vec![] };
    store.put_action(&whole, &newer).await.unwrap();
    assert_eq!(store.get_action(&whole).await.unwrap(), Some(newer));
}

async fn damaged_blobs_are_found_and_set_aside(store: &Store, heals: bool) {
    for damage in Damage::ALL {
        let bytes = Bytes::from(format!("to be damaged: {damage:?}"));
        let blob = store.put_blob(bytes.clone()).await.unwrap();
        let action = Action { payload: "r".into(), refs: vec![blob] };
        store.put_action(&blob.digest, &action).await.unwrap();
        store.flush().await;
        damage_blob(store, &blob, damage).await;
        match (damage, store.get_blob(&blob).await) {
            (_, found) if heals => assert_eq!(found.unwrap(), bytes),
            (Damage::Delete, found) => assert!(is_missing(found)),
            (_, found) => {
                assert!(matches!(found, Err(Error::Corrupt { .. })), "{damage:?}: {found:?}");
                assert!(is_missing(store.get_blob(&blob).await), "set aside");
                assert_eq!(store.get_action(&blob.digest).await.unwrap(), None);
            }
        }
        store.put_blob(bytes.clone()).await.unwrap();
        assert_eq!(store.get_blob(&blob).await.unwrap(), bytes, "healed by its producer");
        assert_eq!(store.get_action(&blob.digest).await.unwrap(), Some(action));
    }
    let told: Vec<_> = store.notices().iter().map(|notice| notice.trouble).collect();
    assert_eq!(told, if heals { vec![Trouble::NotRead] } else { vec![] });
}

async fn damaged_results_are_no_hits(store: &Store, heals: bool) {
    for (number, damage) in Damage::ALL.into_iter().enumerate() {
        let key = Digest::of(format!("{damage:?}").as_bytes());
        let action = Action { payload: "result".into(), refs: vec![] };
        store.put_action(&key, &action).await.unwrap();
        damage_action(store, &key, damage).await;
        store.flush().await;
        let found = store.get_action(&key).await.unwrap();
        assert_eq!(found, heals.then(|| action.clone()), "{damage:?}");
        store.put_action(&key, &action).await.unwrap();
        assert_eq!(store.get_action(&key).await.unwrap(), Some(action));
        assert_eq!(store.stats().await.unwrap().actions.entries, number as u64 + 1);
    }
    assert_eq!(store.stats().await.unwrap().quarantine.entries, 2, "deleted ones leave nothing");
}

async fn verify_finds_all_damage_at_once(store: &Store, _: bool) {
    let names = store.put_blobs(blobs(20)).await.unwrap();
    let [whole, broken, hurt] = [b"w", b"b", b"h"].map(|key| Digest::of(key));
    for (key, at) in [(whole, 3), (broken, 5), (hurt, 7)] {
        let action = Action { payload: Bytes::new(), refs: vec![names[at]] };
        store.put_action(&key, &action).await.unwrap();
    }
    damage_blob(store, &names[5], Damage::Flip).await;
    damage_blob(store, &names[6], Damage::Truncate).await;
    damage_action(store, &hurt, Damage::Flip).await;
    let found = store.verify().await.unwrap();
    let mut corrupt = vec![names[5].digest, names[6].digest];
    corrupt.sort();
    assert_eq!(found.corrupt_blobs, corrupt);
    assert_eq!((found.corrupt_actions, found.incomplete_actions), (vec![hurt], vec![broken]));
    assert_eq!((found.blobs.entries, found.actions.entries), (20, 3));
    let again = store.verify().await.unwrap();
    assert_eq!((again.corrupt_blobs.len(), again.corrupt_actions.len(), again.blobs.entries), (0, 0, 18));
    assert_eq!(store.stats().await.unwrap().quarantine.entries, 3);
}

async fn garbage_goes_and_what_results_name_stays(store: &Store, _: bool) {
    let names = store.put_blobs(blobs(4)).await.unwrap();
    let key = Digest::of(b"key");
    store.put_action(&key, &Action { payload: Bytes::new(), refs: vec![names[0], names[1]] }).await.unwrap();
    let young = store.gc(&GcOptions::default()).await.unwrap();
    assert_eq!((young.kept_blobs.entries, young.kept_actions.entries), (4, 1), "the grace covers all");

    let grace = std::time::Duration::ZERO;
    let roots = [names[2].digest].into();
    let options = GcOptions { grace, roots, dry_run: true, ..GcOptions::default() };
    let dry = store.gc(&options).await.unwrap();
    assert_eq!((dry.removed_blobs.entries, dry.kept_blobs.entries, dry.kept_actions.entries), (1, 3, 1));
    assert_eq!(store.stats().await.unwrap().blobs.entries, 4, "a dry run removes nothing");

    assert_eq!(store.gc(&GcOptions { dry_run: false, ..options }).await.unwrap(), dry);
    store.get_action(&key).await.unwrap().expect("it is whole");
    let stats = store.stats().await.unwrap();
    assert_eq!((stats.blobs.entries, stats.actions.entries), (3, 1));

    let keep = std::time::Duration::ZERO;
    let all = store.gc(&GcOptions { keep, grace, ..GcOptions::default() }).await.unwrap();
    assert_eq!((all.removed_actions.entries, all.removed_blobs.entries), (1, 3));
    let stats = store.stats().await.unwrap();
    assert_eq!((stats.blobs.entries, stats.actions.entries, stats.oldest), (0, 0, None));
}

#[tokio::test]
async fn a_read_only_store_says_so_and_reads() {
    let folder = TempDir::new().unwrap();
    let address = format!("file://{}", folder.path().display());
    let blob = Store::open(&address, &Options::default()).unwrap().put_blob("x".into()).await.unwrap();

    let store = Store::open(&format!("{address}?mode=ro"), &Options::default()).unwrap();
    assert_eq!(store.get_blob(&blob).await.unwrap(), "x");
    assert_eq!(store.put_blob("x".into()).await.unwrap(), blob, "it is there already");
    assert!(matches!(store.put_blob("y".into()).await, Err(Error::ReadOnly { .. })));
    assert!(matches!(store.put_action(&blob.digest, &Action::default()).await, Err(Error::ReadOnly { .. })));
    damage_blob(&store, &blob, Damage::Flip).await;
    assert!(matches!(store.get_blob(&blob).await, Err(Error::Corrupt { .. })));
    assert_eq!(store.stats().await.unwrap().blobs.entries, 1, "nothing is moved");
}

#[tokio::test]
async fn with_spill_a_build_goes_on_and_says_so() {
    let folder = TempDir::new().unwrap();
    let options = Options { spill: true, spill_bytes: 100, ..Options::default() };
    let store = Store::open(&format!("file://{}?mode=ro", folder.path().display()), &options).unwrap();
    let blob = store.put_blob("kept in memory".into()).await.unwrap();
    let action = Action { payload: "r".into(), refs: vec![blob] };
    store.put_action(&blob.digest, &action).await.unwrap();
    assert_eq!(store.get_blob(&blob).await.unwrap(), "kept in memory");
    assert_eq!(store.has(&[blob, BlobRef::of(b"")]).await.unwrap(), [true, false]);
    assert_eq!(store.get_action(&blob.digest).await.unwrap(), Some(action));
    let notices = store.notices();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert_eq!((notices[0].trouble, notices[0].count), (Trouble::KeptInMemory, 2));
    assert!(matches!(store.put_blob(vec![0; 101].into()).await, Err(Error::Full { .. })));
}
