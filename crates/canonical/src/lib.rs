//! SHA-256 digests and the byte rules from which every key is made.
