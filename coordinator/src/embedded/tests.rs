use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use canonical::BlobRef;
use plan::{
    Executor, FailureClass, Graph, Job, JobFailure, JobKey, JobKind, Memo, NoMemo, NodeTemplate, Outcome,
    SELF_NODE, Subgraph,
};
use worker::cache::{Cache, CacheError, NoCache};
use worker::memory::MemoryCache;

use super::*;
use crate::state::NodeState::{self, Cancelled, CutOff, Failed, Hit, Run};

/// Jobs whose parameters say what to do: `fan N` brings N nodes and one that joins them, `half` keeps the first half
/// of its input, `fail`, `panic` and `flaky` fail, everything else joins its inputs and parameters.
#[derive(Default)]
struct Toy {
    runs: AtomicUsize,
    flaked: Mutex<bool>,
}

/// Large enough not to travel inside results.
const PAD: usize = plan::result::INLINE_LIMIT + 1;

impl Executor for Toy {
    fn run(
        &self,
        job: &Job,
        inputs: &BTreeMap<String, Arc<[u8]>>,
        _: &dyn Memo,
    ) -> Result<Outcome, JobFailure> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        let params = String::from_utf8_lossy(&job.params).into_owned();
        let joined: Vec<u8> = inputs.values().flat_map(|bytes| bytes.iter().copied()).collect();
        let out =
            |bytes: Vec<u8>| Outcome { outputs: BTreeMap::from([("out".into(), bytes)]), subgraph: None };
        match params.split_once(' ').unwrap_or((&params, "")) {
            ("fail", _) => Err(JobFailure::deterministic("toy", "this one always fails")),
            ("panic", _) => panic!("a bug"),
            ("flaky", _) if !std::mem::replace(&mut *self.flaked.lock().unwrap(), true) => {
                Err(JobFailure::transient("toy", "not now"))
            }
            ("half", _) => Ok(out(joined[..joined.len() / 2].to_vec())),
            ("fan", count) => Ok(fan(count.parse().unwrap(), &joined)),
            _ => Ok(out([&joined[..], params.as_bytes(), &[b'.'; PAD]].concat())),
        }
    }

    fn supports(&self, kind: JobKind, version: &str) -> bool {
        version == kind.version()
    }
}

fn fan(count: usize, joined: &[u8]) -> Outcome {
    let mut join = NodeTemplate::new("join", JobKind::Author, b"join".to_vec());
    let mut nodes = Vec::new();
    let mut outputs = BTreeMap::from([("own".to_owned(), joined.to_vec())]);
    for n in 0..count {
        outputs.insert(format!("part/{n}"), vec![n as u8; 3]);
        let node = NodeTemplate::new(format!("limb{n}"), JobKind::Skeleton, b"limb".to_vec());
        nodes.push(node.output("part", SELF_NODE, format!("part/{n}")));
        join = join.output(format!("{n}"), format!("limb{n}"), "out");
    }
    nodes.push(join);
    Outcome { outputs, subgraph: Some(Subgraph::new(nodes, "join").unwrap()) }
}

fn node(name: &str, kind: JobKind, params: &str, reads: &[&str]) -> NodeTemplate {
    let node = NodeTemplate::new(name, kind, params.into());
    reads.iter().fold(node, |node, from| node.output(*from, *from, "out"))
}

/// ingest -> rig (fan of three) -> pack, and ingest -> layout -> pack.
fn character(psd: &[u8], rig: &str) -> Graph {
    let nodes = vec![
        node("ingest", JobKind::Ingest, "half", &[]).blob("psd", BlobRef::of(psd)),
        node("rig", JobKind::Rig, rig, &["ingest"]),
        node("layout", JobKind::AtlasLayout, "layout", &["ingest"]),
        node("pack", JobKind::PackMoc3, "pack", &["layout", "rig"]),
    ];
    Graph::new(nodes, vec!["pack".into()]).unwrap()
}

fn request(characters: &[(&str, &[u8], &str)]) -> BuildRequest {
    let sources: BTreeMap<BlobRef, Arc<[u8]>> =
        characters.iter().map(|(_, psd, _)| (BlobRef::of(psd), Arc::from(*psd))).collect();
    let characters = characters.iter().map(|(name, psd, rig)| (name.to_string(), character(psd, rig)));
    BuildRequest { characters: characters.collect(), sources: Arc::new(sources), read_cache: true }
}

fn farm(cache: Arc<dyn Cache>) -> (Farm, Arc<Toy>) {
    let toy = Arc::new(Toy::default());
    let config = FarmConfig { slots: 2, threads: 2, memory_bytes: 1 << 20, fuse_us: 500 };
    (Farm::new(config, cache, toy.clone(), Arc::new(NoMemo)).unwrap(), toy)
}

