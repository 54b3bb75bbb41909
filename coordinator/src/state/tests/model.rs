//! A farm of careless clients and workers, and what must hold whatever they do.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use canonical::BlobRef;
use plan::{
    ActionResult, FailureClass, Graph, Job, JobFailure, JobKey, JobKind, NodeTemplate, SELF_NODE, Subgraph,
};
use proptest::prelude::*;

use crate::state::build::Stage;
use crate::state::key::KeyStage;
use crate::state::{
    BuildId, Capabilities, Config, Costs, Effect, Event, Found, Held, Lease, NodeId, State, Submission,
    WorkerId, apply,
};

/// Everything seen from outside.
#[derive(Default)]
pub(super) struct Farm {
    state: State,
    now_ms: u64,
    builds: u64,
    /// What the cache would answer.
    cache: BTreeMap<JobKey, Arc<ActionResult>>,
    lookups: Vec<JobKey>,
    leases: BTreeMap<JobKey, (Held, Lease)>,
    /// Leases that were taken away or given back.
    past: Vec<(Held, Lease)>,
    last_fence: u64,
    planned: BTreeSet<NodeId>,
    ended: BTreeSet<NodeId>,
    open_builds: BTreeSet<BuildId>,
    /// All that happened, with its time and what followed.
    pub(super) history: Vec<(u64, Event, String)>,
}

impl Farm {
    pub(super) fn new() -> Self {
        let state = State::new(Self::config(), Costs::default());
        let mut farm = Self { state, builds: 1, ..Self::default() };
        for worker in 0..3 {
            farm.happen(Event::Hello { worker: WorkerId(worker), capabilities: Capabilities::All });
        }
        farm
    }

    pub(super) fn config() -> Config {
        Config { max_attempts: 2, max_heals: 1, ..Config::default() }
    }

    fn happen(&mut self, event: Event) -> Vec<Effect> {
        let before = event.clone();
        let effects = apply(&mut self.state, event, self.now_ms);
        for effect in &effects {
            self.see(effect);
        }
        check_consistent(&self.state);
        self.history.push((self.now_ms, before, format!("{effects:?}")));
        effects
    }

    fn see(&mut self, effect: &Effect) {
        match effect {
            Effect::Lookup(key) => self.lookups.push(*key),
            Effect::Lease(worker, leases) => {
                assert!(!leases.is_empty());
                for lease in leases {
                    assert!(lease.fence.0 > self.last_fence, "fences grow");
                    self.last_fence = lease.fence.0;
                    assert_eq!(lease.job.key(), lease.key);
                    let held = Held { worker: *worker, key: lease.key, fence: lease.fence };
                    let before = self.leases.insert(lease.key, (held, lease.clone()));
                    assert!(before.is_none(), "leased twice: {before:?}");
                }
            }
            Effect::Lost(held) => self.give_up(held),
            Effect::NodePlanned { node, .. } => assert!(self.planned.insert(*node)),
            Effect::NodeEnded(end) => {
                assert!(self.planned.contains(&end.node));
                assert!(self.ended.insert(end.node), "ended twice: {end:?}");
                assert_eq!(end.outputs.is_some(), end.failure.is_none());
            }
            Effect::BuildEnded(build) => {
                assert!(self.open_builds.remove(build), "{build:?} ended twice");
                let left = |node: &&NodeId| node.build == *build && !self.ended.contains(node);
                assert_eq!(self.planned.iter().find(left), None, "left behind");
            }
            Effect::Nondeterministic(key, _) => panic!("{key} is deterministic"),
            _ => {}
        }
    }

    fn give_up(&mut self, held: &Held) {
        if let Some(lease) = self.leases.remove(&held.key) {
            self.past.push(lease);
        }
    }

    fn submit(&mut self, shape: u8, read_cache: bool) {
        let build = BuildId(self.builds);
        self.builds += 1;
        self.open_builds.insert(build);
        let graphs = (0..1 + shape % 2).map(|n| (format!("c{n}").into(), graph(shape.wrapping_add(n * 7))));
        let tenant = ["ann", "bob"][usize::from(shape / 2 % 2)].into();
        let band = 1 + shape % 3;
        self.happen(Event::Submit(Submission {
            build,
            tenant,
            band,
            read_cache,
            characters: graphs.collect(),
        }));
    }

    fn answer(&mut self, lie: u8) {
        let keys = std::mem::take(&mut self.lookups);
        let found = |key: &JobKey| match (self.cache.get(key), lie % 8) {
            (_, 0) => Found::Unreadable,
            (Some(_), 1) => Found::Incomplete,
            (Some(result), _) => Found::Hit(Arc::clone(result)),
            (None, _) => Found::Miss,
        };
        let answers = keys.iter().map(|key| (*key, found(key))).collect();
        self.happen(Event::LookedUp(answers));
    }

