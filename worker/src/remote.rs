//! A worker of a farm: takes leases from a coordinator, runs them in its slots, and reports.
//!
//! ```text
//! calls ──leases──> load ──inputs──> slots ──outputs──> deposit ──reports──> calls
//! ```
//! `desk` knows every lease and what is still to be said of it; `calls` alone speaks with the coordinator, on threads
//! that jobs cannot starve; `shelf` is where bytes come from and go to; `slots` has the three steps between.
//!
//! Nothing is lost when the coordinator goes away: jobs run on and are reported when it is back, and it alone decides,
//! by the fence of each lease, whether a report still counts.

mod calls;
mod desk;
mod shelf;
mod slots;

use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;

use plan::{Executor, JobKind, Memo};
use proto::{limits, v1};
use store::Store;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{Semaphore, watch};

use crate::link::{self, LinkConfig, LinkError};
use crate::transfer::Transfer;
use calls::Caller;
use desk::Desk;
use shelf::Shelf;
use slots::{Loader, Slot};

/// How large a worker is.
#[derive(Clone, Debug)]
pub struct RemoteConfig {
    /// Name of machine and process, for people.
    pub name: String,
    /// Jobs that run at once; at least 1.
    pub slots: usize,
    /// Threads of the compute pool all jobs share; at least 1.
    pub threads: usize,
    /// Bytes kept in memory between jobs; as much again may be taken by the inputs of jobs that run or wait.
    pub memory_bytes: usize,
    /// Jobs expected to take less than this together come as one bundle, in microseconds.
    pub fuse_us: u64,
}

/// Where a worker keeps bytes besides its memory.
#[derive(Clone, Debug, Default)]
pub struct Stores {
    /// On this machine, bounded: what was fetched once is not fetched again.
    pub own: Option<Store>,
    /// The farm's own store, when this machine reaches it; bytes then do not go through the coordinator.
    pub shared: Option<Store>,
}

/// What a worker should do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Take jobs and run them.
    Work,
    /// Take no more, give back what has not begun, finish what runs, and end.
    Drain,
}

/// Why a worker could not start, or ended.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The coordinator cannot be spoken to.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// The operating system refused threads.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
    /// The operating system refused threads.
    #[error("cannot start the compute threads: {0}")]
    Pool(#[from] rayon::ThreadPoolBuildError),
    /// The farm's store is not there, or does not let this worker in.
    #[error("the farm's store: {0}")]
    Store(store::Error),
    /// The coordinator does not take this worker.
    #[error("the coordinator refuses this worker: {0}")]
    Refused(String),
}

/// Works until `phase` says to drain (or nobody can say so any more), and then until nothing is held. Blocks; must be
/// called outside any runtime.
///
/// # Errors
/// [`RemoteError`]. A coordinator that is away is no error: it is waited for.
pub fn work(
    config: &RemoteConfig,
    link: &LinkConfig,
    executor: Arc<dyn Executor>,
    memo: Arc<dyn Memo>,
    stores: Stores,
    phase: watch::Receiver<Phase>,
) -> Result<(), RemoteError> {
    let runtime =
        Builder::new_multi_thread().worker_threads(2).thread_name("farm-io").enable_all().build()?;
    let _inside = runtime.enter();
    if let Some(shared) = &stores.shared {
        match runtime.block_on(shared.check()) {
            // Whoever is away may come back; until then bytes go through the coordinator.
            Ok(()) | Err(store::Error::Unreachable { .. }) => {}
            Err(error) => return Err(RemoteError::Store(error)),
        }
    }
    let channel = link::open(link)?;
    let desk = Arc::new(Desk::new(config.slots));
    let shelf = Shelf::new(config.memory_bytes, stores.own, stores.shared, Transfer::new(channel.clone()));
    let units = u32::try_from(config.memory_bytes >> 20).unwrap_or(u32::MAX).max(1);
    let (loaded, bundles) = mpsc::channel();
    let threads = start_slots(config, &desk, &shelf, executor.clone(), memo, bundles, runtime.handle())?;
    let client = v1::workers_client::WorkersClient::new(channel)
        .max_decoding_message_size(limits::MESSAGE)
        .max_encoding_message_size(limits::MESSAGE);
    let room = Arc::new(Semaphore::new(units as usize));
    let caller = Caller {
        client,
        desk: Arc::clone(&desk),
        loader: Loader { desk: Arc::clone(&desk), shelf: shelf.clone(), room, units, slots: loaded },
        name: config.name.clone(),
        capabilities: capabilities(&*executor),
        fuse_us: config.fuse_us,
    };
    let ended = runtime.block_on(caller.talk(phase));
    runtime.block_on(shelf.flush());
    let (_, done, failed) = desk.counts();
    tracing::info!(done, failed, "ended");
    // Nothing runs any more; the slots end with the last sender of bundles. A panic was printed where it happened.
    threads.into_iter().for_each(|thread| drop(thread.join()));
    runtime.shutdown_background();
    ended
}

fn start_slots(
    config: &RemoteConfig,
    desk: &Arc<Desk>,
    shelf: &Shelf,
    executor: Arc<dyn Executor>,
    memo: Arc<dyn Memo>,
    bundles: mpsc::Receiver<slots::Loaded>,
    runtime: &Handle,
) -> Result<Vec<JoinHandle<()>>, RemoteError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(config.threads.max(1));
    let pool = Arc::new(pool.thread_name(|n| format!("compute-{n}")).build()?);
    let (ran, made) = tokio::sync::mpsc::unbounded_channel();
    runtime.spawn(slots::deposit_all(Arc::clone(desk), shelf.clone(), made));
    let bundles = Arc::new(Mutex::new(bundles));
    let start = |_| {
        let slot = Slot {
            desk: Arc::clone(desk),
            pool: Arc::clone(&pool),
            executor: Arc::clone(&executor),
            memo: Arc::clone(&memo),
            ran: ran.clone(),
        };
        let bundles = Arc::clone(&bundles);
        Ok(std::thread::Builder::new().name("slot".into()).spawn(move || slot.work(&bundles))?)
    };
    (0..config.slots.max(1)).map(start).collect()
}

fn capabilities(executor: &dyn Executor) -> Vec<v1::Capability> {
    let kinds = JobKind::all().filter(|kind| executor.supports(*kind, kind.version()));
    kinds.map(|kind| v1::Capability { kind: kind.name().into(), version: kind.version().into() }).collect()
}

/// Between a half and one, another each time: those who fail together should not come back together.
fn jitter() -> f64 {
    use std::hash::{BuildHasher, Hasher};
    let random = std::hash::RandomState::new().build_hasher().finish();
    0.5 + (random % 1024) as f64 / 2048.0
}
