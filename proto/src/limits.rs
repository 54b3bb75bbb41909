//! How much one message may say. Checked on receipt, before anything is kept.

/// Longest message in bytes; clients and servers are told to take as much.
pub const MESSAGE: usize = 16 * 1024 * 1024;
/// Bytes of one chunk of a blob.
pub const CHUNK: usize = 1024 * 1024;
/// Longest blob in bytes.
pub const BLOB: u64 = 4 << 30;
/// Most characters of one submission.
pub const CHARACTERS: usize = 10_000;
/// Longest name of a character, title or worker, in bytes.
pub const NAME: usize = 1024;
/// Longest parameters of one node, in bytes.
pub const PARAMS: usize = 1024 * 1024;
/// Most inputs of one node.
pub const INPUTS: usize = 100_000;
/// Longest version string, code or kind, in bytes.
pub const WORD: usize = 128;
/// Longest failure message in bytes; longer ones are cut when sent.
pub const TEXT: usize = 16 * 1024;
/// Most blobs, leases or reports in one list.
pub const LIST: usize = 100_000;
