//! What a layer's name and its folders' names say.

mod lookup;
mod side;
mod words;

use crate::alias::Hint;
use crate::{Group, Side, Tag};
use lookup::lookup;
use words::{Word, drop_copy_marks, words};

/// What a name says.
#[derive(Clone, Debug, PartialEq)]
pub struct NameReading {
    /// The tag; [`Tag::Unknown`] when the name says nothing.
    pub tag: Tag,
    /// The character's own side, as written.
    pub side: Option<Side>,
    /// Number or bracketed word that tells repeats apart.
    pub suffix: Option<String>,
    /// 1 exact name, 0.85 whole word in a longer name, 0.7 by the folder, less by part of a word, 0 unknown.
    pub confidence: f64,
    /// The name speaks of an eye as a whole, not of a part of it.
    pub whole_eye: bool,
    /// The name speaks of hair without telling front or back.
    pub any_hair: bool,
    /// The place decides what the thing is: an ornament.
    pub ornament: bool,
    /// The tag came from a folder's name.
    pub by_folder: bool,
    /// What a folder says it moves with.
    pub region: Option<Group>,
}

/// Where a folder's layers belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// Eyes.
    Eyes,
    /// Mouth.
    Mouth,
    /// Any other part: its layers are of that tag unless their names say otherwise.
    Part(Tag),
    /// The head as a whole.
    Head,
    /// The body as a whole.
    Body,
}

/// What the folders around a layer say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Innermost site named.
    pub site: Option<Site>,
    /// Innermost side named.
    pub side: Option<Side>,
}

/// Reads a layer's name in the context of its folders, outermost first (CONTEXT 1.3, LAYER_NAMES 3).
pub fn read_name(path: &[String], name: &str) -> NameReading {
    let context = context(path);
    let mut words = words(name);
    drop_copy_marks(&mut words);
    let bracket_side = take_bracket_side(&mut words);
    let side = bracket_side.or_else(|| side::take_side(&mut words));
    let suffix = take_suffix(&mut words);
    let mut reading = NameReading {
        tag: Tag::Unknown,
        side: side.or(context.side),
        suffix,
        confidence: 0.0,
        whole_eye: false,
        any_hair: false,
        ornament: false,
        by_folder: false,
        region: None,
    };
    if artwork::is_default_name(name) {
        words.clear();
    }
    if let Some(found) = lookup(&words) {
        reading.tag = found.entry.tag;
        reading.confidence = found.confidence;
        reading.whole_eye = found.entry.hint == Hint::Eye;
        reading.any_hair = found.entry.hint == Hint::Hair;
        reading.ornament = found.entry.hint == Hint::Ornament;
    }
    if let Some(site) = context.site {
        settle_in_site(&mut reading, site, &words, name);
    }
    reading
}

/// What folders say, innermost first.
fn context(path: &[String]) -> Context {
    let mut context = Context::default();
    for folder in path.iter().rev() {
        let mut words = words(folder);
        drop_copy_marks(&mut words);
        let side = take_bracket_side(&mut words).or_else(|| side::take_side(&mut words));
        context.side = context.side.or(side);
        while words.last().is_some_and(Word::is_number) {
            words.pop();
        }
        words.retain(|word| {
            !["whole", "all", "parts", "part", "group", "grp", "set", "folder"].contains(&word.text.as_str())
        });
        if context.site.is_none() && !artwork::is_default_name(folder) {
            context.site = site(&words);
        }
    }
    context
}

fn site(words: &[Word]) -> Option<Site> {
    let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    match text.as_str() {
        "head" | "頭" | "头" | "頭部" | "头部" | "머리" => return Some(Site::Head),
        "body" | "体" | "身体" | "胴体" | "体幹" | "몸" | "torso" => return Some(Site::Body),
        "model" | "character" | "chara" | "キャラ" | "キャラクター" => return None,
        _ => {}
    }
    let found = lookup(words).filter(|found| found.confidence >= 0.85)?;
    match found.entry.tag {
        Tag::Irides | Tag::Eyelash if found.entry.hint == Hint::Eye => Some(Site::Eyes),
        Tag::Mouth => Some(Site::Mouth),
        tag => Some(Site::Part(tag)),
    }
}

/// Settles what the folder decides: `開き` in `目`, an unnamed layer in `hair`.
fn settle_in_site(reading: &mut NameReading, site: Site, words: &[Word], name: &str) {
    reading.region = match site {
        Site::Eyes | Site::Mouth | Site::Head => Some(Group::Head),
        Site::Body => Some(Group::Body),
        Site::Part(tag) => Some(tag.group()),
    };
    let Some((tag, confidence, whole_eye)) = of_site(reading, site, words) else { return };
    reading.tag = tag;
    reading.confidence = confidence;
    reading.whole_eye = whole_eye;
    reading.any_hair = false;
    reading.ornament = false;
    reading.by_folder = true;
    let plain = matches!(state(words), None | Some(State::Smile)) && tag != Tag::Face;
    if reading.suffix.is_none() && plain {
        reading.suffix =
            Some(name.trim_start_matches(['!', '*']).trim().to_owned()).filter(|s| !s.is_empty());
    }
}

