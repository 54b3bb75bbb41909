//! Runs jobs: what one process needs to turn leases into results.
//!
//! [`cache`] is what it needs of a store, [`run`] contains one job, [`memo`] remembers steps inside jobs. What jobs do
//! is handed in as a [`plan::Executor`]; no stage code is linked here.

pub mod cache;
pub mod memo;
pub mod memory;
pub mod run;
pub mod stored;
