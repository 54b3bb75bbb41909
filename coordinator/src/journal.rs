//! Where a farm's entries are kept so that another coordinator can go on.
//!
//! One coordinator of a pool *leads*; each leadership has an *epoch*, and what is written under an epoch that is over is
//! refused. A journal remembers its own position, so that writing a batch again after an unknown outcome is safe.

mod memory;
mod redis;

use std::future::Future;

pub use memory::{Memory, MemoryPlace};
pub use redis::Redis;

/// Entries and snapshots of one pool. Batches and snapshots are opaque here.
pub trait Journal: Send + 'static {
    /// Tries to become or stay leader.
    ///
    /// # Errors
    /// [`JournalError::Unreachable`], [`JournalError::Refused`].
    fn claim(&mut self) -> impl Future<Output = Result<Claim, JournalError>> + Send;

    /// All that is kept, as its leader; from now on this journal's position is behind it.
    ///
    /// # Errors
    /// Every [`JournalError`].
    fn load(&mut self) -> impl Future<Output = Result<Kept, JournalError>> + Send;

    /// Writes a batch behind this journal's position. After [`JournalError::Unreachable`] the same batch may be
    /// written again: it is kept once.
    ///
    /// # Errors
    /// Every [`JournalError`].
    fn append(&mut self, batch: &[u8]) -> impl Future<Output = Result<(), JournalError>> + Send;

    /// Replaces all that is kept by a snapshot.
    ///
    /// # Errors
    /// Every [`JournalError`].
    fn save(&mut self, snapshot: &[u8]) -> impl Future<Output = Result<(), JournalError>> + Send;

    /// Makes sure that this coordinator still leads.
    ///
    /// # Errors
    /// Every [`JournalError`].
    fn renew(&mut self) -> impl Future<Output = Result<(), JournalError>> + Send;

    /// Leads no more, so that somebody else may at once. Failing to say so costs a few seconds, nothing else.
    fn release(&mut self) -> impl Future<Output = ()> + Send;

    /// Whether anything written is ever read again.
    fn keeps(&self) -> bool;

    /// Milliseconds since 1970 by the clock all coordinators of the pool share.
    fn now_ms(&self) -> u64;
}

/// Who leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// This coordinator.
    Ours {
        /// Greater than that of every leader before.
        epoch: u64,
        /// What became of what this journal wrote before.
        since: Since,
    },
    /// The one at this address.
    Theirs(String),
}

/// What became of the journal while this coordinator did not lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// It is as this journal last left it.
    Same,
    /// Part of it, or all, was lost; nobody else has written.
    Lost,
    /// Somebody else has written, or this journal never has: load it.
    Changed,
}

/// What a journal holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The last snapshot.
    pub snapshot: Option<Vec<u8>>,
    /// What came after it, oldest first.
    pub batches: Vec<Vec<u8>>,
}

/// Why a journal did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// This coordinator does not lead any more: claim again.
    #[error("another coordinator leads this pool")]
    Fenced,
    /// No answer; the outcome is unknown. Try again.
    #[error("{0}")]
    Unreachable(String),
    /// It cannot be used as it is; the message tells what to change.
    #[error("{0}")]
    Refused(String),
}
