//! The caller's end of a build.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use plan::OutputRef;
use worker::cache::CacheError;

use super::driver::Message;
use super::events::{BuildEvent, Summary};
use super::{BuildRequest, Farm};
use crate::state::{BuildId, Outputs};

/// A build at work. Iterating gives its events and ends after [`BuildEvent::BuildFinished`].
pub struct Build<'a> {
    farm: &'a Farm,
    id: BuildId,
    request: BuildRequest,
    events: Receiver<BuildEvent>,
    outputs: BTreeMap<(usize, String), Outputs>,
    summary: Option<Summary>,
}

/// Gives up a build from elsewhere, such as a signal handler's thread.
#[derive(Clone)]
pub struct Canceller {
    driver: Sender<Message>,
    id: BuildId,
}

impl Canceller {
    /// Gives up the build: what waits is dropped, what runs is not waited for.
    pub fn cancel(&self) {
        // A farm that is gone has no build to give up.
        let _ = self.driver.send(Message::Cancel(self.id));
    }
}

impl<'a> Build<'a> {
    pub(super) fn new(
        farm: &'a Farm,
        id: BuildId,
        request: BuildRequest,
        events: Receiver<BuildEvent>,
    ) -> Self {
        Self { farm, id, request, events, outputs: BTreeMap::new(), summary: None }
    }

    /// Something to give up the build with.
    pub fn canceller(&self) -> Canceller {
        Canceller { driver: self.farm.driver.clone(), id: self.id }
    }

    /// Waits for the end, dropping the remaining events.
    pub fn wait(&mut self) -> Summary {
        self.by_ref().for_each(drop);
        self.summary.unwrap_or_default()
    }

    /// Outputs of a wanted node of a finished character (by place in the request).
    pub fn outputs(&self, character: usize, node: &str) -> Option<&Outputs> {
        self.outputs.get(&(character, node.to_owned()))
    }

    /// The bytes of an output of a wanted node. When they are gone from the cache the character is built again, of
    /// which only the producer and what it needs runs, and they are read once more.
    ///
    /// # Errors
    /// [`CacheError`] when that did not help, or the store does not answer.
    pub fn fetch(&self, character: usize, node: &str, output: &OutputRef) -> Result<Arc<[u8]>, CacheError> {
        let gone = match self.farm.read(output) {
            Err(CacheError::Gone(blob)) => CacheError::Gone(blob),
            other => return other,
        };
        let Some(again) = self.request.characters.get(character) else { return Err(gone) };
        let request =
            BuildRequest { characters: vec![again.clone()], read_cache: true, ..self.request.clone() };
        let mut healed = self.farm.build(request);
        healed.wait();
        let found = healed.outputs(0, node).map(Outputs::all).unwrap_or_default();
        match found.into_values().find(|found| found.blob == output.blob) {
            Some(found) => self.farm.read(found),
            None => Err(gone),
        }
    }
}

impl Iterator for Build<'_> {
    type Item = BuildEvent;

    fn next(&mut self) -> Option<BuildEvent> {
        if self.summary.is_some() {
            return None;
        }
        let event = self.events.recv().ok()?;
        match &event {
            BuildEvent::CharacterFinished { place, outputs, .. } => {
                let named = outputs.iter().map(|(node, outputs)| ((*place, node.clone()), outputs.clone()));
                self.outputs.extend(named);
            }
            BuildEvent::BuildFinished(summary) => self.summary = Some(*summary),
            _ => {}
        }
        Some(event)
    }
}

impl Drop for Build<'_> {
    fn drop(&mut self) {
        if self.summary.is_none() {
            self.canceller().cancel();
        }
    }
}
