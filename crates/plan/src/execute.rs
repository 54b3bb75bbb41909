//! How jobs are run: the trait between the farm and the pipeline.

use std::collections::BTreeMap;
use std::sync::Arc;

use canonical::Digest;
use serde::{Deserialize, Serialize};

use crate::graph::Subgraph;
use crate::job::{Job, JobKind};

/// What one job made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The outputs by name. Names hold no control characters and at most [`crate::graph::MAX_NAME`] bytes.
    pub outputs: BTreeMap<String, Vec<u8>>,
    /// Further nodes this job found to be needed, whose continuation completes this job's outputs.
    pub subgraph: Option<Subgraph>,
}

/// What a failure means for those who wait. Callers decide by the class, never by the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FailureClass {
    /// The same everywhere and every time: the node and everything downstream of it fail at once.
    Deterministic,
    /// Came from outside the job (store, memory, network): tried again after a pause.
    Transient,
    /// Workers died while running it, too often to try again.
    Poison,
    /// No worker can run this kind and version.
    Unsatisfiable,
    /// Nobody waits for it any more.
    Cancelled,
}

/// Why a job or node failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct JobFailure {
    /// What the failure means.
    pub class: FailureClass,
    /// A stable name for programs: lower case with hyphens, such as `psd-truncated` or `job-panicked`.
    pub code: String,
    /// For people: lower case, naming file, layer or key and the way out where there is one.
    pub message: String,
}

impl JobFailure {
    /// A failure that the same inputs will always meet.
    pub fn deterministic(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { class: FailureClass::Deterministic, code: code.into(), message: message.into() }
    }

    /// A failure that came from outside and may pass.
    pub fn transient(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { class: FailureClass::Transient, code: code.into(), message: message.into() }
    }
}

/// Results of steps inside a job. A memo is only ever a shortcut: with [`NoMemo`] the job's bytes are the same.
pub trait Memo: Send + Sync {
    /// The bytes kept under `key`, if they are at hand.
    fn get(&self, key: &Digest) -> Option<Arc<[u8]>>;
    /// Keeps bytes made after [`Self::get`] did not have them; may forget them at any time. What they cost to make,
    /// which jobs cannot measure, is the time that has passed since.
    fn put(&self, key: &Digest, bytes: &[u8]);
}

/// Remembers nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMemo;

impl Memo for NoMemo {
    fn get(&self, _: &Digest) -> Option<Arc<[u8]>> {
        None
    }
    fn put(&self, _: &Digest, _: &[u8]) {}
}

/// Runs jobs. The farm calls it from many threads at once, each inside the shared compute pool.
pub trait Executor: Send + Sync {
    /// Runs one job. `inputs` holds exactly the names of `job.inputs`, digests already verified. The outcome depends
    /// on nothing but the job and these bytes.
    ///
    /// # Errors
    /// [`JobFailure`], deterministic unless the cause lies outside of job and inputs. A panic is contained by the
    /// caller and counts as deterministic.
    fn run(
        &self,
        job: &Job,
        inputs: &BTreeMap<String, Arc<[u8]>>,
        memo: &dyn Memo,
    ) -> Result<Outcome, JobFailure>;

    /// Whether this executor runs `version` of `kind`.
    fn supports(&self, kind: JobKind, version: &str) -> bool;
}
