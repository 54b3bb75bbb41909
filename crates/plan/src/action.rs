//! A job as an `Action` of the Remote Execution API, whose digest is the job's key: so any cache server of that API
//! holds our results under our keys (FARM 6), and a runner of that API could run our jobs.
//!
//! ```text
//! Action     command_digest, input_root_digest, salt (domain, then zeros up to ACTION_LEN bytes in all)
//! Command    arguments: "rigfarm", "run", kind, version
//! Directory  files: "params"; directories: "inputs"
//! "inputs"   files: one per input; in its name `%` is "%25" and `/` is "%2F"
//! ```
//! The messages are written by hand: fields in order of their numbers, defaults left out, children in order of their
//! names, which is what the API asks of whatever is hashed.

use canonical::{BlobRef, Digest};

use crate::job::Job;

/// What the key's meaning is named by; raised with the meaning of the fields of [`Job`].
const DOMAIN: &[u8] = b"rigfarm job 3";
/// Every action is this long: its length, which is part of a digest there, need not be known beside the key.
pub const ACTION_LEN: u64 = 192;

/// The messages of one job, encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// `Action`.
    pub action: Vec<u8>,
    /// `Command`.
    pub command: Vec<u8>,
    /// The `Directory` that the command is run in.
    pub root: Vec<u8>,
    /// The `Directory` below it that holds the inputs.
    pub inputs: Vec<u8>,
}

impl Action {
    /// The action of a job. All fields of the job enter it, and nothing else.
    pub fn of(job: &Job) -> Self {
        let mut command = Vec::new();
        for argument in ["rigfarm", "run", job.kind.name(), &job.version] {
            put_bytes(&mut command, 1, argument.as_bytes());
        }
        let mut files: Vec<(String, BlobRef)> =
            job.inputs.iter().map(|(name, blob)| (file_name(name), *blob)).collect();
        files.sort_unstable();
        let mut inputs = Vec::new();
        for (name, blob) in files {
            put_child(&mut inputs, 1, &name, blob);
        }
        let mut root = Vec::new();
        put_child(&mut root, 1, "params", BlobRef::of(&job.params));
        put_child(&mut root, 2, "inputs", BlobRef::of(&inputs));
        let mut action = Vec::with_capacity(ACTION_LEN as usize);
        put_digest(&mut action, 1, BlobRef::of(&command));
        put_digest(&mut action, 2, BlobRef::of(&root));
        // Tag and length take a byte each: what is filled is always shorter than 128 bytes.
        let mut salt = DOMAIN.to_vec();
        salt.resize((ACTION_LEN as usize).saturating_sub(action.len() + 2), 0);
        put_bytes(&mut action, 9, &salt);
        Self { action, command, root, inputs }
    }

    /// The digest of the action.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.action)
    }
}

/// An input's name without slashes.
fn file_name(name: &str) -> String {
    name.replace('%', "%25").replace('/', "%2F")
}

fn put_child(out: &mut Vec<u8>, field: u8, name: &str, blob: BlobRef) {
    let mut node = Vec::with_capacity(name.len() + 80);
    put_bytes(&mut node, 1, name.as_bytes());
    put_digest(&mut node, 2, blob);
    put_bytes(out, field, &node);
}

/// A `Digest`: the hash in hexadecimal and the length.
fn put_digest(out: &mut Vec<u8>, field: u8, blob: BlobRef) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut hash = [0; 64];
    for (pair, byte) in hash.chunks_exact_mut(2).zip(blob.digest.as_bytes()) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    let mut digest = Vec::with_capacity(76);
    put_bytes(&mut digest, 1, &hash);
    if blob.len > 0 {
        digest.push(2 << 3);
        put_varint(&mut digest, blob.len);
    }
    put_bytes(out, field, &digest);
}

/// A field of bytes; numbers below 16 only.
fn put_bytes(out: &mut Vec<u8>, field: u8, bytes: &[u8]) {
    out.push(field << 3 | 2);
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::job::JobKind;

    #[test]
    fn every_action_is_equally_long() {
        let mut job =
            Job { kind: JobKind::Rig, version: String::new(), params: Vec::new(), inputs: BTreeMap::new() };
        for count in [0, 1, 2, 40, 300] {
            job.version = "v".repeat(count);
            job.params = vec![0; count * 100];
            job.inputs = (0..count).map(|n| (format!("raster/{n}"), BlobRef::of(b"x"))).collect();
            assert_eq!(Action::of(&job).action.len() as u64, ACTION_LEN, "{count}");
        }
    }

    #[test]
    fn names_stay_apart() {
        let names = ["a/b", "a%2Fb", "a%252Fb", "a", "%", "/"];
        let files: std::collections::BTreeSet<String> = names.iter().map(|name| file_name(name)).collect();
        assert_eq!(files.len(), names.len());
        assert!(files.iter().all(|name| !name.contains('/')));
    }
}
