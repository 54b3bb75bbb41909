//! Caches that are damaged, full, absent or shared.

#[allow(dead_code, reason = "each suite uses some of it")]
mod sandbox;

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use sandbox::{Said, Sandbox, TinyDisk, contents};

/// Every file of the cache that is larger than an action result of this test.
fn large_files(sandbox: &Sandbox) -> Vec<PathBuf> {
    let cache = sandbox.path("cache");
    let mut found: Vec<PathBuf> = contents(&cache).into_keys().map(|name| cache.join(name)).collect();
    found.retain(|path| {
        path.to_string_lossy().contains("/rigfarm/") && fs::metadata(path).unwrap().len() > 1000
    });
    found
}

/// Builds, harms the cache, builds again elsewhere: the same bytes, and the loss is told of.
#[track_caller]
fn check_harm(harm: impl Fn(&PathBuf)) -> Said {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    sandbox.expect(0, &["build", "mika.psd", "--out", "dist"]);
    let files = large_files(&sandbox);
    assert!(files.len() > 5, "{files:?}");
    files.iter().for_each(harm);
    let said = sandbox.expect(0, &["build", "mika.psd", "--out", "again", "--json"]);
    assert!(contents(&sandbox.path("dist/mika")) == contents(&sandbox.path("again/mika")));
    let third = sandbox.expect(0, &["build", "mika.psd", "--out", "dist", "--json"]);
    assert!(third.nodes().values().all(|state| state == "hit"), "healed: {:?}", third.nodes());
    said
}

#[test]
fn damaged_blobs_are_made_again_and_told_of() {
    let said = check_harm(|path| {
        let mut bytes = fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x40;
        fs::remove_file(path).unwrap();
        fs::write(path, bytes).unwrap();
    });
    let told = ["healed", "cache-healed", "cache-trouble"];
    assert!(said.warnings().iter().any(|code| told.contains(&code.as_str())), "{}", said.err);
}

#[test]
fn missing_blobs_are_made_again() {
    let said = check_harm(|path| fs::remove_file(path).unwrap());
    assert!(said.nodes().values().any(|state| state == "run"), "{:?}", said.nodes());
}

#[test]
fn emptied_blobs_are_made_again() {
    check_harm(|path| {
        fs::remove_file(path).unwrap();
        fs::write(path, b"").unwrap();
    });
}

#[test]
fn a_cache_that_cannot_be_had_is_told_of_and_done_without() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    sandbox.write("file", "in the way");
    let check = |store: &str| {
        let said = sandbox.expect(0, &["build", "mika.psd", "--out", "dist", "--store", store]);
        assert!(said.err.contains("warning") && said.err.contains("cache"), "{store}: {}", said.err);
        assert!(sandbox.path("dist/mika/mika.moc3").is_file());
        fs::remove_dir_all(sandbox.path("dist")).unwrap();
    };
    check("file/cache");
    check("file:///proc/rigfarm");
    let mut homeless = sandbox.command(&["build", "mika.psd", "--out", "dist"]);
    homeless.env_remove("XDG_CACHE_HOME").env_remove("HOME");
    let said = Said::of(homeless.output().unwrap());
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(said.err.contains("--store"), "{}", said.err);
}

#[test]
fn a_full_disk_under_the_cache() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    let Some(tiny) = TinyDisk::mount(&sandbox) else {
        println!("skipped: a file system of its own cannot be mounted here");
        return;
    };
    let store = format!("file://{}", sandbox.path("tiny/cache").display());
    let said = sandbox.run(&["build", "mika.psd", "--out", "dist", "--store", &store]);
    let again = sandbox.run(&["build", "mika.psd", "--out", "dist", "--store", &store]);
    drop(tiny);
    for said in [said, again] {
        assert_eq!(said.status, 0, "{}", said.err);
        assert!(said.err.contains("full"), "{}", said.err);
    }
    assert!(sandbox.path("dist/mika/mika.moc3").is_file());
}

