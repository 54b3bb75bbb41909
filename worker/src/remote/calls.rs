//! The exchange with the coordinator: one call waits for work, and another overtakes it whenever there is news.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use canonical::Digest;
use plan::Job;
use proto::convert::{self, WireError};
use proto::v1;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tonic::{Code, Request, Status};

use super::desk::{Desk, Ticket, Word};
use super::slots::{Leased, Loader};
use super::{Phase, RemoteError};
use crate::link::{self, Channel};

/// A call that takes longer than the coordinator's patience and this is given up.
const SLACK: Duration = Duration::from_secs(10);
/// What the coordinator's patience is taken for before it said so.
const PATIENCE: Duration = Duration::from_secs(5);
/// First pause after a failed call; doubles with each further one…
const PAUSE: Duration = Duration::from_millis(100);
/// …up to this many times.
const DOUBLINGS: u32 = 6;
/// While draining, calls that fail before the coordinator is no longer waited for.
const LAST_ATTEMPTS: u32 = 6;

/// What stays the same in all calls.
pub(super) struct Caller {
    pub(super) client: v1::workers_client::WorkersClient<Channel>,
    pub(super) desk: Arc<Desk>,
    pub(super) loader: Loader,
    pub(super) name: String,
    pub(super) capabilities: Vec<v1::Capability>,
    pub(super) fuse_us: u64,
}

/// What changes from call to call.
struct Course {
    /// As the coordinator numbered us; 0 before.
    worker: u64,
    was_answered: bool,
    /// Calls failed since the last answer.
    failures: u32,
    /// No call before this.
    pause_until: Instant,
    /// Bundles asked for by the call that waits.
    asked: u32,
    drains: bool,
}

/// A call that has ended, with the reports it carried.
type Answered = (Result<v1::SyncResponse, Status>, Word);

impl Caller {
    /// Until drained.
    pub(super) async fn talk(self, mut phase: watch::Receiver<Phase>) -> Result<(), RemoteError> {
        let mut course = Course {
            worker: 0,
            was_answered: false,
            failures: 0,
            pause_until: Instant::now(),
            asked: 0,
            drains: false,
        };
        let mut calls: JoinSet<Answered> = JoinSet::new();
        while !self.is_over(&course) {
            let may = self.may_call(&course, calls.len());
            if may && Instant::now() >= course.pause_until {
                let word = self.desk.word();
                course.asked = word.bundles;
                calls.spawn(self.call(course.worker, word));
                continue;
            }
            tokio::select! {
                Some(ended) = calls.join_next() => {
                    // A call neither panics nor is cancelled.
                    let Ok((answer, word)) = ended else { continue };
                    if calls.is_empty() {
                        course.asked = 0;
                    }
                    self.answered(&mut course, answer, word)?;
                }
                () = self.desk.news() => {}
                () = tokio::time::sleep_until(course.pause_until), if may => {}
                changed = phase.changed(), if !course.drains => {
                    if changed.is_err() || *phase.borrow() == Phase::Drain {
                        course.drains = true;
                        course.failures = 0;
                        self.desk.drain();
                        tracing::info!(held = self.desk.counts().0, "drains: takes no more");
                    }
                }
            }
        }
        Ok(())
    }

    /// One call always waits. Another overtakes it when there is news; without a number it would be taken for another
    /// worker's.
    fn may_call(&self, course: &Course, calls: usize) -> bool {
        let is_outdated = || self.desk.has_news(course.asked) || course.drains && course.asked > 0;
        calls == 0 || calls == 1 && course.worker != 0 && is_outdated()
    }

    /// Whether all is said, or could not be said for long though nothing is left to do: leases end by themselves.
    fn is_over(&self, course: &Course) -> bool {
        let is_alone = course.failures >= LAST_ATTEMPTS && self.desk.is_idle();
        course.drains && (self.desk.is_clear() || is_alone)
    }

