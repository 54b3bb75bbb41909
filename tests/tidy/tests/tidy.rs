//! What a reviewer would check by eye.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use toml::Table;

const MAX_FILE_LINES: usize = 600;
const MAX_FUNCTION_LINES: usize = 80;
const MAX_MAIN_LINES: usize = 60;

/// Crates that link pictures, geometry or stages: the coordinator must not reach them.
const PIXEL_CRATES: &[&str] = &[
    "raster", "psd", "artwork", "parts", "mesh", "puppet", "rig", "skeleton", "atlas", "moc3", "pack",
    "bundle", "audit", "preview", "pipeline", "sample",
];
/// What stage crates must not know.
const SERVICE_CRATES: &[&str] =
    &["tokio", "store", "proto", "prost", "tonic", "object_store", "redis", "coordinator", "worker"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn manifest(path: &Path) -> Table {
    fs::read_to_string(path.join("Cargo.toml")).expect("a manifest").parse().expect("TOML")
}

fn members() -> Vec<String> {
    let list = manifest(&root())["workspace"]["members"].as_array().expect("members").clone();
    list.iter().map(|m| m.as_str().expect("a path").to_owned()).collect()
}

fn dependencies(member: &str) -> Vec<String> {
    let table = manifest(&root().join(member));
    table
        .get("dependencies")
        .and_then(|d| d.as_table())
        .map(|d| d.keys().cloned().collect())
        .unwrap_or_default()
}

fn rust_files() -> Vec<PathBuf> {
    fn walk(folder: &Path, out: &mut Vec<PathBuf>) -> io::Result<()> {
        let mut entries: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let name = entry.file_name();
            if path.is_dir() && name != "target" && name != ".git" {
                walk(&path, out)?;
            } else if path.extension().is_some_and(|e| e == "rs") {
                out.push(path);
            }
        }
        Ok(())
    }
    let mut out = Vec::new();
    walk(&root(), &mut out).expect("the tree can be read");
    out
}

#[track_caller]
fn report(faults: &str) {
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
fn files_and_functions_keep_to_their_size() {
    let mut faults = String::new();
    for path in rust_files() {
        let text = fs::read_to_string(&path).expect("UTF-8");
        let lines = text.lines().count();
        let name = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
        let limit = if name.ends_with("src/main.rs") { MAX_MAIN_LINES } else { MAX_FILE_LINES };
        if lines > limit {
            let _ = writeln!(faults, "{name}: {lines} lines, at most {limit}");
        }
        for (line, length) in long_functions(&text) {
            let _ =
                writeln!(faults, "{name}:{line}: a function of {length} lines, at most {MAX_FUNCTION_LINES}");
        }
    }
    report(&faults);
}

/// (line, length) of functions over the limit, by the indentation that rustfmt guarantees.
fn long_functions(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let code = line.trim_start();
        let starts = [
            "fn ",
            "pub fn ",
            "pub(crate) fn ",
            "pub(super) fn ",
            "async fn ",
            "pub async fn ",
            "const fn ",
            "pub const fn ",
        ];
        if starts.iter().any(|s| code.starts_with(s)) && !code.ends_with(';') {
            open.push((indent, number));
        }
        if code.starts_with('}') && open.last().is_some_and(|(i, _)| *i == indent) {
            let (_, start) = open.pop().unwrap_or_default();
            let length = number - start + 1;
            if length > MAX_FUNCTION_LINES {
                found.push((start + 1, length));
            }
        }
    }
    found
}

#[test]
fn dependencies_point_from_services_to_values() {
    let mut faults = String::new();
    for member in members() {
        let dependencies = dependencies(&member);
        let forbidden: &[&str] = match member.as_str() {
            "crates/store" => PIXEL_CRATES,
            "coordinator" | "proto" | "crates/plan" | "crates/canonical" => PIXEL_CRATES,
            _ if member.starts_with("crates/") => SERVICE_CRATES,
            _ => &[],
        };
        for name in dependencies.iter().filter(|d| forbidden.contains(&d.as_str())) {
            let _ = writeln!(faults, "{member} must not depend on {name}");
        }
    }
    report(&faults);
}

#[test]
fn members_are_listed_in_one_order_everywhere() {
    let members = members();
    for document in ["ARCHITECTURE.md", "crates/README.md"] {
        let text =
            fs::read_to_string(root().join(document)).unwrap_or_else(|_| panic!("{document} is missing"));
        let mut from = 0;
        for member in &members {
            if document == "crates/README.md" && !member.starts_with("crates/") {
                continue;
            }
            let name =
                if document == "crates/README.md" { member.trim_start_matches("crates/") } else { member };
            let needle = format!("`{name}`");
            let at = text[from..].find(&needle);
            let at =
                at.unwrap_or_else(|| panic!("{document} does not name {needle} in the order of Cargo.toml"));
            from += at;
        }
    }
}

#[test]
fn every_crate_inherits_the_workspace_lints() {
    for member in members() {
        let table = manifest(&root().join(&member));
        let inherits = table.get("lints").and_then(|l| l.get("workspace")).and_then(toml::Value::as_bool);
        assert_eq!(inherits, Some(true), "{member} does not inherit the workspace's lints");
    }
}

#[test]
fn the_text_speaks_of_the_product_alone() {
    let words = ["TODO", "FIXME", "XXX"];
    let mut faults = String::new();
    for path in rust_files() {
        if path.ends_with("tidy.rs") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("UTF-8");
        for (number, line) in text.lines().enumerate() {
            if let Some(word) = words.iter().find(|w| line.contains(**w)) {
                let _ = writeln!(faults, "{}:{}: {word}", path.display(), number + 1);
            }
        }
    }
    report(&faults);
}
