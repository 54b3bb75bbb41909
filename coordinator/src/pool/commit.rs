//! Writing to the journal, through its troubles.

use std::time::{Duration, Instant};

use super::{End, Turn};
use crate::journal::{Claim, Journal, JournalError, Since};
use crate::metrics::count;

/// A snapshot is due when the journal is this many times as long as the last one, and at least…
const SNAPSHOT_RATIO: usize = 2;
/// …this many bytes.
const SNAPSHOT_BYTES: usize = 16 << 20;
/// A leader with nothing to write makes sure that it still leads so often.
pub(super) const RENEW: Duration = Duration::from_secs(1);
/// Pause between attempts to write to a journal that does not answer.
const RETRY: Duration = Duration::from_millis(200);

#[derive(Clone, Copy)]
enum Written<'a> {
    Batch(&'a [u8]),
    Snapshot(&'a [u8]),
    Nothing,
}

impl<J: Journal> Turn<'_, J> {
    pub(super) async fn commit(&mut self) -> Result<(), End> {
        let is_due = self.committed.elapsed() >= RENEW;
        if self.batch.is_empty() && !is_due {
            return Ok(());
        }
        self.committed = Instant::now();
        if self.batch.is_empty() {
            return self.write(Written::Nothing).await;
        }
        let batch = std::mem::take(&mut self.batch);
        self.written += batch.len();
        count(&self.pool.metrics.commits_total, 1);
        self.write(Written::Batch(&batch)).await
    }

    /// Writes until it is written or somebody else leads.
    async fn write(&mut self, what: Written<'_>) -> Result<(), End> {
        loop {
            let whole = self.is_lost.then(|| self.pool.ledger.encode());
            let what = whole.as_deref().map_or(what, Written::Snapshot);
            let written = match what {
                Written::Batch(batch) => self.pool.journal.append(batch).await,
                Written::Snapshot(snapshot) => self.pool.journal.save(snapshot).await,
                Written::Nothing => self.pool.journal.renew().await,
            };
            let error = match written {
                Ok(()) => {
                    if self.is_lost {
                        tracing::warn!("the journal was lost; it is written again from memory");
                        self.is_lost = false;
                    }
                    self.pool.ready.send_if_modified(|ready| !std::mem::replace(ready, true));
                    return Ok(());
                }
                Err(error) => error,
            };
            count(&self.pool.metrics.commit_failures_total, 1);
            match error {
                JournalError::Refused(reason) => return Err(End::Refused(reason)),
                JournalError::Fenced => self.claim_again().await?,
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

    /// The lead was lost, perhaps with the journal: takes it again if nobody else has it.
    async fn claim_again(&mut self) -> Result<(), End> {
        match self.pool.journal.claim().await {
            Ok(Claim::Ours { since: Since::Same, .. }) => Ok(()),
            Ok(Claim::Ours { since: Since::Lost, .. }) => {
                // From now on memory has the only whole copy: that is what is written next.
                self.is_lost = true;
                Ok(())
            }
            Ok(Claim::Ours { since: Since::Changed, .. } | Claim::Theirs(_)) => Err(End::Deposed),
            Err(JournalError::Refused(reason)) => Err(End::Refused(reason)),
            Err(JournalError::Fenced | JournalError::Unreachable(_)) => {
                tokio::time::sleep(RETRY).await;
                Ok(())
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
