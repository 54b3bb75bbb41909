//! What only a folder does: eviction, sharing between processes, times of use.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Barrier;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use canonical::{BlobRef, Digest};
use store::{Action, Error, Folder, GcOptions, Options, Store};
use tempfile::TempDir;

const HOUR: Duration = Duration::from_secs(3600);

struct Cache {
    temporary: TempDir,
    options: Options,
}

impl Cache {
    fn new(max_bytes: Option<u64>) -> Self {
        Self { temporary: TempDir::new().unwrap(), options: Options { max_bytes, ..Options::default() } }
    }

    fn open(&self) -> Folder {
        Folder::open(self.temporary.path(), &self.options).unwrap()
    }

    fn store(&self) -> Store {
        Store::open(&format!("file://{}", self.temporary.path().display()), &self.options).unwrap()
    }

    fn file(&self, shelf: &str, name: &Digest) -> PathBuf {
        let hex = name.to_hex();
        self.temporary.path().join(shelf).join(&hex[..2]).join(hex)
    }

    /// Makes an entry look unused since that time.
    fn age(&self, shelf: &str, name: &Digest, age: Duration) {
        let file = File::open(self.file(shelf, name)).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
    }
}

fn kilobyte(number: u8) -> Bytes {
    vec![number; 1000].into()
}

#[test]
fn the_least_recently_used_go_first() {
    let cache = Cache::new(Some(8000));
    let folder = cache.open();
    let blobs: Vec<BlobRef> = (0..10).map(|number| folder.put_blob(&kilobyte(number)).unwrap()).collect();
    folder.settle();
    for (blob, age) in blobs.iter().zip([9, 3, 7, 5, 8, 2, 6, 4, 1, 0]) {
        cache.age("cas", &blob.digest, HOUR * age);
    }
    // A look counts as use, as reading and putting do: 0 and 4 are the oldest, and 2 the next.
    assert_eq!(folder.has(&[blobs[0]]), [true]);
    folder.get_blob(&blobs[4]).unwrap();
    folder.put_blob(&kilobyte(2)).unwrap();
    let swept = folder.sweep().unwrap();
    assert_eq!((swept.evicted, swept.evicted_bytes, swept.left_bytes), (3, 3000, 7000), "to nine tenths");
    let there = folder.has(&blobs);
    let gone: Vec<usize> = (0..10).filter(|at| !there[*at]).collect();
    assert_eq!(gone, [3, 6, 7]);
}

#[test]
fn writes_start_eviction_but_what_was_just_used_stays() {
    let cache = Cache::new(Some(5000));
    let folder = cache.open();
    let old: Vec<BlobRef> = (0..4).map(|number| folder.put_blob(&kilobyte(number)).unwrap()).collect();
    old.iter().for_each(|blob| cache.age("cas", &blob.digest, HOUR));
    let young: Vec<BlobRef> = (4..12).map(|number| folder.put_blob(&kilobyte(number)).unwrap()).collect();
    folder.settle();
    assert_eq!(folder.has(&old), [false; 4]);
    assert_eq!(folder.has(&young), [true; 8], "above the bound, yet in use");
}

#[test]
fn the_bound_holds_over_processes_that_write_little_each() {
    let cache = Cache::new(Some(5000));
    for number in 0..20 {
        let folder = cache.open();
        let blob = folder.put_blob(&kilobyte(number)).unwrap();
        cache.age("cas", &blob.digest, HOUR * u32::from(21 - number));
        folder.settle();
    }
    let swept = cache.open().sweep().unwrap();
    assert!(swept.left_bytes <= 6000, "{swept:?}");
    assert!(swept.evicted <= 1, "there were sweeps before: {swept:?}");
}

#[test]
fn a_folder_without_a_usage_record_is_counted_anew() {
    let cache = Cache::new(Some(5000));
    let folder = cache.open();
    let old: Vec<BlobRef> = (0..5).map(|number| folder.put_blob(&kilobyte(number)).unwrap()).collect();
    drop(folder);
    old.iter().for_each(|blob| cache.age("cas", &blob.digest, HOUR));
    fs::remove_file(cache.temporary.path().join("usage")).unwrap();
    let folder = cache.open();
    folder.put_blob(&kilobyte(9)).unwrap();
    folder.settle();
    assert_eq!(folder.has(&old).iter().filter(|there| **there).count(), 3, "6000 down to 4500");
}

