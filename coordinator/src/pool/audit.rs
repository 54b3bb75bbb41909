//! A share of what the cache answers is made again and compared: the only way to notice that a kind of job is not as
//! deterministic as everything here believes.

use std::sync::Arc;

use plan::{Graph, Input, Job, JobKey, NodeTemplate};

use super::Turn;
use crate::journal::Journal;
use crate::ledger::{Entry, Order};
use crate::metrics::count;
use crate::state::{Event, Found};

/// Who pays for what is made again, after everybody else.
const TENANT: &str = "audit";
const BAND: u8 = 5;

impl<J: Journal> Turn<'_, J> {
    pub(super) fn looked_up(&mut self, answers: Vec<(JobKey, Found)>) {
        let (share, hour) = (self.pool.audit, self.now_ms() / 3_600_000);
        let is_hit = |found: &Found| matches!(found, Found::Hit(_));
        let chosen = answers.iter().filter(|(key, found)| is_hit(found) && is_chosen(*key, share, hour));
        let state = self.pool.ledger.state();
        let jobs: Vec<_> = chosen.filter_map(|(key, _)| state.job(*key).cloned()).collect();
        self.happen(Event::LookedUp(answers));
        for job in jobs {
            count(&self.pool.metrics.audited_total, 1);
            if let Some(order) = order(&job) {
                self.enter(Entry::Submit(order));
            }
        }
    }
}

/// Whether a key belongs to the share of this hour.
fn is_chosen(key: JobKey, share: f64, hour: u64) -> bool {
    let from = (hour % 29) as usize;
    let bytes = key.0.as_bytes()[from..from + 4].iter();
    let place = bytes.fold(0_u32, |place, byte| place << 8 | u32::from(*byte));
    f64::from(place) < share * (f64::from(u32::MAX) + 1.0)
}

/// A build of this job alone; the same one as long as it is remembered.
fn order(job: &Arc<Job>) -> Option<Order> {
    let inputs = job.inputs.iter().map(|(name, blob)| (name.clone(), Input::Blob(*blob))).collect();
    let (kind, version, params) = (job.kind, job.version.clone(), job.params.clone());
    let node = NodeTemplate { name: "again".into(), kind, version, params, inputs };
    let graph = Graph::new(vec![node], vec!["again".into()]).ok()?;
    Some(Order {
        request: job.key().to_string().into(),
        title: "made again to be compared".into(),
        tenant: TENANT.into(),
        band: BAND,
        read_cache: false,
        characters: vec![("audit".into(), graph)],
    })
}
