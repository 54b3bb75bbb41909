//! What happens to the farm and what follows from it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use canonical::{BlobRef, Digest};
use plan::{ActionResult, FailureClass, Graph, Job, JobFailure, JobKey, JobKind};

use serde::{Deserialize, Serialize};

use super::outputs::Outputs;
use super::{Config, share};

/// One build. Numbers are given by whoever submits and never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BuildId(pub u64);

/// One node of one build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId {
    /// The build.
    pub build: BuildId,
    /// Its place among the build's nodes, in order of planning.
    pub index: u32,
}

/// One worker process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct WorkerId(pub u64);

/// The number of a lease: grows with every lease of the farm, so an older holder is told from the present one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Fence(pub u64);

/// One lease as its holder names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Held {
    /// Who holds it.
    pub worker: WorkerId,
    /// The job.
    pub key: JobKey,
    /// The lease.
    pub fence: Fence,
}

/// What a worker can run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Capabilities {
    /// Everything it is offered.
    All,
    /// These kinds in these versions.
    Only(BTreeSet<(JobKind, String)>),
}

impl Capabilities {
    /// Whether the job can be run.
    pub fn cover(&self, job: &Job) -> bool {
        match self {
            Self::All => true,
            Self::Only(pairs) => {
                pairs.iter().any(|(kind, version)| *kind == job.kind && *version == job.version)
            }
        }
    }
}

/// A build to be made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Submission {
    /// Its number; one that is already known is ignored.
    pub build: BuildId,
    /// Who pays for it.
    pub tenant: Arc<str>,
    /// Priority band, 1 (first) to 5.
    pub band: u8,
    /// Whether cached results count. Results are written in any case.
    pub read_cache: bool,
    /// The characters by name, in order of priority.
    #[serde(with = "share::graphs")]
    pub characters: Vec<(Arc<str>, Graph)>,
}

/// What the cache said about a key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Found {
    /// A result all of whose blobs exist.
    Hit(#[serde(with = "share::result")] Arc<ActionResult>),
    /// Nothing.
    Miss,
    /// A result some of whose blobs are gone.
    Incomplete,
    /// Something that is not a result.
    Unreadable,
}

/// What happens.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Event {
    /// A client submits a build.
    Submit(Submission),
    /// The cache answers an [`Effect::Lookup`].
    LookedUp(Vec<(JobKey, Found)>),
    /// A worker arrives, or says again what it can do.
    Hello {
        /// Which.
        worker: WorkerId,
        /// What it can run.
        capabilities: Capabilities,
    },
    /// A worker asks for one bundle of jobs.
    Claim {
        /// Which.
        worker: WorkerId,
        /// Jobs are bundled as long as their expected costs together stay below this, in microseconds.
        fuse_us: u64,
    },
    /// A worker is still at it.
    Renew(Vec<Held>),
    /// A job is done and its blobs are where readers find them.
    Complete(Held, #[serde(with = "share::result")] Arc<ActionResult>),
    /// A job failed.
    Fail(Held, JobFailure),
    /// A job could not start because bytes named by its key are gone or damaged.
    MissingInputs(Held, Vec<BlobRef>),
    /// A worker gives a job back untouched (drain); costs no attempt.
    Release(Held),
    /// A worker's connection broke or its process died: its leases are lost now.
    WorkerGone(WorkerId),
    /// A client gives up a build.
    Cancel(BuildId),
    /// An operator asks for another try of a poisoned key.
    Retry(JobKey),
    /// Time passes.
    Tick,
    /// A process begins to lead the farm with this state: with its rules, and fences above all earlier ones. Lookups
    /// under way are asked again, and leases last anew: no worker is to blame for the time nobody led.
    Lead {
        /// Grows with every leader of the farm.
        epoch: u64,
        /// The rules from now on.
        config: Config,
        /// Shares of tenants other than 1.
        weights: BTreeMap<Arc<str>, u64>,
    },
}

/// One leased job.
#[derive(Clone, Debug)]
pub struct Lease {
    /// Its name.
    pub key: JobKey,
    /// The lease.
    pub fence: Fence,
    /// When the lease ends unless renewed, in the state's milliseconds.
    pub until_ms: u64,
    /// What to do.
    pub job: Arc<Job>,
    /// Inputs small enough to travel with the lease.
    pub inline: BTreeMap<Digest, Arc<[u8]>>,
    /// The first node that waits for it; its character names the bundle.
    pub node: NodeId,
}

