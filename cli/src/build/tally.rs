//! What happened to one character while it was built.

use std::collections::BTreeMap;
use std::time::Instant;

use canonical::BlobRef;
use coordinator::embedded::BuildEvent;
use coordinator::state::{NodeState, Outputs};
use plan::{JobKind, OutputRef};

/// Counts and times of one character's jobs, and its outputs by blob.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    /// When its first job started or was found.
    pub(crate) since: Instant,
    /// Jobs that ran.
    pub(crate) run: usize,
    /// Jobs whose result was there.
    pub(crate) cached: usize,
    /// Time of the jobs that ran, by kind, in microseconds.
    pub(crate) micros: BTreeMap<JobKind, u64>,
    /// Everything its jobs gave that is small enough to travel with its name.
    pub(crate) inline: BTreeMap<BlobRef, OutputRef>,
}

impl Tally {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self { since: Instant::now(), run: 0, cached: 0, micros: BTreeMap::new(), inline: BTreeMap::new() }
    }

    /// Counts one ended job.
    pub(crate) fn see(&mut self, event: &BuildEvent) {
        let BuildEvent::JobFinished { kind, state, micros, outputs, .. } = event else { return };
        match state {
            NodeState::Run => {
                self.run += 1;
                *self.micros.entry(*kind).or_default() += micros;
            }
            NodeState::Hit | NodeState::CutOff => self.cached += 1,
            NodeState::Failed | NodeState::Cancelled => {}
        }
        self.remember(outputs.iter());
    }

    /// Remembers what is small enough to travel with its name.
    pub(crate) fn remember<'a>(&mut self, outputs: impl Iterator<Item = &'a Outputs>) {
        let all = outputs.flat_map(|outputs| outputs.all().into_values());
        let small = all.filter(|output| output.inline.is_some());
        self.inline.extend(small.map(|output| (output.blob, output.clone())));
    }
}
