//! Entries in the memory of this process, or nowhere.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use super::{Claim, Journal, JournalError, Kept, Since};

/// A journal for one coordinator without Redis: it always leads, and what it knows ends with it. With a
/// [`MemoryPlace`] several share what they write, as tests want it.
#[derive(Debug)]
pub struct Memory {
    place: Option<MemoryPlace>,
    address: String,
    epoch: u64,
    started: (Instant, u64),
}

/// What journals of one process share.
#[derive(Clone, Debug, Default)]
pub struct MemoryPlace(Arc<Mutex<Shared>>);

#[derive(Debug, Default)]
struct Shared {
    epoch: u64,
    leader: Option<String>,
    kept: Kept,
}

impl Memory {
    /// Keeps nothing.
    pub fn forgetful() -> Self {
        Self::new(None, String::new())
    }

    /// Keeps what it is given in a place that others may read. The address names this one as leader.
    pub fn shared(place: MemoryPlace, address: &str) -> Self {
        Self::new(Some(place), address.to_owned())
    }

    fn new(place: Option<MemoryPlace>, address: String) -> Self {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { place, address, epoch: 0, started: (Instant::now(), since_1970.as_millis() as u64) }
    }

    fn lead(&self) -> Result<Option<MutexGuard<'_, Shared>>, JournalError> {
        let Some(place) = &self.place else { return Ok(None) };
        let shared = place.lock();
        let leads = shared.epoch == self.epoch && shared.leader.as_deref() == Some(&self.address);
        if leads { Ok(Some(shared)) } else { Err(JournalError::Fenced) }
    }
}

impl MemoryPlace {
    /// Takes the lead away from whoever has it, as an expired lease would.
    pub fn depose(&self) {
        self.lock().leader = None;
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Journal for Memory {
    async fn claim(&mut self) -> Result<Claim, JournalError> {
        let seconds = self.now_ms() / 1000;
        let Some(place) = &self.place else {
            self.epoch = seconds.max(self.epoch + 1);
            return Ok(Claim::Ours { epoch: self.epoch, since: Since::Changed });
        };
        let mut shared = place.lock();
        if let Some(leader) = shared.leader.as_ref().filter(|leader| **leader != self.address) {
            return Ok(Claim::Theirs(leader.clone()));
        }
        let since = if shared.epoch == self.epoch && self.epoch > 0 { Since::Same } else { Since::Changed };
        shared.epoch = seconds.max(shared.epoch + 1);
        shared.leader = Some(self.address.clone());
        self.epoch = shared.epoch;
        Ok(Claim::Ours { epoch: self.epoch, since })
    }

    async fn load(&mut self) -> Result<Kept, JournalError> {
        Ok(self.lead()?.map(|shared| shared.kept.clone()).unwrap_or_default())
    }

    async fn append(&mut self, batch: &[u8]) -> Result<(), JournalError> {
        if let Some(mut shared) = self.lead()? {
            shared.kept.batches.push(batch.to_vec());
        }
        Ok(())
    }

    async fn save(&mut self, snapshot: &[u8]) -> Result<(), JournalError> {
        if let Some(mut shared) = self.lead()? {
            shared.kept = Kept { snapshot: Some(snapshot.to_vec()), batches: Vec::new() };
        }
        Ok(())
    }

    async fn renew(&mut self) -> Result<(), JournalError> {
        self.lead().map(drop)
    }

    async fn release(&mut self) {
        if let Ok(Some(mut shared)) = self.lead() {
            shared.leader = None;
        }
    }

    fn keeps(&self) -> bool {
        self.place.is_some()
    }

    fn now_ms(&self) -> u64 {
        self.started.1 + self.started.0.elapsed().as_millis() as u64
    }
}
