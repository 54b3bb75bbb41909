//! Where jobs stand in a build: nodes that refer to other nodes' outputs.
//!
//! A node *resolves* to a [`Job`](crate::Job) once all outputs it refers to are known. A finished job may bring a
//! [`Subgraph`]; then the node's outputs are the job's own outputs together with those of the subgraph's continuation
//! node, and where both have a name the continuation's blob counts. Nodes of the subgraph refer to the job's own
//! outputs through the reserved name [`SELF_NODE`].

use std::collections::{BTreeMap, BTreeSet};

use canonical::BlobRef;
use serde::{Deserialize, Serialize};

use crate::job::JobKind;

/// The name by which nodes of a subgraph refer to the own outputs of the job that brought the subgraph.
pub const SELF_NODE: &str = "self";
/// Longest name of a node, input or output, in bytes.
pub const MAX_NAME: usize = 1024;
/// Most nodes in one graph or subgraph.
pub const MAX_NODES: usize = 100_000;

/// Where a node's input comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Input {
    /// Bytes already named.
    Blob(BlobRef),
    /// One output of another node; that it is missing is a deterministic failure.
    Output {
        /// The node.
        node: String,
        /// The name of its output.
        output: String,
    },
    /// Every output of another node whose name starts with `prefix`, possibly none. Output `prefix` + `rest` becomes
    /// the input `<input name>/<rest>`.
    Outputs {
        /// The node.
        node: String,
        /// What the names of the outputs start with.
        prefix: String,
    },
}

impl Input {
    /// The node referred to, if any.
    pub fn node(&self) -> Option<&str> {
        match self {
            Self::Blob(_) => None,
            Self::Output { node, .. } | Self::Outputs { node, .. } => Some(node),
        }
    }
}

/// A job whose inputs may still be references.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeTemplate {
    /// Unique in its graph; for people and references, never part of a key.
    pub name: String,
    /// What is done.
    pub kind: JobKind,
    /// The version of the kind.
    pub version: String,
    /// The parameters in the kind's own encoding.
    pub params: Vec<u8>,
    /// The inputs by name.
    pub inputs: BTreeMap<String, Input>,
}

impl NodeTemplate {
    /// A node of the version this program runs, without inputs.
    pub fn new(name: impl Into<String>, kind: JobKind, params: Vec<u8>) -> Self {
        let version = kind.version().to_owned();
        Self { name: name.into(), kind, version, params, inputs: BTreeMap::new() }
    }

    /// Adds an input of known bytes.
    #[must_use]
    pub fn blob(mut self, input: impl Into<String>, blob: BlobRef) -> Self {
        self.inputs.insert(input.into(), Input::Blob(blob));
        self
    }

    /// Adds an input that is one output of another node.
    #[must_use]
    pub fn output(
        mut self,
        input: impl Into<String>,
        node: impl Into<String>,
        output: impl Into<String>,
    ) -> Self {
        self.inputs.insert(input.into(), Input::Output { node: node.into(), output: output.into() });
        self
    }

    /// Adds all outputs of another node whose names start with `prefix`.
    #[must_use]
    pub fn outputs(
        mut self,
        input: impl Into<String>,
        node: impl Into<String>,
        prefix: impl Into<String>,
    ) -> Self {
        self.inputs.insert(input.into(), Input::Outputs { node: node.into(), prefix: prefix.into() });
        self
    }
}

/// What is wrong with a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// A name is empty, too long, holds control characters, or is the reserved `self`.
    #[error("bad name {0:?}: names are 1 to {MAX_NAME} bytes without control characters, and not \"self\"")]
    BadName(String),
    /// Two nodes have one name.
    #[error("two nodes are named {0:?}")]
    DuplicateName(String),
    /// An input refers to a node that is not in the graph.
    #[error("node {node:?} reads from {target:?}, which is not in the graph")]
    UnknownNode {
        /// Who refers.
        node: String,
        /// To what.
        target: String,
    },
    /// A wanted node or the continuation is not in the graph.
    #[error("wanted node {0:?} is not in the graph")]
    UnknownWanted(String),
    /// Nodes wait for each other; one of them is named.
    #[error("node {0:?} waits for itself through other nodes")]
    Cycle(String),
    /// More nodes than [`MAX_NODES`].
    #[error("{0} nodes: a graph holds at most {MAX_NODES}")]
    TooManyNodes(usize),
}

/// The nodes of one character and which of them are asked for. Valid: names are unique, references resolve, nothing
/// waits for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    nodes: Vec<NodeTemplate>,
    wanted: Vec<String>,
}

impl Graph {
    /// Checks and keeps.
    ///
    /// # Errors
    /// The first [`GraphError`] found.
    pub fn new(nodes: Vec<NodeTemplate>, wanted: Vec<String>) -> Result<Self, GraphError> {
        check_nodes(&nodes, false)?;
        check_members(&nodes, &wanted)?;
        Ok(Self { nodes, wanted })
    }

    /// The nodes in the order given.
    pub fn nodes(&self) -> &[NodeTemplate] {
        &self.nodes
    }

    /// Names of the nodes whose outputs are asked for. Only they and what they need is run.
    pub fn wanted(&self) -> &[String] {
        &self.wanted
    }
}

/// Nodes brought by a job's result. Names are local to the subgraph. Valid as [`Graph`] is; references may also name
/// [`SELF_NODE`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subgraph {
    nodes: Vec<NodeTemplate>,
    continuation: String,
}

