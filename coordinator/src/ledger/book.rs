//! One build as its client sees it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use canonical::BlobRef;
use plan::{JobFailure, JobKey, JobKind};
use serde::{Deserialize, Serialize};

use super::Order;
use crate::embedded::Summary;
use crate::state::{NodeEnd, NodeState, Outputs, Reason};

/// A build's story. Kept after the build has ended, until newer ones push it out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Book {
    /// Who pays.
    pub tenant: Arc<str>,
    /// The client's id of it.
    pub request: Arc<str>,
    /// For people.
    pub title: Arc<str>,
    /// In milliseconds since 1970.
    pub submitted_ms: u64,
    /// When it ended, if it has.
    pub ended_ms: Option<u64>,
    /// In order of submission.
    pub characters: Vec<Character>,
    /// In order of planning.
    pub nodes: Vec<Node>,
    /// How many of them have ended.
    pub nodes_ended: usize,
    /// What happened, in order. The id of an event is its place, from 1.
    pub log: Vec<Told>,
    /// Logs of its jobs: node, job, bytes.
    pub logs: Vec<(u32, JobKey, BlobRef)>,
    /// In numbers.
    pub summary: Summary,
}

/// A character of a build.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Character {
    /// Its name.
    pub name: Arc<str>,
    /// Names of the nodes asked for.
    wanted: BTreeSet<String>,
    /// Outputs of those that have ended well.
    pub outputs: BTreeMap<Arc<str>, Outputs>,
    /// Whether all of them have ended.
    pub ended: bool,
    /// The first failure, if any.
    pub failure: Option<JobFailure>,
}

/// A node of a build.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Node {
    /// Its name within the character; nodes of subgraphs are named `parent/child`.
    pub name: Arc<str>,
    /// Place of its character.
    pub character: u32,
    /// What it does.
    pub kind: JobKind,
}

/// What a client is told. Nodes and characters are named by their places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Told {
    /// A node entered the build.
    Planned(u32),
    /// A job started for a node on a worker.
    Started(u32, JobKey, Arc<str>),
    /// A node ended.
    Ended {
        /// Which.
        node: u32,
        /// The job, when it came to that.
        key: Option<JobKey>,
        /// How.
        state: NodeState,
        /// Why.
        reason: Reason,
        /// How long the job ran or, for hits, once ran, in microseconds.
        micros: u64,
        /// The failure, if any.
        failure: Option<Box<JobFailure>>,
    },
    /// All wanted nodes of a character ended.
    Character(u32),
    /// Something worth knowing: code and message.
    Notice(Arc<str>, Arc<str>),
    /// Everything ended. The last event.
    Done,
}

impl Book {
    pub(super) fn new(order: &Order, now_ms: u64) -> Self {
        let character = |(name, graph): &(Arc<str>, plan::Graph)| Character {
            name: Arc::clone(name),
            wanted: graph.wanted().iter().cloned().collect(),
            outputs: BTreeMap::new(),
            ended: false,
            failure: None,
        };
        Self {
            tenant: Arc::clone(&order.tenant),
            request: Arc::clone(&order.request),
            title: Arc::clone(&order.title),
            submitted_ms: now_ms,
            ended_ms: None,
            characters: order.characters.iter().map(character).collect(),
            nodes: Vec::new(),
            nodes_ended: 0,
            log: Vec::new(),
            logs: Vec::new(),
            summary: Summary::default(),
        }
    }

    pub(super) fn planned(&mut self, character: u32, name: &Arc<str>, kind: JobKind) {
        self.log.push(Told::Planned(self.nodes.len() as u32));
        self.nodes.push(Node { name: Arc::clone(name), character, kind });
    }

    pub(super) fn node_ended(&mut self, end: &NodeEnd) {
        let index = end.node.index;
        let Some(node) = self.nodes.get(index as usize) else { return };
        self.nodes_ended += 1;
        self.summary.count(end.state, &end.reason, end.cost_us);
        let log = end.outputs.as_ref().and_then(Outputs::log);
        self.logs.extend(end.key.zip(log).map(|(key, blob)| (index, key, blob)));
        if let (Some(character), Some(outputs)) =
            (self.characters.get_mut(node.character as usize), &end.outputs)
            && character.wanted.contains(&*node.name)
        {
            character.outputs.insert(Arc::clone(&node.name), outputs.clone());
        }
        let failed = matches!(end.state, NodeState::Failed | NodeState::Cancelled);
        let micros = if failed || end.reason == Reason::Shared { 0 } else { end.cost_us };
        self.log.push(Told::Ended {
            node: index,
            key: end.key,
            state: end.state,
            reason: end.reason.clone(),
            micros,
            failure: end.failure.clone().map(Box::new),
        });
    }

    pub(super) fn character_ended(&mut self, place: u32, failure: Option<JobFailure>) {
        self.summary.failed_characters += usize::from(failure.is_some());
        if let Some(character) = self.characters.get_mut(place as usize) {
            character.ended = true;
            character.failure = failure;
        }
        self.log.push(Told::Character(place));
    }

    pub(super) fn build_ended(&mut self, now_ms: u64) {
        self.ended_ms = Some(now_ms);
        self.log.push(Told::Done);
    }
}
