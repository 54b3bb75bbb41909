//! Keeping a folder under its bound.
//!
//! How full a folder is, is known from the file `usage`: the total at the last sweep and, appended by each process,
//! what it wrote since. The sum drifts a little (a killed process, a blob that was replaced) and is put right by the
//! next sweep, which counts everything. One process sweeps at a time (lock on `sweep.lock`).

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use super::{Folder, Inner, TEMPORARY, read_dir};
use crate::error::{Attempt, Error};
use crate::layout::{Entry, Shelf};

/// A sweep frees this part of the bound at least, so that sweeps are rare.
const FREED_PART: u64 = 10;
/// What a process wrote is recorded in steps of this.
const RECORD_EVERY: u64 = 16 << 20;
/// Temporary files left behind by killed processes go after this time.
const ABANDONED_AFTER: Duration = Duration::from_secs(3600);

/// What a sweep did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Swept {
    /// Entries evicted.
    pub evicted: u64,
    /// Their bytes.
    pub evicted_bytes: u64,
    /// Bytes that stay.
    pub left_bytes: u64,
}

#[derive(Debug, Default)]
pub(super) struct Usage {
    state: Mutex<State>,
    sweeper: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct State {
    /// Bytes in the folder, as far as known; unknown until the first write.
    total: Option<u64>,
    /// Written by this process and not yet in `usage`.
    unrecorded: u64,
    /// The total at which to sweep next, above the bound if the last sweep could not get under it.
    sweep_at: u64,
    is_sweeping: bool,
}

impl Usage {
    pub(super) fn new(is_empty: bool) -> Self {
        let state = State { total: is_empty.then_some(0), ..State::default() };
        Self { state: Mutex::new(state), sweeper: Mutex::default() }
    }
}

impl Inner {
    /// Counts a write, and starts a sweep in the background if the bound is passed.
    pub(super) fn after_write(self: &Arc<Self>, len: u64) {
        let Some(bound) = self.options.max_bytes else { return };
        let mut state = lock(&self.usage.state);
        state.unrecorded += len;
        state.total = state.total.or_else(|| self.recorded_total()).map(|total| total + len);
        if state.unrecorded >= RECORD_EVERY {
            self.record(&mut state);
        }
        let is_over = state.total.is_none_or(|total| total > bound.max(state.sweep_at));
        if is_over && !state.is_sweeping {
            state.is_sweeping = true;
            drop(state);
            let folder = Folder { inner: Arc::clone(self) };
            let started = std::thread::Builder::new().name("sweep".into()).spawn(move || {
                // A folder that cannot be listed now is swept another time.
                let _ = folder.sweep();
            });
            // Without a thread the next write tries again.
            match started {
                Ok(thread) => *lock(&self.usage.sweeper) = Some(thread),
                Err(_) => lock(&self.usage.state).is_sweeping = false,
            }
        }
    }

    pub(super) fn settle(&self) {
        let sweeper = lock(&self.usage.sweeper).take();
        if let Some(thread) = sweeper {
            let _ = thread.join();
        }
        self.record(&mut lock(&self.usage.state));
    }

    pub(super) fn sweep(&self) -> Result<Swept, Error> {
        let swept = self.sweep_alone();
        let mut state = lock(&self.usage.state);
        state.is_sweeping = false;
        if let Ok(Some(swept)) = &swept {
            state.total = Some(swept.left_bytes);
            state.unrecorded = 0;
            state.sweep_at = swept.left_bytes + self.options.max_bytes.unwrap_or(0) / 20;
        }
        let swept = swept.map_err(|error| Error::of_io(&self.name, Attempt::Write, &error))?;
        Ok(swept.unwrap_or_default())
    }

    /// `None` when another process is at it.
    fn sweep_alone(&self) -> io::Result<Option<Swept>> {
        let sweep_lock =
            File::options().create(true).truncate(false).write(true).open(self.root.join("sweep.lock"))?;
        // Where locks are not to be had, two sweeps at once do no harm.
        if let Err(TryLockError::WouldBlock) = sweep_lock.try_lock() {
            return Ok(None);
        }
        let now = SystemTime::now();
        let mut entries: Vec<(Shelf, Entry)> = Vec::new();
        for shelf in Shelf::ALL {
            entries.extend(self.list(shelf)?.into_iter().map(|entry| (shelf, entry)));
        }
        let total: u64 = entries.iter().map(|(_, entry)| entry.len).sum();
        let mut swept = Swept { left_bytes: total, ..Swept::default() };
        if let Some(bound) = self.options.max_bytes.filter(|bound| total > *bound) {
            let goal = bound - bound / FREED_PART;
            entries.sort_by_key(|(_, entry)| (entry.used, entry.name));
            let cutoff = now.checked_sub(self.options.grace).unwrap_or(SystemTime::UNIX_EPOCH);
            for (shelf, entry) in entries {
                if swept.left_bytes <= goal || entry.used > cutoff {
                    break;
                }
                if self.remove(&self.root.join(shelf.path(&entry.name)), cutoff)? {
                    swept.evicted += 1;
                    swept.evicted_bytes += entry.len;
                    swept.left_bytes -= entry.len;
                }
            }
        }
        self.remove_abandoned(now)?;
        self.write(&self.root.join("usage"), format!("{}\n", swept.left_bytes).as_bytes())?;
        Ok(Some(swept))
    }

    fn remove_abandoned(&self, now: SystemTime) -> io::Result<()> {
        for shelf in Shelf::ALL {
            for rack in read_dir(&self.root.join(shelf.name()))? {
                for file in read_dir(&rack?.path())? {
                    let file = file?;
                    if !file.file_name().as_encoded_bytes().starts_with(TEMPORARY.as_bytes()) {
                        continue;
                    }
                    let used = file.metadata().and_then(|metadata| metadata.modified());
                    if used.is_ok_and(|used| now.duration_since(used).is_ok_and(|age| age > ABANDONED_AFTER))
                    {
                        let _ = fs::remove_file(file.path());
                    }
                }
            }
        }
        Ok(())
    }

    /// The sum of the lines of `usage`; `None` without one, or when it became long.
    fn recorded_total(&self) -> Option<u64> {
        let text = fs::read_to_string(self.root.join("usage")).ok()?;
        let total = text.lines().map(|line| line.parse().unwrap_or(0)).fold(0_u64, u64::saturating_add);
        (text.len() < 1 << 16).then_some(total)
    }

    /// Appends what was written to `usage`, and learns what others wrote. Does not begin the file while the total is
    /// unknown: that is for the sweep.
    fn record(&self, state: &mut State) {
        if state.unrecorded > 0 && !self.options.read_only {
            let line = format!("{}\n", state.unrecorded);
            let file =
                File::options().create(state.total.is_some()).append(true).open(self.root.join("usage"));
            if file.and_then(|mut file| file.write_all(line.as_bytes())).is_ok() {
                state.unrecorded = 0;
                state.total = self.recorded_total().or(state.total);
            }
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.record(&mut lock(&self.usage.state));
    }
}

/// The states behind these locks are whole between any two statements.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
