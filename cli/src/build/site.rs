//! Where a batch is built: the farm of this process, or one that is reached through its coordinator.

use std::sync::Arc;

use coordinator::embedded::{Build, BuildEvent, BuildRequest, Farm, Summary};
use plan::OutputRef;
use worker::cache::CacheError;

use crate::failure::Failure;

/// A farm, wherever it is.
pub(crate) trait Site: Sync {
    /// Starts a build. Its events must be read to learn of its end; dropping the handle gives it up.
    fn build(&self, request: BuildRequest) -> Box<dyn Run + '_>;
    /// The bytes of an output of a finished node.
    ///
    /// # Errors
    /// [`CacheError::Gone`] when its job must run again.
    fn read(&self, output: &OutputRef) -> Result<Arc<[u8]>, CacheError>;
    /// Waits for what is done in the background; gives its troubles in words for people.
    fn flush(&self) -> Vec<String>;
    /// Why building came to an end, if not by itself.
    fn trouble(&self) -> Option<Failure> {
        None
    }
    /// What an interrupted user should know.
    fn farewell(&self) -> Option<String> {
        None
    }
}

/// A build at work: its events, the last of which is [`BuildEvent::BuildFinished`].
pub(crate) trait Run: Iterator<Item = BuildEvent> {
    /// What an interrupt does to it.
    fn stopper(&self) -> Box<dyn Fn() + Send>;
    /// Waits for the end, dropping the remaining events.
    fn wait(&mut self) -> Summary;
}

impl Site for Farm {
    fn build(&self, request: BuildRequest) -> Box<dyn Run + '_> {
        Box::new(Self::build(self, request))
    }
    fn read(&self, output: &OutputRef) -> Result<Arc<[u8]>, CacheError> {
        Self::read(self, output)
    }
    fn flush(&self) -> Vec<String> {
        Self::flush(self)
    }
}

impl Run for Build<'_> {
    fn stopper(&self) -> Box<dyn Fn() + Send> {
        let canceller = self.canceller();
        Box::new(move || canceller.cancel())
    }
    fn wait(&mut self) -> Summary {
        Self::wait(self)
    }
}
