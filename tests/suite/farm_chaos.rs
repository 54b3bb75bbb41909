//! A farm of real processes that are killed at random moments, over a store that loses and damages what it was given,
//! with a worker that reports too late: every build ends, and what is delivered is what one machine would deliver.
//!
//! What happens is drawn from a seed (`RIGFARM_CHAOS_SEED` for another one); when it strikes is up to the machine.

#[allow(dead_code, reason = "each suite uses some of it")]
mod processes;
#[allow(dead_code, reason = "each suite uses some of it")]
mod sandbox;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{fs, thread};

use plan::{ActionResult, JobKind};
use processes::{Process, Redis, free_port, store};
use proto::v1;
use proto::v1::report::What;
use proto::v1::workers_client::WorkersClient;
use sandbox::{Sandbox, contents};
use worker::link::{self, Channel, LinkConfig};

/// Characters of the batch, and their height in pixels.
const COUNT: &str = "30";
const SIZE: &str = "512";
/// Processes killed before the farm is left in peace: fewer than could make one job poison more than by rare chance.
const KILLS: usize = 12;
/// Jobs that the zombie falls silent with; each costs its build some seconds.
const LATE: usize = 4;
/// Of a thousand blobs so many are damaged, and as many lost, each once.
const PER_MILLE: u64 = 10;
/// A build that takes longer hangs.
const HANGS: Duration = Duration::from_secs(600);

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }
}

/// Two coordinators, two workers, a Redis that keeps what it is told.
struct Farm<'a> {
    sandbox: &'a Sandbox,
    redis: Redis,
    /// Addresses of the coordinators.
    urls: [String; 2],
    coordinators: [Process; 2],
    workers: Vec<Process>,
}

impl<'a> Farm<'a> {
    fn start(sandbox: &'a Sandbox, redis: Redis) -> Self {
        let urls = [free_port(), free_port()].map(|port| format!("http://127.0.0.1:{port}"));
        let coordinators = [0, 1].map(|place| coordinator(sandbox, &urls[place], &redis.url));
        coordinators.iter().for_each(|process| drop(process.says(" ready")));
        Self { sandbox, redis, urls, coordinators, workers: Vec::new() }
    }

    /// Starts the workers.
    fn staff(&mut self) {
        self.workers = self.urls.iter().map(|url| processes::worker(self.sandbox, url, &[])).collect();
    }

    /// Starts coordinators that ended by themselves, as whoever looks after services does: one that finds no Redis when
    /// it starts says so and ends.
    fn mend(&mut self) {
        for (place, url) in self.urls.iter().enumerate() {
            if !self.coordinators[place].lasts(Duration::ZERO) {
                println!("coordinator {place} had ended: {}", self.coordinators[place].said());
                self.coordinators[place] = coordinator(self.sandbox, url, &self.redis.url);
            }
            self.coordinators[place].says(" ready");
        }
    }

    /// Kills one process and starts another in its place.
    fn strike(&mut self, victim: u64, place: usize, is_emptied: bool) {
        let url = &self.urls[place];
        match victim {
            0..=3 => {
                self.workers[place].signal("KILL");
                self.workers[place] = processes::worker(self.sandbox, url, &[]);
            }
            4..=6 => {
                self.coordinators[place].signal("KILL");
                self.coordinators[place] = coordinator(self.sandbox, url, &self.redis.url);
            }
            _ => self.redis.kill_and_start(self.sandbox, is_emptied),
        }
    }
}

fn coordinator(sandbox: &Sandbox, url: &str, redis: &str) -> Process {
    let (listen, store) = (url.trim_start_matches("http://"), store(sandbox));
    let args = ["coordinator", "--listen", listen, "--store", &store, "--redis", redis];
    Process::start(sandbox.command(&args))
}

