//! What a build tells its caller.

use std::collections::BTreeMap;
use std::sync::Arc;

use plan::{JobFailure, JobKey, JobKind};
use serde::{Deserialize, Serialize};

use crate::state::{NodeState, Outputs, Reason};

/// A node as people know it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeName {
    /// Name of the character.
    pub character: Arc<str>,
    /// Name of the node within the character; nodes of subgraphs are named `parent/child`.
    pub node: Arc<str>,
}

/// What happens in a build, in order.
#[derive(Clone, Debug)]
pub enum BuildEvent {
    /// A node entered the build.
    NodePlanned {
        /// Which.
        node: NodeName,
        /// What it does.
        kind: JobKind,
    },
    /// A job started for a node.
    JobStarted {
        /// The node; of several that share the job, each is told of.
        node: NodeName,
        /// What it does.
        kind: JobKind,
        /// The job.
        key: JobKey,
    },
    /// A node ended.
    JobFinished {
        /// Which.
        node: NodeName,
        /// What it does.
        kind: JobKind,
        /// The job, when it came to that.
        key: Option<JobKey>,
        /// How it ended.
        state: NodeState,
        /// Why it ended so.
        reason: Reason,
        /// How long the job ran; for hits how long it once ran. In microseconds.
        micros: u64,
        /// The outputs, unless failed or cancelled.
        outputs: Option<Outputs>,
        /// The failure, if any.
        failure: Option<JobFailure>,
    },
    /// All wanted nodes of a character ended.
    CharacterFinished {
        /// Its place in the request.
        place: usize,
        /// Its name.
        character: Arc<str>,
        /// The first failure, if any.
        failure: Option<JobFailure>,
        /// The outputs of those wanted nodes that did not fail, by node.
        outputs: BTreeMap<String, Outputs>,
    },
    /// Something worth knowing that failed nothing.
    Notice {
        /// A stable name: `cache-not-read`, `cache-not-written`, `healed`, `nondeterministic`.
        code: &'static str,
        /// For people.
        message: String,
    },
    /// Everything ended and all that was made is written. The last event.
    BuildFinished(Summary),
}

/// A build in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Nodes whose job ran.
    pub run: usize,
    /// Nodes whose result was there.
    pub hits: usize,
    /// Nodes whose result was there although something upstream ran.
    pub cut_off: usize,
    /// Nodes that failed.
    pub failed: usize,
    /// Nodes nobody needed any more.
    pub cancelled: usize,
    /// Characters that failed.
    pub failed_characters: usize,
    /// Time in jobs, in microseconds.
    pub run_us: u64,
    /// Time hits once took, in microseconds.
    pub saved_us: u64,
}

impl Summary {
    pub(crate) fn count(&mut self, state: NodeState, reason: &Reason, cost_us: u64) {
        match state {
            NodeState::Run => {
                self.run += 1;
                self.run_us += cost_us;
            }
            NodeState::Hit | NodeState::CutOff => {
                self.hits += usize::from(state == NodeState::Hit);
                self.cut_off += usize::from(state == NodeState::CutOff);
                // Two nodes that share one run saved nothing from an earlier build.
                self.saved_us += if *reason == Reason::Shared { 0 } else { cost_us };
            }
            NodeState::Failed => self.failed += 1,
            NodeState::Cancelled => self.cancelled += 1,
        }
    }
}
