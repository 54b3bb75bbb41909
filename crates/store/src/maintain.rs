//! Looking after a store: figures, verification, garbage collection.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use canonical::{BlobRef, Digest};
use futures::{StreamExt, TryStreamExt, stream};

use crate::error::Error;
use crate::layout::{Entry, Shelf};
use crate::place::Place;
use crate::store::Store;

/// Entries looked at together.
const BATCH: usize = 64;
const CONCURRENT_READS: usize = 8;

/// Entries and their bytes at rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Amount {
    /// How many.
    pub entries: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// How full a store is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Stats {
    /// Blobs.
    pub blobs: Amount,
    /// Action results.
    pub actions: Amount,
    /// Damaged entries set aside.
    pub quarantine: Amount,
    /// When the least recently used entry was used (in an object store: written).
    pub oldest: Option<SystemTime>,
}

/// What [`Store::verify`] found.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Verified {
    /// Blobs read and hashed.
    pub blobs: Amount,
    /// Action results read.
    pub actions: Amount,
    /// Blobs that were not what their name says, now in the quarantine; ascending.
    pub corrupt_blobs: Vec<Digest>,
    /// Damaged action results, now in the quarantine; ascending.
    pub corrupt_actions: Vec<Digest>,
    /// Action results with a blob missing, which are no hits; ascending.
    pub incomplete_actions: Vec<Digest>,
}

/// What [`Store::gc`] may remove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GcOptions {
    /// Action results not used for this long go. In an object store use is seen only once in
    /// [`Options::refresh`](crate::Options::refresh), so keep them longer than that. Default 30 days.
    pub keep: Duration,
    /// A blob that no kept result names goes if it was not used for this long. It must cover the time from the
    /// upload of a blob to the upload of the result that names it, and in an object store twice
    /// [`Options::refresh`](crate::Options::refresh) of every writer. Default 24 hours.
    pub grace: Duration,
    /// Blobs to keep although no result names them, such as the inputs of projects.
    pub roots: BTreeSet<Digest>,
    /// Count only.
    pub dry_run: bool,
}

impl Default for GcOptions {
    fn default() -> Self {
        Self {
            keep: Duration::from_secs(30 * 24 * 3600),
            grace: Duration::from_secs(24 * 3600),
            roots: BTreeSet::new(),
            dry_run: false,
        }
    }
}

/// What [`Store::gc`] did, or in a dry run would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Collected {
    /// Action results removed.
    pub removed_actions: Amount,
    /// Blobs removed.
    pub removed_blobs: Amount,
    /// Quarantined entries removed (those older than [`GcOptions::keep`]).
    pub removed_quarantine: Amount,
    /// Action results that stay.
    pub kept_actions: Amount,
    /// Blobs that stay.
    pub kept_blobs: Amount,
}

impl Store {
    /// Counts what is in the local place.
    ///
    /// # Errors
    /// When it cannot be listed.
    pub async fn stats(&self) -> Result<Stats, Error> {
        let [blobs, actions, quarantine] = [
            self.local().list(Shelf::Blobs).await?,
            self.local().list(Shelf::Actions).await?,
            self.local().list(Shelf::Quarantine).await?,
        ];
        let oldest = blobs.iter().chain(&actions).map(|entry| entry.used).min();
        let stats = Stats { blobs: of(&blobs), actions: of(&actions), quarantine: of(&quarantine), oldest };
        Ok(stats)
    }

    /// Reads everything in the local place and moves what is damaged to the quarantine (unless read-only).
    ///
    /// # Errors
    /// When it cannot be listed or read.
    pub async fn verify(&self) -> Result<Verified, Error> {
        let place = self.local();
        let blobs = sorted(place.list(Shelf::Blobs).await?);
        let checks = blobs.iter().map(|entry| async move {
            let blob = BlobRef { digest: entry.name, len: entry.len };
            match place.check_blob(&blob).await {
                Ok(()) | Err(Error::Missing { .. }) => Ok(None),
                Err(Error::Corrupt { .. }) => Ok(Some(entry.name)),
                Err(error) => Err(error),
            }
        });
        let corrupt_blobs: Vec<Option<Digest>> =
            stream::iter(checks).buffered(CONCURRENT_READS).try_collect().await?;
        let mut verified = Verified { blobs: of(&blobs), ..Verified::default() };
        verified.corrupt_blobs = corrupt_blobs.into_iter().flatten().collect();
        let actions = sorted(place.list(Shelf::Actions).await?);
        verified.actions = of(&actions);
        let damaged: BTreeSet<Digest> = verified.corrupt_blobs.iter().copied().collect();
        let whole: BTreeSet<(Digest, u64)> = blobs
            .iter()
            .filter(|entry| !damaged.contains(&entry.name))
            .map(|entry| (entry.name, entry.len))
            .collect();
        for batch in actions.chunks(BATCH) {
            let keys: Vec<Digest> = batch.iter().map(|entry| entry.name).collect();
            for (key, refs) in keys.iter().zip(place.refs(keys.clone()).await?) {
                match refs {
                    None => verified.corrupt_actions.push(*key),
                    Some(refs) if refs.iter().all(|blob| whole.contains(&(blob.digest, blob.len))) => {}
                    Some(_) => verified.incomplete_actions.push(*key),
                }
            }
        }
        Ok(verified)
    }

