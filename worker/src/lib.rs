//! Leases jobs, runs them in the pipeline, deposits results.
