//! A farm somewhere else as a place to build at.

use std::hash::{BuildHasher, Hasher};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use canonical::Digest;
use coordinator::embedded::{BuildEvent, BuildRequest, Summary};
use plan::OutputRef;
use proto::v1;
use tokio::sync::watch;
use tonic::Status;
use worker::cache::CacheError;
use worker::transfer::TransferError;

use super::events::Listener;
use super::follow::{Follower, Patience};
use super::session::{self, Session};
use crate::build::site::{Run, Site};
use crate::failure::Failure;

/// How long bytes of a finished build are asked for while the farm is away.
const READ_PATIENCE: Duration = Duration::from_secs(120);

/// Longest title that is made up, in bytes.
const MAX_TITLE: usize = 200;

/// How builds are submitted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    /// For people.
    pub(crate) title: String,
    /// Who pays; empty for the tenant of the token.
    pub(crate) tenant: String,
    /// 1 (first) to 5; 0 for the usual.
    pub(crate) band: u32,
}

/// See the module.
pub(crate) struct RemoteSite {
    session: Session,
    terms: Terms,
    known: Arc<Mutex<Known>>,
}

/// What is known of the farm.
#[derive(Default)]
struct Known {
    was_answered: bool,
    /// Number of the last build.
    build: Option<u64>,
    /// Why there is no use in going on.
    trouble: Option<Failure>,
}

impl Terms {
    /// The usual ones, named after what is built.
    pub(crate) fn titled(inputs: &[PathBuf]) -> Self {
        let names: Vec<String> = inputs.iter().take(4).map(|path| path.display().to_string()).collect();
        let more = if inputs.len() > 4 { " …" } else { "" };
        let mut title = format!("{}{more}", names.join(" "));
        title.truncate(title.floor_char_boundary(MAX_TITLE));
        Self { title, ..Self::default() }
    }
}

impl RemoteSite {
    /// Over a session.
    pub(crate) fn new(session: Session, terms: Terms) -> Self {
        Self { session, terms, known: Arc::default() }
    }

    /// There is no use in asking the farm for more.
    fn give_up(&self, message: String) -> CacheError {
        let failure = format!("the farm at {} does not answer: {message}", self.session.address);
        lock(&self.known).trouble.get_or_insert(Failure::unreachable(failure));
        CacheError::Failed(message)
    }

    /// The number of the last build.
    pub(crate) fn last_build(&self) -> Option<u64> {
        lock(&self.known).build
    }

    /// The connection.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// What is to be submitted.
    ///
    /// # Errors
    /// Usage, when it is more than a farm takes.
    pub(crate) fn order(&self, request: &BuildRequest) -> Result<v1::SubmitRequest, Failure> {
        Ok(v1::SubmitRequest {
            request_id: request_id(),
            characters: session::characters(&request.characters)?,
            band: self.terms.band,
            ignore_cache: !request.read_cache,
            title: self.terms.title.clone(),
            tenant: self.terms.tenant.clone(),
        })
    }

    /// Submits a build and follows its events.
    pub(crate) fn follower(
        &self,
        request: BuildRequest,
        order: v1::SubmitRequest,
        told: std::sync::mpsc::Sender<BuildEvent>,
    ) -> Follower {
        let known = Arc::clone(&self.known);
        Follower {
            address: self.session.address.clone(),
            farm: self.session.farm(),
            transfer: self.session.transfer(),
            order,
            request,
            told,
            numbered: Box::new(move |build| {
                let mut known = lock(&known);
                (known.was_answered, known.build) = (true, Some(build));
            }),
        }
    }
}

