//! The gRPC services. Each call is checked for its token here; then the leader of this process answers it, or another
//! coordinator that leads, or nobody does for the moment. Blobs need no leader.

mod blobs;
mod farm;
mod forward;
mod reapi;
mod render;
mod workers;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use futures::stream::BoxStream;
use proto::{convert::WireError, retry};
use store::Store;
use tokio::sync::watch;
use tonic::metadata::MetadataMap;
use tonic::{Code, Status};

use crate::auth::{Identity, Role, Tokens};
use crate::metrics::Metrics;
use crate::pool::{Gone, Handle};

pub(crate) use blobs::Room;
pub(crate) use forward::{PeerTls, Peers};

/// How long a client should wait when nobody leads.
const NO_LEADER: Duration = Duration::from_millis(500);
/// How long an answer of the leader may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Streams of answers.
pub(crate) type Answers<T> = BoxStream<'static, Result<T, Status>>;

/// Who leads, as far as this coordinator knows.
#[derive(Clone)]
pub(crate) enum Lead {
    /// The leader runs here.
    Here(Handle),
    /// At this address.
    There(Arc<str>),
    /// Nobody known, for this reason.
    Nobody(Arc<str>),
}

/// What all services of a coordinator share.
pub(crate) struct Shared {
    pub(crate) lead: watch::Receiver<Lead>,
    pub(crate) tokens: Tokens,
    pub(crate) store: Store,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) serials: AtomicU64,
    pub(crate) peers: Peers,
    /// Memory for blobs on their way.
    pub(crate) room: Room,
}

/// All services of one coordinator.
#[derive(Clone)]
pub(crate) struct Service(pub(crate) Arc<Shared>);

/// Who answers a call.
enum Way {
    Here(Handle, Identity),
    There(tonic::transport::Channel),
}

impl Service {
    fn check(&self, metadata: &MetadataMap, roles: &[Role]) -> Result<Identity, Status> {
        self.0.tokens.check(metadata, roles)
    }

    /// Checks the caller and finds the leader.
    fn way(&self, metadata: &MetadataMap, roles: &[Role]) -> Result<Way, Status> {
        let identity = self.check(metadata, roles)?;
        let lead = self.0.lead.borrow().clone();
        match lead {
            Lead::Here(handle) => Ok(Way::Here(handle, identity)),
            Lead::There(address) if !forward::was_forwarded(metadata) => {
                Ok(Way::There(self.0.peers.channel(&address)?))
            }
            Lead::There(_) => Err(no_leader("the lead has just changed hands")),
            Lead::Nobody(reason) => Err(no_leader(&reason)),
        }
    }
}

fn no_leader(reason: &str) -> Status {
    retry::status(Code::Unavailable, reason, NO_LEADER)
}

fn gone(_: Gone) -> Status {
    no_leader("the lead has just changed hands")
}

fn invalid(error: WireError) -> Status {
    Status::invalid_argument(error.to_string())
}

/// Waits for the leader, not for ever.
async fn patient<T>(answer: impl Future<Output = Result<T, Gone>>) -> Result<T, Status> {
    match tokio::time::timeout(PATIENCE, answer).await {
        Ok(answer) => answer.map_err(gone),
        Err(_) => Err(no_leader("the farm's journal does not answer")),
    }
}

fn store_failed(metrics: &Metrics, error: &store::Error) -> Status {
    crate::metrics::count(&metrics.store_failures_total, 1);
    tracing::error!(%error, "the store failed");
    let message = format!("the farm's store failed: {error}");
    match error {
        // Waiting does not help.
        store::Error::ReadOnly { .. } | store::Error::Denied { .. } => Status::failed_precondition(message),
        _ => retry::status(Code::Unavailable, message, Duration::from_secs(1)),
    }
}
