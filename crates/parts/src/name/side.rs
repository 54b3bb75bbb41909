//! The side a name tells.

use super::words::Word;
use crate::{Side, alias};

/// Takes the side out of the words: a word of its own, at either end first, or glued to one.
pub(super) fn take_side(words: &mut Vec<Word>) -> Option<Side> {
    let last = words.iter().rposition(|word| !word.is_number())?;
    let lone = words.len() == 1;
    let order = [last, 0].into_iter().chain(1..last);
    for at in order {
        if let Some(side) = side_word(&words[at].text)
            && !lone
        {
            words.remove(at);
            return Some(side);
        }
    }
    let (word, (stem, side)) = words.iter_mut().find_map(|word| glued(word).map(|found| (word, found)))?;
    word.text = stem;
    Some(side)
}

/// A word that is a side and nothing else.
pub(super) fn side_word(word: &str) -> Option<Side> {
    match word {
        "l" | "left" | "lf" | "lft" | "左" | "左側" | "左边" | "左侧" | "ひだり" | "왼쪽" | "왼" | "좌" => {
            Some(Side::Left)
        }
        "r" | "right" | "rt" | "rgt" | "右" | "右側" | "右边" | "右侧" | "みぎ" | "오른쪽" | "오른"
        | "우" => Some(Side::Right),
        _ => None,
    }
}

fn glued(word: &Word) -> Option<(String, Side)> {
    if word.is_unspaced() { glued_unspaced(&word.text) } else { glued_latin(&word.text) }
}

fn glued_unspaced(text: &str) -> Option<(String, Side)> {
    const MARKS: [(&str, Side); 16] = [
        ("左側の", Side::Left),
        ("右側の", Side::Right),
        ("左側", Side::Left),
        ("右側", Side::Right),
        ("左边", Side::Left),
        ("右边", Side::Right),
        ("左の", Side::Left),
        ("右の", Side::Right),
        ("左", Side::Left),
        ("右", Side::Right),
        ("왼쪽", Side::Left),
        ("오른쪽", Side::Right),
        ("왼", Side::Left),
        ("오른", Side::Right),
        ("ひだり", Side::Left),
        ("みぎ", Side::Right),
    ];
    MARKS.iter().find_map(|&(mark, side)| {
        let stem = text.strip_prefix(mark).or_else(|| text.strip_suffix(mark))?;
        (!stem.is_empty()).then(|| (stem.to_owned(), side))
    })
}

/// `rightarm`, `eyeleft`, `armr`: only when the rest is a known word.
fn glued_latin(text: &str) -> Option<(String, Side)> {
    if alias::exact(text).is_some() {
        return None;
    }
    const MARKS: [(&str, Side); 4] =
        [("left", Side::Left), ("right", Side::Right), ("l", Side::Left), ("r", Side::Right)];
    MARKS.iter().find_map(|&(mark, side)| {
        let before = if mark.len() > 1 { text.strip_prefix(mark) } else { None };
        let stem =
            before.into_iter().chain(text.strip_suffix(mark)).find(|stem| alias::exact(stem).is_some())?;
        Some((stem.to_owned(), side))
    })
}
