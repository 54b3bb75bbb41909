//! The farm in one process: the state machine, a few I/O threads and the slots.
//!
//! One thread, the *driver*, owns the state; it alone applies events and turns effects into work. *Loaders* look up
//! results and fetch inputs, *slots* run jobs inside one shared compute pool, *writers* put results into the cache
//! behind them. What was just made is passed on in memory; a build ends when all it made is written.

mod build;
mod driver;
mod dry;
mod events;
mod lanes;
mod memory;
#[cfg(test)]
mod tests;
mod threads;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use canonical::BlobRef;
use plan::{Executor, Graph, Memo, OutputRef};
use worker::cache::{Cache, CacheError};

use crate::state::{BuildId, Costs};

pub use build::{Build, Canceller};
pub(crate) use dry::forecast;
pub use dry::{Expectation, Forecast, PlannedNode};
pub use events::{BuildEvent, NodeName, Summary};

use driver::Message;
use lanes::Lane;
use memory::Memory;

/// How large the farm of this process is.
#[derive(Clone, Debug)]
pub struct FarmConfig {
    /// Jobs that run at once; at least 1.
    pub slots: usize,
    /// Threads of the compute pool all jobs share; at least 1.
    pub threads: usize,
    /// Bytes of inputs and outputs kept in memory between jobs, beyond what is not written yet.
    pub memory_bytes: usize,
    /// Jobs expected to take less than this together are run as one bundle, in microseconds.
    pub fuse_us: u64,
}

impl FarmConfig {
    /// One slot and one thread per core.
    pub fn for_cores(cores: usize) -> Self {
        Self { slots: cores.max(1), threads: cores.max(1), memory_bytes: 512 << 20, fuse_us: 2_000 }
    }
}

/// Bytes that a build reads and no job makes, such as PSD files. They are asked for only when a job needs them, and
/// verified.
pub trait Sources: Send + Sync {
    /// The bytes of a blob; `None` when it is not one of these.
    ///
    /// # Errors
    /// What went wrong reading them, in words for people.
    fn read(&self, blob: &BlobRef) -> Option<Result<Arc<[u8]>, String>>;
}

impl Sources for BTreeMap<BlobRef, Arc<[u8]>> {
    fn read(&self, blob: &BlobRef) -> Option<Result<Arc<[u8]>, String>> {
        self.get(blob).map(|bytes| Ok(Arc::clone(bytes)))
    }
}

/// What is to be built.
#[derive(Clone)]
pub struct BuildRequest {
    /// The characters by name, in the order in which they should be done.
    pub characters: Vec<(String, Graph)>,
    /// Bytes the graphs name and no job makes.
    pub sources: Arc<dyn Sources>,
    /// Whether cached results count; results are written in any case.
    pub read_cache: bool,
}

/// The farm of this process. Builds submitted at once share everything; dropping it waits for the running jobs.
pub struct Farm {
    shared: Arc<Shared>,
    driver: Sender<Message>,
    threads: Threads,
    builds: AtomicU64,
}

/// Threads by when they end.
#[derive(Default)]
struct Threads {
    /// Those that end once the driver stops.
    workers: Vec<JoinHandle<()>>,
    /// Those that end once nobody makes results any more.
    writers: Vec<JoinHandle<()>>,
}

/// Why a farm could not be started.
#[derive(Debug, thiserror::Error)]
pub enum FarmError {
    /// The operating system refused threads.
    #[error("cannot start {0} compute threads: {1}")]
    Pool(usize, rayon::ThreadPoolBuildError),
    /// The operating system refused a thread.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
}

/// What all threads of the farm use.
struct Shared {
    cache: Arc<dyn Cache>,
    executor: Arc<dyn Executor>,
    memo: Arc<dyn Memo>,
    pool: rayon::ThreadPool,
    memory: Memory,
    /// Sources of the builds at work.
    sources: Mutex<BTreeMap<BuildId, Arc<dyn Sources>>>,
    costs: Mutex<Costs>,
    /// Results handed to the writers so far.
    tickets: AtomicU64,
    lookups: Lane<lanes::Lookup>,
    loads: Lane<lanes::Bundle>,
    runs: Lane<lanes::Loaded>,
    writes: Lane<lanes::Write>,
}

impl Farm {
    /// Starts the threads.
    ///
    /// # Errors
    /// [`FarmError`] when threads are refused.
    pub fn new(
        config: FarmConfig,
        cache: Arc<dyn Cache>,
        executor: Arc<dyn Executor>,
        memo: Arc<dyn Memo>,
    ) -> Result<Self, FarmError> {
        let count = config.threads.max(1);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).thread_name(|n| format!("compute-{n}"));
        let costs = threads::recall_costs(&*cache);
        let shared = Arc::new(Shared {
            cache,
            executor,
            memo,
            pool: pool.build().map_err(|error| FarmError::Pool(count, error))?,
            memory: Memory::new(config.memory_bytes),
            sources: Mutex::default(),
            costs: Mutex::new(costs),
            tickets: AtomicU64::new(1),
            lookups: Lane::default(),
            loads: Lane::default(),
            runs: Lane::default(),
            writes: Lane::default(),
        });
        let (driver, inbox) = channel();
        let mut farm = Self {
            shared: Arc::clone(&shared),
            driver,
            threads: Threads::default(),
            builds: AtomicU64::new(1),
        };
        threads::start(&mut farm.threads, &shared, &farm.driver, inbox, &config)?;
        Ok(farm)
    }

    /// Starts a build. Its events must be read to learn of its end; dropping the handle cancels it.
    pub fn build(&self, request: BuildRequest) -> Build<'_> {
        let id = BuildId(self.builds.fetch_add(1, Ordering::Relaxed));
        let (events, receiver) = channel();
        self.shared.lock_sources().insert(id, Arc::clone(&request.sources));
        // The driver lives as long as the farm.
        let _ = self.driver.send(Message::Submit { id, request: request.clone(), events });
        Build::new(self, id, request, receiver)
    }

    /// What a build would find in the cache and what it would run. Runs nothing.
    pub fn plan(&self, request: &BuildRequest) -> Forecast {
        dry::forecast(&*self.shared.cache, request, self.costs())
    }

    /// What was learned about costs so far.
    pub fn costs(&self) -> Costs {
        self.shared.costs.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The bytes of an output of a finished node, from memory or the cache.
    ///
    /// # Errors
    /// [`CacheError`]; [`Build::fetch`] mends what is gone.
    pub fn read(&self, output: &OutputRef) -> Result<Arc<[u8]>, CacheError> {
        if let Some(bytes) = &output.inline {
            return Ok(bytes.as_slice().into());
        }
        match self.shared.memory.get(&output.blob) {
            Some(bytes) => Ok(bytes),
            None => self.shared.cache.get_blob(&output.blob),
        }
    }

    /// Waits for what the cache does in the background; gives its troubles in words for people.
    pub fn flush(&self) -> Vec<String> {
        self.shared.cache.flush();
        self.shared.cache.notices()
    }
}

impl Drop for Farm {
    fn drop(&mut self) {
        // The driver closes the lanes to the workers when it stops; a thread ends when its lane is closed and empty.
        let _ = self.driver.send(Message::Stop);
        for thread in self.threads.workers.drain(..) {
            // A panic of a farm thread was printed where it happened.
            let _ = thread.join();
        }
        self.shared.writes.close();
        for thread in self.threads.writers.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock_sources(&self) -> std::sync::MutexGuard<'_, BTreeMap<BuildId, Arc<dyn Sources>>> {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
