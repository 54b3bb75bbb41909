//! Who leads: claims the lead, leads while it lasts, follows otherwise.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use store::Store;
use tokio::sync::{mpsc, watch};

use crate::journal::{Claim, Journal, JournalError};
use crate::ledger::Ledger;
use crate::metrics::{Metrics, set};
use crate::pool::{End, Handle, Pool, Quotas};
use crate::service::Lead;
use crate::state::{Config, Event};

/// Messages on their way to the leader.
const INBOX: usize = 4096;
/// How often a follower asks whether the lead is free.
const ASK: Duration = Duration::from_millis(500);

/// What a coordinator needs to lead.
pub(crate) struct Candidate<J> {
    pub(crate) journal: J,
    pub(crate) store: Store,
    pub(crate) rules: Config,
    pub(crate) weights: BTreeMap<Arc<str>, u64>,
    pub(crate) quotas: Quotas,
    pub(crate) audit: f64,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) lead: watch::Sender<Lead>,
    pub(crate) ready: watch::Sender<bool>,
    pub(crate) stop: watch::Receiver<bool>,
}

impl<J: Journal> Candidate<J> {
    /// Until told to stop; gives the reason when the journal cannot be used.
    pub(crate) async fn run(mut self) -> Result<(), String> {
        while !*self.stop.borrow() {
            let claim = self.journal.claim().await;
            match claim {
                Ok(Claim::Ours { epoch, .. }) => match self.take_office(epoch).await {
                    Ok(End::Stopped) => return Ok(()),
                    Ok(End::Deposed) | Err(JournalError::Fenced) => {
                        tracing::warn!(epoch, "another coordinator leads");
                        self.follow(Lead::Nobody("the lead has just changed hands".into()), false);
                    }
                    Ok(End::Refused(reason)) | Err(JournalError::Refused(reason)) => {
                        return self.give_up(reason);
                    }
                    Err(JournalError::Unreachable(reason)) => self.unreachable(reason).await,
                },
                Ok(Claim::Theirs(address)) => {
                    self.follow(Lead::There(address.into()), true);
                    self.wait(ASK).await;
                }
                Err(JournalError::Fenced) => self.wait(ASK).await,
                Err(JournalError::Refused(reason)) => return self.give_up(reason),
                Err(JournalError::Unreachable(reason)) => self.unreachable(reason).await,
            }
        }
        Ok(())
    }

    /// Loads what is known and leads.
    async fn take_office(&mut self, epoch: u64) -> Result<End, JournalError> {
        let kept = self.journal.load().await?;
        let loaded = kept.batches.iter().map(Vec::len).sum();
        let rules = self.rules.clone();
        let replayed = tokio::task::spawn_blocking(move || Ledger::restore(&kept, rules)).await;
        let ledger = match replayed {
            Ok(Ok(ledger)) => ledger,
            Ok(Err(error)) => return Err(JournalError::Refused(error.to_string())),
            Err(error) => return Err(JournalError::Refused(error.to_string())),
        };
        let (own, inbox) = mpsc::channel(INBOX);
        let pool = Pool {
            journal: &mut self.journal,
            ledger,
            loaded,
            store: self.store.clone(),
            quotas: self.quotas.clone(),
            audit: self.audit,
            metrics: Arc::clone(&self.metrics),
            ready: self.ready.clone(),
            own: own.clone(),
            stop: self.stop.clone(),
        };
        tracing::info!(epoch, "this coordinator leads");
        self.lead.send_replace(Lead::Here(Handle::new(own)));
        set(&self.metrics.leading, 1);
        self.ready.send_replace(true);
        let first = Event::Lead { epoch, config: self.rules.clone(), weights: self.weights.clone() };
        let end = pool.lead(first, inbox).await;
        set(&self.metrics.leading, 0);
        self.ready.send_replace(false);
        Ok(end)
    }

    fn follow(&self, lead: Lead, ready: bool) {
        let before = self.lead.send_replace(lead.clone());
        if let (Lead::There(address), false) = (&lead, matches!(before, Lead::There(_))) {
            tracing::info!(%address, "following the leader");
        }
        self.ready.send_replace(ready);
    }

    async fn unreachable(&mut self, reason: String) {
        tracing::error!(reason, "the journal does not answer");
        self.follow(Lead::Nobody(format!("the farm's journal does not answer: {reason}").into()), false);
        self.wait(ASK).await;
    }

    fn give_up(&self, reason: String) -> Result<(), String> {
        self.follow(Lead::Nobody(reason.clone().into()), false);
        Err(reason)
    }

    async fn wait(&mut self, pause: Duration) {
        // Either way there is nothing more to wait for.
        let _ = tokio::time::timeout(pause, self.stop.wait_for(|stop| *stop)).await;
    }
}
