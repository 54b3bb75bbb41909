//! Words to an alias.

use super::words::Word;
use crate::Tag;
use crate::alias::{self, Entry, Hint};

/// An alias found in a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) entry: Entry,
    pub(super) confidence: f64,
}

/// The alias that words speak of: the whole name first, then whole words (the longest run; of equal ones the last,
/// as English and Japanese put the thing at the end), then the beginning or end of an unspaced word.
pub(super) fn lookup(words: &[Word]) -> Option<Found> {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    if let Some(entry) = alias::exact(&texts.join(" ")).or_else(|| alias::compact(&texts.concat())) {
        return Some(Found { entry, confidence: 1.0 });
    }
    let found = longest_run(&texts).or_else(|| words.iter().rev().find_map(unspaced))?;
    Some(face_or_detail(found, &texts))
}

fn longest_run(texts: &[&str]) -> Option<Found> {
    for length in (1..texts.len().min(5)).rev() {
        for start in (0..=texts.len() - length).rev() {
            let run = &texts[start..start + length];
            // A word of one or two letters means something only as the whole name.
            if length == 1 && run[0].is_ascii() && run[0].len() < 3 {
                continue;
            }
            if let Some(entry) = alias::exact(&run.join(" ")) {
                return Some(Found { entry, confidence: 0.85 });
            }
        }
    }
    None
}

/// The longest alias at the end or the beginning of a word of Han, kana or hangul.
fn unspaced(word: &Word) -> Option<Found> {
    if !word.is_unspaced() {
        return None;
    }
    for particle in ["の", "的"] {
        if let Some((owner, thing)) = word.text.rsplit_once(particle)
            && !owner.is_empty()
            && !thing.is_empty()
        {
            return of_owner(owner, thing);
        }
    }
    affix(&word.text)
}

/// "X の Y": Y when it is known, else something on X.
fn of_owner(owner: &str, thing: &str) -> Option<Found> {
    let owner = alias::exact(owner).map(|entry| Found { entry, confidence: 0.6 }).or_else(|| affix(owner));
    let thing = alias::exact(thing).map(|entry| Found { entry, confidence: 0.85 }).or_else(|| affix(thing));
    thing.or_else(|| {
        let mut on = owner?;
        on.confidence = on.confidence.min(0.6);
        if on.entry.tag == Tag::Face {
            on.entry = Entry { tag: Tag::FaceDetail, hint: Hint::Plain };
        }
        Some(on)
    })
}

fn affix(text: &str) -> Option<Found> {
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).skip(1).collect();
    let suffix = ends.iter().find_map(|&at| known_affix(&text[at..]));
    let prefix = ends.iter().rev().find_map(|&at| known_affix(&text[..at]));
    let longer = |a: &(Entry, usize), b: &(Entry, usize)| a.1 > b.1;
    let (entry, length) = match (suffix, prefix) {
        (Some(s), Some(p)) => {
            if longer(&p, &s) {
                p
            } else {
                s
            }
        }
        (found, None) | (None, found) => found?,
    };
    Some(Found { entry, confidence: if length > 1 { 0.85 } else { 0.6 } })
}

/// An alias as part of a longer word: never short hiragana, which is grammar as often as a noun, and of single
/// characters only those that mean one thing in compounds (縫い目 is a seam, 手前 is this side).
fn known_affix(part: &str) -> Option<(Entry, usize)> {
    const CLEAR: &str = "眉髪髮瞳鼻耳服靴鞋袖腕脚腿眼唇顔脸臉尾翼舌歯牙裙裤帽口귀코입목팔옷";
    let length = part.chars().count();
    let hiragana = part.chars().all(|c| ('ぁ'..='ゖ').contains(&c));
    if part.is_ascii() || hiragana && length < 3 || length == 1 && !CLEAR.contains(part) {
        return None;
    }
    alias::exact(part).map(|entry| (entry, length))
}

/// "face shadow" lies on the face: only the skin itself is the face.
fn face_or_detail(mut found: Found, texts: &[&str]) -> Found {
    const ON_FACE: [&str; 22] = [
        "shadow",
        "shade",
        "shading",
        "highlight",
        "light",
        "detail",
        "mark",
        "paint",
        "tattoo",
        "effect",
        "expression",
        "gradient",
        "multiply",
        "red",
        "影",
        "光",
        "線画影",
        "効果",
        "表情",
        "阴影",
        "그림자",
        "표정",
    ];
    if found.entry.tag == Tag::Face
        && texts.iter().any(|text| ON_FACE.iter().any(|word| text.ends_with(word)))
    {
        found.entry = Entry { tag: Tag::FaceDetail, hint: Hint::Plain };
    }
    found
}