/// How a node ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeState {
    /// Its job ran for it.
    Run,
    /// Its result was there.
    Hit,
    /// Something upstream ran, yet its inputs came out as known before: its result was there.
    CutOff,
    /// It or something upstream failed.
    Failed,
    /// Nobody needs it any more.
    Cancelled,
}

/// Why a node ended as it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// Ran: the cache had no result.
    NotInCache,
    /// Ran: the build does not read the cache.
    CacheNotRead,
    /// Ran: the cached result had lost blobs.
    ResultIncomplete,
    /// Ran: what the cache held was not a result.
    ResultUnreadable,
    /// Hit or cut off: the cache had the result.
    InCache,
    /// Hit: the same job ran for another node.
    Shared,
    /// Failed by itself.
    Own,
    /// Failed since the named node did.
    Upstream(Arc<str>),
    /// Cancelled: the build was given up.
    BuildCancelled,
    /// Cancelled: whatever needed it failed.
    NotNeeded,
}

impl Reason {
    /// All that name no node.
    pub const PLAIN: [Self; 9] = [
        Self::NotInCache,
        Self::CacheNotRead,
        Self::ResultIncomplete,
        Self::ResultUnreadable,
        Self::InCache,
        Self::Shared,
        Self::Own,
        Self::BuildCancelled,
        Self::NotNeeded,
    ];
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotInCache => "no cached result",
            Self::CacheNotRead => "the cache is not read",
            Self::ResultIncomplete => "the cached result had lost blobs",
            Self::ResultUnreadable => "the cached result could not be read",
            Self::InCache => "result in the cache",
            Self::Shared => "shares the run of another node",
            Self::Own => "failed",
            Self::Upstream(node) => return write!(f, "{node} failed"),
            Self::BuildCancelled => "build cancelled",
            Self::NotNeeded => "not needed any more",
        })
    }
}

/// The end of a node.
#[derive(Clone, Debug)]
pub struct NodeEnd {
    /// Which.
    pub node: NodeId,
    /// How.
    pub state: NodeState,
    /// Why.
    pub reason: Reason,
    /// The job, when it came to that.
    pub key: Option<JobKey>,
    /// How long the job ran when it ran, in microseconds; for hits the time saved.
    pub cost_us: u64,
    /// The outputs, unless failed or cancelled.
    pub outputs: Option<Outputs>,
    /// The failure, if any.
    pub failure: Option<JobFailure>,
}

/// What follows.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Ask the cache; answer with [`Event::LookedUp`].
    Lookup(JobKey),
    /// A claimed bundle: jobs of one character, to be run in this order by one slot.
    Lease(WorkerId, Vec<Lease>),
    /// These leases now last until the given time.
    Renewed(Vec<Held>, u64),
    /// The worker should stop this: nobody needs it, or the lease is not its own any more.
    Stop(Held),
    /// A report came from somebody who does not hold the lease, and was ignored.
    Rejected(Held),
    /// A node entered a build.
    NodePlanned {
        /// Which.
        node: NodeId,
        /// Place of its character in the submission.
        character: u32,
        /// Its name within the character; nodes of subgraphs are named `parent/child`.
        name: Arc<str>,
        /// What it does.
        kind: JobKind,
    },
    /// A job started on a worker for these nodes.
    JobStarted(Held, Vec<NodeId>),
    /// A node ended; it never changes again.
    NodeEnded(Box<NodeEnd>),
    /// All wanted nodes of a character ended; with the first failure, if any.
    CharacterEnded(BuildId, u32, Option<JobFailure>),
    /// All characters of a build ended; the state has forgotten it.
    BuildEnded(BuildId),
    /// A worker died or fell silent while running this.
    Lost(Held),
    /// A producer runs again because bytes it once made are gone.
    Healing(JobKey, BlobRef),
    /// One key gave two different results: the kind and version are not deterministic.
    Nondeterministic(JobKey, Arc<Job>),
    /// No worker has been able to run this for a minute.
    Unsatisfiable(JobKey, Arc<Job>),
}

/// The failure of a node whose build was given up.
pub(super) fn cancelled() -> JobFailure {
    JobFailure { class: FailureClass::Cancelled, code: "cancelled".into(), message: "cancelled".into() }
}
