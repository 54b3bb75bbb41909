//! All text files of a bundle.

use std::collections::{BTreeMap, BTreeSet};

use canonical::Digest;
use puppet::{ExpressionBlend, Puppet};
use serde_json::{Map, Value, json};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::Language;
use crate::json::{number, to_text};
use crate::{display, motion, physics};

/// Names that the files share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// File stem, already safe ([`bundle_stem`]).
    pub stem: String,
    /// Side of the texture pages in pixels.
    pub page_size: u32,
    /// Number of texture pages.
    pub pages: u32,
    /// Language of display names.
    pub language: Language,
}

impl Names {
    /// Path of a texture page inside the bundle.
    pub fn page(&self, index: u32) -> String {
        format!("{}.{}/texture_{index:02}.png", self.stem, self.page_size)
    }
    /// Path of the moc3 file.
    pub fn moc3(&self) -> String {
        format!("{}.moc3", self.stem)
    }
    /// Path of the model document.
    pub fn model3(&self) -> String {
        format!("{}.model3.json", self.stem)
    }
    /// Path of the report.
    pub fn report(&self) -> String {
        format!("{}.report.json", self.stem)
    }
}

/// A file of the bundle: its path, with `/` between folders, and its bytes.
pub type File = (String, Vec<u8>);

/// Longest stem in bytes.
const LONGEST: usize = 80;
/// What a batch writes beside its bundles.
const BATCH_REPORT: &str = "batch.report.json";

/// The folder and file stem of a character's bundle, made of its name in NFC: letters with their marks, digits and `._-~`
/// of any script; everything else becomes `_`; leading and trailing `_` and `.` go; at most 80 bytes; `model` when nothing
/// is left. A name that lost characters so gets `~` and eight hex digits of its SHA-256, as layer ids do: characters of
/// different names never share a folder, also when they are built apart; so does one that Windows keeps for a device. A
/// stem is its own stem.
pub fn bundle_stem(name: &str) -> String {
    let name: String = name.nfc().collect();
    let stem = stem_of(&name, "._-~", LONGEST);
    if stem == name && !stem.eq_ignore_ascii_case(BATCH_REPORT) && !is_device(&stem) {
        return stem;
    }
    let digest = Digest::of(name.as_bytes()).to_hex();
    format!("{}~{}", stem_of(&name, "._-~", LONGEST - 9), &digest[..8])
}