    fn call(&self, worker: u64, word: Word) -> impl Future<Output = Answered> + Send + 'static {
        let mut client = self.client.clone();
        let report = |(ticket, what): &(Ticket, v1::report::What)| v1::Report {
            lease: Some(ticket.to_wire()),
            what: Some(what.clone()),
        };
        let mut request = Request::new(v1::SyncRequest {
            protocol: proto::PROTOCOL,
            worker,
            name: self.name.clone(),
            capabilities: self.capabilities.clone(),
            bundles: word.bundles,
            fuse_us: self.fuse_us,
            held: word.held.clone(),
            reports: word.reports.iter().map(report).collect(),
        });
        request.set_timeout(PATIENCE + SLACK);
        async move { (client.sync(request).await.map(tonic::Response::into_inner), word) }
    }

    fn answered(
        &self,
        course: &mut Course,
        answer: Result<v1::SyncResponse, Status>,
        word: Word,
    ) -> Result<(), RemoteError> {
        let answer = match answer {
            Ok(answer) => answer,
            Err(status) => {
                self.desk.unheard(word.reports);
                return self.failed(course, &status);
            }
        };
        if course.failures > 0 || !course.was_answered {
            tracing::info!(worker = answer.worker, "the coordinator answers");
        }
        (course.failures, course.was_answered, course.worker) = (0, true, answer.worker);
        self.desk.heard(&word.reports);
        let stopped: Vec<Ticket> = answer.stop.iter().filter_map(|lease| ticket(Some(lease)).ok()).collect();
        let withdrawn = self.desk.stop(stopped.into_iter());
        if withdrawn > 0 {
            tracing::info!(withdrawn, "leases withdrawn");
        }
        answer.bundles.into_iter().for_each(|bundle| self.accept(bundle));
        Ok(())
    }

    /// Takes leases on. What cannot be understood is given back; another worker may know better.
    fn accept(&self, bundle: v1::Bundle) {
        let (mut jobs, mut tickets) = (Vec::new(), Vec::new());
        for leased in bundle.jobs {
            let Ok(ticket) = ticket(leased.lease.as_ref()) else { continue };
            match leased_job(ticket, leased) {
                Ok(job) => {
                    tickets.push(ticket);
                    jobs.push(job);
                }
                Err(error) => tracing::error!(%error, job = %ticket.key, "a lease is not understood"),
            }
        }
        if !jobs.is_empty() && self.desk.accept(&tickets) {
            tokio::spawn(self.loader.clone().load(jobs));
        }
    }

    /// Another call is made after a pause.
    fn failed(&self, course: &mut Course, status: &Status) -> Result<(), RemoteError> {
        let is_final = matches!(
            status.code(),
            Code::Unauthenticated | Code::PermissionDenied | Code::FailedPrecondition | Code::Unimplemented
        );
        if is_final && !course.was_answered {
            return Err(RemoteError::Refused(link::told(status)));
        }
        if course.failures == 0 {
            let (held, ..) = self.desk.counts();
            tracing::warn!(error = link::told(status), held, "the coordinator does not answer; jobs go on");
        }
        let pause = PAUSE * (1 << course.failures.min(DOUBLINGS));
        let pause = proto::retry::after(status).unwrap_or(pause).min(PAUSE * (1 << DOUBLINGS));
        course.failures = course.failures.saturating_add(1);
        course.pause_until = Instant::now() + pause.mul_f64(super::jitter());
        Ok(())
    }
}

fn ticket(lease: Option<&v1::Lease>) -> Result<Ticket, WireError> {
    let lease = lease.ok_or(WireError::Missing("a lease"))?;
    Ok(Ticket { key: convert::key(&lease.key)?, fence: lease.fence })
}

fn leased_job(ticket: Ticket, leased: v1::LeasedJob) -> Result<Leased, String> {
    let job: Job =
        leased.job.ok_or("it has no job")?.try_into().map_err(|error: WireError| error.to_string())?;
    // A job under another key would put its result where another belongs.
    if job.key() != ticket.key {
        return Err(format!("its job has the key {}", job.key()));
    }
    let named = |bytes: Vec<u8>| (Digest::of(&bytes), Arc::from(bytes));
    let inline: BTreeMap<_, _> = leased.inline.into_iter().map(named).collect();
    Ok(Leased { ticket, job, inline })
}