/// Damages and loses some of the blobs that were not there the last time. Which ones their names decide.
fn damage(folder: &Path, seed: u64, seen: &mut BTreeSet<String>) -> usize {
    let mut hurt = 0;
    for shelf in fs::read_dir(folder).into_iter().flatten().flatten() {
        for file in fs::read_dir(shelf.path()).into_iter().flatten().flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            let Some(digest) = canonical::Digest::from_hex(&name) else { continue };
            if !seen.insert(name) {
                continue;
            }
            let (first, _) = digest.as_bytes().split_first_chunk().unwrap();
            let roll = Dice(seed ^ u64::from_le_bytes(*first)).roll(1000);
            // It may be gone again, or never be read again.
            if roll < PER_MILLE {
                let _ = fs::remove_file(file.path());
            } else if roll < 2 * PER_MILLE
                && let Ok(mut bytes) = fs::read(file.path())
                && !bytes.is_empty()
            {
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                let _ = fs::write(file.path(), bytes);
            }
            hurt += usize::from(roll < 2 * PER_MILLE);
        }
    }
    hurt
}

/// A worker that falls silent with every job it gets, and reports wrong results once the job is somebody else's.
struct Zombie<'a> {
    client: WorkersClient<Channel>,
    number: u64,
    /// Set once it has a job.
    has_one: &'a AtomicBool,
}

impl Zombie<'_> {
    /// Until told to stop, or enough is done; how many late reports it got rid of.
    async fn haunt(mut self, stop: &AtomicBool) -> usize {
        let mut reported = 0;
        let wrong = BTreeMap::from([("manifest".to_owned(), b"wrong".to_vec())]);
        let wrong = What::Done(ActionResult::of(&wrong, None, 1).encode());
        while reported < LATE && !stop.load(Ordering::Relaxed) {
            let answer = self.sync(1, Vec::new(), Vec::new()).await;
            let bundles = answer.into_iter().flat_map(|answer| answer.bundles);
            let leases: Vec<v1::Lease> =
                bundles.flat_map(|bundle| bundle.jobs).filter_map(|job| job.lease).collect();
            for lease in leases {
                self.has_one.store(true, Ordering::Relaxed);
                if !self.let_go(&lease, stop).await {
                    return reported;
                }
                let report = v1::Report { lease: Some(lease), what: Some(wrong.clone()) };
                reported += usize::from(self.sync(0, Vec::new(), vec![report]).await.is_some());
            }
        }
        reported
    }

    /// Keeps silent about a lease until it is taken back; whether it was.
    async fn let_go(&mut self, lease: &v1::Lease, stop: &AtomicBool) -> bool {
        while !stop.load(Ordering::Relaxed) {
            self.sync(0, Vec::new(), Vec::new()).await;
            let told = self.sync(0, vec![lease.clone()], Vec::new()).await;
            if told.is_some_and(|told| told.stop.contains(lease)) {
                return true;
            }
        }
        false
    }

    async fn sync(
        &mut self,
        bundles: u32,
        held: Vec<v1::Lease>,
        reports: Vec<v1::Report>,
    ) -> Option<v1::SyncResponse> {
        let able =
            |kind: JobKind| v1::Capability { kind: kind.name().into(), version: kind.version().into() };
        let request = v1::SyncRequest {
            protocol: proto::PROTOCOL,
            worker: self.number,
            name: "zombie".into(),
            capabilities: JobKind::all().map(able).collect(),
            bundles,
            fuse_us: 0,
            held,
            reports,
        };
        match self.client.sync(request).await {
            Ok(answer) => {
                let answer = answer.into_inner();
                self.number = answer.worker;
                Some(answer)
            }
            // The farm is being killed.
            Err(_) => {
                tokio::time::sleep(Duration::from_millis(200)).await;
                None
            }
        }
    }
}

/// Ends the zombie, whatever else happens.
struct Peace<'a>(&'a AtomicBool);