#[test]
fn torn_files_are_replaced_and_temporaries_swept() {
    let cache = Cache::new(None);
    let folder = cache.open();
    let blob = folder.put_blob(b"torn by a power cut").unwrap();
    fs::write(cache.file("cas", &blob.digest), b"").unwrap();
    assert_eq!(folder.has(&[blob]), [false]);
    folder.put_blob(b"torn by a power cut").unwrap();
    assert_eq!(folder.get_blob(&blob).unwrap(), "torn by a power cut");

    let rack = cache.file("cas", &blob.digest);
    let [abandoned, under_way] = ["tmp-1-2-3", "tmp-1-2-4"].map(|name| rack.with_file_name(name));
    fs::write(&abandoned, b"x").unwrap();
    File::open(&abandoned).unwrap().set_modified(SystemTime::now() - HOUR * 2).unwrap();
    fs::write(&under_way, b"x").unwrap();
    folder.sweep().unwrap();
    assert_eq!((abandoned.exists(), under_way.exists()), (false, true));
}

#[test]
fn a_warm_look_writes_nothing() {
    let cache = Cache::new(None);
    let folder = cache.open();
    let blob = folder.put_blob(b"x").unwrap();
    let time = || fs::metadata(cache.file("cas", &blob.digest)).unwrap().modified().unwrap();
    cache.age("cas", &blob.digest, Duration::from_secs(30));
    let before = time();
    assert_eq!(folder.has(&[blob]), [true]);
    folder.get_blob(&blob).unwrap();
    assert_eq!(time(), before);
    cache.age("cas", &blob.digest, HOUR);
    let before = time();
    assert_eq!(folder.has(&[blob]), [true]);
    assert!(time() > before);
}

#[test]
fn two_stores_write_one_folder_at_once() {
    let cache = Cache::new(Some(400_000));
    let start = Barrier::new(4);
    std::thread::scope(|scope| {
        for thread in 0..4_u32 {
            let (cache, start) = (&cache, &start);
            scope.spawn(move || {
                let folder = cache.open();
                start.wait();
                for round in 0..100_u32 {
                    // Half of the blobs are the same in all threads.
                    let number = if round % 2 == 0 { round } else { round + 1000 * thread };
                    let bytes = vec![number as u8; 1000 + number as usize];
                    let blob = folder.put_blob(&bytes).unwrap();
                    let action = Action { payload: bytes.clone().into(), refs: vec![blob] };
                    folder.put_action(&blob.digest, &action).unwrap();
                    assert_eq!(folder.get_blob(&blob).unwrap(), bytes);
                    assert_eq!(folder.get_action(&blob.digest).unwrap(), Some(action));
                }
                folder.settle();
            });
        }
    });
    let racks = fs::read_dir(cache.temporary.path().join("cas")).unwrap();
    let files = racks.flat_map(|rack| fs::read_dir(rack.unwrap().path()).unwrap());
    assert!(files.count() <= 100 + 50 * 4, "no temporary file stays");
}

/// Uploads race collections that would take anything not in use; no acknowledged result may lose a blob.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collection_does_not_lose_what_is_uploaded_meanwhile() {
    let cache = Cache::new(None);
    let store = cache.store();
    let shared: Vec<Bytes> = (0..20).map(kilobyte).collect();
    let collector = tokio::spawn({
        let store = cache.store();
        async move {
            let options = GcOptions { keep: HOUR, grace: HOUR, ..GcOptions::default() };
            for _ in 0..10 {
                store.gc(&options).await.unwrap();
            }
        }
    });
    let mut round = 0_u32;
    while !collector.is_finished() {
        // Old garbage which becomes live the moment it is put again.
        for bytes in &shared {
            let name = BlobRef::of(bytes).digest;
            if let Ok(file) = File::open(cache.file("cas", &name)) {
                file.set_modified(SystemTime::now() - HOUR * 2).unwrap();
            }
        }
        let refs = store.put_blobs(shared.clone()).await.unwrap();
        let key = Digest::of(&round.to_le_bytes());
        store.put_action(&key, &Action { payload: Bytes::new(), refs }).await.unwrap();
        assert!(store.get_action(&key).await.unwrap().is_some(), "round {round}");
        cache.age("ac", &key, HOUR * 2);
        round += 1;
    }
    collector.await.unwrap();
    assert!(round > 0);
}

#[test]
fn a_file_in_the_way_is_an_error_not_a_panic() {
    let temporary = TempDir::new().unwrap();
    let file = temporary.path().join("file");
    fs::write(&file, b"x").unwrap();
    let opened = Folder::open(&file, &Options::default());
    assert!(matches!(opened, Err(Error::Io { .. })), "{opened:?}");
    let cache = Cache::new(None);
    let folder = cache.open();
    let blob = BlobRef::of(b"x");
    let path = cache.file("cas", &blob.digest);
    fs::create_dir_all(&path).unwrap();
    assert_eq!(folder.has(&[blob]), [false]);
    assert!(matches!(folder.get_blob(&blob), Err(Error::Corrupt { .. })), "set aside as any other damage");
    assert_eq!(folder.put_blob(b"x").unwrap(), blob);
}

