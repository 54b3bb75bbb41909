//! Notes, and what is missing for a rig.

use std::collections::BTreeMap;

use artwork::{Note, NoteLevel};

use crate::anchors::{EYE_TAGS, MOUTH_TAGS};
use crate::{Anchors, Member, Tag};

/// A note about a member.
pub(crate) fn note(level: NoteLevel, code: &str, member: &Member, message: String, setting: &str) -> Note {
    Note { code: code.into(), level, layer: Some(member.layer.clone()), message, setting: setting.into() }
}

/// Warns of what the character lacks (RIG section 3).
pub(crate) fn missing(members: &[Member], anchors: &Anchors, notes: &mut Vec<Note>) {
    let mut warn = |code: &str, message: String, setting: &str| {
        let (code, setting) = (code.to_owned(), setting.to_owned());
        notes.push(Note { code, level: NoteLevel::Warning, layer: None, message, setting });
    };
    let any = |tags: &[Tag]| members.iter().any(|m| tags.contains(&m.tag));
    let recognised = members.iter().filter(|m| m.tag != Tag::Unknown && !m.background).count();
    let tag_setting = "layers.\"<name>\".tag";
    if recognised < 4 {
        let message = format!("only {recognised} of {} layers are recognised by name", members.len());
        warn("few-layers", message, tag_setting);
    }
    if !anchors.has_face {
        warn("no-face", "no layer is named face or head; the face is guessed".into(), tag_setting);
    }
    if !any(&EYE_TAGS) {
        warn("no-eyes", "no layer is an eye, an iris or a lash; the eyes will not move".into(), tag_setting);
    }
    if !any(&MOUTH_TAGS) {
        warn("no-mouth", "no layer is a mouth; it will not move".into(), tag_setting);
    }
    let mut counts: BTreeMap<(&[String], &str), std::collections::BTreeSet<&str>> = BTreeMap::new();
    for member in members {
        counts.entry((&member.path, &member.name)).or_default().insert(member.layer.as_str());
    }
    let twice: Vec<&str> =
        (counts.iter()).filter(|(_, layers)| layers.len() > 1).map(|((_, name), _)| *name).collect();
    if !twice.is_empty() {
        let first = twice.iter().take(6).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let message = format!("{} names are used more than once: {first}", twice.len());
        warn("duplicate-names", message, "");
    }
}