/// Tag, confidence and "a whole eye" where the folder decides; `None` where the name does.
fn of_site(reading: &NameReading, site: Site, words: &[Word]) -> Option<(Tag, f64, bool)> {
    let (state, tag) = (state(words), reading.tag);
    match site {
        Site::Eyes if is_eye_part(tag) && reading.confidence >= 0.85 => None,
        Site::Eyes => match state {
            Some(State::Closed) => Some((Tag::EyeClose, 0.85, false)),
            Some(State::Open) => Some((Tag::Eyelash, 0.85, true)),
            Some(State::White) => Some((Tag::Eyewhite, 0.85, false)),
            Some(State::Line) => Some((Tag::Eyelash, 0.85, false)),
            Some(State::Smile) => Some((Tag::EyeClose, 0.6, false)),
            None if is_eye_part(tag) => None,
            None => Some((Tag::Eyelash, 0.5, true)),
        },
        Site::Mouth if is_mouth_part(tag) => None,
        Site::Mouth => match state {
            Some(State::Closed) => Some((Tag::MouthClose, 0.85, false)),
            Some(State::Open) => Some((Tag::MouthOpen, 0.85, false)),
            _ if is_viseme(words) => Some((Tag::MouthOpen, 0.7, false)),
            _ => Some((Tag::Mouth, 0.7, false)),
        },
        Site::Part(Tag::Face) if tag == Tag::Unknown && is_skin(words) => Some((Tag::Face, 0.7, false)),
        Site::Part(Tag::Face) if tag == Tag::Unknown => Some((Tag::FaceDetail, 0.5, false)),
        Site::Part(part) if tag == Tag::Unknown => Some((part, 0.7, false)),
        // An expression drawn as a whole is on the face, whatever its name says.
        Site::Part(Tag::FaceDetail) if reading.confidence < 1.0 || tag.group() != Group::Head => {
            Some((Tag::FaceDetail, 0.7, false))
        }
        Site::Part(_) | Site::Head | Site::Body => None,
    }
}

fn is_eye_part(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Irides
            | Tag::Eyewhite
            | Tag::Eyelash
            | Tag::EyeClose
            | Tag::Eyebrow
            | Tag::FaceDetail
            | Tag::Eyewear
    )
}

fn is_mouth_part(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Mouth
            | Tag::MouthOpen
            | Tag::MouthClose
            | Tag::ToothT
            | Tag::ToothB
            | Tag::Tongue
            | Tag::FaceDetail
    )
}

/// The skin itself, in a folder of the face.
fn is_skin(words: &[Word]) -> bool {
    const SKIN: [&str; 10] = ["base", "skin", "肌", "ベース", "下地", "塗り", "主線", "線画", "皮肤", "피부"];
    words.iter().any(|word| SKIN.contains(&word.text.as_str()))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Closed,
    White,
    Line,
    Smile,
}

/// The state a name tells within a folder of eyes or mouths.
fn state(words: &[Word]) -> Option<State> {
    const STATES: [(State, &[&str]); 5] = [
        (
            State::Closed,
            &[
                "close",
                "closed",
                "shut",
                "c",
                "blink",
                "閉じ",
                "閉",
                "とじ",
                "閉じる",
                "つぶり",
                "つむり",
                "瞑り",
                "ウインク",
                "闭",
                "闭合",
                "闭上",
                "闭眼",
                "감은",
                "감음",
                "닫힌",
                "닫음",
                "다문",
                "閉口",
                "閉目",
            ],
        ),
        (
            State::Open,
            &[
                "open",
                "opened",
                "o",
                "開き",
                "開け",
                "開",
                "ひらき",
                "あき",
                "開口",
                "開いた",
                "开",
                "睁",
                "睁开",
                "张开",
                "뜬",
                "뜸",
                "열린",
                "열림",
                "벌린",
            ],
        ),
        (State::White, &["white", "whites", "base", "ベース", "白", "しろ", "흰"]),
        (State::Line, &["line", "lines", "outline", "線", "線画", "线", "라인"]),
        (State::Smile, &["smile", "happy", "笑み", "笑", "笑い", "にこ", "にっこり", "微笑", "웃음"]),
    ];
    STATES.iter().find_map(|(state, list)| {
        words.iter().any(|word| list.contains(&word.text.as_str())).then_some(*state)
    })
}

/// A vowel or a viseme of lip sync.
fn is_viseme(words: &[Word]) -> bool {
    const VISEMES: [&str; 27] = [
        "a",
        "i",
        "u",
        "e",
        "o",
        "aa",
        "ou",
        "oh",
        "ih",
        "ee",
        "ch",
        "あ",
        "い",
        "う",
        "え",
        "お",
        "ア",
        "イ",
        "ウ",
        "エ",
        "オ",
        "あー",
        "えー",
        "わっ",
        "大口",
        "微開き",
        "あんぐり",
    ];
    words.first().is_some_and(|word| VISEMES.contains(&word.text.as_str()))
}

fn take_bracket_side(words: &mut Vec<Word>) -> Option<Side> {
    let at = words.iter().position(|word| word.bracketed && side::side_word(&word.text).is_some())?;
    side::side_word(&words.remove(at).text)
}

/// Bracketed words, else the number at the end, when something is left before it.
fn take_suffix(words: &mut Vec<Word>) -> Option<String> {
    let bracketed: Vec<&str> =
        words.iter().filter(|word| word.bracketed).map(|word| word.text.as_str()).collect();
    let suffix = bracketed.join(" ");
    if !suffix.is_empty() && words.iter().any(|word| !word.bracketed) {
        words.retain(|word| !word.bracketed);
        while words.len() > 1 && words.last().is_some_and(Word::is_number) {
            words.pop();
        }
        return Some(suffix);
    }
    let mut number = None;
    while words.len() > 1
        && let Some(last) = words.pop_if(|word| word.is_number())
    {
        number = Some(last.text);
    }
    number
}
