//! One build on a farm from its submission to its end, through lost connections and coordinators that forgot it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use canonical::BlobRef;
use coordinator::embedded::{BuildEvent, BuildRequest, Sources, Summary};
use coordinator::state::Outputs;
use plan::character::BUNDLE;
use plan::{FailureClass, JobFailure};
use proto::{convert, v1};
use tonic::{Code, Status};
use worker::link::{self, Channel};
use worker::transfer::{Transfer, TransferError};

use super::events::{self, Heard, Listener};
use super::session::failure;
use crate::failure::Failure;

/// How long a farm that has answered before may be away.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15 * 60);
/// How long a farm may be there without anybody leading it.
const LEADERLESS: Duration = Duration::from_secs(30);
/// First pause before the next attempt; doubles up to the second.
const PAUSE: Duration = Duration::from_millis(200);
const MAX_PAUSE: Duration = Duration::from_secs(5);
/// Art files sent at once.
const UPLOADS: usize = 4;

/// A build to be followed.
pub(crate) struct Follower {
    /// For messages.
    pub(crate) address: String,
    pub(crate) farm: v1::farm_client::FarmClient<Channel>,
    pub(crate) transfer: Transfer,
    /// What is submitted, and again when the farm has forgotten it.
    pub(crate) order: v1::SubmitRequest,
    /// The same as its client knows it.
    pub(crate) request: BuildRequest,
    /// Who is told.
    pub(crate) told: Sender<BuildEvent>,
    /// Told each number the build gets.
    pub(crate) numbered: Box<dyn Fn(u64) + Send + Sync>,
}

/// A character as its build knows it.
struct Wanted {
    place: usize,
    nodes: BTreeSet<String>,
}

/// How following a build's events ended.
enum Watched {
    Ended(Summary),
    Forgotten,
}

/// Waiting for a farm that is away.
pub(crate) struct Patience {
    since: Option<Instant>,
    pause: Duration,
    limit: Duration,
}

impl Follower {
    /// Until the build has ended. `was_answered` tells whether the farm is known to be there; else the first call that
    /// fails is the last.
    ///
    /// # Errors
    /// Unreachable, or usage when the farm does not take the build.
    pub(crate) async fn follow(
        &self,
        listener: &mut Listener,
        was_answered: bool,
    ) -> Result<Summary, Failure> {
        let mut patience = Patience::new(if was_answered { PATIENCE } else { Duration::ZERO });
        // Kept when the farm forgets the build: what was heard once is not heard again.
        let mut held = Vec::new();
        loop {
            let build = self.submit(&mut patience).await?;
            patience.limit = PATIENCE;
            (self.numbered)(build);
            match self.watch(build, listener, &mut held, &mut patience).await? {
                Watched::Ended(summary) => return Ok(summary),
                Watched::Forgotten => {
                    let message = format!("the farm has forgotten build {build}: it is submitted again");
                    self.notice(message);
                }
            }
        }
    }

    /// Starts the build and leaves it to the farm.
    ///
    /// # Errors
    /// As [`Self::follow`].
    pub(crate) async fn start(&self) -> Result<u64, Failure> {
        self.submit(&mut Patience::new(Duration::ZERO)).await
    }

    /// Sends what is missing and starts the build.
    async fn submit(&self, patience: &mut Patience) -> Result<u64, Failure> {
        loop {
            let answer = self.farm.clone().submit(self.order.clone()).await;
            let answer = match answer {
                Ok(answer) => answer.into_inner().answer,
                Err(status) => {
                    self.pause(patience, &status).await?;
                    continue;
                }
            };
            patience.limit = PATIENCE;
            match answer {
                Some(v1::submit_response::Answer::Build(build)) => return Ok(build),
                Some(v1::submit_response::Answer::Missing(missing)) => {
                    let missing =
                        convert::blobs(missing.missing).map_err(|e| Failure::failed(e.to_string()))?;
                    self.upload(missing, patience).await?;
                }
                None => return Err(Failure::failed("the farm gave no answer that this release understands")),
            }
        }
    }

    async fn upload(&self, missing: Vec<BlobRef>, patience: &mut Patience) -> Result<(), Failure> {
        use futures::StreamExt;
        let sends = missing.into_iter().map(|blob| {
            let (transfer, sources) = (self.transfer.clone(), Arc::clone(&self.request.sources));
            async move { send(&transfer, &sources, blob).await }
        });
        let sends: Vec<_> = sends.collect();
        let sent: Vec<_> = futures::stream::iter(sends).buffer_unordered(UPLOADS).collect().await;
        for sent in sent {
            match sent {
                Ok(()) => {}
                // What did not arrive is missing in the next answer too.
                Err(Sending::Away(status)) => self.pause(patience, &status).await?,
                Err(Sending::Refused(message)) => return Err(Failure::failed(message)),
            }
        }
        Ok(())
    }

