//! What a coordinator says, as the farm of this process would say it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use coordinator::embedded::{BuildEvent, NodeName, Summary};
use coordinator::state::{NodeState, Outputs, Reason};
use plan::{ActionResult, FailureClass, JobFailure, OutputRef};
use proto::v1;
use proto::v1::build_event::Event;

use super::session::{key, kind};

/// Turns the events of one build, which may be told again from the start, into those not told before.
#[derive(Default)]
pub(crate) struct Listener {
    planned: BTreeSet<NodeName>,
    started: BTreeSet<NodeName>,
    ended: BTreeSet<NodeName>,
    /// Characters that have ended.
    pub(crate) done: BTreeSet<Arc<str>>,
}

/// What is to be done about an event.
pub(crate) enum Heard {
    /// Nothing new.
    Nothing,
    /// Pass it on.
    Pass(BuildEvent),
    /// A node ended well; its outputs, if anybody asked for them, are to be fetched first.
    NodeEnded(BuildEvent),
    /// A character ended: its outputs are to be fetched.
    CharacterEnded(Arc<str>, Option<JobFailure>),
    /// The build ended.
    Ended(Summary),
}

impl Listener {
    /// Makes sense of one event.
    pub(crate) fn hear(&mut self, event: Event) -> Heard {
        match event {
            Event::NodePlanned(planned) => {
                let (node, kind) = (name(planned.character, planned.node), kind(&planned.kind));
                let is_new = self.planned.insert(node.clone());
                let pass = |kind| Heard::Pass(BuildEvent::NodePlanned { node, kind });
                kind.filter(|_| is_new).map_or(Heard::Nothing, pass)
            }
            Event::JobStarted(started) => {
                let node = name(started.character, started.node);
                let is_new = self.started.insert(node.clone());
                match (kind(&started.kind), key(Some(&started.key))) {
                    (Some(kind), Some(key)) if is_new => {
                        Heard::Pass(BuildEvent::JobStarted { node, kind, key })
                    }
                    _ => Heard::Nothing,
                }
            }
            Event::NodeEnded(ended) => self.node_ended(ended),
            Event::CharacterEnded(ended) => {
                let character: Arc<str> = ended.character.into();
                if self.done.contains(&character) {
                    return Heard::Nothing;
                }
                Heard::CharacterEnded(character, ended.failure.map(failure))
            }
            Event::Notice(notice) => {
                Heard::Pass(BuildEvent::Notice { code: code(&notice.code), message: notice.message })
            }
            Event::BuildEnded(ended) => Heard::Ended(summary(&ended)),
        }
    }

    fn node_ended(&mut self, ended: v1::NodeEnded) -> Heard {
        let state = match ended.state() {
            v1::NodeState::Run => NodeState::Run,
            v1::NodeState::Hit => NodeState::Hit,
            v1::NodeState::CutOff => NodeState::CutOff,
            v1::NodeState::Cancelled => NodeState::Cancelled,
            v1::NodeState::Failed | v1::NodeState::Unspecified => NodeState::Failed,
        };
        let Some(kind) = kind(&ended.kind) else { return Heard::Nothing };
        let node = name(ended.character, ended.node);
        if !self.ended.insert(node.clone()) {
            return Heard::Nothing;
        }
        let event = BuildEvent::JobFinished {
            node,
            kind,
            key: key(ended.key.as_deref()),
            state,
            reason: reason(&ended.reason, state),
            micros: ended.micros,
            outputs: None,
            failure: ended.failure.map(failure),
        };
        match state {
            NodeState::Failed | NodeState::Cancelled => Heard::Pass(event),
            _ => Heard::NodeEnded(event),
        }
    }
}

fn name(character: String, node: String) -> NodeName {
    NodeName { character: character.into(), node: node.into() }
}

/// A failure of the wire; classes that this release does not know are final.
pub(crate) fn failure(failure: v1::Failure) -> JobFailure {
    let (code, message) = (failure.code.clone(), failure.message.clone());
    let unknown = JobFailure { class: FailureClass::Deterministic, code, message };
    JobFailure::try_from(failure).unwrap_or(unknown)
}

/// A reason from its words; of words that this release does not know, the one that the state suggests.
pub(crate) fn reason(words: &str, state: NodeState) -> Reason {
    if let Some(reason) = Reason::PLAIN.into_iter().find(|reason| reason.to_string() == words) {
        return reason;
    }
    match (words.strip_suffix(" failed"), state) {
        (Some(node), _) => Reason::Upstream(node.into()),
        (None, NodeState::Run) => Reason::NotInCache,
        (None, NodeState::Hit | NodeState::CutOff) => Reason::InCache,
        (None, NodeState::Failed) => Reason::Own,
        (None, NodeState::Cancelled) => Reason::NotNeeded,
    }
}

/// The notices that a farm has names for.
fn code(code: &str) -> &'static str {
    let known = ["healed", "nondeterministic", "no-worker", "worker-lost"];
    known.into_iter().find(|known| *known == code).unwrap_or("farm-notice")
}

fn summary(ended: &v1::BuildEnded) -> Summary {
    let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Summary {
        run: count(ended.run),
        hits: count(ended.hits),
        cut_off: count(ended.cut_off),
        failed: count(ended.failed),
        cancelled: count(ended.cancelled),
        failed_characters: count(ended.failed_characters),
        run_us: ended.run_us,
        saved_us: ended.saved_us,
    }
}

/// The outputs of a fetched character, by node.
pub(crate) fn outputs(fetched: v1::FetchedCharacter) -> BTreeMap<String, Outputs> {
    let mut nodes: BTreeMap<String, ActionResult> = BTreeMap::new();
    for output in fetched.outputs {
        let Some(Ok(blob)) = output.blob.map(canonical::BlobRef::try_from) else { continue };
        // Bytes that are not those named are asked for instead.
        let inline = output.inline.filter(|bytes| canonical::BlobRef::of(bytes) == blob);
        let result = nodes.entry(output.node).or_default();
        result.outputs.insert(output.output, OutputRef { blob, inline });
    }
    nodes.into_iter().map(|(node, result)| (node, Outputs::own(Arc::new(result)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(node: &str, state: v1::NodeState) -> Event {
        Event::NodeEnded(v1::NodeEnded {
            character: "mika".into(),
            node: node.into(),
            kind: "rig".into(),
            state: state.into(),
            reason: "no cached result".into(),
            ..v1::NodeEnded::default()
        })
    }

    #[test]
    fn what_was_told_is_not_told_again() {
        let mut listener = Listener::default();
        assert!(matches!(listener.hear(ended("rig", v1::NodeState::Run)), Heard::NodeEnded(_)));
        assert!(matches!(listener.hear(ended("rig", v1::NodeState::Hit)), Heard::Nothing));
        assert!(matches!(listener.hear(ended("author", v1::NodeState::Failed)), Heard::Pass(_)));
        let unknown = Event::NodePlanned(v1::NodePlanned { kind: "later".into(), ..Default::default() });
        assert!(matches!(listener.hear(unknown), Heard::Nothing));
    }

    #[test]
    fn reasons_come_back_from_their_words() {
        let all = Reason::PLAIN.into_iter().chain([Reason::Upstream("rig".into())]);
        for expected in all {
            assert_eq!(reason(&expected.to_string(), NodeState::Failed), expected);
        }
        assert_eq!(reason("words of a later release", NodeState::Hit), Reason::InCache);
    }
}
