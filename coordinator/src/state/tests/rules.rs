//! The rules, one by one.

use std::collections::BTreeSet;
use std::sync::Arc;

use canonical::BlobRef;
use plan::{ActionResult, FailureClass, Graph, JobFailure, JobKind, NodeTemplate, Subgraph};

use crate::state::{
    BuildId, Capabilities, Config, Costs, Effect, Event, Found, Held, Lease, NodeState, State, Submission,
    WorkerId, apply,
};

const ANN: WorkerId = WorkerId(1);
const BOB: WorkerId = WorkerId(2);

struct Farm {
    state: State,
    now_ms: u64,
}

impl Farm {
    fn new() -> Self {
        let mut farm = Self { state: State::new(Config::default(), Costs::default()), now_ms: 0 };
        for worker in [ANN, BOB] {
            farm.happen(Event::Hello { worker, capabilities: Capabilities::All });
        }
        farm
    }

    fn happen(&mut self, event: Event) -> Vec<Effect> {
        apply(&mut self.state, event, self.now_ms)
    }

    /// Submits nodes that read nothing but a blob, and answers their lookups with misses.
    fn submit(&mut self, build: u64, tenant: &str, band: u8, names: &[&str]) {
        let template = |name: &&str| {
            NodeTemplate::new(*name, JobKind::Rig, name.as_bytes().to_vec()).blob("art", BlobRef::of(b"art"))
        };
        let wanted = names.iter().map(ToString::to_string).collect();
        let graph = Graph::new(names.iter().map(template).collect(), wanted).unwrap();
        let effects = self.happen(Event::Submit(Submission {
            build: BuildId(build),
            tenant: tenant.into(),
            band,
            read_cache: true,
            characters: vec![("mika".into(), graph)],
        }));
        let keys = effects.iter().filter_map(|effect| match effect {
            Effect::Lookup(key) => Some((*key, Found::Miss)),
            _ => None,
        });
        let answers = keys.collect();
        self.happen(Event::LookedUp(answers));
    }

    fn claim(&mut self, worker: WorkerId) -> Vec<(Held, Lease)> {
        let effects = self.happen(Event::Claim { worker, fuse_us: 0 });
        let leases = effects.into_iter().find_map(|effect| match effect {
            Effect::Lease(_, leases) => Some(leases),
            _ => None,
        });
        let held = |lease: &Lease| Held { worker, key: lease.key, fence: lease.fence };
        leases.unwrap_or_default().into_iter().map(|lease| (held(&lease), lease)).collect()
    }

    fn claim_one(&mut self, worker: WorkerId) -> (Held, String) {
        let (held, lease) = self.claim(worker).remove(0);
        (held, String::from_utf8(lease.job.params.clone()).unwrap())
    }

    fn complete(&mut self, held: Held) -> Vec<Effect> {
        self.happen(Event::Complete(held, Arc::new(ActionResult::of(&[].into(), None, 20_000))))
    }

    fn pass(&mut self, ms: u64) -> Vec<Effect> {
        self.now_ms += ms;
        self.happen(Event::Tick)
    }
}

fn failures(effects: &[Effect]) -> Vec<(FailureClass, String)> {
    let ended = effects.iter().filter_map(|effect| match effect {
        Effect::NodeEnded(end) => end.failure.clone(),
        _ => None,
    });
    ended.map(|failure| (failure.class, failure.code)).collect()
}

#[test]
fn a_key_is_poison_after_three_losses_on_two_workers() {
    let mut farm = Farm::new();
    farm.submit(1, "t", 3, &["a"]);
    for worker in [ANN, ANN] {
        farm.claim_one(worker);
        assert_eq!(failures(&farm.pass(15_000)), []);
    }
    farm.claim_one(BOB);
    assert_eq!(failures(&farm.happen(Event::WorkerGone(BOB))), [(FailureClass::Poison, "poison".into())]);
    // Whoever comes later is told at once, until an operator lets it try again.
    farm.submit(2, "t", 3, &["a"]);
    assert!(farm.state.is_idle());
    let key = *farm.state.keys.keys().next().unwrap();
    farm.happen(Event::Retry(key));
    farm.submit(3, "t", 3, &["a"]);
    let (held, _) = farm.claim_one(ANN);
    assert_eq!(failures(&farm.complete(held)), []);
    assert!(farm.state.is_idle());
}

#[test]
fn a_renewed_lease_lasts_and_a_drained_one_costs_nothing() {
    let mut farm = Farm::new();
    farm.submit(1, "t", 3, &["a"]);
    let (mut held, _) = farm.claim_one(ANN);
    for _ in 0..10 {
        assert!(farm.pass(10_000).is_empty());
        let effects = farm.happen(Event::Renew(vec![held]));
        assert!(matches!(&effects[..], [Effect::Renewed(renewed, _)] if *renewed == [held]));
        farm.happen(Event::Release(held));
        held = farm.claim_one(ANN).0;
    }
    assert_eq!(farm.state.keys[&held.key].attempts, 1);
    farm.pass(15_000);
    let effects = farm.happen(Event::Renew(vec![held]));
    assert!(matches!(effects[0], Effect::Stop(stopped) if stopped == held), "{effects:?}");
}

