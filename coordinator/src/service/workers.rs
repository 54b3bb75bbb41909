//! The exchange with workers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use canonical::BlobRef;
use plan::{ActionResult, Job, JobFailure, JobKey};
use proto::v1::report::What;
use proto::v1::workers_client::WorkersClient;
use proto::v1::workers_server::Workers;
use proto::{PROTOCOL, convert, limits, v1};
use store::Action;
use tokio::sync::oneshot;
use tonic::{Request, Response, Status};

use super::forward::onward;
use super::{Service, Way, gone, invalid, no_leader, patient, store_failed};
use crate::auth::Role;
use crate::metrics::count;
use crate::pool::{Ended, Handle, Message, SyncAnswer, SyncCall};
use crate::state::{Capabilities, Fence, Held, Lease, WorkerId};

/// How long leases last, as told to workers; the state has the same.
pub(crate) const LEASE_MS: u64 = 15_000;
/// When a worker comes again at the latest.
const NEXT_SYNC_MS: u64 = 5_000;
/// How long a call may wait for the leader beyond its own patience.
const SYNC_TIMEOUT: Duration = Duration::from_secs(15);

#[tonic::async_trait]
impl Workers for Service {
    async fn sync(&self, request: Request<v1::SyncRequest>) -> Result<Response<v1::SyncResponse>, Status> {
        let handle = match self.way(request.metadata(), &[Role::Worker])? {
            Way::Here(handle, _) => handle,
            Way::There(channel) => {
                return WorkersClient::new(channel)
                    .max_decoding_message_size(limits::MESSAGE)
                    .max_encoding_message_size(limits::MESSAGE)
                    .sync(onward(request))
                    .await;
            }
        };
        let asked = Asked::new(request.into_inner())?;
        let reports = self.settle_reports(&handle, &asked).await?;
        let answer = self.exchange(&handle, asked, reports).await?;
        Ok(Response::new(respond(answer)))
    }
}

/// A request, checked.
struct Asked {
    worker: Option<WorkerId>,
    name: Arc<str>,
    capabilities: Capabilities,
    bundles: u32,
    fuse_us: u64,
    held: BTreeSet<(JobKey, u64)>,
    reports: Vec<(JobKey, u64, Said)>,
}

/// A report before its result was looked at.
enum Said {
    Done(Vec<u8>),
    Other(Box<Ended>),
}

impl Asked {
    fn new(request: v1::SyncRequest) -> Result<Self, Status> {
        if request.protocol != PROTOCOL {
            return Err(Status::failed_precondition(format!(
                "the worker speaks protocol {}, this coordinator {PROTOCOL}: use one release of rigfarm for both",
                request.protocol
            )));
        }
        if request.name.len() > limits::NAME || request.held.len() + request.reports.len() > limits::LIST {
            return Err(Status::invalid_argument("the name, or the list of leases or reports, is too long"));
        }
        // Kinds that this release does not know are of no use to it.
        let known = request.capabilities.into_iter().filter_map(|able| {
            let kind = plan::JobKind::from_name(&able.kind)?;
            (able.version.len() <= limits::WORD).then_some((kind, able.version))
        });
        let held = request.held.iter().map(|lease| Ok((convert::key(&lease.key)?, lease.fence)));
        Ok(Self {
            worker: (request.worker > 0).then_some(WorkerId(request.worker)),
            name: request.name.into(),
            capabilities: Capabilities::Only(known.collect()),
            bundles: request.bundles,
            fuse_us: request.fuse_us,
            held: held.collect::<Result<_, _>>().map_err(invalid)?,
            reports: request.reports.into_iter().map(report).collect::<Result<_, _>>().map_err(invalid)?,
        })
    }
}