/// Where rights bind us (root may write anywhere).
#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let cache = Cache::new(None);
    let blob = cache.open().put_blob(b"x").unwrap();
    fs::remove_dir_all(cache.temporary.path().join("ac")).unwrap();
    let set = |mode| fs::set_permissions(cache.temporary.path(), fs::Permissions::from_mode(mode)).unwrap();
    set(0o555);
    if fs::create_dir(cache.temporary.path().join("probe")).is_ok() {
        println!("skipped: rights do not bind this user");
        return;
    }
    let folder = cache.open();
    assert_eq!(folder.get_blob(&blob).unwrap(), "x");
    assert!(matches!(folder.put_blob(b"y"), Err(Error::ReadOnly { .. })));
    set(0o755);
}

/// What may stand in the place of an entry's file.
const OTHERS: [fn(&Path); 3] = [
    |file| {
        fs::create_dir(file).unwrap();
        fs::write(file.join("inside"), b"x").unwrap();
    },
    |file| assert!(Command::new("mkfifo").arg(file).status().unwrap().success()),
    |file| fs::File::create(file).unwrap().set_len(60 << 30).unwrap(),
];

/// Puts something else in the place of a blob's file and of a result's, lets something happen, and insists that both can
/// be made again.
fn check_other_in_place(happens: impl AsyncFn(&Cache, &BlobRef, &Digest)) {
    OTHERS.into_iter().for_each(|put| check_in_place(put, &happens));
}

fn check_in_place(put: fn(&Path), happens: &impl AsyncFn(&Cache, &BlobRef, &Digest)) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for len in [1000, 4096] {
        let cache = Cache::new(None);
        let folder = cache.open();
        let bytes = vec![7; len];
        let blob = folder.put_blob(&bytes).unwrap();
        let key = Digest::of(b"job");
        let action = Action { payload: b"result".to_vec().into(), refs: vec![blob] };
        folder.put_action(&key, &action).unwrap();
        for file in [cache.file("cas", &blob.digest), cache.file("ac", &key)] {
            fs::remove_file(&file).unwrap();
            put(&file);
        }
        // What can be written over is not set aside unless it is seen.
        let is_folder = cache.file("ac", &key).is_dir();
        runtime.block_on(happens(&cache, &blob, &key));
        assert_eq!(folder.put_blob(&bytes).unwrap(), blob);
        folder.put_action(&key, &action).unwrap();
        assert_eq!(folder.get_blob(&blob).unwrap(), bytes);
        assert!(folder.get_action(&key).unwrap().is_some());
        let aside = [cache.file("quar", &blob.digest), cache.file("quar", &key)];
        assert!(!is_folder || aside.iter().all(|file| file.is_dir()));
        let found = runtime.block_on(cache.store().verify()).unwrap();
        assert_eq!((found.corrupt_blobs.len(), found.corrupt_actions.len()), (0, 0));
    }
}

#[test]
fn what_else_stands_in_the_place_of_a_file_is_set_aside() {
    check_other_in_place(async |_, _, _| {});
    check_other_in_place(async |cache, blob, key| {
        assert!(cache.open().get_blob(blob).is_err());
        assert!(cache.open().get_action(key).unwrap().is_none());
    });
    check_other_in_place(async |cache, blob, key| {
        let found = cache.store().verify().await.unwrap();
        assert_eq!((&found.corrupt_blobs[..], &found.corrupt_actions[..]), (&[blob.digest][..], &[*key][..]));
    });
    check_other_in_place(async |cache, _, _| {
        let keep = GcOptions { keep: HOUR, grace: HOUR, ..GcOptions::default() };
        let collected = cache.store().gc(&keep).await.unwrap();
        assert_eq!((collected.kept_blobs.entries, collected.removed_blobs.entries), (0, 0));
    });
}

#[test]
fn a_store_is_made_only_where_one_is_wanted() {
    let temporary = TempDir::new().unwrap();
    let options = Options { create: false, ..Options::default() };
    for place in [temporary.path().join("absent"), temporary.path().to_owned()] {
        let told = Folder::open(&place, &options).unwrap_err();
        assert!(matches!(told, Error::Absent { .. }), "{told}");
        assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0, "nothing is made");
    }
    Folder::open(temporary.path(), &Options::default()).unwrap();
    Folder::open(temporary.path(), &options).unwrap().put_blob(b"x").unwrap();
}