#[test]
fn transient_failures_pause_then_go_elsewhere_then_end() {
    let mut farm = Farm::new();
    farm.submit(1, "t", 3, &["a"]);
    let flaky = JobFailure::transient("disk", "no room");
    let mut pauses = Vec::new();
    for worker in [ANN, BOB, ANN, ANN, ANN] {
        if pauses.len() == 1 {
            assert!(farm.claim(ANN).is_empty(), "ann failed it and bob has not tried");
        }
        let (held, _) = farm.claim_one(worker);
        let effects = farm.happen(Event::Fail(held, flaky.clone()));
        if pauses.len() == 4 {
            assert_eq!(failures(&effects), [(FailureClass::Transient, "disk".into())]);
            break;
        }
        let due = farm.state.next_due_ms().unwrap();
        pauses.push(due - farm.now_ms);
        let early = due - farm.now_ms - 1;
        farm.pass(early);
        assert_eq!(farm.state.ready(), 0);
        for worker in [ANN, BOB] {
            farm.happen(Event::Claim { worker, fuse_us: 0 });
        }
        farm.pass(1);
        assert_eq!(farm.state.ready(), 1);
    }
    for (n, pause) in pauses.into_iter().enumerate() {
        assert!((500 << n..=1000 << n).contains(&pause), "pause {n} of {pause} ms");
    }
}

#[test]
fn bands_then_tenants_by_share_then_started_builds() {
    let mut farm = Farm::new();
    farm.state.set_weight("heavy".into(), 2);
    farm.submit(1, "heavy", 3, &["h1", "h2", "h3", "h4"]);
    farm.submit(2, "light", 3, &["l1", "l2"]);
    farm.submit(3, "heavy", 3, &["h5"]);
    farm.submit(4, "late", 1, &["urgent"]);
    let mut order = Vec::new();
    for _ in 0..8 {
        let (held, name) = farm.claim_one(ANN);
        farm.complete(held);
        order.push(name.chars().next().unwrap());
        if order.len() == 8 {
            assert_eq!(name, "h5", "the build that started first ends first");
        }
    }
    assert_eq!(order.iter().collect::<String>(), "uhlhhlhh".chars().collect::<String>());
}

#[test]
fn one_run_serves_all_builds_and_the_last_to_leave_stops_it() {
    let mut farm = Farm::new();
    farm.submit(1, "t", 3, &["a"]);
    farm.submit(2, "u", 3, &["a"]);
    let (held, _) = farm.claim_one(ANN);
    assert!(farm.claim(BOB).is_empty());
    let stops =
        |effects: &[Effect]| effects.iter().filter(|effect| matches!(effect, Effect::Stop(_))).count();
    assert_eq!(stops(&farm.happen(Event::Cancel(BuildId(1)))), 0);
    farm.submit(3, "u", 3, &["a"]);
    let effects = farm.complete(held);
    let states = effects.iter().filter_map(|effect| match effect {
        Effect::NodeEnded(end) => Some(end.state),
        _ => None,
    });
    assert_eq!(states.collect::<Vec<_>>(), [NodeState::Run, NodeState::Hit]);
    assert!(farm.state.keys.is_empty());

    farm.submit(4, "t", 3, &["b"]);
    farm.claim_one(ANN);
    assert_eq!(stops(&farm.happen(Event::Cancel(BuildId(4)))), 1);
}

#[test]
fn what_no_worker_can_run_fails_after_a_minute() {
    let mut farm = Farm::new();
    let only = Capabilities::Only([(JobKind::Ingest, "1".to_owned())].into());
    for worker in [ANN, BOB] {
        farm.happen(Event::Hello { worker, capabilities: only.clone() });
    }
    farm.submit(1, "t", 3, &["a"]);
    assert!(farm.claim(ANN).is_empty());
    assert!(failures(&farm.pass(59_999)).is_empty());
    let effects = farm.pass(1);
    let unsatisfiable = |effect: &&Effect| matches!(effect, Effect::Unsatisfiable(..));
    assert_eq!(effects.iter().filter(unsatisfiable).count(), 1);
    assert_eq!(failures(&effects)[0].0, FailureClass::Unsatisfiable);
    assert!(farm.state.is_idle() && farm.pass(60_000).is_empty());
    // Asked for again it waits again, now for as long as it takes: there is nobody.
    farm.happen(Event::WorkerGone(ANN));
    farm.happen(Event::WorkerGone(BOB));
    farm.submit(2, "t", 3, &["a"]);
    assert!(failures(&farm.pass(600_000)).is_empty());
    farm.happen(Event::Hello { worker: BOB, capabilities: Capabilities::All });
    assert_eq!(farm.claim_one(BOB).1, "a");
}