fn report(report: v1::Report) -> Result<(JobKey, u64, Said), convert::WireError> {
    let lease = report.lease.ok_or(convert::WireError::Missing("the lease of a report"))?;
    let said = match report.what.ok_or(convert::WireError::Missing("what a report says"))? {
        What::Done(encoded) => Said::Done(encoded),
        What::Failed(failure) => Said::Other(Box::new(Ended::Failed(failure.try_into()?))),
        What::Missing(missing) => Said::Other(Box::new(Ended::Missing(convert::blobs(missing.blobs)?))),
        What::Released(_) => Said::Other(Box::new(Ended::Released)),
    };
    Ok((convert::key(&lease.key)?, lease.fence, said))
}

/// A result that may enter the cache.
struct Candidate {
    key: JobKey,
    fence: u64,
    encoded: Vec<u8>,
    result: Arc<ActionResult>,
    job: Arc<Job>,
    /// Whether the cache may hold another result of the same job.
    compare: bool,
    /// Whether results of this kind are not kept.
    flawed: bool,
}

impl Candidate {
    fn blobs(&self) -> Vec<BlobRef> {
        self.result.stored_blobs().chain(self.result.log).collect()
    }
}

impl Service {
    /// What each report comes to: results are checked and put into the cache first, as far as their lease is held.
    async fn settle_reports(
        &self,
        handle: &Handle,
        asked: &Asked,
    ) -> Result<Vec<(JobKey, u64, Ended)>, Status> {
        let mut ended = Vec::new();
        let mut done = Vec::new();
        for (key, fence, said) in &asked.reports {
            match said {
                Said::Done(encoded) => done.push((*key, *fence, encoded.clone())),
                Said::Other(other) => {
                    if let Ended::Missing(blobs) = &**other {
                        self.0.store.forget(blobs);
                    }
                    ended.push((*key, *fence, Ended::clone(other)));
                }
            }
        }
        if done.is_empty() {
            return Ok(ended);
        }
        let Some(worker) = asked.worker else {
            return Err(Status::invalid_argument("a worker without a number reports on leases"));
        };
        let leases: Vec<_> = done.iter().map(|(key, fence, _)| (*key, *fence)).collect();
        let held = patient(handle.look(move |ledger| {
            let held = leases.into_iter().map(|(key, fence)| {
                let (job, compare) = ledger.held(Held { worker, key, fence: Fence(fence) })?;
                let flawed = ledger.is_flawed(job.kind, &job.version);
                Some((job, compare, flawed))
            });
            held.collect::<Vec<_>>()
        }))
        .await?;
        let mut candidates = Vec::new();
        for ((key, fence, encoded), held) in done.into_iter().zip(held) {
            // Without the lease the report will be rejected, whatever it says.
            let Some((job, compare, flawed)) = held else {
                ended.push((key, fence, Ended::Released));
                continue;
            };
            match ActionResult::decode(&encoded) {
                Ok(result) => {
                    let result = Arc::new(result);
                    candidates.push(Candidate { key, fence, encoded, result, job, compare, flawed });
                }
                Err(error) => {
                    count(&self.0.metrics.reports_incomplete_total, 1);
                    ended.push((
                        key,
                        fence,
                        Ended::Failed(JobFailure::transient("bad-result", error.to_string())),
                    ));
                }
            }
        }
        ended.extend(self.keep(handle, candidates).await?);
        Ok(ended)
    }