/// How every node ended, by name, and the bytes of the first character's pack.
fn run(farm: &Farm, request: BuildRequest) -> (BTreeMap<String, NodeState>, Option<Arc<[u8]>>) {
    let mut ends = BTreeMap::new();
    let mut build = farm.build(request);
    for event in build.by_ref() {
        if let BuildEvent::JobFinished { node, state, .. } = event {
            assert_eq!(ends.insert(format!("{}:{}", node.character, node.node), state), None);
        }
    }
    let packed = build.outputs(0, "pack").and_then(|outputs| outputs.get("out")).cloned();
    let packed = packed.map(|output| build.fetch(0, "pack", &output).unwrap());
    (ends, packed)
}

fn count(ends: &BTreeMap<String, NodeState>, state: NodeState) -> usize {
    ends.values().filter(|end| **end == state).count()
}

#[test]
fn cold_warm_changed() {
    let cache = Arc::new(MemoryCache::default());
    let psd = [5u8; 8];
    let (cold, bytes) = run(&farm(cache.clone()).0, request(&[("mika", &psd, "fan 3")]));
    assert_eq!((cold.len(), count(&cold, Run)), (8, 8), "{cold:?}");
    let bytes = bytes.unwrap();

    let (warm_farm, toy) = farm(cache.clone());
    let (warm, again) = run(&warm_farm, request(&[("mika", &psd, "fan 3")]));
    assert_eq!((count(&warm, Hit), toy.runs.load(Ordering::Relaxed)), (8, 0), "{warm:?}");
    assert_eq!(again.unwrap(), bytes);

    // Only the second half of the art changed: ingest runs, all else is cut off.
    let changed = [5, 5, 5, 5, 6, 6, 6, 6];
    let (ends, same) = run(&warm_farm, request(&[("mika", &changed, "fan 3")]));
    assert_eq!((count(&ends, Run), count(&ends, CutOff)), (1, 7), "{ends:?}");
    assert_eq!(same.unwrap(), bytes);

    // Without reading the cache everything runs and comes out the same.
    let mut blind = request(&[("mika", &psd, "fan 3")]);
    blind.read_cache = false;
    let (ends, same) = run(&warm_farm, blind);
    assert_eq!(count(&ends, Run), 8, "{ends:?}");
    assert_eq!(same.unwrap(), bytes);
}

#[test]
fn twins_share_every_run() {
    let (farm, toy) = farm(Arc::new(MemoryCache::default()));
    let (ends, _) = run(&farm, request(&[("a", b"same", "fan 2"), ("b", b"same", "fan 2")]));
    assert_eq!((count(&ends, Run), count(&ends, Hit)), (7, 7), "{ends:?}");
    assert_eq!(toy.runs.load(Ordering::Relaxed), 7);
}

#[test]
fn a_failed_character_stops_no_other() {
    for (params, code, message) in
        [("fail", "toy", "this one always fails"), ("panic", "job-panicked", "rig stopped on a bug: a bug")]
    {
        let (farm, _) = farm(Arc::new(MemoryCache::default()));
        let mut build = farm.build(request(&[("bad", b"1234", params), ("good", b"12345", "fan 1")]));
        let mut ends = BTreeMap::new();
        let mut failures = Vec::new();
        for event in build.by_ref() {
            match event {
                BuildEvent::JobFinished { node, state, reason, .. } => {
                    ends.insert(format!("{}:{}", node.character, node.node), (state, reason.to_string()));
                }
                BuildEvent::CharacterFinished { character, failure: Some(failure), .. } => {
                    failures.push((character.to_string(), failure));
                }
                _ => {}
            }
        }
        assert_eq!(ends["bad:rig"], (Failed, "failed".into()));
        assert_eq!(ends["bad:pack"], (Failed, "rig failed".into()));
        assert_eq!(ends["good:pack"].0, Run);
        let expected = JobFailure::deterministic(code, message);
        assert_eq!(failures, [("bad".to_owned(), expected)]);
        assert_eq!(build.wait().failed_characters, 1);
    }
}

#[test]
fn transient_failures_pass() {
    let (farm, toy) = farm(Arc::new(MemoryCache::default()));
    let (ends, _) = run(&farm, request(&[("mika", b"1234", "flaky")]));
    assert_eq!((count(&ends, Run), ends.len()), (4, 4), "{ends:?}");
    assert_eq!(toy.runs.load(Ordering::Relaxed), 5);
}

#[test]
fn lost_and_damaged_blobs_are_made_again() {
    let cache = Arc::new(MemoryCache::default());
    let (_, bytes) = run(&farm(cache.clone()).0, request(&[("mika", b"12345678", "fan 3")]));
    let bytes = bytes.unwrap();
    for (number, blob) in cache.blobs().into_iter().enumerate() {
        for damage in [false, true] {
            if damage {
                cache.damage(&blob, b"rot")
            } else {
                cache.lose(&blob)
            }
            // Another rig makes pack run, so that its inputs are read.
            let rig = format!("rig {number} {damage}");
            let (ends, packed) = run(&farm(cache.clone()).0, request(&[("mika", b"12345678", &rig)]));
            assert_eq!(count(&ends, Failed), 0, "{ends:?}");
            assert!(packed.is_some());
        }
    }
    let (ends, same) = run(&farm(cache).0, request(&[("mika", b"12345678", "fan 3")]));
    assert_eq!(count(&ends, Failed), 0, "{ends:?}");
    assert_eq!(same.unwrap(), bytes);
}

