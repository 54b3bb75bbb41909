//! The list of warning codes is whole: what the sources tell is in it, and nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use bundle::codes::CODES;

/// Sources whose words with hyphens are codes, and what stands before the words in a report.
const SOURCES: &[(&str, &str)] = &[
    ("psd/src", ""),
    ("artwork/src", ""),
    ("parts/src", ""),
    ("rig/src", ""),
    ("skeleton/src", ""),
    ("pipeline/src/stages/author.rs", ""),
    ("pipeline/src/stages/bundle.rs", ""),
    ("audit/src", "audit-"),
];
/// Words with hyphens that are none: tags, and reasons why jobs fail.
const NO_CODES: &[&str] = &["tooth-t", "tooth-b", "input-missing", "report-not-encoded"];

#[test]
fn the_sources_tell_what_is_listed() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut told = BTreeSet::from(["audit-format".to_owned()]);
    for (place, prefix) in SOURCES {
        let mut text = String::new();
        read(&crates.join(place), &mut text);
        told.extend(hyphenated(&text).map(|word| format!("{prefix}{word}")));
    }
    told.retain(|word| !NO_CODES.contains(&word.as_str()));
    let listed: BTreeSet<String> = CODES.iter().map(ToString::to_string).collect();
    let missing: Vec<&String> = told.difference(&listed).collect();
    let stale: Vec<&String> = listed.difference(&told).collect();
    assert!(missing.is_empty(), "add to crates/bundle/src/codes.rs (or to NO_CODES here): {missing:?}");
    assert!(stale.is_empty(), "no source tells these codes any more: {stale:?}");
    assert!(CODES.is_sorted(), "the list is ascending");
}

/// The text of a file, or of all files of a folder but those of tests.
fn read(path: &Path, text: &mut String) {
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| read(&entry.unwrap().path(), text));
    } else if !path.file_name().unwrap().to_string_lossy().contains("test") {
        let source = fs::read_to_string(path).unwrap();
        text.push_str(source.split("#[cfg(test)]").next().unwrap());
    }
}

/// Literals of lower-case words joined by hyphens.
fn hyphenated(text: &str) -> impl Iterator<Item = &str> {
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    text.split('"').filter(move |part| part.contains('-') && part.split('-').all(is_word))
}