impl Drop for Peace<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn zombie(url: String, has_one: &AtomicBool, stop: &AtomicBool) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let channel = link::open(&LinkConfig { address: url, ..LinkConfig::default() }).unwrap();
        Zombie { client: WorkersClient::new(channel), number: 0, has_one }.haunt(stop).await
    })
}

/// Every file of both folders but the reports of the batches.
#[track_caller]
fn same(sandbox: &Sandbox, out: &str) {
    let [expected, found] = ["expected", out].map(|out| {
        let mut files = contents(&sandbox.path(out));
        files.remove("batch.report.json");
        files
    });
    assert_eq!(expected.keys().collect::<Vec<_>>(), found.keys().collect::<Vec<_>>());
    let other: Vec<_> = expected.iter().filter(|(name, bytes)| found[*name] != **bytes).collect();
    assert!(other.is_empty(), "{:?}", other.iter().map(|(name, _)| name).collect::<Vec<_>>());
}

#[test]
fn nothing_is_lost_and_nothing_wrong_delivered() {
    let seed = std::env::var("RIGFARM_CHAOS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(4);
    let sandbox = Sandbox::new();
    let Some(redis) = Redis::start_with(&sandbox, "yes") else {
        println!("skipped: there is no redis-server");
        return;
    };
    sandbox.expect(0, &["sample", "--out", "chars", "--count", COUNT, "--size", SIZE]);
    sandbox.expect(0, &["build", "chars", "--out", "expected"]);
    let mut farm = Farm::start(&sandbox, redis);
    let urls = farm.urls.clone();
    let either = urls.join(",");
    let args = ["submit", "chars", "--coordinator", &either, "--wait", "--out", "dist"];
    let client = Process::start(sandbox.command(&args));
    let (has_one, stop) = (AtomicBool::new(false), AtomicBool::new(false));
    let (kills, hurt, late) = thread::scope(|scope| {
        let zombie = scope.spawn(|| zombie(urls[1].clone(), &has_one, &stop));
        let peace = Peace(&stop);
        // Nobody else is there to take the first job.
        loop {
            if has_one.load(Ordering::Relaxed) || !client.lasts(Duration::from_millis(20)) {
                break;
            }
        }
        farm.staff();
        let done = torment(&mut farm, &client, seed);
        drop(peace);
        (done.0, done.1, zombie.join().unwrap())
    });
    println!("seed {seed}: {kills} processes killed, {hurt} blobs hurt, {late} reports too late");
    let said = client.said();
    assert_eq!(client.ends(), 0, "seed {seed}\n{said}\n{}", farm.coordinators[0].said());
    same(&sandbox, "dist");
    assert!(kills > 2 && hurt > 2 && late > 0, "the farm was hardly hurt");
    farm.mend();
    // What is left in the store is as good, or is found not to be.
    sandbox.expect(0, &["build", "chars", "--coordinator", &urls[1], "--out", "again"]);
    same(&sandbox, "again");
    let under_way = sandbox.expect(0, &["status", "--coordinator", &urls[0], "--json"]).events();
    assert!(under_way.is_empty(), "{under_way:?}");
}

/// Hurts the farm until the client ends; how many processes and blobs were hit.
fn torment(farm: &mut Farm, client: &Process, seed: u64) -> (usize, usize) {
    let mut dice = Dice(seed);
    let (mut kills, mut hurt) = (0, 0);
    let (folder, mut seen) = (farm.sandbox.path("farm/cas"), BTreeSet::new());
    let started = std::time::Instant::now();
    while client.lasts(Duration::from_millis(500 + dice.roll(1500))) {
        assert!(started.elapsed() < HANGS, "seed {seed}: the build hangs\n{}", client.said());
        hurt += damage(&folder, seed, &mut seen);
        if kills < KILLS {
            let (victim, place, is_emptied) = (dice.roll(9), dice.roll(2) as usize, dice.roll(2) == 0);
            farm.strike(victim, place, is_emptied);
            kills += 1;
        }
    }
    (kills, hurt)
}
