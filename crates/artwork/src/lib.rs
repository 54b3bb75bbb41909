//! A PSD layer tree to clean layers: stable ids, pixels, bounds, notes.
