//! Books on the wire.

use canonical::Digest;
use plan::JobKey;
use proto::v1;
use proto::v1::build_event::Event;

use crate::embedded::Summary;
use crate::ledger::{Book, Character, Told};
use crate::state::{BuildId, NodeState};

/// Events after the given one, at most so many.
pub(super) fn events(book: &Book, after: u64, most: usize) -> Vec<v1::BuildEvent> {
    let from = usize::try_from(after).unwrap_or(usize::MAX).min(book.log.len());
    let some = book.log.iter().enumerate().skip(from).take(most);
    some.map(|(place, told)| v1::BuildEvent { id: place as u64 + 1, event: Some(event(book, told)) })
        .collect()
}

fn event(book: &Book, told: &Told) -> Event {
    match told {
        Told::Planned(node) => {
            let (character, node, kind) = names(book, *node);
            Event::NodePlanned(v1::NodePlanned { character, node, kind })
        }
        Told::Started(node, key, worker) => {
            let (character, node, kind) = names(book, *node);
            Event::JobStarted(v1::JobStarted {
                character,
                node,
                kind,
                key: bytes(*key),
                worker: worker.to_string(),
            })
        }
        Told::Ended { node, key, state, reason, micros, failure } => {
            let (character, node, kind) = names(book, *node);
            Event::NodeEnded(v1::NodeEnded {
                character,
                node,
                kind,
                key: key.map(bytes),
                state: node_state(*state).into(),
                reason: reason.to_string(),
                micros: *micros,
                failure: failure.as_deref().map(Into::into),
            })
        }
        Told::Character(place) => {
            let character = book.characters.get(*place as usize);
            Event::CharacterEnded(v1::CharacterEnded {
                character: character.map(|c| c.name.to_string()).unwrap_or_default(),
                failure: character.and_then(|c| c.failure.as_ref()).map(Into::into),
            })
        }
        Told::Notice(code, message) => {
            Event::Notice(v1::Notice { code: code.to_string(), message: message.to_string() })
        }
        Told::Done => Event::BuildEnded(summary(&book.summary)),
    }
}

/// Character, node and kind.
pub(super) fn names(book: &Book, node: u32) -> (String, String, String) {
    let Some(node) = book.nodes.get(node as usize) else { return Default::default() };
    let character = book.characters.get(node.character as usize).map(|c| c.name.to_string());
    (character.unwrap_or_default(), node.name.to_string(), node.kind.name().to_owned())
}

pub(super) fn bytes(key: JobKey) -> Vec<u8> {
    key.0.as_bytes().to_vec()
}

fn node_state(state: NodeState) -> v1::NodeState {
    match state {
        NodeState::Run => v1::NodeState::Run,
        NodeState::Hit => v1::NodeState::Hit,
        NodeState::CutOff => v1::NodeState::CutOff,
        NodeState::Failed => v1::NodeState::Failed,
        NodeState::Cancelled => v1::NodeState::Cancelled,
    }
}

fn summary(summary: &Summary) -> v1::BuildEnded {
    v1::BuildEnded {
        run: summary.run as u64,
        hits: summary.hits as u64,
        cut_off: summary.cut_off as u64,
        failed: summary.failed as u64,
        cancelled: summary.cancelled as u64,
        failed_characters: summary.failed_characters as u64,
        run_us: summary.run_us,
        saved_us: summary.saved_us,
    }
}

pub(super) fn line(build: BuildId, book: &Book) -> v1::BuildLine {
    v1::BuildLine {
        build: build.0,
        title: book.title.to_string(),
        characters: book.characters.len() as u64,
        characters_ended: book.characters.iter().filter(|character| character.ended).count() as u64,
        nodes: book.nodes.len() as u64,
        nodes_ended: book.nodes_ended as u64,
        ended: book.ended_ms.is_some(),
        summary: Some(summary(&book.summary)),
        submitted_ms: book.submitted_ms,
        tenant: book.tenant.to_string(),
    }
}

pub(super) fn fetched(character: &Character) -> v1::FetchedCharacter {
    let mut outputs = Vec::new();
    for (node, made) in &character.outputs {
        for (name, output) in made.all() {
            outputs.push(v1::FetchedOutput {
                node: node.to_string(),
                output: name.to_owned(),
                blob: Some(output.blob.into()),
                inline: output.inline.clone(),
            });
        }
    }
    let failure = character.failure.as_ref().map(Into::into);
    v1::FetchedCharacter { character: character.name.to_string(), outputs, failure }
}

/// Whether a job's hexadecimal name starts so.
pub(super) fn is_named(key: &Digest, start: &str) -> bool {
    key.to_hex().starts_with(&start.to_lowercase())
}
