//! Builds, nodes, keys and leases: the farm's state and its services.
//!
//! [`state`] is the farm's state machine and [`embedded`] runs it in one process. For a farm of many processes
//! [`ledger`] adds what clients see of builds, [`journal`] keeps both, the leader of a pool applies what arrives, and
//! [`serve`] puts it on the network.

pub mod auth;
pub mod config;
pub mod embedded;
pub mod journal;
mod lead;
pub mod ledger;
pub mod metrics;
mod pool;
mod probe;
pub mod serve;
mod service;
pub mod state;
mod stored;

pub use pool::Quotas;
