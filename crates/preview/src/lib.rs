//! A deterministic CPU renderer of a bundle.
