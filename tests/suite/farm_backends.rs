//! One suite on three back ends: everything in one process, a farm on Redis and a folder, a farm on Redis and S3. What
//! runs and what is delivered is the same on all.

#[allow(dead_code, reason = "each suite uses some of it")]
mod processes;
#[allow(dead_code, reason = "each suite uses some of it")]
mod sandbox;

use std::collections::BTreeMap;

use canonical::BlobRef;
use processes::{Coordinator, Process, Redis, store as folder, worker};
use sandbox::{Said, Sandbox, altered, contents};
use store::testing::{BUCKET, Damage, S3Server, damage_blob};
use store::{Options, Store};

/// Where builds happen, and where their results are kept.
struct Backend {
    flags: Vec<String>,
    store: String,
    // In this order they end.
    _workers: Vec<Process>,
    _coordinator: Option<Coordinator>,
    _redis: Option<Redis>,
    _s3: Option<S3Server>,
}

impl Backend {
    fn embedded(sandbox: &Sandbox) -> Self {
        let store = folder(sandbox);
        let flags = vec!["--store".to_owned(), store.clone()];
        Self { flags, store, _workers: Vec::new(), _coordinator: None, _redis: None, _s3: None }
    }

    /// A coordinator on Redis over a store, a worker that reaches the store and one that does not.
    fn farm(sandbox: &Sandbox, redis: Redis, store: String, s3: Option<S3Server>) -> Self {
        let flags = ["--redis", &redis.url, "--store", &store];
        let coordinator = Coordinator::over(sandbox, "127.0.0.1:0", &flags);
        let url = coordinator.url.clone();
        let workers = vec![worker(sandbox, &url, &["--store", &store]), worker(sandbox, &url, &[])];
        Self {
            flags: vec!["--coordinator".to_owned(), url],
            store,
            _workers: workers,
            _coordinator: Some(coordinator),
            _redis: Some(redis),
            _s3: s3,
        }
    }
}

/// What became of the nodes of one name, of all characters together: who of them runs what they share is chance.
type Nodes = BTreeMap<String, Vec<String>>;

fn nodes(said: &Said) -> Nodes {
    let mut nodes = Nodes::new();
    for event in said.events().into_iter().filter(|event| event["event"] == "job") {
        let text = |key: &str| event[key].as_str().unwrap().to_owned();
        nodes.entry(text("node")).or_default().push(text("state"));
    }
    nodes.values_mut().for_each(|states| states.sort());
    nodes
}

/// What became of every node in each of several builds, and what was delivered.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    nodes: Vec<Nodes>,
    files: BTreeMap<String, Vec<u8>>,
}

fn check(sandbox: &Sandbox, backend: &Backend) -> Outcome {
    sandbox.art("chars/a.psd", 1);
    sandbox.art("chars/b.psd", 2);
    let flags: Vec<&str> = backend.flags.iter().map(String::as_str).collect();
    let build = |status: i32| {
        let args = [&["build", "chars", "--out", "dist", "--json"], &flags[..]].concat();
        nodes(&sandbox.expect(status, &args))
    };
    let mut nodes = vec![build(0), build(0)];
    assert!(nodes[0].values().flatten().any(|state| state == "run"));
    assert!(nodes[1].values().flatten().all(|state| state == "hit"), "{:?}", nodes[1]);
    // One layer is painted over, one file is no art.
    let repainted = altered(2, |layer| {
        if let psd::LayerKind::Pixels(pixels) = &mut layer.kind
            && layer.name == "topwear"
        {
            let recoloured = pixels.image.pixels().chunks_exact(4).flat_map(|p| [p[1], p[2], p[0], p[3]]);
            let (width, height) = (pixels.image.width(), pixels.image.height());
            pixels.image = raster::Rgba::from_pixels(width, height, recoloured.collect()).unwrap();
        }
    });
    sandbox.write("chars/b.psd", repainted);
    sandbox.write("chars/c.psd", b"8BPS and nothing more");
    nodes.push(build(1));
    std::fs::remove_file(sandbox.path("chars/c.psd")).unwrap();
    // What is lost or damaged behind everybody's back is made again.
    for (name, damage) in [("a/a.moc3", Damage::Delete), ("b/b.moc3", Damage::Flip)] {
        let blob = BlobRef::of(&std::fs::read(sandbox.path(&format!("dist/{name}"))).unwrap());
        std::fs::remove_file(sandbox.path(&format!("dist/{name}"))).unwrap();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let store = Store::open(&backend.store, &Options::default()).unwrap();
            damage_blob(&store, &blob, damage).await;
        });
    }
    build(0);
    nodes.push(build(0));
    let mut files = contents(&sandbox.path("dist"));
    files.remove("batch.report.json");
    Outcome { nodes, files }
}

#[test]
fn the_same_happens_everywhere() {
    let here = Sandbox::new();
    let expected = check(&here, &Backend::embedded(&here));
    let same = |found: Outcome| {
        assert_eq!(found.nodes, expected.nodes);
        assert!(found.files == expected.files, "other bytes");
    };
    let sandbox = Sandbox::new();
    let Some(redis) = Redis::start(&sandbox) else {
        println!("skipped: there is no redis-server");
        return;
    };
    same(check(&sandbox, &Backend::farm(&sandbox, redis, folder(&sandbox), None)));
    let Some(s3) = S3Server::start() else { return };
    let sandbox = Sandbox::new();
    let redis = Redis::start(&sandbox).unwrap();
    let address = s3.address(BUCKET, "studio");
    same(check(&sandbox, &Backend::farm(&sandbox, redis, address, Some(s3))));
}

#[test]
fn a_bucket_that_cannot_be_used_is_told_at_the_start() {
    let Some(s3) = S3Server::start() else { return };
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    let absent = s3.address("absent", "studio");
    let said = sandbox.expect(3, &["coordinator", "--listen", "127.0.0.1:0", "--store", &absent]);
    assert!(said.err.contains("there is no such bucket"), "{}", said.err);
    let farm = Coordinator::start(&sandbox, &[]);
    let worker = worker(&sandbox, &farm.url, &["--store", &absent]);
    worker.says("there is no such bucket");
    assert_eq!(worker.ends(), 3);
    // A build goes on without it, and says so.
    let said = sandbox.expect(0, &["build", "mika.psd", "--out", "dist", "--store", &absent]);
    assert!(said.err.contains("there is no such bucket"), "{}", said.err);
    let read_only = format!("{}&mode=ro", s3.address(BUCKET, "studio"));
    let farm = Coordinator::over(&sandbox, "127.0.0.1:0", &["--store", &read_only]);
    let said = sandbox.run(&["submit", "mika.psd", "--coordinator", &farm.url]);
    assert!(said.err.contains("cannot be written to"), "{}", said.err);
}
