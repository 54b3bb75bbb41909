//! Writing to the journal, through its troubles.

use std::time::Duration;

use super::{End, Turn};
use crate::journal::{Claim, Journal, JournalError, Since};
use crate::metrics::count;

/// A snapshot is due when the journal is this many times as long as the last one, and at least…
const SNAPSHOT_RATIO: usize = 2;
/// …this many bytes.
const SNAPSHOT_BYTES: usize = 16 << 20;
/// Pause between attempts to write to a journal that does not answer.
const RETRY: Duration = Duration::from_millis(200);

#[derive(Clone, Copy)]
enum Written<'a> {
    Batch(&'a [u8]),
    Snapshot(&'a [u8]),
}

impl<J: Journal> Turn<'_, J> {
    pub(super) async fn commit(&mut self) -> Result<(), End> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let batch = std::mem::take(&mut self.batch);
        self.written += batch.len();
        count(&self.pool.metrics.commits_total, 1);
        self.write(Written::Batch(&batch)).await
    }

    /// Writes until it is written or somebody else leads.
    async fn write(&mut self, what: Written<'_>) -> Result<(), End> {
        loop {
            let written = match what {
                Written::Batch(batch) => self.pool.journal.append(batch).await,
                Written::Snapshot(snapshot) => self.pool.journal.save(snapshot).await,
            };
            let error = match written {
                Ok(()) => {
                    self.pool.ready.send_if_modified(|ready| !std::mem::replace(ready, true));
                    return Ok(());
                }
                Err(error) => error,
            };
            count(&self.pool.metrics.commit_failures_total, 1);
            match error {
                JournalError::Refused(reason) => return Err(End::Refused(reason)),
                JournalError::Fenced => {
                    if self.claim_again().await? {
                        return Ok(());
                    }
                }
                JournalError::Unreachable(reason) => {
                    if self.pool.ready.send_replace(false) {
                        tracing::error!(reason, "the journal does not answer");
                    }
                    if *self.pool.stop.borrow() {
                        return Err(End::Deposed);
                    }
                    tokio::time::sleep(RETRY).await;
                }
            }
        }
    }

    /// The lead was lost, perhaps with the journal: takes it again if nobody else has it. Whether what was to be
    /// written is written.
    async fn claim_again(&mut self) -> Result<bool, End> {
        match self.pool.journal.claim().await {
            Ok(Claim::Ours { since: Since::Same, .. }) => Ok(false),
            Ok(Claim::Ours { since: Since::Lost, .. }) => {
                tracing::warn!("the journal was lost; it is written again from memory");
                let snapshot = self.pool.ledger.encode();
                match self.pool.journal.save(&snapshot).await {
                    Ok(()) => {
                        (self.written, self.snapshot) = (0, snapshot.len());
                        Ok(true)
                    }
                    Err(_) => Ok(false),
                }
            }
            Ok(Claim::Ours { since: Since::Changed, .. } | Claim::Theirs(_)) => Err(End::Deposed),
            Err(JournalError::Refused(reason)) => Err(End::Refused(reason)),
            Err(JournalError::Fenced | JournalError::Unreachable(_)) => {
                tokio::time::sleep(RETRY).await;
                Ok(false)
            }
        }
    }

    pub(super) async fn save_if_due(&mut self) -> Result<(), End> {
        if self.written < SNAPSHOT_BYTES.max(self.snapshot * SNAPSHOT_RATIO) {
            return Ok(());
        }
        self.save().await
    }

    pub(super) async fn save(&mut self) -> Result<(), End> {
        let snapshot = self.pool.ledger.encode();
        self.write(Written::Snapshot(&snapshot)).await?;
        (self.written, self.snapshot) = (0, snapshot.len());
        count(&self.pool.metrics.snapshots_total, 1);
        Ok(())
    }
}
