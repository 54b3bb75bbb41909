//! Which override speaks of a layer.

use artwork::{Layer, Note, NoteLevel};

use crate::assign::Draft;
use crate::name::read_name;
use crate::settings::{LayerOverride, Settings};
use crate::{Group, Side, Tag};

/// The override of a layer with its key: by id, then path, then name, then the longest matching glob.
pub(crate) fn find<'a>(settings: &'a Settings, layer: &Layer) -> Option<(&'a str, &'a LayerOverride)> {
    let path = layer.path.iter().chain([&layer.name]).map(String::as_str).collect::<Vec<_>>().join("/");
    let texts = [layer.id.as_str(), path.as_str(), layer.name.as_str()];
    let exact = texts.iter().find_map(|text| settings.layers.get_key_value(*text));
    let glob = || {
        (settings.layers.iter())
            .filter(|(key, _)| key.contains(['*', '?']))
            .filter(|(key, _)| texts.iter().any(|text| glob_matches(key, text)))
            .max_by_key(|(key, _)| key.len())
    };
    exact.or_else(glob).map(|(key, value)| (key.as_str(), value))
}

/// `*` matches any run of characters, `?` any one; the rest as is. Linear in pattern times text.
pub fn glob_matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if p < pattern.len() && pattern[p] == '*' {
            star = Some((p, t));
            p += 1;
        } else if p < pattern.len() && (pattern[p] == '?' || pattern[p] == text[t]) {
            (p, t) = (p + 1, t + 1);
        } else if let Some((star_p, star_t)) = star {
            star = Some((star_p, star_t + 1));
            (p, t) = (star_p + 1, star_t + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

/// Applies what the user says about a layer; words that mean nothing are noted and change nothing.
pub(crate) fn apply(draft: &mut Draft, key: &str, said: &LayerOverride, notes: &mut Vec<Note>) {
    let mut bad = |what: &str, value: &str, allowed: &str| {
        notes.push(Note {
            code: "override-unknown".into(),
            level: NoteLevel::Warning,
            layer: Some(draft.member.layer.clone()),
            message: format!("{what} `{value}` is not known: use {allowed}"),
            setting: format!("layers.\"{key}\".{what}"),
        });
    };
    if let Some(name) = &said.tag {
        match tag_named(name) {
            Some(tag) => {
                draft.member.tag = tag;
                draft.member.group = tag.group();
                draft.member.confidence = 1.0;
                draft.tag_fixed = true;
                draft.member.background = false;
            }
            None => bad("tag", name, "a tag such as `front hair`, `eyewhite`, `topwear`"),
        }
    }
    match said.side.as_deref() {
        None => {}
        Some("left" | "l") => (draft.member.side, draft.side_fixed) = (Some(Side::Left), true),
        Some("right" | "r") => (draft.member.side, draft.side_fixed) = (Some(Side::Right), true),
        Some("none" | "") => (draft.member.side, draft.side_fixed) = (None, true),
        Some(other) => bad("side", other, "`left`, `right` or `none`"),
    }
    match said.parent.as_deref() {
        None => {}
        Some("head") => draft.parent = Some(Group::Head),
        Some("body") => draft.parent = Some(Group::Body),
        Some(other) => bad("parent", other, "`head` or `body`"),
    }
    if let Some(visible) = said.visible {
        draft.member.visible = visible;
    }
    draft.split = said.split;
}

fn tag_named(name: &str) -> Option<Tag> {
    let canonical = Tag::ALL.iter().copied().find(|tag| tag.name() == name);
    canonical.or_else(|| Some(read_name(&[], name).tag).filter(|&tag| tag != Tag::Unknown))
}