    async fn watch(
        &self,
        build: u64,
        listener: &mut Listener,
        held: &mut Vec<BuildEvent>,
        patience: &mut Patience,
    ) -> Result<Watched, Failure> {
        let mut after = 0;
        loop {
            let mut events = match self.farm.clone().watch(v1::WatchRequest { build, after }).await {
                Ok(events) => events.into_inner(),
                Err(status) if status.code() == Code::NotFound => return Ok(Watched::Forgotten),
                Err(status) => {
                    self.pause(patience, &status).await?;
                    continue;
                }
            };
            loop {
                match events.message().await {
                    Ok(Some(event)) => {
                        patience.calm();
                        let heard = event.event.map_or(Heard::Nothing, |event| listener.hear(event));
                        match self.act(build, heard, listener, held, patience).await? {
                            Some(watched) => return Ok(watched),
                            None => after = event.id,
                        }
                    }
                    Ok(None) => {
                        let cut_off = Status::unavailable("the coordinator ended the call");
                        self.pause(patience, &cut_off).await?;
                        break;
                    }
                    Err(status) if status.code() == Code::NotFound => return Ok(Watched::Forgotten),
                    Err(status) => {
                        self.pause(patience, &status).await?;
                        break;
                    }
                }
            }
        }
    }

    async fn act(
        &self,
        build: u64,
        heard: Heard,
        listener: &mut Listener,
        held: &mut Vec<BuildEvent>,
        patience: &mut Patience,
    ) -> Result<Option<Watched>, Failure> {
        match heard {
            Heard::Nothing => {}
            Heard::Pass(event) => self.tell(event),
            Heard::NodeEnded(event) => self.node_ended(build, event, held, patience).await?,
            Heard::CharacterEnded(character, failure) => {
                let Some(outputs) = self.fetch(build, &character, patience).await? else {
                    return Ok(Some(Watched::Forgotten));
                };
                for event in take_of(held, &character) {
                    self.tell(with_outputs(event, &outputs));
                }
                if let Some(wanted) = self.wanted(&character) {
                    let place = wanted.place;
                    listener.done.insert(Arc::clone(&character));
                    self.tell(BuildEvent::CharacterFinished { place, character, failure, outputs });
                }
            }
            Heard::Ended(summary) => return Ok(Some(Watched::Ended(summary))),
        }
        Ok(None)
    }

    /// Nodes that nobody asked for are told of at once, the others when their outputs are known: a bundle that does not
    /// wait for its pictures now, everything else with its character.
    async fn node_ended(
        &self,
        build: u64,
        event: BuildEvent,
        held: &mut Vec<BuildEvent>,
        patience: &mut Patience,
    ) -> Result<(), Failure> {
        let BuildEvent::JobFinished { node, .. } = &event else { return Ok(()) };
        let wanted = self.wanted(&node.character).filter(|wanted| wanted.nodes.contains(&*node.node));
        match wanted {
            None => self.tell(event),
            Some(wanted) if &*node.node == BUNDLE && wanted.nodes.len() > 1 => {
                let outputs = self.fetch(build, &Arc::clone(&node.character), patience).await?;
                match outputs.filter(|outputs| outputs.contains_key(BUNDLE)) {
                    Some(outputs) => self.tell(with_outputs(event, &outputs)),
                    None => held.push(event),
                }
            }
            Some(_) => held.push(event),
        }
        Ok(())
    }

    /// The outputs of a character, `None` when the build is forgotten.
    async fn fetch(
        &self,
        build: u64,
        character: &Arc<str>,
        patience: &mut Patience,
    ) -> Result<Option<BTreeMap<String, Outputs>>, Failure> {
        loop {
            let request = v1::FetchRequest { build, characters: vec![character.to_string()] };
            let fetched = async {
                let mut fetched = self.farm.clone().fetch(request).await?.into_inner();
                fetched.message().await
            };
            match fetched.await {
                Ok(fetched) => return Ok(Some(fetched.map(events::outputs).unwrap_or_default())),
                Err(status) if status.code() == Code::NotFound => return Ok(None),
                Err(status) => self.pause(patience, &status).await?,
            }
        }
    }

    fn wanted(&self, character: &str) -> Option<Wanted> {
        let place = self.request.characters.iter().position(|(name, _)| name == character)?;
        let nodes = self.request.characters[place].1.wanted().iter().cloned().collect();
        Some(Wanted { place, nodes })
    }