#[test]
fn what_another_build_was_given_is_looked_for_again() {
    let mut farm = Farm::new();
    farm.submit(1, "t", 3, &["a", "b"]);
    // Which is first their keys decide.
    let (first, name) = farm.claim_one(ANN);
    farm.complete(first);
    // Its bytes were lost, which the lookup finds out.
    farm.submit(2, "t", 3, &[name.as_str()]);
    let names: BTreeSet<String> = [farm.claim_one(ANN).1, farm.claim_one(BOB).1].into();
    assert_eq!(names, ["a", "b"].map(str::to_owned).into());
}

#[test]
fn small_jobs_of_one_character_travel_together() {
    let mut farm = Farm::new();
    farm.submit(1, "t", 3, &["a", "b", "c", "d"]);
    farm.submit(2, "t", 3, &["e"]);
    // Each is expected to take 20 ms.
    let mut sizes = Vec::new();
    for fuse_us in [19_999, 40_000, 1_000_000] {
        let effects = farm.happen(Event::Claim { worker: ANN, fuse_us });
        let bundle = |effect: &Effect| match effect {
            Effect::Lease(_, leases) => Some(leases.len()),
            _ => None,
        };
        sizes.extend(effects.iter().find_map(bundle));
    }
    assert_eq!(sizes, [1, 2, 1]);
}

#[test]
fn two_results_of_one_key_are_noticed() {
    let mut farm = Farm::new();
    let result = |byte: u8| Arc::new(ActionResult::of(&[("out".to_owned(), vec![byte])].into(), None, 0));
    let graph = Graph::new(vec![NodeTemplate::new("a", JobKind::Rig, vec![])], vec!["a".into()]).unwrap();
    for (first, second, odd) in [(1, 1, false), (1, 2, true)] {
        let submission = |build, read_cache| Submission {
            build: BuildId(build),
            tenant: "t".into(),
            band: 3,
            read_cache,
            characters: vec![("mika".into(), graph.clone())],
        };
        farm.happen(Event::Submit(submission(1, true)));
        farm.happen(Event::Submit(submission(2, false)));
        let key = *farm.state.keys.keys().next().unwrap();
        farm.happen(Event::LookedUp(vec![(key, Found::Hit(result(first)))]));
        let (held, _) = farm.claim(ANN).remove(0);
        let effects = farm.happen(Event::Complete(held, result(second)));
        assert_eq!(effects.iter().any(|effect| matches!(effect, Effect::Nondeterministic(..))), odd);
        assert!(farm.state.is_idle());
    }
}

/// Bytes that do not travel inside results.
fn large(byte: u8) -> Vec<u8> {
    vec![byte; plan::result::INLINE_LIMIT + 1]
}

fn reader(name: &str, from: &[&str]) -> NodeTemplate {
    let node = NodeTemplate::new(name, JobKind::Author, name.as_bytes().to_vec());
    from.iter().fold(node, |node, from| node.output(*from, *from, "out"))
}

impl Farm {
    /// Submits a graph and answers all lookups with misses.
    fn submit_graph(&mut self, build: u64, nodes: Vec<NodeTemplate>, wanted: &str) {
        let graph = Graph::new(nodes, vec![wanted.to_owned()]).unwrap();
        let effects = self.happen(Event::Submit(Submission {
            build: BuildId(build),
            tenant: "t".into(),
            band: 3,
            read_cache: true,
            characters: vec![("mika".into(), graph)],
        }));
        self.miss(&effects);
    }

    fn miss(&mut self, effects: &[Effect]) {
        let keys = effects.iter().filter_map(|effect| match effect {
            Effect::Lookup(key) => Some((*key, Found::Miss)),
            _ => None,
        });
        let answers = keys.collect();
        self.happen(Event::LookedUp(answers));
    }

    /// Ends a job with the large output `out`, and looks up in vain what then can be.
    fn give(&mut self, held: Held, byte: u8, subgraph: Option<Subgraph>) -> Arc<ActionResult> {
        let result = Arc::new(ActionResult::of(&[("out".to_owned(), large(byte))].into(), subgraph, 20_000));
        let effects = self.happen(Event::Complete(held, Arc::clone(&result)));
        self.miss(&effects);
        result
    }

    fn lose(&mut self, held: Held, bytes: &[u8]) -> Vec<Effect> {
        let blobs = bytes.iter().map(|byte| BlobRef::of(&large(*byte))).collect();
        self.happen(Event::MissingInputs(held, blobs))
    }
}

