//! What is asked of the leader, and how to ask.

use std::collections::BTreeSet;
use std::sync::Arc;

use canonical::BlobRef;
use plan::{ActionResult, JobFailure, JobKey, JobKind};
use tokio::sync::{mpsc, oneshot};

use crate::ledger::{Book, Ledger, Order};
use crate::state::{BuildId, Capabilities, Found, Held, Lease, WorkerId};

/// Something asked of the leader. What it answers is committed.
pub(crate) enum Message {
    Submit(Order, oneshot::Sender<Result<BuildId, Refusal>>),
    Cancel(BuildId),
    Retry(JobKey),
    Sync(Box<SyncCall>),
    /// The caller of a sync went away before it was answered.
    SyncGone(WorkerId, u64),
    /// Leases that reached nobody.
    Undelivered(Vec<Held>),
    LookedUp(Vec<(JobKey, Found)>),
    /// Two results of one key were seen, which is of this kind and version.
    Nondeterministic(JobKey, JobKind, String),
    /// To be called with a build once it has more events than that, or has ended; or with nothing.
    Await(BuildId, u64, AskBook),
    /// To be called with all that is known.
    Look(Ask),
}

/// A question, to be asked once what it is about is committed.
pub(crate) type Ask = Box<dyn FnOnce(&Ledger) + Send>;

/// A question about one build.
pub(crate) type AskBook = Box<dyn FnOnce(Option<&Book>) + Send>;

/// Why a build is not started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("tenant {tenant} has {builds} unfinished builds: wait until one has ended, or cancel one")]
    Builds { tenant: Arc<str>, builds: usize },
    #[error(
        "tenant {tenant} has {nodes} nodes in unfinished builds, more than allowed with this one: wait until some ended"
    )]
    Nodes { tenant: Arc<str>, nodes: usize },
    #[error("the farm has as many unfinished jobs as it takes: try again later")]
    Farm,
}

/// One exchange with a worker.
pub(crate) struct SyncCall {
    /// Nothing for a worker without a number.
    pub(crate) worker: Option<WorkerId>,
    /// Tells calls of one worker apart.
    pub(crate) serial: u64,
    pub(crate) name: Arc<str>,
    pub(crate) capabilities: Capabilities,
    pub(crate) bundles: u32,
    pub(crate) fuse_us: u64,
    /// Leases to keep.
    pub(crate) held: BTreeSet<(JobKey, u64)>,
    pub(crate) reports: Vec<(JobKey, u64, Ended)>,
    pub(crate) reply: oneshot::Sender<SyncAnswer>,
    /// Told as soon as it is known.
    pub(crate) number: oneshot::Sender<WorkerId>,
}

/// What became of a lease.
#[derive(Clone)]
pub(crate) enum Ended {
    /// The result is in the cache.
    Done(Arc<ActionResult>),
    Failed(JobFailure),
    Missing(Vec<BlobRef>),
    Released,
}

/// What a worker should do.
#[derive(Debug, Default)]
pub(crate) struct SyncAnswer {
    pub(crate) worker: u64,
    pub(crate) bundles: Vec<Vec<Lease>>,
    pub(crate) stop: Vec<(JobKey, u64)>,
}

/// A way to the leader of this process. Nobody answers once it does not lead any more.
#[derive(Clone)]
pub(crate) struct Handle {
    sender: mpsc::Sender<Message>,
}

/// The leader leads no more; whether the message had an effect is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gone;

impl Handle {
    pub(crate) fn new(sender: mpsc::Sender<Message>) -> Self {
        Self { sender }
    }

    pub(crate) async fn send(&self, message: Message) -> Result<(), Gone> {
        self.sender.send(message).await.map_err(|_| Gone)
    }

    /// Sends from where nothing can wait; in the worst case it is lost, and a deadline does its work.
    pub(crate) fn try_send(&self, message: Message) {
        let _ = self.sender.try_send(message);
    }

    /// Answers a question about what is known.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Ledger) -> T + Send + 'static,
    ) -> Result<T, Gone> {
        let (reply, answer) = oneshot::channel();
        let ask = Box::new(move |ledger: &Ledger| drop(reply.send(question(ledger))));
        self.send(Message::Look(ask)).await?;
        answer.await.map_err(|_| Gone)
    }

    /// Answers a question about a build when it has more than `after` events or has ended.
    pub(crate) async fn wait<T: Send + 'static>(
        &self,
        build: BuildId,
        after: u64,
        question: impl FnOnce(Option<&Book>) -> T + Send + 'static,
    ) -> Result<T, Gone> {
        let (reply, answer) = oneshot::channel();
        let ask = Box::new(move |book: Option<&Book>| drop(reply.send(question(book))));
        self.send(Message::Await(build, after, ask)).await?;
        answer.await.map_err(|_| Gone)
    }
}