    async fn pause(&self, patience: &mut Patience, status: &Status) -> Result<(), Failure> {
        let is_first = patience.since.is_none();
        let pause = patience.next(status).ok_or_else(|| failure(&self.address, status))?;
        if is_first {
            self.notice(format!("the farm does not answer, waiting for it: {}", link::told(status)));
        }
        tokio::time::sleep(pause).await;
        Ok(())
    }

    fn notice(&self, message: String) {
        self.tell(BuildEvent::Notice { code: "farm-away", message });
    }

    fn tell(&self, event: BuildEvent) {
        // A caller who does not listen any more has gone.
        let _ = self.told.send(event);
    }

    /// Ends characters that have not ended and the build, for the caller.
    pub(crate) fn give_up(&self, listener: &Listener, summary: Summary, code: &str, message: &str) {
        let class = if code == "cancelled" { FailureClass::Cancelled } else { FailureClass::Transient };
        let failure = JobFailure { class, code: code.to_owned(), message: message.to_owned() };
        for (place, (name, _)) in self.request.characters.iter().enumerate() {
            if !listener.done.contains(name.as_str()) {
                self.tell(BuildEvent::CharacterFinished {
                    place,
                    character: name.as_str().into(),
                    failure: Some(failure.clone()),
                    outputs: BTreeMap::new(),
                });
            }
        }
        self.tell(BuildEvent::BuildFinished(summary));
    }
}

enum Sending {
    Away(Status),
    Refused(String),
}

async fn send(transfer: &Transfer, sources: &Arc<dyn Sources>, blob: BlobRef) -> Result<(), Sending> {
    let read = tokio::task::spawn_blocking({
        let sources = Arc::clone(sources);
        move || sources.read(&blob)
    });
    let bytes = match read.await {
        Ok(Some(Ok(bytes))) => bytes,
        Ok(Some(Err(message))) => return Err(Sending::Refused(message)),
        Ok(None) => {
            return Err(Sending::Refused(format!("the farm wants blob {}, which is no art", blob.digest)));
        }
        Err(error) => return Err(Sending::Refused(error.to_string())),
    };
    if BlobRef::of(&bytes) != blob {
        return Err(Sending::Refused("an art file changed while it was being sent: build again".to_owned()));
    }
    transfer.put(blob, bytes).await.map_err(|error| match error {
        TransferError::Away(message) => Sending::Away(Status::unavailable(message)),
        other => Sending::Refused(other.to_string()),
    })
}

impl Patience {
    pub(crate) fn new(limit: Duration) -> Self {
        Self { since: None, pause: PAUSE, limit }
    }

    /// The farm answers.
    pub(crate) fn calm(&mut self) {
        (self.since, self.pause) = (None, PAUSE);
    }

    /// How long to wait before the next attempt; `None` when there should be none.
    pub(crate) fn next(&mut self, status: &Status) -> Option<Duration> {
        let since = *self.since.get_or_insert_with(Instant::now);
        let told = proto::retry::after(status);
        let is_busy = status.code() == Code::ResourceExhausted;
        // Who says when to come again is there.
        let limit = if told.is_some() { self.limit.max(LEADERLESS) } else { self.limit };
        if !link::is_away(status) || !is_busy && since.elapsed() >= limit {
            return None;
        }
        let pause = told.unwrap_or(self.pause).min(MAX_PAUSE);
        self.pause = (self.pause * 2).min(MAX_PAUSE);
        Some(pause)
    }
}

fn take_of(held: &mut Vec<BuildEvent>, character: &str) -> Vec<BuildEvent> {
    let is_of = |event: &BuildEvent| matches!(event, BuildEvent::JobFinished { node, .. } if &*node.character == character);
    let (taken, rest) = std::mem::take(held).into_iter().partition(is_of);
    *held = rest;
    taken
}

fn with_outputs(mut event: BuildEvent, fetched: &BTreeMap<String, Outputs>) -> BuildEvent {
    if let BuildEvent::JobFinished { node, outputs, .. } = &mut event {
        *outputs = fetched.get(&*node.node).cloned();
    }
    event
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_is_for_farms_that_are_away() {
        let away = Status::unavailable("");
        let mut patience = Patience::new(PATIENCE);
        let pauses: Vec<_> = (0..7).map(|_| patience.next(&away).map(|p| p.as_millis())).collect();
        assert_eq!(pauses, [200, 400, 800, 1600, 3200, 5000, 5000].map(Some));
        patience.calm();
        assert_eq!(patience.next(&away), Some(PAUSE));
        assert_eq!(patience.next(&Status::permission_denied("")), None);
        assert_eq!(Patience::new(Duration::ZERO).next(&away), None);
        assert!(Patience::new(Duration::ZERO).next(&Status::resource_exhausted("")).is_some());
    }
}