impl Subgraph {
    /// Checks and keeps.
    ///
    /// # Errors
    /// The first [`GraphError`] found.
    pub fn new(nodes: Vec<NodeTemplate>, continuation: impl Into<String>) -> Result<Self, GraphError> {
        let continuation = continuation.into();
        check_nodes(&nodes, true)?;
        check_members(&nodes, std::slice::from_ref(&continuation))?;
        Ok(Self { nodes, continuation })
    }

    /// The nodes in the order given.
    pub fn nodes(&self) -> &[NodeTemplate] {
        &self.nodes
    }

    /// The node whose outputs complete those of the job that brought the subgraph.
    pub fn continuation(&self) -> &str {
        &self.continuation
    }
}

/// Whether `name` may name a node, input or output.
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME && !name.chars().any(char::is_control)
}

fn check_members(nodes: &[NodeTemplate], names: &[String]) -> Result<(), GraphError> {
    let known: BTreeSet<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    match names.iter().find(|name| !known.contains(name.as_str())) {
        Some(name) => Err(GraphError::UnknownWanted(name.clone())),
        None => Ok(()),
    }
}

fn check_nodes(nodes: &[NodeTemplate], self_allowed: bool) -> Result<(), GraphError> {
    if nodes.len() > MAX_NODES {
        return Err(GraphError::TooManyNodes(nodes.len()));
    }
    let mut index = BTreeMap::new();
    for (number, node) in nodes.iter().enumerate() {
        if !is_name(&node.name) || node.name == SELF_NODE {
            return Err(GraphError::BadName(node.name.clone()));
        }
        if let Some(bad) = node.inputs.keys().find(|name| !is_name(name)) {
            return Err(GraphError::BadName(bad.clone()));
        }
        if index.insert(node.name.as_str(), number).is_some() {
            return Err(GraphError::DuplicateName(node.name.clone()));
        }
    }
    let mut readers = vec![Vec::new(); nodes.len()];
    let mut missing = vec![0usize; nodes.len()];
    for (number, node) in nodes.iter().enumerate() {
        for target in node.inputs.values().filter_map(Input::node) {
            if self_allowed && target == SELF_NODE {
                continue;
            }
            let Some(&target) = index.get(target) else {
                return Err(GraphError::UnknownNode { node: node.name.clone(), target: target.into() });
            };
            readers[target].push(number);
            missing[number] += 1;
        }
    }
    check_acyclic(nodes, &readers, missing)
}

fn check_acyclic(
    nodes: &[NodeTemplate],
    readers: &[Vec<usize>],
    mut missing: Vec<usize>,
) -> Result<(), GraphError> {
    let mut free: Vec<usize> = (0..nodes.len()).filter(|&n| missing[n] == 0).collect();
    let mut done = 0;
    while let Some(number) = free.pop() {
        done += 1;
        for &reader in &readers[number] {
            missing[reader] -= 1;
            if missing[reader] == 0 {
                free.push(reader);
            }
        }
    }
    if done == nodes.len() {
        return Ok(());
    }
    // Behind a cycle every node has missing inputs; walking backwards from any of them ends in the cycle.
    let names: BTreeMap<&str, usize> =
        nodes.iter().enumerate().map(|(number, node)| (node.name.as_str(), number)).collect();
    let mut at = (0..nodes.len()).find(|&n| missing[n] > 0).unwrap_or(0);
    for _ in 0..nodes.len() {
        let upstream = nodes[at].inputs.values().filter_map(Input::node).filter_map(|name| names.get(name));
        at = upstream.copied().find(|&n| missing[n] > 0).unwrap_or(at);
    }
    Err(GraphError::Cycle(nodes[at].name.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, reads: &[&str]) -> NodeTemplate {
        let mut node = NodeTemplate::new(name, JobKind::Rig, vec![]);
        for target in reads {
            node = node.output(format!("from-{target}"), *target, "out");
        }
        node
    }

    #[test]
    fn graphs() {
        let check = |nodes: Vec<NodeTemplate>, wanted: &str, expected: Result<(), GraphError>| {
            assert_eq!(Graph::new(nodes, vec![wanted.into()]).map(|_| ()), expected);
        };
        check(vec![node("a", &[]), node("b", &["a"])], "b", Ok(()));
        check(vec![node("b", &["a"]), node("a", &[])], "b", Ok(()));
        check(vec![node("a", &[])], "b", Err(GraphError::UnknownWanted("b".into())));
        check(vec![node("a", &[]), node("a", &[])], "a", Err(GraphError::DuplicateName("a".into())));
        check(vec![node("", &[])], "", Err(GraphError::BadName(String::new())));
        check(vec![node("self", &[])], "self", Err(GraphError::BadName("self".into())));
        check(vec![node("a\n", &[])], "a\n", Err(GraphError::BadName("a\n".into())));
        let unknown = GraphError::UnknownNode { node: "a".into(), target: "self".into() };
        check(vec![node("a", &["self"])], "a", Err(unknown));
        check(vec![node("a", &["a"])], "a", Err(GraphError::Cycle("a".into())));
        let ring = vec![node("x", &[]), node("d", &["c", "x"]), node("b", &["c"]), node("c", &["b"])];
        assert!(
            matches!(Graph::new(ring, vec![]), Err(GraphError::Cycle(name)) if name == "b" || name == "c")
        );
    }

    #[test]
    fn subgraphs_may_read_self() {
        assert!(Subgraph::new(vec![node("a", &["self"])], "a").is_ok());
        assert_eq!(Subgraph::new(vec![], "a"), Err(GraphError::UnknownWanted("a".into())));
    }
}
