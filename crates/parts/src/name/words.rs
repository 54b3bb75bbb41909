//! A name cut into words.

use unicode_normalization::UnicodeNormalization;

/// One word of a name, lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// It stood in brackets.
    pub(super) bracketed: bool,
}

impl Word {
    pub(super) fn is_number(&self) -> bool {
        self.text.chars().all(|c| c.is_ascii_digit())
    }
    /// Written without Latin letters: words of such scripts are not parted by spaces.
    pub(super) fn is_unspaced(&self) -> bool {
        !self.text.is_ascii()
    }
}

/// Longest name that is read; the rest says nothing.
const LONGEST: usize = 200;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lower,
    Upper,
    Digit,
    Other,
    Mark,
}

/// Words of a name: NFKC, cut at separators, brackets, `camelCase` and changes between letters, digits and other
/// scripts. PSDTool marks (`!`, `*`, `:flipx`) are dropped.
pub(super) fn words(name: &str) -> Vec<Word> {
    let name = name.trim().trim_start_matches(['!', '*']);
    let name = name.split_once(":flip").map_or(name, |(plain, _)| plain);
    let chars: Vec<char> = name.chars().take(LONGEST).nfkc().take(LONGEST).collect();
    let mut words = Vec::new();
    let mut word = String::new();
    let mut depth = 0usize;
    let mut flush = |word: &mut String, bracketed: bool| {
        if !word.is_empty() {
            words.push(Word { text: std::mem::take(word).to_lowercase(), bracketed });
        }
    };
    for (i, &c) in chars.iter().enumerate() {
        if "([{【「『<《〈".contains(c) {
            flush(&mut word, depth > 0);
            depth += 1;
        } else if ")]}】」』>》〉".contains(c) {
            flush(&mut word, depth > 0);
            depth = depth.saturating_sub(1);
        } else if is_mark(c) {
            flush(&mut word, depth > 0);
        } else {
            let next = chars.get(i + 1).map(|&c| kind(c));
            if word.chars().next_back().is_some_and(|last| parts(kind(last), kind(c), next)) {
                flush(&mut word, depth > 0);
            }
            word.push(c);
        }
    }
    flush(&mut word, depth > 0);
    words
}

fn is_mark(c: char) -> bool {
    // The long vowel mark and the repetition mark belong to words.
    !c.is_alphanumeric() && !"ー々〆".contains(c)
}

fn kind(c: char) -> Kind {
    match c {
        'A'..='Z' => Kind::Upper,
        '0'..='9' => Kind::Digit,
        _ if is_mark(c) => Kind::Mark,
        _ if c.is_ascii() || c.is_lowercase() => Kind::Lower,
        _ if c.is_uppercase() => Kind::Upper,
        _ => Kind::Other,
    }
}

fn parts(before: Kind, here: Kind, next: Option<Kind>) -> bool {
    match (before, here) {
        (Kind::Lower, Kind::Upper) => true,
        (Kind::Upper, Kind::Upper) => next == Some(Kind::Lower),
        (Kind::Upper, Kind::Lower) => false,
        (a, b) => a != b,
    }
}

/// Drops the marks programs put on copies: "copy 2", "のコピー", "副本", "복사본".
pub(super) fn drop_copy_marks(words: &mut Vec<Word>) {
    const WHOLE: [&str; 8] = ["copy", "dup", "duplicate", "コピー", "副本", "拷贝", "복사", "복사본"];
    const ENDINGS: [&str; 8] = ["のコピー", "的副本", "的拷贝", "コピー", "副本", "拷贝", "복사본", "복사"];
    loop {
        let numbers = words.iter().rev().take_while(|word| word.is_number()).count();
        let Some(at) = words.len().checked_sub(numbers + 1) else { return };
        let text = words[at].text.clone();
        if at > 0 && WHOLE.contains(&text.as_str()) {
            words.truncate(at);
        } else if let Some(stem) = ENDINGS.iter().find_map(|ending| text.strip_suffix(ending))
            && !stem.is_empty()
        {
            words.truncate(at + 1);
            words[at].text = stem.to_owned();
        } else {
            return;
        }
    }
}
