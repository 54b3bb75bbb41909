//! What a small tenant waits behind a large one, in simulated time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::sync::Arc;

use plan::{ActionResult, Graph, JobKind, NodeTemplate};

use crate::state::{
    BuildId, Capabilities, Config, Costs, Effect, Event, Found, Held, State, Submission, WorkerId, apply,
};

const WORKERS: u64 = 4;
const SMALL: usize = 40;
/// How many times as much the large tenant has.
const BACKLOG: usize = 100;
/// What the small tenant may wait at most, in times of its time alone.
const BOUND: f64 = 2.2;

/// A farm whose jobs take time, all of it simulated.
struct Simulation {
    state: State,
    now_us: u64,
    /// Running jobs by their end, first to end on top.
    running: BinaryHeap<(Reverse<u64>, Held)>,
    costs: BTreeMap<Vec<u8>, u64>,
    ended: BTreeMap<BuildId, u64>,
}

impl Simulation {
    fn new() -> Self {
        let state = State::new(Config::default(), Costs::default());
        let (running, costs, ended) = Default::default();
        let mut farm = Self { state, now_us: 0, running, costs, ended };
        for worker in 0..WORKERS {
            farm.happen(Event::Hello { worker: WorkerId(worker), capabilities: Capabilities::All });
        }
        farm
    }

    fn happen(&mut self, event: Event) -> Vec<Effect> {
        let effects = apply(&mut self.state, event, self.now_us / 1000);
        for effect in &effects {
            match effect {
                Effect::BuildEnded(build) => {
                    self.ended.insert(*build, self.now_us);
                }
                Effect::Lease(worker, leases) => {
                    for lease in leases {
                        let held = Held { worker: *worker, key: lease.key, fence: lease.fence };
                        let end = self.now_us + self.costs[&lease.job.params];
                        self.running.push((Reverse(end), held));
                    }
                }
                _ => {}
            }
        }
        effects
    }

    /// Jobs of 10 to 30 ms, the same for the same seed.
    fn submit(&mut self, build: u64, tenant: &str, jobs: usize, seed: u64) {
        let mut noise = seed;
        let mut nodes = Vec::new();
        for number in 0..jobs {
            noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let params = format!("{tenant} {seed} {number}").into_bytes();
            self.costs.insert(params.clone(), 10_000 + (noise >> 33) % 20_000);
            nodes.push(NodeTemplate::new(number.to_string(), JobKind::Rig, params));
        }
        let wanted = nodes.iter().map(|node| node.name.clone()).collect();
        let effects = self.happen(Event::Submit(Submission {
            build: BuildId(build),
            tenant: tenant.into(),
            band: 3,
            read_cache: true,
            characters: vec![("c".into(), Graph::new(nodes, wanted).unwrap())],
        }));
        let lookup = |effect: &Effect| match effect {
            Effect::Lookup(key) => Some((*key, Found::Miss)),
            _ => None,
        };
        let misses = effects.iter().filter_map(lookup).collect();
        self.happen(Event::LookedUp(misses));
    }

    /// Gives work to whoever is idle, and lets time pass until the next job ends.
    fn step(&mut self) {
        let busy: BTreeSet<_> = self.running.iter().map(|(_, held)| held.worker).collect();
        for worker in (0..WORKERS).map(WorkerId).filter(|worker| !busy.contains(worker)) {
            self.happen(Event::Claim { worker, fuse_us: 0 });
        }
        let Some((Reverse(end), held)) = self.running.pop() else { panic!("nobody works") };
        let job = self.state.held(held).expect("a lease").0;
        self.now_us = end;
        let result = ActionResult { cost_us: self.costs[&job.params], ..ActionResult::default() };
        self.happen(Event::Complete(held, Arc::new(result)));
    }

    /// Until a build has ended; gives when.
    fn run_until(&mut self, build: u64) -> u64 {
        while !self.ended.contains_key(&BuildId(build)) {
            self.step();
        }
        self.ended[&BuildId(build)]
    }
}

#[test]
fn a_small_tenant_behind_a_hundredfold_backlog_waits_little_more_than_twice_its_time() {
    for seed in 1..6 {
        let mut alone = Simulation::new();
        alone.submit(1, "small", SMALL, seed);
        let alone_us = alone.run_until(1);

        let mut shared = Simulation::new();
        shared.submit(1, "large", SMALL * BACKLOG, seed);
        // The large one has been at it for a while.
        (0..20).for_each(|_| shared.step());
        shared.submit(2, "small", SMALL, seed);
        let start_us = shared.now_us;
        let waited_us = shared.run_until(2) - start_us;
        let times = waited_us as f64 / alone_us as f64;
        assert!(times <= BOUND, "seed {seed}: {times:.2} times its time alone");
        assert!(times > 1.5, "seed {seed}: {times:.2}: the large tenant starves");
    }
}