    /// Removes from the local place the action results not used lately and the blobs that only they named.
    ///
    /// Safe while others read and write: what is uploaded or used during the collection is younger than the grace
    /// and stays, and results that appear meanwhile are marked before anything is swept.
    ///
    /// # Errors
    /// When the place cannot be listed, read or written; nothing that is in use was removed then.
    pub async fn gc(&self, options: &GcOptions) -> Result<Collected, Error> {
        let place = self.local();
        let now = SystemTime::now();
        let before = |age: Duration| now.checked_sub(age).unwrap_or(SystemTime::UNIX_EPOCH);
        let (keep_since, grace_since) = (before(options.keep), before(options.grace));
        let mut collected = Collected::default();

        let blobs = whole(place, Shelf::Blobs, options.dry_run).await?;
        let actions = whole(place, Shelf::Actions, options.dry_run).await?;
        let (kept, old): (Vec<Entry>, Vec<Entry>) =
            actions.into_iter().partition(|entry| entry.used > keep_since);
        let mut marked = options.roots.clone();
        mark(place, &kept, &mut marked).await?;
        let sweep = Sweep { place, dry_run: options.dry_run };
        collected.kept_actions = of(&kept);
        for entry in old {
            let is_gone = sweep.remove(Shelf::Actions, &entry, keep_since).await?;
            (if is_gone { &mut collected.removed_actions } else { &mut collected.kept_actions }).add(&entry);
        }
        if !options.dry_run {
            let known: BTreeSet<Digest> = kept.iter().map(|entry| entry.name).collect();
            let mut appeared = sorted(place.list(Shelf::Actions).await?);
            appeared.retain(|entry| !known.contains(&entry.name));
            mark(place, &appeared, &mut marked).await?;
        }
        for entry in blobs {
            let may_go = entry.used <= grace_since && !marked.contains(&entry.name);
            let is_gone = may_go && sweep.remove(Shelf::Blobs, &entry, grace_since).await?;
            (if is_gone { &mut collected.removed_blobs } else { &mut collected.kept_blobs }).add(&entry);
        }
        for entry in sorted(place.list(Shelf::Quarantine).await?) {
            if entry.used <= keep_since && sweep.remove(Shelf::Quarantine, &entry, keep_since).await? {
                collected.removed_quarantine.add(&entry);
            }
        }
        Ok(collected)
    }
}

impl Amount {
    fn add(&mut self, entry: &Entry) {
        self.entries += 1;
        self.bytes += entry.len;
    }
}

struct Sweep<'a> {
    place: &'a Place,
    dry_run: bool,
}

impl Sweep<'_> {
    async fn remove(&self, shelf: Shelf, entry: &Entry, cutoff: SystemTime) -> Result<bool, Error> {
        match self.dry_run {
            true => Ok(true),
            false => self.place.remove(shelf, entry.name, cutoff).await,
        }
    }
}

/// What is on a shelf, ascending. What is no entry is set aside, as damage is everywhere.
async fn whole(place: &Place, shelf: Shelf, dry_run: bool) -> Result<Vec<Entry>, Error> {
    let (foreign, files): (Vec<Entry>, Vec<Entry>) =
        place.list(shelf).await?.into_iter().partition(|entry| entry.is_foreign);
    for entry in foreign.iter().filter(|_| !dry_run) {
        place.set_aside(shelf, entry.name).await?;
    }
    Ok(sorted(files))
}

/// Adds the blobs that results name.
async fn mark(place: &Place, actions: &[Entry], marked: &mut BTreeSet<Digest>) -> Result<(), Error> {
    for batch in actions.chunks(BATCH) {
        let keys: Vec<Digest> = batch.iter().map(|entry| entry.name).collect();
        let found = place.lookups(&keys).await?;
        marked
            .extend(found.into_iter().flatten().flat_map(|(action, _)| action.refs).map(|blob| blob.digest));
    }
    Ok(())
}

fn of(entries: &[Entry]) -> Amount {
    Amount { entries: entries.len() as u64, bytes: entries.iter().map(|entry| entry.len).sum() }
}

fn sorted(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.sort_by_key(|entry| entry.name);
    entries
}