impl Site for RemoteSite {
    fn build(&self, request: BuildRequest) -> Box<dyn Run + '_> {
        let (told, events) = channel();
        let (stop, mut stopped) = watch::channel(false);
        let order = self.order(&request);
        let follower = self.follower(request, order.as_ref().cloned().unwrap_or_default(), told);
        let refused = order.err();
        let known = Arc::clone(&self.known);
        self.session.runtime.spawn(async move {
            let mut listener = Listener::default();
            let was_answered = {
                let mut known = lock(&known);
                if known.trouble.is_none() {
                    known.trouble = refused;
                }
                if known.trouble.is_some() {
                    drop(known);
                    return follower.give_up(&listener, Summary::default(), "farm-unreachable", "not built");
                }
                known.was_answered
            };
            let ended = tokio::select! {
                ended = follower.follow(&mut listener, was_answered) => Some(ended),
                _ = stopped.wait_for(|stopped| *stopped) => None,
            };
            match ended {
                Some(Ok(summary)) => {
                    follower.give_up(&listener, summary, "not-delivered", "the farm forgot it")
                }
                Some(Err(failure)) => {
                    let message = failure.message().to_owned();
                    lock(&known).trouble = Some(failure);
                    follower.give_up(&listener, Summary::default(), "farm-unreachable", &message);
                }
                None => follower.give_up(&listener, Summary::default(), "cancelled", "left to the farm"),
            }
        });
        Box::new(RemoteRun { events, stop: Arc::new(stop), summary: None })
    }

    fn read(&self, output: &OutputRef) -> Result<Arc<[u8]>, CacheError> {
        if let Some(bytes) = &output.inline {
            return Ok(bytes.as_slice().into());
        }
        let transfer = self.session.transfer();
        let mut patience = Patience::new(READ_PATIENCE);
        self.session.runtime.block_on(async {
            loop {
                match transfer.get(&output.blob).await {
                    Ok(bytes) => return Ok(bytes),
                    Err(TransferError::Gone(blob)) => return Err(CacheError::Gone(blob)),
                    Err(TransferError::Refused(message)) => return Err(self.give_up(message)),
                    Err(TransferError::Away(message)) => match patience.next(&Status::unavailable("")) {
                        Some(pause) => tokio::time::sleep(pause).await,
                        None => return Err(self.give_up(message)),
                    },
                }
            }
        })
    }

    fn flush(&self) -> Vec<String> {
        Vec::new()
    }

    fn trouble(&self) -> Option<Failure> {
        lock(&self.known).trouble.take()
    }

    fn farewell(&self) -> Option<String> {
        let build = self.last_build()?;
        let address = &self.session.address;
        Some(format!(
            "build {build} goes on on the farm; the same command once more comes back to it, or:\n  \
             rigfarm watch {build} --coordinator {address}\n  \
             rigfarm fetch {build} --coordinator {address} --out DIR\n  \
             rigfarm cancel {build} --coordinator {address}"
        ))
    }
}

/// A build on the farm as its client follows it; dropping it leaves the build to the farm.
struct RemoteRun {
    events: Receiver<BuildEvent>,
    stop: Arc<watch::Sender<bool>>,
    summary: Option<Summary>,
}

impl Iterator for RemoteRun {
    type Item = BuildEvent;

    fn next(&mut self) -> Option<BuildEvent> {
        if self.summary.is_some() {
            return None;
        }
        let event = self.events.recv().ok()?;
        if let BuildEvent::BuildFinished(summary) = &event {
            self.summary = Some(*summary);
        }
        Some(event)
    }
}

impl Run for RemoteRun {
    /// An interrupt leaves the build to the farm, which goes on with it.
    fn stopper(&self) -> Box<dyn Fn() + Send> {
        let stop = Arc::clone(&self.stop);
        Box::new(move || {
            stop.send_replace(true);
        })
    }

    fn wait(&mut self) -> Summary {
        self.by_ref().for_each(drop);
        self.summary.unwrap_or_default()
    }
}

impl Drop for RemoteRun {
    fn drop(&mut self) {
        self.stop.send_replace(true);
    }
}

/// A name that no other submission has.
fn request_id() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let random = || std::hash::RandomState::new().build_hasher().finish();
    let seed = format!("{} {} {} {}", std::process::id(), now.as_nanos(), random(), random());
    Digest::of(seed.as_bytes()).to_hex()[..32].to_owned()
}

fn lock(known: &Mutex<Known>) -> MutexGuard<'_, Known> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}
