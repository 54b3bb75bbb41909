//! Ids: camel case of tags, sides, numbers for repeats (RIG 1.2).

use std::collections::BTreeMap;

use parts::{Side, Tag};
use puppet::{ParameterId, PartId};

/// `back hair` becomes `BackHair`; anything but ASCII letters and digits parts words.
pub(crate) fn camel(text: &str) -> String {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(|w| {
            let mut chars = w.chars();
            let first = chars.next().map(|c| c.to_ascii_uppercase()).into_iter();
            first.chain(chars).collect::<String>()
        })
        .collect()
}

/// The stem of a drawable's id without `ArtMesh`.
pub(crate) fn stem(tag: Tag) -> String {
    if tag == Tag::Unknown { "Layer".to_owned() } else { camel(tag.name()) }
}

/// What an id is made of: words, side, the member's stable id and the place within the member.
pub(crate) type IdParts = (String, Option<Side>, String, i32);

/// `ArtMesh` ids: repeats get 2, 3, … in ascending order of their keys, so that
/// restacking art renames nothing. The result is in the order of the items.
pub(crate) fn drawable_ids(items: &[IdParts]) -> Vec<String> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|&a, &b| {
        let key = |i: usize| (natural_key(&items[i].2), items[i].3, i);
        key(a).cmp(&key(b))
    });
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    let mut ids = vec![String::new(); items.len()];
    for i in order {
        let (stem, side, ..) = &items[i];
        let letter = side.map(|s| s.letter().to_string()).unwrap_or_default();
        let base = format!("ArtMesh{stem}{letter}");
        let n = count.entry(base.clone()).and_modify(|n| *n += 1).or_insert(1);
        ids[i] = if *n == 1 { base } else { format!("{base}{n}") };
    }
    ids
}

/// Digits count as numbers: `hair 2` before `hair 10`.
fn natural_key(text: &str) -> Vec<(u64, String)> {
    let mut key = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let digits = rest[word..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |n| word + n);
        let number = rest[word..digits].parse().unwrap_or(if digits > word { u64::MAX } else { 0 });
        key.push((0, rest[..word].to_owned()));
        key.push((number, String::new()));
        rest = &rest[digits..];
    }
    key
}

/// `ParamSwitch…` for a title, unlike the ids already taken.
pub(crate) fn switch_id<'a>(title: &str, taken: impl Iterator<Item = &'a str> + Clone) -> ParameterId {
    let base = format!("ParamSwitch{}", camel(title));
    let mut id = base.clone();
    let mut n = 1;
    while taken.clone().any(|t| t == id) || id == "ParamSwitch" {
        id = format!("{base}{n}");
        n += 1;
    }
    ParameterId::new(id)
}

/// `Part…A`, `…B`, …: the alternatives of a switch in a pose file, in the order of its values.
pub(crate) fn pose_part(switch: &ParameterId, at: usize) -> PartId {
    let stem = switch.as_str().trim_start_matches("ParamSwitch");
    let letter = u8::try_from(at).ok().filter(|n| *n < 26).map(|n| char::from(b'A' + n));
    PartId::new(letter.map_or_else(|| format!("Part{stem}{at}"), |l| format!("Part{stem}{l}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (text, want) in
            [("back hair", "BackHair"), ("tooth-t", "ToothT"), ("eye_close", "EyeClose"), ("前髪", "")]
        {
            assert_eq!(camel(text), want);
        }
    }

    #[test]
    fn repeats_follow_stable_keys() {
        let item = |s: &str, side, key: &str| (s.to_owned(), side, key.to_owned(), 0);
        let items = [
            item("FrontHair", None, "hair 10"),
            item("FrontHair", None, "hair 2"),
            item("Ears", Some(Side::Left), "ear:l"),
            item("FrontHair", None, "hair"),
        ];
        let want = ["ArtMeshFrontHair3", "ArtMeshFrontHair2", "ArtMeshEarsL", "ArtMeshFrontHair"];
        assert_eq!(drawable_ids(&items), want);
    }
}
