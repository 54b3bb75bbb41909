//! Counters, in the text format that Prometheus reads.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

/// Declares the counters once: field, kind, help.
macro_rules! metrics {
    ($($field:ident $kind:literal $help:literal,)*) => {
        /// Counters and gauges of one coordinator.
        #[derive(Debug, Default)]
        pub struct Metrics { $(#[doc = $help] pub $field: AtomicU64,)* }

        impl Metrics {
            /// All of them, one after another.
            pub fn render(&self) -> String {
                let mut out = String::new();
                $(
                    let name = concat!("rigfarm_", stringify!($field));
                    let value = self.$field.load(Ordering::Relaxed);
                    let _ = write!(out, "# HELP {name} {}\n# TYPE {name} {}\n{name} {value}\n", $help, $kind);
                )*
                out
            }
        }
    };
}

metrics! {
    leading "gauge" "1 while this coordinator leads its pool.",
    jobs_ready "gauge" "Jobs that wait for a worker.",
    jobs_leased "gauge" "Jobs given to workers.",
    jobs_wanted "gauge" "Jobs that wait or run: what to scale workers by.",
    workers "gauge" "Workers heard of lately.",
    builds_open "gauge" "Builds that have not ended.",
    builds_submitted_total "counter" "Builds submitted.",
    builds_ended_total "counter" "Builds ended.",
    leases_total "counter" "Leases given.",
    leases_lost_total "counter" "Leases whose worker died or fell silent.",
    reports_done_total "counter" "Jobs reported done.",
    reports_failed_total "counter" "Jobs reported failed.",
    reports_rejected_total "counter" "Reports by workers that did not hold the lease.",
    reports_incomplete_total "counter" "Results reported done without all their blobs, or unreadable.",
    lookups_total "counter" "Cache lookups.",
    lookups_hit_total "counter" "Cache lookups that found a result.",
    healed_total "counter" "Jobs run again because their bytes were gone.",
    audited_total "counter" "Cached results made again to be compared.",
    nondeterministic_total "counter" "Jobs that gave two different results.",
    unsatisfiable_total "counter" "Jobs that no worker could run.",
    submissions_refused_total "counter" "Builds refused for a quota.",
    commits_total "counter" "Batches written to the journal.",
    commit_failures_total "counter" "Failed attempts to write to the journal.",
    snapshots_total "counter" "Snapshots written.",
    store_failures_total "counter" "Store operations that failed.",
    blob_bytes_in_total "counter" "Bytes of blobs received.",
    blob_bytes_out_total "counter" "Bytes of blobs sent.",
}

/// Adds to a counter.
pub(crate) fn count(counter: &AtomicU64, by: u64) {
    counter.fetch_add(by, Ordering::Relaxed);
}

/// Sets a gauge.
pub(crate) fn set(gauge: &AtomicU64, value: usize) {
    gauge.store(value as u64, Ordering::Relaxed);
}
