//! One job, contained.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use plan::{Executor, FailureClass, Job, JobFailure, Memo, Outcome};

/// Runs one job. A panic becomes the failure `job-panicked`; kinds and versions the executor does not know and output
/// names nobody could read are failures too.
///
/// # Errors
/// The job's own failure, or one of those.
pub fn run(
    executor: &dyn Executor,
    job: &Job,
    inputs: &BTreeMap<String, Arc<[u8]>>,
    memo: &dyn Memo,
) -> Result<Outcome, JobFailure> {
    if !executor.supports(job.kind, &job.version) {
        return Err(JobFailure {
            class: FailureClass::Unsatisfiable,
            code: "unsupported-job".into(),
            message: format!("no worker runs {} of version {:?}", job.kind, job.version),
        });
    }
    // What the job leaves behind is dropped unread after a panic, so nothing half-made can be seen.
    let outcome = catch_unwind(AssertUnwindSafe(|| executor.run(job, inputs, memo)));
    let outcome = outcome.unwrap_or_else(|payload| {
        let said = message_of(&*payload);
        Err(JobFailure::deterministic("job-panicked", format!("{} stopped on a bug: {said}", job.kind)))
    })?;
    match outcome.outputs.keys().find(|name| !plan::graph::is_name(name)) {
        Some(name) => Err(JobFailure::deterministic(
            "bad-output-name",
            format!("{} gave an output with the impossible name {name:?}", job.kind),
        )),
        None => Ok(outcome),
    }
}

fn message_of(payload: &(dyn Any + Send)) -> &str {
    let owned = || payload.downcast_ref::<String>().map(String::as_str);
    payload.downcast_ref::<&str>().copied().or_else(owned).unwrap_or("without a message")
}

#[cfg(test)]
mod tests {
    use plan::{JobKind, NoMemo};

    use super::*;

    struct Odd;

    impl Executor for Odd {
        fn run(
            &self,
            job: &Job,
            _: &BTreeMap<String, Arc<[u8]>>,
            _: &dyn Memo,
        ) -> Result<Outcome, JobFailure> {
            match &job.params[..] {
                b"literal" => panic!("out of range"),
                b"formatted" => panic!("out of {}", "range"),
                name => {
                    let name = String::from_utf8_lossy(name).into_owned();
                    Ok(Outcome { outputs: BTreeMap::from([(name, vec![])]), subgraph: None })
                }
            }
        }
        fn supports(&self, _: JobKind, version: &str) -> bool {
            version == "1"
        }
    }

    #[test]
    fn failures() {
        let check = |version: &str, params: &str, expected: Option<(&str, &str)>| {
            let job = Job {
                kind: JobKind::Rig,
                version: version.into(),
                params: params.into(),
                inputs: BTreeMap::new(),
            };
            let failure = run(&Odd, &job, &BTreeMap::new(), &NoMemo).err();
            assert_eq!(failure.as_ref().map(|f| (f.code.as_str(), f.message.as_str())), expected);
        };
        check("1", "fine", None);
        check("2", "fine", Some(("unsupported-job", "no worker runs rig of version \"2\"")));
        check("1", "literal", Some(("job-panicked", "rig stopped on a bug: out of range")));
        check("1", "formatted", Some(("job-panicked", "rig stopped on a bug: out of range")));
        check("1", "", Some(("bad-output-name", "rig gave an output with the impossible name \"\"")));
    }
}
