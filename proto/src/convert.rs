//! From the wire and onto it.

use std::collections::BTreeMap;

use canonical::{BlobRef, Digest};
use plan::{FailureClass, Graph, GraphError, Input, Job, JobFailure, JobKey, JobKind, NodeTemplate};

use crate::{limits, v1};

/// Why a message is not taken. All mean that the sender is wrong: `INVALID_ARGUMENT`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// A required part is not there.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A digest does not have 32 bytes.
    #[error("a digest has 32 bytes, not {0}")]
    DigestLength(usize),
    /// A job kind this release does not know.
    #[error("unknown job kind {0:?}: this release knows {known}", known = known_kinds())]
    UnknownKind(String),
    /// An enumeration value this release does not know.
    #[error("{what} has the unknown value {value}")]
    UnknownValue {
        /// Which enumeration.
        what: &'static str,
        /// As received.
        value: i32,
    },
    /// More than [`limits`] allow.
    #[error("{what}: {size} is more than the {limit} allowed")]
    TooLarge {
        /// Of what.
        what: &'static str,
        /// How much was sent.
        size: usize,
        /// How much may be.
        limit: usize,
    },
    /// The graph is not valid.
    #[error("{0}")]
    Graph(#[from] GraphError),
}

fn known_kinds() -> String {
    JobKind::all().map(JobKind::name).collect::<Vec<_>>().join(" ")
}

fn within(what: &'static str, size: usize, limit: usize) -> Result<(), WireError> {
    if size > limit { Err(WireError::TooLarge { what, size, limit }) } else { Ok(()) }
}

/// A digest's 32 bytes.
///
/// # Errors
/// [`WireError::DigestLength`].
pub fn digest(bytes: &[u8]) -> Result<Digest, WireError> {
    let bytes = bytes.try_into().map_err(|_| WireError::DigestLength(bytes.len()))?;
    Ok(Digest::from_bytes(bytes))
}

/// A job key's 32 bytes.
///
/// # Errors
/// [`WireError::DigestLength`].
pub fn key(bytes: &[u8]) -> Result<JobKey, WireError> {
    digest(bytes).map(JobKey)
}

impl From<BlobRef> for v1::Blob {
    fn from(blob: BlobRef) -> Self {
        Self { digest: blob.digest.as_bytes().to_vec(), len: blob.len }
    }
}

impl TryFrom<v1::Blob> for BlobRef {
    type Error = WireError;
    fn try_from(blob: v1::Blob) -> Result<Self, WireError> {
        if blob.len > limits::BLOB {
            let size = usize::try_from(blob.len).unwrap_or(usize::MAX);
            return Err(WireError::TooLarge { what: "blob", size, limit: limits::BLOB as usize });
        }
        Ok(Self { digest: digest(&blob.digest)?, len: blob.len })
    }
}

/// A list of blobs.
///
/// # Errors
/// Those of each blob, and too long a list.
pub fn blobs(list: Vec<v1::Blob>) -> Result<Vec<BlobRef>, WireError> {
    within("list of blobs", list.len(), limits::LIST)?;
    list.into_iter().map(TryInto::try_into).collect()
}

impl From<&Input> for v1::Input {
    fn from(input: &Input) -> Self {
        use v1::input::Source;
        let source = match input.clone() {
            Input::Blob(blob) => Source::Blob(blob.into()),
            Input::Output { node, output } => Source::Output(v1::OutputOf { node, output }),
            Input::Outputs { node, prefix } => Source::Outputs(v1::OutputsOf { node, prefix }),
        };
        Self { source: Some(source) }
    }
}

impl TryFrom<v1::Input> for Input {
    type Error = WireError;
    fn try_from(input: v1::Input) -> Result<Self, WireError> {
        use v1::input::Source;
        Ok(match input.source.ok_or(WireError::Missing("the source of an input"))? {
            Source::Blob(blob) => Self::Blob(blob.try_into()?),
            Source::Output(v1::OutputOf { node, output }) => Self::Output { node, output },
            Source::Outputs(v1::OutputsOf { node, prefix }) => Self::Outputs { node, prefix },
        })
    }
}

fn kind(name: String) -> Result<JobKind, WireError> {
    JobKind::from_name(&name).ok_or(WireError::UnknownKind(name))
}

impl From<&NodeTemplate> for v1::Node {
    fn from(node: &NodeTemplate) -> Self {
        Self {
            name: node.name.clone(),
            kind: node.kind.name().into(),
            version: node.version.clone(),
            params: node.params.clone(),
            inputs: node.inputs.iter().map(|(name, input)| (name.clone(), input.into())).collect(),
        }
    }
}

