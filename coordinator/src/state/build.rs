//! One build's nodes and how they hang together.

use std::collections::BTreeMap;
use std::sync::Arc;

use canonical::BlobRef;
use plan::{Graph, Input, Job, JobFailure, JobKey, JobKind, NodeTemplate, OutputRef, SELF_NODE, Subgraph};

use serde::{Deserialize, Serialize};

use super::Unfinished;
use super::cost::Costs;
use super::outputs::Outputs;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Build {
    /// Place in the order of submission.
    pub(super) order: u64,
    pub(super) tenant: Arc<str>,
    pub(super) band: u8,
    pub(super) read_cache: bool,
    pub(super) characters: Vec<Character>,
    pub(super) nodes: Vec<Node>,
    /// Characters that have not ended.
    pub(super) open: usize,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Character {
    /// Wanted nodes that have not ended.
    pub(super) open: usize,
    pub(super) failure: Option<JobFailure>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Node {
    pub(super) name: Arc<str>,
    pub(super) character: u32,
    pub(super) depth: u32,
    pub(super) wanted: bool,
    pub(super) kind: JobKind,
    version: String,
    params: Vec<u8>,
    inputs: Vec<(String, Source)>,
    /// Nodes whose end this one waits for, each once.
    pub(super) upstream: Vec<u32>,
    /// Nodes that wait for the end of this one.
    pub(super) readers: Vec<u32>,
    /// How many of `upstream` have not ended.
    pub(super) need: usize,
    /// How many of `readers` have not ended.
    pub(super) needed: usize,
    /// Expected cost from here to the end of the character, in microseconds.
    pub(super) path_us: u64,
    /// Whether anything upstream ran in this build.
    pub(super) ran_upstream: bool,
    pub(super) stage: Stage,
    pub(super) key: Option<JobKey>,
    /// What its own job gave.
    pub(super) own: Option<Outputs>,
    /// What it gave altogether.
    pub(super) outputs: Option<Outputs>,
    /// How it will be reported once its subgraph has ended.
    pub(super) end: Option<(super::NodeState, super::Reason, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stage {
    Waiting,
    OnKey,
    Expanded,
    Finished,
    Failed,
}

impl Stage {
    pub(super) fn ended(self) -> bool {
        matches!(self, Self::Finished | Self::Failed)
    }
}

#[derive(Debug, Serialize, Deserialize)]
enum Source {
    Blob(BlobRef),
    Output { from: Origin, output: String },
    Outputs { from: Origin, prefix: String },
}

/// Whose outputs are read.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Origin {
    /// All outputs of a node.
    Node(u32),
    /// What the job of a node gave itself, read from within the node's subgraph.
    OwnOf(u32),
}

impl Build {
    pub(super) fn add_graph(&mut self, character: u32, graph: &Graph, costs: &Costs) -> Vec<u32> {
        let context =
            Context { character, depth: 0, parent: None, prefix: "", path_us: 0, ran_upstream: false };
        let added = self.add_nodes(graph.nodes(), graph.wanted(), &context, costs);
        let wanted: std::collections::BTreeSet<&str> = graph.wanted().iter().map(String::as_str).collect();
        for &index in &added {
            let node = &mut self.nodes[index as usize];
            node.wanted = wanted.contains(&*node.name);
        }
        added
    }

    /// Adds the nodes of a subgraph that its continuation needs; gives them and the continuation.
    pub(super) fn add_subgraph(
        &mut self,
        parent: u32,
        subgraph: &Subgraph,
        costs: &Costs,
    ) -> (Vec<u32>, u32) {
        let node = &self.nodes[parent as usize];
        let prefix = format!("{}/", node.name);
        let ran = matches!(node.end, Some((super::NodeState::Run, ..))) || node.ran_upstream;
        let context = Context {
            character: node.character,
            depth: node.depth + 1,
            parent: Some(parent),
            prefix: &prefix,
            path_us: node.path_us.saturating_sub(costs.of_kind(node.kind)),
            ran_upstream: ran,
        };
        let continuation = subgraph.continuation().to_owned();
        let added = self.add_nodes(subgraph.nodes(), std::slice::from_ref(&continuation), &context, costs);
        // Upstream nodes come first, so what everything leads to comes last.
        let last = added.last().copied().unwrap_or(parent);
        (added, last)
    }

    /// Adds what `wanted` needs, upstream nodes first.
    fn add_nodes(
        &mut self,
        templates: &[NodeTemplate],
        wanted: &[String],
        context: &Context<'_>,
        costs: &Costs,
    ) -> Vec<u32> {
        let order = needed_in_order(templates, wanted);
        let first = self.nodes.len() as u32;
        let mut places = BTreeMap::new();
        for (offset, &number) in order.iter().enumerate() {
            places.insert(templates[number].name.as_str(), first + offset as u32);
        }
        for &number in &order {
            let node = Node::new(&templates[number], &places, context);
            let index = self.nodes.len() as u32;
            for &upstream in &node.upstream {
                let upstream = &mut self.nodes[upstream as usize];
                upstream.readers.push(index);
                upstream.needed += 1;
            }
            self.nodes.push(node);
        }
        for index in (first..self.nodes.len() as u32).rev() {
            let readers = self.nodes[index as usize].readers.iter();
            let tail = readers.map(|&reader| self.nodes[reader as usize].path_us).max();
            let node = &mut self.nodes[index as usize];
            node.path_us = tail.unwrap_or(context.path_us).saturating_add(costs.of_kind(node.kind));
        }
        (first..self.nodes.len() as u32).collect()
    }

    /// The job a node stands for, all it reads being known.
    pub(super) fn resolve(&self, index: u32) -> Result<Job, JobFailure> {
        let node = &self.nodes[index as usize];
        let mut inputs = BTreeMap::new();
        let mut add = |name: String, blob: BlobRef| match inputs.insert(name.clone(), blob) {
            None => Ok(()),
            Some(_) => Err(JobFailure::deterministic(
                "input-collision",
                format!("node {}: two inputs are named {name:?}", node.name),
            )),
        };
        for (name, source) in &node.inputs {
            match source {
                Source::Blob(blob) => add(name.clone(), *blob)?,
                Source::Output { from, output } => {
                    let found = self.outputs(*from).and_then(|outputs| outputs.get(output));
                    let found = found.ok_or_else(|| self.missing_output(node, *from, output))?;
                    add(name.clone(), found.blob)?;
                }
                Source::Outputs { from, prefix } => {
                    let found = self.outputs(*from).map(|outputs| outputs.starting(prefix));
                    for (full, output) in found.unwrap_or_default() {
                        add(format!("{name}/{}", &full[prefix.len()..]), output.blob)?;
                    }
                }
            }
        }
        let (kind, version, params) = (node.kind, node.version.clone(), node.params.clone());
        Ok(Job { kind, version, params, inputs })
    }

    /// The inputs of a node whose bytes are known without asking the store.
    pub(super) fn inline_inputs(&self, index: u32) -> BTreeMap<canonical::Digest, Arc<[u8]>> {
        let mut inline = BTreeMap::new();
        let mut add = |output: &OutputRef| {
            if let Some(bytes) = &output.inline {
                inline.insert(output.blob.digest, Arc::from(bytes.as_slice()));
            }
        };
        for (_, source) in &self.nodes[index as usize].inputs {
            match source {
                Source::Blob(_) => {}
                Source::Output { from, output } => {
                    self.outputs(*from)
                        .and_then(|outputs| outputs.get(output))
                        .into_iter()
                        .for_each(&mut add);
                }
                Source::Outputs { from, prefix } => {
                    let found = self.outputs(*from).map(|outputs| outputs.starting(prefix));
                    found.unwrap_or_default().into_values().for_each(&mut add);
                }
            }
        }
        inline
    }

    /// The key that makes `blob` for the inputs of a node. What a subgraph names by blob was made by some job of the
    /// character, else it is a source.
    pub(super) fn producer(&self, index: u32, blob: &BlobRef) -> Option<JobKey> {
        let reader = &self.nodes[index as usize];
        let origins = reader.inputs.iter().filter_map(|(_, source)| match source {
            Source::Blob(_) => None,
            Source::Output { from, .. } | Source::Outputs { from, .. } => Some(*from),
        });
        let read_from = origins.filter_map(|origin| self.producer_within(origin, blob)).next();
        read_from.or_else(|| {
            let named =
                |(_, source): &(String, Source)| matches!(source, Source::Blob(named) if named == blob);
            let is_named = reader.inputs.iter().any(named);
            let mut character =
                self.nodes.iter().filter(|node| is_named && node.character == reader.character);
            character.find_map(|node| node.makes(blob))
        })
    }

    fn producer_within(&self, origin: Origin, blob: &BlobRef) -> Option<JobKey> {
        match origin {
            Origin::OwnOf(index) => self.nodes[index as usize].makes(blob),
            Origin::Node(mut index) => loop {
                let node = &self.nodes[index as usize];
                if let Some(key) = node.makes(blob) {
                    return Some(key);
                }
                // The continuation is the last thing an expanded node waited for.
                index = *node.upstream.last().filter(|_| node.expanded())?;
            },
        }
    }

    fn outputs(&self, origin: Origin) -> Option<&Outputs> {
        match origin {
            Origin::Node(index) => self.nodes[index as usize].outputs.as_ref(),
            Origin::OwnOf(index) => self.nodes[index as usize].own.as_ref(),
        }
    }

    fn missing_output(&self, node: &Node, from: Origin, output: &str) -> JobFailure {
        let (Origin::Node(index) | Origin::OwnOf(index)) = from;
        let from = &self.nodes[index as usize].name;
        JobFailure::deterministic(
            "missing-output",
            format!(
                "node {} reads output {output:?} of node {from}, which gave none of that name",
                node.name
            ),
        )
    }

    pub(super) fn unfinished(&self, costs: &Costs) -> Vec<Unfinished> {
        let open = self.nodes.iter().enumerate().filter(|(_, node)| !node.stage.ended());
        open.map(|(index, node)| Unfinished {
            index: index as u32,
            key: node.key,
            cost_us: costs.of_kind(node.kind),
            expanded: node.stage == Stage::Expanded,
        })
        .collect()
    }
}

struct Context<'a> {
    character: u32,
    depth: u32,
    parent: Option<u32>,
    prefix: &'a str,
    path_us: u64,
    ran_upstream: bool,
}

impl Node {
    fn new(template: &NodeTemplate, places: &BTreeMap<&str, u32>, context: &Context<'_>) -> Self {
        let origin = |name: &str| match context.parent {
            Some(parent) if name == SELF_NODE => Origin::OwnOf(parent),
            // Graphs are valid by construction: every other name is in the map.
            _ => Origin::Node(places.get(name).copied().unwrap_or(0)),
        };
        let mut upstream = Vec::new();
        let mut inputs = Vec::with_capacity(template.inputs.len());
        for (name, input) in &template.inputs {
            let source = match input {
                Input::Blob(blob) => Source::Blob(*blob),
                Input::Output { node, output } => {
                    Source::Output { from: origin(node), output: output.clone() }
                }
                Input::Outputs { node, prefix } => {
                    Source::Outputs { from: origin(node), prefix: prefix.clone() }
                }
            };
            if let Source::Output { from: Origin::Node(index), .. }
            | Source::Outputs { from: Origin::Node(index), .. } = source
            {
                upstream.push(index);
            }
            inputs.push((name.clone(), source));
        }
        upstream.sort_unstable();
        upstream.dedup();
        Self {
            name: format!("{}{}", context.prefix, template.name).into(),
            character: context.character,
            depth: context.depth,
            wanted: false,
            kind: template.kind,
            version: template.version.clone(),
            params: template.params.clone(),
            inputs,
            need: upstream.len(),
            upstream,
            readers: Vec::new(),
            needed: 0,
            path_us: 0,
            ran_upstream: context.ran_upstream,
            stage: Stage::Waiting,
            key: None,
            own: None,
            outputs: None,
            end: None,
        }
    }

    /// Its key, if its own job makes `blob`.
    fn makes(&self, blob: &BlobRef) -> Option<JobKey> {
        let own = self.own.as_ref()?;
        own.all().values().any(|output| output.blob == *blob).then_some(self.key)?
    }

    /// Whether the node's job brought a subgraph.
    fn expanded(&self) -> bool {
        self.own.as_ref().is_some_and(|own| own.subgraph().is_some())
    }
}

/// Numbers of the templates that `wanted` needs, each after all it reads from.
fn needed_in_order(templates: &[NodeTemplate], wanted: &[String]) -> Vec<usize> {
    let index: BTreeMap<&str, usize> =
        templates.iter().enumerate().map(|(number, node)| (node.name.as_str(), number)).collect();
    let mut entered = vec![false; templates.len()];
    let mut order = Vec::new();
    let mut stack: Vec<(usize, bool)> = Vec::new();
    for name in wanted {
        stack.extend(index.get(name.as_str()).map(|&number| (number, false)));
        while let Some((number, done)) = stack.pop() {
            if done {
                order.push(number);
                continue;
            }
            if std::mem::replace(&mut entered[number], true) {
                continue;
            }
            stack.push((number, true));
            let upstream = templates[number].inputs.values().filter_map(Input::node);
            stack.extend(upstream.filter_map(|name| index.get(name)).map(|&number| (number, false)));
        }
    }
    order
}