/// Whether Windows takes the name for a device.
fn is_device(stem: &str) -> bool {
    let name = stem.to_ascii_lowercase();
    let numbered =
        |kind: &str| name.strip_prefix(kind).is_some_and(|n| matches!(n.as_bytes(), [b'1'..=b'9']));
    matches!(name.as_str(), "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

/// The stem of a file inside a bundle.
fn safe_stem(name: &str) -> String {
    stem_of(name, "._-", LONGEST)
}

fn stem_of(name: &str, others: &str, longest: usize) -> String {
    let letter = |c: char| c.is_alphanumeric() || is_combining_mark(c) || others.contains(c);
    let mapped: String = name.nfc().map(|c| if letter(c) { c } else { '_' }).collect();
    let stem = mapped.trim_matches(['_', '.']);
    let stem = stem[..stem.floor_char_boundary(longest)].trim_matches(['_', '.']);
    if stem.is_empty() { "model".to_owned() } else { stem.to_owned() }
}

/// Every document but the report, sorted by path: model3, cdi3, physics3, motions, expressions, pose.
pub fn documents(puppet: &Puppet, names: &Names) -> Vec<File> {
    let stem = &names.stem;
    let mut files: BTreeMap<String, Value> = BTreeMap::new();
    files.insert(format!("{stem}.cdi3.json"), display::cdi3(puppet, names.language));
    if !puppet.physics.is_empty() {
        files.insert(format!("{stem}.physics3.json"), physics::physics3(puppet));
    }
    for (motion, path) in puppet.motions.iter().zip(motion_paths(puppet)) {
        files.insert(path, motion::motion3(motion));
    }
    for (expression, path) in puppet.expressions.iter().zip(expression_paths(puppet)) {
        files.insert(path, exp3(expression));
    }
    if !puppet.poses.is_empty() {
        files.insert(format!("{stem}.pose3.json"), pose3(puppet));
    }
    files.insert(names.model3(), model3(puppet, names));
    files.into_iter().map(|(path, value)| (path, to_text(&value).into_bytes())).collect()
}

fn motion_paths(puppet: &Puppet) -> Vec<String> {
    let stems = distinct_stems(puppet.motions.iter().map(|motion| motion.name.as_str()));
    stems.into_iter().map(|stem| format!("motions/{stem}.motion3.json")).collect()
}

fn expression_paths(puppet: &Puppet) -> Vec<String> {
    let stems = distinct_stems(puppet.expressions.iter().map(|expression| expression.name.as_str()));
    stems.into_iter().map(|stem| format!("expressions/{stem}.exp3.json")).collect()
}

/// The stem of each name. Those that would share a file, also where upper and lower case are one, get a number: the
/// first keeps its stem.
fn distinct_stems<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    // Where to go on counting, so that a thousand equal names are not a million attempts.
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    names
        .map(|name| {
            let plain = safe_stem(name);
            let count = counts.entry(plain.to_lowercase()).or_insert(1);
            let mut stem = plain.clone();
            while !taken.insert(stem.to_lowercase()) {
                *count += 1;
                stem = format!("{plain}_{count}");
            }
            stem
        })
        .collect()
}

fn model3(puppet: &Puppet, names: &Names) -> Value {
    let stem = &names.stem;
    let mut references = Map::new();
    references.insert("Moc".to_owned(), names.moc3().into());
    references.insert("Textures".to_owned(), (0..names.pages).map(|i| names.page(i)).collect());
    if !puppet.physics.is_empty() {
        references.insert("Physics".to_owned(), format!("{stem}.physics3.json").into());
    }
    if !puppet.poses.is_empty() {
        references.insert("Pose".to_owned(), format!("{stem}.pose3.json").into());
    }
    references.insert("DisplayInfo".to_owned(), format!("{stem}.cdi3.json").into());
    if !puppet.expressions.is_empty() {
        let list: Vec<Value> = puppet
            .expressions
            .iter()
            .zip(expression_paths(puppet))
            .map(|(e, path)| json!({"Name": e.name, "File": path}))
            .collect();
        references.insert("Expressions".to_owned(), list.into());
    }
    if !puppet.motions.is_empty() {
        references.insert("Motions".to_owned(), motion_groups(puppet));
    }
    let ids =
        |list: &[puppet::ParameterId]| list.iter().map(|id| Value::from(id.as_str())).collect::<Value>();
    json!({
        "Version": 3,
        "FileReferences": references,
        "Groups": [
            {"Target": "Parameter", "Name": "EyeBlink", "Ids": ids(&puppet.eye_blink)},
            {"Target": "Parameter", "Name": "LipSync", "Ids": ids(&puppet.lip_sync)},
        ],
        "HitAreas": puppet
            .hit_areas
            .iter()
            .map(|(id, name)| json!({"Id": id.as_str(), "Name": name}))
            .collect::<Vec<_>>(),
    })
}

/// Groups in order of first appearance.
fn motion_groups(puppet: &Puppet) -> Value {
    let mut groups: Map<String, Value> = Map::new();
    for (motion, path) in puppet.motions.iter().zip(motion_paths(puppet)) {
        let mut entry = Map::new();
        entry.insert("File".to_owned(), path.into());
        if let Some(seconds) = motion.fade_in {
            entry.insert("FadeInTime".to_owned(), number(seconds));
        }
        if let Some(seconds) = motion.fade_out {
            entry.insert("FadeOutTime".to_owned(), number(seconds));
        }
        let list = groups.entry(motion.group.clone()).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(list) = list {
            list.push(entry.into());
        }
    }
    groups.into()
}

fn exp3(expression: &puppet::Expression) -> Value {
    let blend = |b: ExpressionBlend| match b {
        ExpressionBlend::Add => "Add",
        ExpressionBlend::Multiply => "Multiply",
        ExpressionBlend::Overwrite => "Overwrite",
    };
    json!({
        "Type": "Live2D Expression",
        "FadeInTime": number(expression.fade_in),
        "FadeOutTime": number(expression.fade_out),
        "Parameters": expression
            .values
            .iter()
            .map(|v| json!({"Id": v.parameter.as_str(), "Value": number(v.value), "Blend": blend(v.blend)}))
            .collect::<Vec<_>>(),
    })
}

fn pose3(puppet: &Puppet) -> Value {
    let member = |(part, links): &(puppet::PartId, Vec<puppet::PartId>)| json!({"Id": part.as_str(), "Link": links.iter().map(puppet::PartId::as_str).collect::<Vec<_>>()});
    json!({
        "Type": "Live2D Pose",
        "FadeInTime": number(0.5),
        "Groups": puppet
            .poses
            .iter()
            .map(|group| group.members.iter().map(member).collect::<Vec<_>>())
            .collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_are_safe_file_names() {
        for (name, expected) in [
            ("mika", "mika"),
            ("ミカ v2", "ミカ_v2"),
            ("../../etc/passwd", "etc_passwd"),
            ("..", "model"),
            ("", "model"),
            ("a/b\0c", "a_b_c"),
            ("😀", "model"),
            ("CON:x?", "CON_x"),
            ("e\u{301}", "é"),
            ("カ\u{3099}キ", "ガキ"),
            ("नमस्ते", "नमस्ते"),
        ] {
            assert_eq!(safe_stem(name), expected, "{name:?}");
        }
        assert!(safe_stem(&"髪".repeat(5000)).len() <= 80);
    }

    #[test]
    fn characters_of_different_names_have_different_stems() {
        let long = "n".repeat(80);
        for name in ["mika", "ミカ", "é", "e\u{301}", "カ\u{3099}キ", "v1.2-b_c", &long] {
            assert_eq!(bundle_stem(name), name.nfc().collect::<String>());
        }
        for (name, expected) in [
            ("mika★", "mika"),
            ("mika v2", "mika_v2"),
            ("_mika", "mika"),
            ("★", "model"),
            ("😀", "model"),
            (".", "model"),
            ("batch.report.json", "batch.report.json"),
            ("Batch.Report.JSON", "Batch.Report.JSON"),
            ("con", "con"),
            ("LPT1", "LPT1"),
        ] {
            let stem = bundle_stem(name);
            let (head, digest) = stem.split_once('~').unwrap();
            assert_eq!((head, digest.len()), (expected, 8), "{name:?}: {stem}");
            assert_eq!(bundle_stem(&stem), stem, "a stem is its own stem");
        }
        let (one, other) = (bundle_stem(&format!("{long}1")), bundle_stem(&format!("{long}2")));
        assert!(one != other && one.len() == LONGEST && other.len() == LONGEST, "{one} {other}");
        let (kana, decomposed) = (bundle_stem("ガ ペン"), bundle_stem("カ\u{3099} ヘ\u{309a}ン"));
        assert_eq!(kana, decomposed, "one name on every machine");
        assert!(bundle_stem(&"髪".repeat(5000)).len() <= LONGEST);
    }

    #[test]
    fn no_two_expressions_share_a_file() {
        let names = ["smile", "a/b", "a_b", "Smile", "😀", "😂", "a_b_2", "smile"];
        let expected = ["smile", "a_b", "a_b_2", "Smile_2", "model", "model_2", "a_b_2_2", "smile_3"];
        assert_eq!(distinct_stems(names.into_iter()), expected);
        let expression = |name: &&str| puppet::Expression {
            name: (*name).to_owned(),
            fade_in: 0.0,
            fade_out: 0.0,
            values: Vec::new(),
        };
        let puppet = Puppet { expressions: names.iter().map(expression).collect(), ..Puppet::default() };
        let names = Names { stem: "x".to_owned(), page_size: 4096, pages: 1, language: Language::En };
        let files: BTreeMap<String, Vec<u8>> = documents(&puppet, &names).into_iter().collect();
        let model: Value = serde_json::from_slice(&files["x.model3.json"]).unwrap();
        let listed = model["FileReferences"]["Expressions"].as_array().unwrap();
        assert_eq!(listed.len(), expected.len());
        assert!(listed.iter().all(|entry| files.contains_key(entry["File"].as_str().unwrap())));
    }

    #[test]
    fn an_empty_puppet_still_names_its_files() {
        let names = Names { stem: "x".to_owned(), page_size: 4096, pages: 1, language: Language::En };
        let files = documents(&Puppet::default(), &names);
        let paths: Vec<&str> = files.iter().map(|f| f.0.as_str()).collect();
        assert_eq!(paths, ["x.cdi3.json", "x.model3.json"]);
        let model: Value = serde_json::from_slice(&files[1].1).unwrap();
        assert_eq!(model["FileReferences"]["Textures"][0], "x.4096/texture_00.png");
    }
}