impl TryFrom<v1::Node> for NodeTemplate {
    type Error = WireError;
    fn try_from(node: v1::Node) -> Result<Self, WireError> {
        within("parameters", node.params.len(), limits::PARAMS)?;
        within("version", node.version.len(), limits::WORD)?;
        within("list of inputs", node.inputs.len(), limits::INPUTS)?;
        let inputs = node.inputs.into_iter().map(|(name, input)| Ok((name, input.try_into()?)));
        Ok(Self {
            name: node.name,
            kind: kind(node.kind)?,
            version: node.version,
            params: node.params,
            inputs: inputs.collect::<Result<BTreeMap<_, _>, WireError>>()?,
        })
    }
}

impl From<&Graph> for v1::Graph {
    fn from(graph: &Graph) -> Self {
        Self { nodes: graph.nodes().iter().map(Into::into).collect(), wanted: graph.wanted().to_vec() }
    }
}

impl TryFrom<v1::Graph> for Graph {
    type Error = WireError;
    fn try_from(graph: v1::Graph) -> Result<Self, WireError> {
        within("graph", graph.nodes.len(), plan::graph::MAX_NODES)?;
        let nodes = graph.nodes.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?;
        Ok(Self::new(nodes, graph.wanted)?)
    }
}

/// Characters of a submission by name, in order.
///
/// # Errors
/// Those of each graph; too many characters or too long a name.
pub fn characters(list: Vec<v1::Character>) -> Result<Vec<(String, Graph)>, WireError> {
    within("list of characters", list.len(), limits::CHARACTERS)?;
    let convert = |character: v1::Character| {
        within("name of a character", character.name.len(), limits::NAME)?;
        let graph = character.graph.ok_or(WireError::Missing("the graph of a character"))?;
        Ok((character.name, graph.try_into()?))
    };
    list.into_iter().map(convert).collect()
}

impl From<&Job> for v1::Job {
    fn from(job: &Job) -> Self {
        Self {
            kind: job.kind.name().into(),
            version: job.version.clone(),
            params: job.params.clone(),
            inputs: job.inputs.iter().map(|(name, blob)| (name.clone(), (*blob).into())).collect(),
        }
    }
}

impl TryFrom<v1::Job> for Job {
    type Error = WireError;
    fn try_from(job: v1::Job) -> Result<Self, WireError> {
        within("parameters", job.params.len(), limits::PARAMS)?;
        within("version", job.version.len(), limits::WORD)?;
        within("list of inputs", job.inputs.len(), limits::INPUTS)?;
        let inputs = job.inputs.into_iter().map(|(name, blob)| Ok((name, blob.try_into()?)));
        Ok(Self {
            kind: kind(job.kind)?,
            version: job.version,
            params: job.params,
            inputs: inputs.collect::<Result<BTreeMap<_, _>, WireError>>()?,
        })
    }
}

impl From<&JobFailure> for v1::Failure {
    fn from(failure: &JobFailure) -> Self {
        let class = match failure.class {
            FailureClass::Deterministic => v1::FailureClass::Deterministic,
            FailureClass::Transient => v1::FailureClass::Transient,
            FailureClass::Poison => v1::FailureClass::Poison,
            FailureClass::Unsatisfiable => v1::FailureClass::Unsatisfiable,
            FailureClass::Cancelled => v1::FailureClass::Cancelled,
        };
        let cut = failure.message.floor_char_boundary(limits::TEXT);
        Self { class: class.into(), code: failure.code.clone(), message: failure.message[..cut].into() }
    }
}

impl TryFrom<v1::Failure> for JobFailure {
    type Error = WireError;
    fn try_from(failure: v1::Failure) -> Result<Self, WireError> {
        within("failure code", failure.code.len(), limits::WORD)?;
        within("failure message", failure.message.len(), limits::TEXT)?;
        let unknown = WireError::UnknownValue { what: "failure class", value: failure.class };
        let class = match v1::FailureClass::try_from(failure.class) {
            Ok(v1::FailureClass::Deterministic) => FailureClass::Deterministic,
            Ok(v1::FailureClass::Transient) => FailureClass::Transient,
            Ok(v1::FailureClass::Poison) => FailureClass::Poison,
            Ok(v1::FailureClass::Unsatisfiable) => FailureClass::Unsatisfiable,
            Ok(v1::FailureClass::Cancelled) => FailureClass::Cancelled,
            Ok(v1::FailureClass::Unspecified) | Err(_) => return Err(unknown),
        };
        Ok(Self { class, code: failure.code, message: failure.message })
    }
}

#[cfg(test)]
mod tests;