#[test]
fn two_builds_into_one_store_at_once() {
    let sandbox = Sandbox::new();
    for (name, seed) in [("a", 1), ("b", 2), ("c", 3)] {
        sandbox.art(&format!("chars/{name}.psd"), seed);
    }
    let start = |out: &str| {
        let mut command = sandbox.command(&["build", "chars", "--out", out]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let both = [start("one"), start("two")];
    for child in both {
        let said = Said::of(child.wait_with_output().unwrap());
        assert_eq!(said.status, 0, "{}", said.err);
    }
    for name in ["a", "b", "c"] {
        let [one, two] = ["one", "two"].map(|out| contents(&sandbox.path(&format!("{out}/{name}"))));
        assert!(one == two, "{name}");
    }
    let said = sandbox.expect(0, &["cache", "verify", "--json"]);
    assert_eq!(said.events()[0]["corrupt_blobs"], serde_json::json!([]));
}

#[test]
fn a_shared_tier_gives_what_a_colleague_built() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    let shared = format!("file://{}", sandbox.path("shared").display());
    let build = |own: &str, remote: &str, out: &str| {
        let store = format!("file://{}", sandbox.path(own).display());
        let args = ["build", "mika.psd", "--out", out, "--json", "--store", &store, "--remote-store", remote];
        sandbox.expect(0, &args)
    };
    build("own-1", &shared, "one");
    let said = build("own-2", &format!("{shared}?mode=ro"), "two");
    assert!(said.nodes().values().all(|state| state == "hit"), "{:?}", said.nodes());
    assert!(contents(&sandbox.path("one/mika")) == contents(&sandbox.path("two/mika")));
    let gone = format!("file://{}/absent?mode=ro", sandbox.path("").display());
    let said = build("own-2", &gone, "two");
    assert!(said.err.contains("absent"), "{}", said.err);
}

#[test]
fn the_cache_is_looked_after() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    sandbox.expect(0, &["build", "mika.psd", "--out", "dist"]);
    let stats = sandbox.expect(0, &["cache", "stats", "--json"]).events().remove(0);
    assert!(stats["blobs"]["entries"].as_u64().unwrap() > 5, "{stats}");
    sandbox.expect(0, &["cache", "gc", "--dry-run"]);
    sandbox.expect(0, &["cache", "verify"]);
    let victim = large_files(&sandbox).remove(0);
    fs::remove_file(&victim).unwrap();
    fs::write(&victim, b"x").unwrap();
    let said = sandbox.expect(1, &["cache", "verify"]);
    assert!(said.err.contains("damaged"), "{}", said.err);
    sandbox.expect(0, &["cache", "verify"]);
    let emptied = sandbox.expect(0, &["cache", "gc", "--keep-hours", "0", "--json"]).events().remove(0);
    assert_eq!(emptied["kept"]["actions"]["entries"], 0, "{emptied}");
    sandbox.expect(2, &["cache", "stats", "--store", "ftp://x"]);
    sandbox.write("file", "in the way");
    sandbox.expect(3, &["cache", "stats", "--store", "file/cache"]);
}

#[test]
fn commands_that_only_look_make_no_store() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    fs::create_dir(sandbox.path("hollow")).unwrap();
    for place in ["nowhere", "hollow"] {
        for action in ["stats", "gc", "verify"] {
            let said = sandbox.expect(3, &["cache", action, "--store", place]);
            assert!(said.err.contains("no store there"), "{}", said.err);
        }
        let said = sandbox.expect(0, &["plan", "mika.psd", "--store", place]);
        assert!(said.err.contains("no store there") && said.out.contains("0 from cache"), "{}", said.err);
    }
    assert!(!sandbox.path("nowhere").exists());
    assert_eq!(fs::read_dir(sandbox.path("hollow")).unwrap().count(), 0);
    // The cache of somebody who has not built yet is empty, not missing.
    let said = sandbox.expect(0, &["plan", "mika.psd"]);
    assert!(said.err.is_empty(), "{}", said.err);
    sandbox.expect(0, &["cache", "stats"]);
    assert!(!sandbox.path("cache").exists());
}

#[test]
fn folders_in_the_place_of_blobs_are_made_again() {
    let in_place = |path: &PathBuf| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
    };
    check_harm(in_place);
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    sandbox.expect(0, &["build", "mika.psd", "--out", "dist"]);
    let files = large_files(&sandbox);
    files.iter().for_each(in_place);
    sandbox.expect(0, &["cache", "gc"]);
    assert_eq!(
        sandbox.expect(0, &["cache", "verify", "--json"]).events()[0]["corrupt_blobs"],
        serde_json::json!([])
    );
}

#[test]
fn the_summary_is_the_last_event() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    let Some(tiny) = TinyDisk::mount(&sandbox) else {
        println!("skipped: a file system of its own cannot be mounted here");
        return;
    };
    let said = sandbox.expect(0, &["build", "mika.psd", "--out", "dist", "--store", "tiny/cache", "--json"]);
    let events = said.events();
    assert_eq!(events.last().unwrap()["event"], "summary", "{:?}", events.last());
    let about_all = events.iter().filter(|event| event["event"] == "warning" && event["character"].is_null());
    assert!(about_all.count() > 0, "{}", said.err);
    drop(tiny);
}
