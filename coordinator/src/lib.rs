//! Builds, nodes, keys and leases: the farm's state and its services.

pub mod embedded;
pub mod state;
