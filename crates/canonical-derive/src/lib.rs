//! Derives the canonical encoding of `canonical`.