    /// Some lease that is held now.
    fn some_lease(&self, pick: u8) -> Option<(Held, Lease)> {
        self.leases.values().nth(usize::from(pick) % self.leases.len().max(1)).cloned()
    }

    fn complete(&mut self, pick: u8) {
        let Some((held, lease)) = self.some_lease(pick) else { return };
        self.leases.remove(&held.key);
        let result = Arc::new(result_of(&lease.job));
        self.cache.insert(held.key, Arc::clone(&result));
        let effects = self.happen(Event::Complete(held, result));
        assert!(!effects.iter().any(|effect| matches!(effect, Effect::Rejected(_))));
        self.past.push((held, lease));
    }

    fn end_otherwise(&mut self, pick: u8, how: u8) {
        let Some((held, lease)) = self.some_lease(pick) else { return };
        self.give_up(&held);
        let failure = |class| JobFailure { class, code: "toy".into(), message: "toy".into() };
        let blobs = || lease.job.inputs.values().skip(usize::from(how / 8) % 2).copied().collect();
        self.happen(match how % 8 {
            0 => Event::Fail(held, failure(FailureClass::Deterministic)),
            1..3 => Event::Fail(held, failure(FailureClass::Transient)),
            3 => Event::Fail(held, failure(FailureClass::Cancelled)),
            4..6 => Event::MissingInputs(held, blobs()),
            _ => Event::Release(held),
        });
    }

    /// Somebody reports on a lease that is not his any more.
    fn zombie(&mut self, pick: u8) {
        let Some((held, lease)) = self.past.get(usize::from(pick) % self.past.len().max(1)).cloned() else {
            return;
        };
        let other = Held { worker: WorkerId(held.worker.0 + 1), ..held };
        for event in [
            Event::Complete(held, Arc::new(result_of(&lease.job))),
            Event::Fail(held, JobFailure::deterministic("zombie", "zombie")),
            Event::MissingInputs(held, lease.job.inputs.values().copied().collect()),
            Event::Release(other),
        ] {
            let effects = self.happen(event);
            assert!(matches!(effects[..], [Effect::Rejected(_)]), "{effects:?}");
        }
    }

    pub(super) fn step(&mut self, (what, pick, how): (u8, u8, u8)) {
        match what % 16 {
            0..2 => self.submit(pick, how % 4 > 0),
            2..4 => self.answer(how),
            4..7 => {
                let fuse_us = [0, 1_000_000][usize::from(how % 2)];
                self.happen(Event::Claim { worker: WorkerId(u64::from(pick % 4)), fuse_us });
            }
            7..10 => self.complete(pick),
            10 => self.end_otherwise(pick, how),
            11 => self.zombie(pick),
            12 => {
                let held = self.leases.values().map(|(held, _)| *held);
                let held = held.filter(|held| held.worker.0 % 2 == u64::from(how % 2)).collect();
                self.happen(Event::Renew(held));
            }
            13 if how % 4 == 0 => {
                self.happen(Event::Cancel(BuildId(u64::from(pick) % self.builds.max(1))));
            }
            13 => {
                let worker = WorkerId(u64::from(pick % 3));
                self.happen(Event::WorkerGone(worker));
                self.happen(Event::Hello { worker, capabilities: Capabilities::All });
            }
            _ => self.pass(u64::from(how) * 100),
        }
    }

    fn pass(&mut self, ms: u64) {
        self.now_ms += ms;
        self.happen(Event::Tick);
    }

    /// From now on all goes well: every build must end.
    fn drain(&mut self) {
        for _ in 0..2_000 {
            while !self.leases.is_empty() {
                self.complete(0);
            }
            if self.open_builds.is_empty() {
                break;
            }
            self.answer(7);
            self.happen(Event::Claim { worker: WorkerId(0), fuse_us: 0 });
            self.pass(1_000);
        }
        assert_eq!(self.open_builds, BTreeSet::new(), "builds that never end");
        assert_eq!(self.planned, self.ended);
        self.answer(7);
        assert!(self.state.is_idle() && self.state.ready() == 0);
        let poison = |stage: &KeyStage| matches!(stage, KeyStage::Dead(f) if f.class == FailureClass::Poison);
        let left: Vec<_> = self.state.keys.values().filter(|key| !poison(&key.stage)).collect();
        assert!(left.is_empty(), "{left:?}");
        assert!(self.state.due.is_empty());
    }
}