/// Answers nothing.
struct Broken;

impl Cache for Broken {
    fn get_actions(&self, _: &[JobKey]) -> Result<Vec<Option<Vec<u8>>>, CacheError> {
        Err(CacheError::Failed("down".into()))
    }
    fn put_action(&self, _: JobKey, _: &[u8], _: &[BlobRef]) -> Result<(), CacheError> {
        Err(CacheError::Failed("full".into()))
    }
    fn get_blob(&self, _: &BlobRef) -> Result<Arc<[u8]>, CacheError> {
        Err(CacheError::Failed("down".into()))
    }
    fn put_blobs(&self, _: &[Arc<[u8]>]) -> Result<(), CacheError> {
        Err(CacheError::Failed("full".into()))
    }
}

#[test]
fn builds_go_on_without_a_cache() {
    let (_, expected) = run(&farm(Arc::new(NoCache)).0, request(&[("mika", b"12345678", "fan 3")]));
    let (farm, _) = farm(Arc::new(Broken));
    let mut build = farm.build(request(&[("mika", b"12345678", "fan 3"), ("nora", b"1234", "rig")]));
    let mut notices = Vec::new();
    for event in build.by_ref() {
        if let BuildEvent::Notice { code, message } = event {
            notices.push(format!("{code}: {message}"));
        }
    }
    notices.sort();
    assert_eq!(
        notices,
        [
            "cache-not-read: the cache is not read: down",
            "cache-not-written: results are not kept for the next build: full",
        ]
    );
    assert_eq!(build.wait().run, 12);
    let output = build.outputs(0, "pack").unwrap().get("out").unwrap();
    assert_eq!(Some(build.fetch(0, "pack", output).unwrap()), expected);
}

#[test]
fn bad_sources_fail_their_character() {
    struct Rotten;
    impl Sources for Rotten {
        fn read(&self, blob: &BlobRef) -> Option<Result<Arc<[u8]>, String>> {
            match blob.len {
                1 => None,
                2 => Some(Err("cannot read art.psd".into())),
                _ => Some(Ok(Arc::from(*b"other"))),
            }
        }
    }
    let (farm, _) = farm(Arc::new(MemoryCache::default()));
    let mut request = request(&[("a", b"1", "rig"), ("b", b"12", "rig"), ("c", b"123", "rig")]);
    request.sources = Arc::new(Rotten);
    let mut codes = BTreeMap::new();
    for event in farm.build(request) {
        if let BuildEvent::CharacterFinished { character, failure, .. } = event {
            codes.insert(character.to_string(), failure.unwrap().code);
        }
    }
    let expected = [("a", "input-lost"), ("b", "source-unreadable"), ("c", "source-changed")];
    assert_eq!(codes, expected.map(|(name, code)| (name.to_owned(), code.to_owned())).into());
}

#[test]
fn a_cancelled_build_ends() {
    let (farm, _) = farm(Arc::new(MemoryCache::default()));
    let names: Vec<String> = (0..50).map(|n| format!("c{n}")).collect();
    let characters: Vec<_> = names.iter().map(|name| (name.as_str(), name.as_bytes(), "fan 5")).collect();
    let mut build = farm.build(request(&characters));
    build.canceller().cancel();
    let mut cancelled = 0;
    for event in build.by_ref() {
        if let BuildEvent::CharacterFinished { failure: Some(failure), .. } = event {
            assert_eq!(failure.class, FailureClass::Cancelled);
            cancelled += 1;
        }
    }
    assert_eq!(build.wait().failed_characters, cancelled);
    assert!(cancelled > 0);
    assert_eq!(count(&run(&farm, request(&characters[..1])).0, Cancelled), 0);
}

#[test]
fn forecasts() {
    let cache = Arc::new(MemoryCache::default());
    let (farm, toy) = farm(cache);
    let wish = request(&[("mika", b"12345678", "fan 2")]);
    let said = |forecast: &Forecast| -> Vec<String> {
        forecast.nodes.iter().map(|node| format!("{} {:?}", node.node.node, node.expectation)).collect()
    };
    let cold = farm.plan(&wish);
    assert_eq!(said(&cold), ["ingest Run(NotInCache)", "rig Unknown", "layout Unknown", "pack Unknown"]);
    run(&farm, wish.clone());
    let runs = toy.runs.load(Ordering::Relaxed);
    let warm = farm.plan(&wish);
    assert!(warm.nodes.iter().all(|node| node.expectation == Expectation::Hit), "{warm:?}");
    assert_eq!((warm.nodes.len(), warm.to_run_us()), (7, 0));
    // Art as before, another rig: what the fan will bring is not known.
    let changed = farm.plan(&request(&[("mika", b"12345678", "fan 3")]));
    assert_eq!(said(&changed), ["ingest Hit", "rig Run(NotInCache)", "layout Hit", "pack Unknown"]);
    assert_eq!(toy.runs.load(Ordering::Relaxed), runs);
}
