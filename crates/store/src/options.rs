//! How a store behaves.

use std::time::Duration;

/// How a store behaves. The default suits a user's cache folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Bytes a folder may hold before the least recently used entries go; `None`: no bound. Object stores are
    /// bounded by [`gc`](crate::Store::gc) alone. Default 20 GB (10^9).
    pub max_bytes: Option<u64>,
    /// Refuse every write, and leave even damaged entries where they are. `?mode=ro` in an address sets it.
    pub read_only: bool,
    /// Make the folder where there is none, as a build does. Otherwise opening one that holds no store is
    /// [`Error::Absent`](crate::Error::Absent). Default on.
    pub create: bool,
    /// Make every write survive a power cut before it is acknowledged. Default off: what a power cut tears is
    /// noticed by its length or digest and made again.
    pub fsync: bool,
    /// Keep in memory, for the life of the process, what the store could not take (full, read-only), and say so in
    /// the notices, instead of failing. At most [`spill_bytes`](Self::spill_bytes).
    pub spill: bool,
    /// Bound of what is kept in memory so. Default 2 GB.
    pub spill_bytes: u64,
    /// What was used within this time is never evicted from a folder. Default 10 minutes.
    pub grace: Duration,
    /// In an object store, a blob or action older than this is written again when it is next put or hit, so that
    /// garbage collection sees it in use. Must be at most half of the grace of the collector. Default 12 hours.
    pub refresh: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_bytes: Some(20_000_000_000),
            read_only: false,
            create: true,
            fsync: false,
            spill: false,
            spill_bytes: 2_000_000_000,
            grace: Duration::from_secs(10 * 60),
            refresh: Duration::from_secs(12 * 3600),
        }
    }
}