    /// Puts results into the cache whose blobs are all there.
    async fn keep(
        &self,
        handle: &Handle,
        candidates: Vec<Candidate>,
    ) -> Result<Vec<(JobKey, u64, Ended)>, Status> {
        let named: Vec<_> = candidates.iter().flat_map(Candidate::blobs).collect();
        let missing: BTreeSet<_> =
            if named.is_empty() { BTreeSet::new() } else { self.missing(named).await?.into_iter().collect() };
        let mut ended = Vec::new();
        let mut writes = Vec::new();
        for candidate in candidates {
            let blobs = candidate.blobs();
            if let Some(blob) = blobs.iter().find(|blob| missing.contains(blob)) {
                count(&self.0.metrics.reports_incomplete_total, 1);
                let message = format!("the result names blob {}, which is not in the store", blob.digest);
                let failure = JobFailure::transient("result-incomplete", message);
                ended.push((candidate.key, candidate.fence, Ended::Failed(failure)));
                continue;
            }
            let mut is_kept = !candidate.flawed;
            if candidate.compare && is_kept && self.differs(&candidate).await? {
                is_kept = false;
                count(&self.0.metrics.nondeterministic_total, 1);
                tracing::error!(job = %candidate.key, kind = %candidate.job.kind, "two different results");
                let (kind, version) = (candidate.job.kind, candidate.job.version.clone());
                let flawed = Message::Nondeterministic(candidate.key, kind, version);
                handle.send(flawed).await.map_err(gone)?;
            }
            if is_kept {
                writes.push((candidate.key, Action { payload: candidate.encoded.into(), refs: blobs }));
            }
            ended.push((candidate.key, candidate.fence, Ended::Done(candidate.result)));
        }
        let writes = writes.iter().map(|(key, action)| self.0.store.put_action(&key.0, action));
        let written = futures::future::try_join_all(writes).await;
        written.map_err(|error| store_failed(&self.0.metrics, &error))?;
        Ok(ended)
    }

    /// Whether the cache holds another result of the job.
    async fn differs(&self, candidate: &Candidate) -> Result<bool, Status> {
        let found = self.0.store.get_action(&candidate.key.0).await;
        let found = found.map_err(|error| store_failed(&self.0.metrics, &error))?;
        let other = found.and_then(|action| ActionResult::decode(&action.payload).ok());
        Ok(other.is_some_and(|other| other.manifest_digest() != candidate.result.manifest_digest()))
    }

    async fn exchange(
        &self,
        handle: &Handle,
        asked: Asked,
        reports: Vec<(JobKey, u64, Ended)>,
    ) -> Result<SyncAnswer, Status> {
        let serial = self.0.serials.fetch_add(1, Ordering::Relaxed);
        let (reply, answer) = oneshot::channel();
        let (number, numbered) = oneshot::channel();
        let Asked { worker, name, capabilities, bundles, fuse_us, held, .. } = asked;
        let call = SyncCall {
            worker,
            serial,
            name,
            capabilities,
            bundles: bundles.min(256),
            fuse_us,
            held,
            reports,
            reply,
            number,
        };
        let mut guard = Guard { handle: handle.clone(), worker, serial, is_answered: false };
        handle.send(Message::Sync(Box::new(call))).await.map_err(gone)?;
        if guard.worker.is_none() {
            guard.worker = numbered.await.ok();
        }
        let answer = tokio::time::timeout(SYNC_TIMEOUT, answer).await;
        guard.is_answered = true;
        match answer {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_)) => Err(no_leader("the lead has just changed hands")),
            Err(_) => Err(no_leader("the farm's journal does not answer")),
        }
    }
}

/// Tells the leader when a worker's connection breaks while it waits.
struct Guard {
    handle: Handle,
    worker: Option<WorkerId>,
    serial: u64,
    is_answered: bool,
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let (Some(worker), false) = (self.worker, self.is_answered) {
            self.handle.try_send(Message::SyncGone(worker, self.serial));
        }
    }
}

fn respond(answer: SyncAnswer) -> v1::SyncResponse {
    let lease = |(key, fence): (JobKey, u64)| v1::Lease { key: super::render::bytes(key), fence };
    let bundle = |jobs: Vec<Lease>| v1::Bundle { jobs: jobs.into_iter().map(leased).collect() };
    v1::SyncResponse {
        worker: answer.worker,
        bundles: answer.bundles.into_iter().map(bundle).collect(),
        stop: answer.stop.into_iter().map(lease).collect(),
        lease_ms: LEASE_MS,
        next_sync_ms: NEXT_SYNC_MS,
    }
}

fn leased(lease: Lease) -> v1::LeasedJob {
    let inline: BTreeMap<_, _> = lease.inline;
    v1::LeasedJob {
        lease: Some(v1::Lease { key: super::render::bytes(lease.key), fence: lease.fence.0 }),
        job: Some((&*lease.job).into()),
        inline: inline.into_values().map(|bytes| bytes.to_vec()).collect(),
    }
}
