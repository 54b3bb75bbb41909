//! SHA-256 digests and the byte rules from which every key is made.

mod digest;

pub use digest::{BlobRef, Digest};