#[test]
fn a_hit_serves_who_waits_and_the_key_still_runs_for_healing() {
    let mut farm = Farm::new();
    let source = || NodeTemplate::new("p", JobKind::Rig, b"p".to_vec());
    farm.submit_graph(1, vec![source(), reader("first", &["p"])], "first");
    farm.submit_graph(2, vec![source(), reader("second", &["p"])], "second");
    let (producer, _) = farm.claim_one(ANN);
    let result = farm.give(producer, 1, None);
    let ((first, name), (second, other)) = (farm.claim_one(ANN), farm.claim_one(BOB));
    assert_eq!((name.as_str(), other.as_str()), ("first", "second"));
    // The producer is about to run for the first reader when that one leaves, and rests.
    farm.lose(first, &[1]);
    farm.happen(Event::Cancel(BuildId(1)));
    assert_eq!(farm.state.ready(), 0);
    // Somebody else asks for it, and before the cache answers the second reader misses the bytes.
    let graph = Graph::new(vec![source()], vec!["p".into()]).unwrap();
    let effects = farm.happen(Event::Submit(Submission {
        build: BuildId(3),
        tenant: "t".into(),
        band: 3,
        read_cache: true,
        characters: vec![("mika".into(), graph)],
    }));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Lookup(key) if *key == producer.key)));
    farm.lose(second, &[1]);
    let effects = farm.happen(Event::LookedUp(vec![(producer.key, Found::Hit(result))]));
    let ended = |effect: &Effect| match effect {
        Effect::NodeEnded(end) => Some((end.node.build, end.state)),
        _ => None,
    };
    assert_eq!(effects.iter().filter_map(ended).collect::<Vec<_>>(), [(BuildId(3), NodeState::Hit)]);
    let (again, _) = farm.claim_one(ANN);
    assert_eq!(again.key, producer.key);
    farm.give(again, 1, None);
    let (second, name) = farm.claim_one(BOB);
    assert_eq!(name, "second");
    farm.give(second, 2, None);
    assert!(farm.state.is_idle() && farm.state.keys.is_empty());
}

#[test]
fn a_healer_that_dies_takes_its_reader_along_and_frees_the_other_healers() {
    for leased in [false, true] {
        let mut farm = Farm::new();
        let source = |name: &str| NodeTemplate::new(name, JobKind::Rig, name.as_bytes().to_vec());
        farm.submit_graph(1, vec![source("p"), source("q"), reader("c", &["p", "q"])], "c");
        for _ in 0..2 {
            let (held, name) = farm.claim_one(ANN);
            farm.give(held, name.as_bytes()[0], None);
        }
        let (held, _) = farm.claim_one(ANN);
        let healing = farm.lose(held, b"pq");
        assert_eq!(healing.iter().filter(|effect| matches!(effect, Effect::Healing(..))).count(), 2);
        let (dying, _) = farm.claim_one(ANN);
        let other = leased.then(|| farm.claim_one(BOB).0);
        let effects = farm.happen(Event::Fail(dying, JobFailure::deterministic("worse", "worse")));
        // The reader, once; the healers' own nodes ended long ago.
        assert_eq!(failures(&effects), [(FailureClass::Deterministic, "worse".into())]);
        let stopped = |effect: &Effect| match effect {
            Effect::Stop(held) => Some(*held),
            _ => None,
        };
        assert_eq!(effects.iter().find_map(stopped), other);
        assert!(farm.state.is_idle());
        assert_eq!(farm.state.ready(), 0);
        if let Some(other) = other {
            farm.give(other, b'q', None);
        }
        assert!(farm.state.keys.is_empty(), "{:?}", farm.state.keys);
    }
}

#[test]
fn bytes_that_a_subgraph_names_are_made_again_by_whoever_made_them() {
    let mut farm = Farm::new();
    let source = NodeTemplate::new("p", JobKind::Rig, b"p".to_vec());
    farm.submit_graph(1, vec![source, reader("pages", &["p"])], "pages");
    let (producer, _) = farm.claim_one(ANN);
    farm.give(producer, 1, None);
    let page = reader("page", &[]).blob("raster", BlobRef::of(&large(1)));
    let (pages, _) = farm.claim_one(ANN);
    farm.give(pages, 2, Some(Subgraph::new(vec![page], "page").unwrap()));
    let (page, name) = farm.claim_one(ANN);
    assert_eq!(name, "page");
    let effects = farm.lose(page, &[1]);
    assert!(matches!(effects[..], [Effect::Healing(key, _)] if key == producer.key), "{effects:?}");
    let (again, _) = farm.claim_one(ANN);
    farm.give(again, 1, None);
    let (page, _) = farm.claim_one(ANN);
    // What nobody made is a source, and lost.
    let lost = failures(&farm.lose(page, &[3]));
    assert!(lost.len() == 2 && lost.iter().all(|(_, code)| code == "input-lost"), "{lost:?}");
}
