//! What a finished job leaves in the cache under its key.

use std::collections::BTreeMap;

use canonical::{BlobRef, Digest};
use serde::{Deserialize, Serialize};

use crate::graph::{self, GraphError, NodeTemplate, Subgraph};

/// Outputs up to this many bytes are kept inside the action result…
pub const INLINE_LIMIT: usize = 2048;
/// …as long as all of them together stay within this many.
pub const INLINE_TOTAL: usize = 32 * 1024;
/// Longest encoded action result.
pub const MAX_ENCODED: usize = 64 * 1024 * 1024;
/// Most outputs of one job.
pub const MAX_OUTPUTS: usize = 100_000;

/// First bytes of an encoded action result; the last of them is the schema version.
const HEADER: [u8; 4] = *b"rfa\x01";

/// One named output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputRef {
    /// The bytes' name.
    pub blob: BlobRef,
    /// The bytes themselves when they are small; then the blob need not exist elsewhere.
    pub inline: Option<Vec<u8>>,
}

/// What a finished job gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionResult {
    /// The job's own outputs by name.
    pub outputs: BTreeMap<String, OutputRef>,
    /// The nodes the job asked for; a hit expands them again without running the job.
    pub subgraph: Option<Subgraph>,
    /// How long the job ran, in microseconds. For estimates only: never in a key, not compared.
    pub cost_us: u64,
    /// The job's log, if it wrote one. Not compared.
    pub log: Option<BlobRef>,
}

impl ActionResult {
    /// Names every output and chooses which are kept inline: the smallest first, ties by name. Members of a set (their
    /// names hold a `/`: `raster/<content>`, `file/<path>`) are never inline: values of other jobs may name their blobs.
    pub fn of(outputs: &BTreeMap<String, Vec<u8>>, subgraph: Option<Subgraph>, cost_us: u64) -> Self {
        let single = outputs.iter().filter(|(name, _)| !name.contains('/'));
        let mut by_size: Vec<(usize, &str)> =
            single.map(|(name, bytes)| (bytes.len(), name.as_str())).collect();
        by_size.sort_unstable();
        let mut room = INLINE_TOTAL;
        let mut inlined = std::collections::BTreeSet::new();
        for (len, name) in by_size {
            if len > INLINE_LIMIT || len > room {
                break;
            }
            room -= len;
            inlined.insert(name);
        }
        let outputs = outputs
            .iter()
            .map(|(name, bytes)| {
                let inline = inlined.contains(name.as_str()).then(|| bytes.clone());
                (name.clone(), OutputRef { blob: BlobRef::of(bytes), inline })
            })
            .collect();
        Self { outputs, subgraph, cost_us, log: None }
    }

    /// A digest of what the job gave: equal for equal outputs and subgraph, whatever the cost and the log. Two
    /// results of one key with different digests prove the job non-deterministic.
    pub fn manifest_digest(&self) -> Digest {
        let plain = Self { cost_us: 0, log: None, ..self.clone() };
        Digest::of(&plain.encode())
    }

    /// The outputs whose bytes are not inline, in order of name.
    pub fn stored_blobs(&self) -> impl Iterator<Item = BlobRef> + '_ {
        self.outputs.values().filter(|output| output.inline.is_none()).map(|output| output.blob)
    }

    /// The bytes kept in the cache: header `rfa` and schema version 1, then the value in postcard.
    pub fn encode(&self) -> Vec<u8> {
        let wire = WireRef {
            outputs: &self.outputs,
            subgraph: self.subgraph.as_ref().map(|graph| (graph.nodes(), graph.continuation())),
            cost_us: self.cost_us,
            log: self.log,
        };
        // Writing plain values into a growing vector cannot fail.
        postcard::to_extend(&wire, HEADER.to_vec()).unwrap_or_default()
    }

    /// Reads what [`Self::encode`] wrote; any bytes are safe to pass.
    ///
    /// # Errors
    /// [`ResultError`] when the bytes are not an action result of this schema, or hold something no job may give.
    pub fn decode(bytes: &[u8]) -> Result<Self, ResultError> {
        if bytes.len() > MAX_ENCODED {
            return Err(ResultError::TooLong(bytes.len()));
        }
        let Some((header, body)) = bytes.split_first_chunk::<4>() else {
            return Err(ResultError::NotAResult);
        };
        if header[..3] != HEADER[..3] {
            return Err(ResultError::NotAResult);
        }
        if header[3] != HEADER[3] {
            return Err(ResultError::UnknownSchema(header[3]));
        }
        let (wire, rest) = postcard::take_from_bytes::<Wire>(body).map_err(|_| ResultError::Malformed)?;
        if !rest.is_empty() {
            return Err(ResultError::Malformed);
        }
        check_outputs(&wire.outputs)?;
        let subgraph =
            wire.subgraph.map(|(nodes, continuation)| Subgraph::new(nodes, continuation)).transpose()?;
        Ok(Self { outputs: wire.outputs, subgraph, cost_us: wire.cost_us, log: wire.log })
    }
}

/// Why bytes are not an action result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResultError {
    /// The header is not there.
    #[error("not an action result")]
    NotAResult,
    /// Written by another release.
    #[error("action result of schema {0}: this program reads schema 1")]
    UnknownSchema(u8),
    /// More bytes than any result has.
    #[error("action result of {0} bytes: at most {MAX_ENCODED} are read")]
    TooLong(usize),
    /// Cut short or scrambled.
    #[error("action result is cut short or scrambled")]
    Malformed,
    /// An output has an impossible name.
    #[error("bad output name {0:?} in an action result")]
    BadName(String),
    /// More outputs than any job may give.
    #[error("{0} outputs in an action result: at most {MAX_OUTPUTS}")]
    TooManyOutputs(usize),
    /// Inline bytes do not have the digest given beside them.
    #[error("inline output {0:?} does not match its digest")]
    InlineMismatch(String),
    /// The subgraph is not valid.
    #[error("subgraph in an action result: {0}")]
    Subgraph(#[from] GraphError),
}

#[derive(Serialize)]
struct WireRef<'a> {
    outputs: &'a BTreeMap<String, OutputRef>,
    subgraph: Option<(&'a [NodeTemplate], &'a str)>,
    cost_us: u64,
    log: Option<BlobRef>,
}

#[derive(Deserialize)]
struct Wire {
    outputs: BTreeMap<String, OutputRef>,
    subgraph: Option<(Vec<NodeTemplate>, String)>,
    cost_us: u64,
    log: Option<BlobRef>,
}

fn check_outputs(outputs: &BTreeMap<String, OutputRef>) -> Result<(), ResultError> {
    if outputs.len() > MAX_OUTPUTS {
        return Err(ResultError::TooManyOutputs(outputs.len()));
    }
    for (name, output) in outputs {
        if !graph::is_name(name) {
            return Err(ResultError::BadName(name.clone()));
        }
        if output.inline.as_ref().is_some_and(|bytes| BlobRef::of(bytes) != output.blob) {
            return Err(ResultError::InlineMismatch(name.clone()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
