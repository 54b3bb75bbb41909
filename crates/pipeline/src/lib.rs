//! The jobs themselves: one pure function per kind.
//!
//! [`Pipeline`] runs a job from its declared inputs; the stages in [`mod@stages`] stand in the order in which a
//! character passes through them. Nothing here knows the store, the network, the clock or a path.

mod codec;
mod inputs;
pub mod params;
mod stages;

use std::collections::BTreeMap;
use std::sync::Arc;

use plan::{Executor, Job, JobFailure, JobKind, Memo, Outcome};

use crate::inputs::Inputs;
pub use crate::stages::bundle::{Manifest, manifest};

/// Runs every kind of job that exists.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pipeline;

impl Executor for Pipeline {
    fn run(
        &self,
        job: &Job,
        inputs: &BTreeMap<String, Arc<[u8]>>,
        memo: &dyn Memo,
    ) -> Result<Outcome, JobFailure> {
        let inputs = Inputs(inputs);
        match job.kind {
            JobKind::Ingest => stages::ingest::run(&params::decode(&job.params)?, &inputs),
            JobKind::Rig => stages::rig::run(job, &params::decode(&job.params)?, &inputs, memo),
            JobKind::Skeleton => stages::skeleton::run(&job.params, &inputs),
            JobKind::Author => stages::author::run(&inputs),
            JobKind::Finish => stages::finish::run(&params::decode(&job.params)?, &inputs),
            JobKind::AtlasLayout => stages::layout::run(&params::decode(&job.params)?, &inputs),
            JobKind::AtlasPage => stages::pages::run(&job.params, &inputs),
            JobKind::PackMoc3 => stages::pack::run(&params::decode(&job.params)?, &inputs),
            JobKind::Bundle => stages::bundle::run(job, &params::decode(&job.params)?, &inputs),
            JobKind::Preview => stages::preview::run(&params::decode(&job.params)?, &inputs),
            JobKind::Simulate | JobKind::PackCmo3 => Err(JobFailure::deterministic(
                "kind-not-built",
                format!("this release has no {} jobs", job.kind),
            )),
        }
    }

    fn supports(&self, kind: JobKind, version: &str) -> bool {
        let built = !matches!(kind, JobKind::Simulate | JobKind::PackCmo3);
        built && version == kind.version()
    }
}
