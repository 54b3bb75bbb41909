//! Runs jobs: what one process needs to turn leases into results.
//!
//! [`cache`] is what it needs of a store, [`run`] contains one job, [`memo`] remembers steps inside jobs; [`remote`] is
//! a worker of a farm, [`link`] its way to a coordinator and [`transfer`] the bytes on it. What jobs do is handed in as
//! a [`plan::Executor`]; no stage code is linked here.

pub mod cache;
pub mod link;
pub mod memo;
pub mod memory;
pub mod remote;
pub mod run;
pub mod stored;
pub mod transfer;
