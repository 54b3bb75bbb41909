//! What happens to nodes: planned, resolved, expanded, finished, failed, dropped.

use std::sync::Arc;

use plan::{ActionResult, JobFailure, Subgraph};

use super::build::{Build, Character, Stage};
use super::event::{self, BuildId, Effect, NodeEnd, NodeId, NodeState, Reason, Submission};
use super::outputs::Outputs;
use super::{Turn, build};

/// Something that follows for one node.
#[derive(Debug)]
pub(super) enum Step {
    /// All it reads is known.
    Resolve(NodeId),
    /// Its key's result is there.
    Deliver(NodeId, Arc<ActionResult>, NodeState, Reason),
    /// It and its subgraph are done.
    Finish(NodeId),
    /// It will never be done.
    Fail(NodeId, JobFailure, Reason),
    /// Nothing of its build is left to wait for.
    EndBuild(BuildId),
}

impl Turn<'_> {
    /// Takes all steps that follow, until none is left.
    pub(super) fn settle(&mut self) {
        while let Some(step) = self.todo.pop() {
            match step {
                Step::Resolve(node) => self.resolve(node),
                Step::Deliver(node, result, state, reason) => self.deliver(node, result, state, reason),
                Step::Finish(node) => self.finish(node),
                Step::Fail(node, failure, reason) => self.fail_node(node, failure, reason),
                Step::EndBuild(build) => self.end_build(build),
            }
        }
    }

    pub(super) fn submit(&mut self, submission: Submission) {
        let id = submission.build;
        if self.state.builds.contains_key(&id) {
            return;
        }
        let mut build = Build {
            order: self.state.submitted,
            tenant: submission.tenant,
            band: submission.band,
            read_cache: submission.read_cache,
            open: submission.characters.len(),
            characters: Vec::new(),
            nodes: Vec::new(),
        };
        self.state.submitted += 1;
        let mut empty = Vec::new();
        let mut too_large = Vec::new();
        for (place, (_, graph)) in submission.characters.iter().enumerate() {
            let place = place as u32;
            if build.nodes.len() + graph.nodes().len() > self.state.config.max_nodes {
                too_large.push(place);
                build.characters.push(Character { open: 1, failure: None });
                continue;
            }
            let added = build.add_graph(place, graph, &self.state.costs);
            let open = added.iter().filter(|&&index| build.nodes[index as usize].wanted).count();
            build.characters.push(Character { open, failure: None });
            self.planned(id, &build, &added);
            if open == 0 {
                empty.push(place);
            }
        }
        let nothing_open = build.open == 0;
        self.todo.extend(nothing_open.then_some(Step::EndBuild(id)));
        let first_steps = build.nodes.iter().enumerate().filter(|(_, node)| node.need == 0);
        let resolve = |(index, _)| Step::Resolve(NodeId { build: id, index: index as u32 });
        self.todo.extend(first_steps.map(resolve).rev());
        self.state.builds.insert(id, build);
        for place in empty {
            self.end_character(id, place);
        }
        for place in too_large {
            let failure =
                JobFailure::deterministic("too-many-nodes", "the build has too many nodes: split it");
            self.end_wanted(id, place, Some(failure));
        }
    }

    pub(super) fn cancel(&mut self, id: BuildId) {
        let Some(build) = self.state.builds.get(&id) else { return };
        let open = build.nodes.iter().enumerate().filter(|(_, node)| !node.stage.ended());
        let fail = |(index, _)| {
            Step::Fail(NodeId { build: id, index: index as u32 }, event::cancelled(), Reason::BuildCancelled)
        };
        self.todo.extend(open.map(fail).rev());
    }

    fn planned(&mut self, id: BuildId, build: &Build, added: &[u32]) {
        for &index in added {
            let node = &build.nodes[index as usize];
            self.effects.push(Effect::NodePlanned {
                node: NodeId { build: id, index },
                character: node.character,
                name: Arc::clone(&node.name),
                kind: node.kind,
            });
        }
    }

    fn resolve(&mut self, id: NodeId) {
        let Some(build) = self.state.builds.get_mut(&id.build) else { return };
        if build.nodes[id.index as usize].stage != Stage::Waiting {
            return;
        }
        match build.resolve(id.index) {
            Err(failure) => self.todo.push(Step::Fail(id, failure, Reason::Own)),
            Ok(job) => {
                let key = job.key();
                let read_cache = build.read_cache;
                let node = &mut build.nodes[id.index as usize];
                node.stage = Stage::OnKey;
                node.key = Some(key);
                self.attach(id, key, job, read_cache);
            }
        }
    }

    fn deliver(&mut self, id: NodeId, result: Arc<ActionResult>, state: NodeState, reason: Reason) {
        let Some(build) = self.state.builds.get_mut(&id.build) else { return };
        let node = &mut build.nodes[id.index as usize];
        if node.stage != Stage::OnKey {
            return;
        }
        // Something upstream ran and yet the result was there: the change stopped here.
        let cut_off = state == NodeState::Hit && reason == Reason::InCache && node.ran_upstream;
        let state = if cut_off { NodeState::CutOff } else { state };
        node.end = Some((state, reason, result.cost_us));
        node.own = Some(Outputs::own(Arc::clone(&result)));
        match &result.subgraph {
            None => self.todo.push(Step::Finish(id)),
            Some(subgraph) => self.expand(id, subgraph),
        }
    }

    fn expand(&mut self, id: NodeId, subgraph: &Subgraph) {
        let Some(build) = self.state.builds.get_mut(&id.build) else { return };
        let config = &self.state.config;
        let node = &build.nodes[id.index as usize];
        if node.depth >= config.max_depth || build.nodes.len() + subgraph.nodes().len() > config.max_nodes {
            let message =
                format!("node {}: its subgraph is nested too deep or has too many nodes", node.name);
            let failure = JobFailure::deterministic("subgraph-too-large", message);
            self.todo.push(Step::Fail(id, failure, Reason::Own));
            return;
        }
        let (added, continuation) = build.add_subgraph(id.index, subgraph, &self.state.costs);
        let last = &mut build.nodes[continuation as usize];
        last.readers.push(id.index);
        last.needed += 1;
        let node = &mut build.nodes[id.index as usize];
        node.upstream.push(continuation);
        node.need = 1;
        node.stage = Stage::Expanded;
        let free = added.iter().rev().filter(|&&index| build.nodes[index as usize].need == 0);
        self.todo.extend(free.map(|&index| Step::Resolve(NodeId { build: id.build, index })));
        let Some(build) = self.state.builds.remove(&id.build) else { return };
        self.planned(id.build, &build, &added);
        self.state.builds.insert(id.build, build);
    }

    fn finish(&mut self, id: NodeId) {
        let Some(build) = self.state.builds.get_mut(&id.build) else { return };
        let node = &build.nodes[id.index as usize];
        let (Some(own), Some((state, reason, cost_us))) = (node.own.clone(), node.end.clone()) else {
            return;
        };
        let outputs = match node.stage {
            Stage::Expanded => {
                let continuation = node.upstream.last().map(|&index| &build.nodes[index as usize]);
                let more = continuation.and_then(|node| node.outputs.clone());
                match more {
                    Some(more) => own.over(more),
                    None => own,
                }
            }
            _ => own,
        };
        let node = &mut build.nodes[id.index as usize];
        node.stage = Stage::Finished;
        node.outputs = Some(outputs.clone());
        let (key, ran, wanted, character) =
            (node.key, state == NodeState::Run || node.ran_upstream, node.wanted, node.character);
        let end = NodeEnd { node: id, state, reason, key, cost_us, outputs: Some(outputs), failure: None };
        self.effects.push(Effect::NodeEnded(Box::new(end)));
        for reader in build.nodes[id.index as usize].readers.clone().into_iter().rev() {
            let node = &mut build.nodes[reader as usize];
            node.need -= 1;
            node.ran_upstream |= ran;
            let reader = NodeId { build: id.build, index: reader };
            match node.stage {
                Stage::Waiting if node.need == 0 => self.todo.push(Step::Resolve(reader)),
                Stage::Expanded if node.need == 0 => self.todo.push(Step::Finish(reader)),
                _ => {}
            }
        }
        if wanted {
            self.end_wanted(id.build, character, None);
        }
    }

    fn fail_node(&mut self, id: NodeId, failure: JobFailure, reason: Reason) {
        let Some(build) = self.state.builds.get_mut(&id.build) else { return };
        let node = &mut build.nodes[id.index as usize];
        if node.stage.ended() {
            return;
        }
        let waited_on = node.key.filter(|_| node.stage == Stage::OnKey);
        node.stage = Stage::Failed;
        let (key, wanted, character) = (node.key, node.wanted, node.character);
        let onward = match &reason {
            Reason::Own => Reason::Upstream(Arc::clone(&node.name)),
            other => other.clone(),
        };
        self.spread(id, &failure, &onward);
        let cancelled = matches!(reason, Reason::BuildCancelled | Reason::NotNeeded);
        let state = if cancelled { NodeState::Cancelled } else { NodeState::Failed };
        let end = NodeEnd {
            node: id,
            state,
            reason,
            key,
            cost_us: 0,
            outputs: None,
            failure: Some(failure.clone()),
        };
        self.effects.push(Effect::NodeEnded(Box::new(end)));
        if let Some(key) = waited_on {
            self.detach(id, key);
        }
        if wanted {
            self.end_wanted(id.build, character, Some(failure));
        }
    }

    /// A failure goes down to all readers; what only failed nodes needed is dropped.
    fn spread(&mut self, id: NodeId, failure: &JobFailure, reason: &Reason) {
        let Some(build) = self.state.builds.get_mut(&id.build) else { return };
        let (readers, upstream) = {
            let node = &build.nodes[id.index as usize];
            (node.readers.clone(), node.upstream.clone())
        };
        for &index in &upstream {
            let node = &mut build.nodes[index as usize];
            node.needed -= 1;
            if node.needed == 0 && !node.wanted && !node.stage.ended() {
                let unneeded = NodeId { build: id.build, index };
                self.todo.push(Step::Fail(unneeded, event::cancelled(), Reason::NotNeeded));
            }
        }
        let open = |&&index: &&u32| !build.nodes[index as usize].stage.ended();
        let fail =
            |&index: &u32| Step::Fail(NodeId { build: id.build, index }, failure.clone(), reason.clone());
        self.todo.extend(readers.iter().rev().filter(open).map(fail));
    }

    fn end_wanted(&mut self, id: BuildId, place: u32, failure: Option<JobFailure>) {
        let Some(build) = self.state.builds.get_mut(&id) else { return };
        let character = &mut build.characters[place as usize];
        if character.failure.is_none() {
            character.failure = failure;
        }
        character.open -= 1;
        if character.open == 0 {
            self.end_character(id, place);
        }
    }

    fn end_character(&mut self, id: BuildId, place: u32) {
        let Some(build) = self.state.builds.get_mut(&id) else { return };
        let failure = build.characters[place as usize].failure.clone();
        self.effects.push(Effect::CharacterEnded(id, place, failure));
        build.open -= 1;
        if build.open == 0 {
            // At the bottom of the stack: all other steps of the build come first.
            self.todo.insert(0, Step::EndBuild(id));
        }
    }

    fn end_build(&mut self, id: BuildId) {
        let Some(build) = self.state.builds.remove(&id) else { return };
        debug_assert!(build.nodes.iter().all(|node: &build::Node| node.stage.ended()));
        let mut keys: Vec<_> = build.nodes.iter().filter_map(|node| node.key).collect();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            self.forget(key, id);
        }
        self.effects.push(Effect::BuildEnded(id));
    }
}
