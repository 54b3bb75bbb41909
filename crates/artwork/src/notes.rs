//! Short constructors of notes.

use crate::{LayerId, Note, NoteLevel};

/// A decision worth knowing.
pub(crate) fn info(code: &str, layer: Option<LayerId>, message: String, setting: &str) -> Note {
    note(NoteLevel::Info, code, layer, message, setting)
}

/// Something is lost or doubtful.
pub(crate) fn warning(code: &str, layer: Option<LayerId>, message: String, setting: &str) -> Note {
    note(NoteLevel::Warning, code, layer, message, setting)
}

fn note(level: NoteLevel, code: &str, layer: Option<LayerId>, message: String, setting: &str) -> Note {
    Note { code: code.into(), level, layer, message, setting: setting.into() }
}