/// What a job gives: one of four outputs, so that different jobs often agree; some bring a subgraph.
fn result_of(job: &Job) -> ActionResult {
    let outputs = BTreeMap::from([("out".to_owned(), vec![job.key().0.as_bytes()[0] % 4])]);
    let depth = job.params.iter().filter(|&&byte| byte == b'+').count();
    let subgraph = (depth > 0).then(|| {
        let params = job.params[1..].to_vec();
        let limb = |n: usize| NodeTemplate::new(format!("limb{n}"), JobKind::Skeleton, params.clone());
        let nodes = vec![
            limb(0).output("in", SELF_NODE, "out"),
            limb(1).output("in", "limb0", "out"),
            NodeTemplate::new("join", JobKind::Author, vec![])
                .outputs("all", SELF_NODE, "o")
                .output("1", "limb1", "out"),
        ];
        Subgraph::new(nodes, ["join", "limb1"][depth % 2]).unwrap()
    });
    ActionResult::of(&outputs, subgraph, 1_000)
}

fn graph(shape: u8) -> Graph {
    let params = |n: u8| match (shape.wrapping_mul(31) ^ n) % 5 {
        0 => b"+".to_vec(),
        1 => b"++".to_vec(),
        n => vec![n],
    };
    let count = 2 + shape % 4;
    let nodes = (0..count).map(|n| {
        let mut node = NodeTemplate::new(n.to_string(), JobKind::Rig, params(n));
        node = node.blob("art", BlobRef::of(&[shape % 5]));
        for from in 0..n {
            if (shape >> ((n + from) % 8)) & 1 == 1 {
                node = node.output(format!("{from}"), from.to_string(), "out");
            }
        }
        node
    });
    let wanted = (0..count).filter(|n| n + 1 == count || (shape >> n).is_multiple_of(3));
    Graph::new(nodes.collect(), wanted.map(|n| n.to_string()).collect()).unwrap()
}

/// Nobody waits for nothing: what each part of the state believes of the others is so.
fn check_consistent(state: &State) {
    for (build_id, build) in &state.builds {
        for (index, node) in build.nodes.iter().enumerate() {
            let id = NodeId { build: *build_id, index: index as u32 };
            let open = |of: &[u32]| of.iter().filter(|&&n| !build.nodes[n as usize].stage.ended()).count();
            if !node.stage.ended() {
                assert_eq!(node.need, open(&node.upstream), "need of {id:?}");
                assert!(node.wanted || open(&node.readers) > 0, "{id:?} works for nobody");
            }
            match node.stage {
                Stage::Waiting | Stage::Expanded => assert!(node.need > 0, "{id:?} waits for nothing"),
                Stage::OnKey => {
                    let record = &state.keys[&node.key.unwrap()];
                    assert!(record.waiters.contains(&id), "{id:?} is not known to its key");
                }
                Stage::Finished => assert!(node.outputs.is_some()),
                Stage::Failed => {}
            }
        }
    }
    let mut due = BTreeSet::new();
    let mut ready = 0;
    for (key, record) in &state.keys {
        due.extend(record.due_ms.map(|due| (due, *key)));
        let needed = !record.waiters.is_empty() || !record.healing.is_empty();
        for waiter in &record.waiters {
            let node = &state.builds[&waiter.build].nodes[waiter.index as usize];
            assert_eq!((node.stage, node.key), (Stage::OnKey, Some(*key)));
        }
        assert_eq!(record.place.is_some(), matches!(record.stage, KeyStage::Ready));
        match &record.stage {
            KeyStage::Idle | KeyStage::Done(_) | KeyStage::Dead(_) => {
                assert!(!needed && record.due_ms.is_none(), "{key} forgot {record:?}");
            }
            KeyStage::LookingUp | KeyStage::Leased(..) => assert!(record.due_ms.is_some()),
            KeyStage::Delayed => assert!(needed && record.due_ms.is_some()),
            KeyStage::Ready => {
                ready += 1;
                assert!(needed, "{key} is ready for nobody");
            }
            KeyStage::Healing(producers) => {
                assert!(needed && !producers.is_empty());
                for producer in producers {
                    assert!(state.keys[producer].healing.contains(key));
                }
            }
        }
    }
    assert_eq!(due, state.due);
    assert_eq!(ready, state.ready());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn whatever_happens(steps in prop::collection::vec(any::<(u8, u8, u8)>(), 1..120)) {
        let mut farm = Farm::new();
        for step in steps {
            farm.step(step);
        }
        farm.drain();
    }
}
