//! What several test files use.
#![expect(unreachable_pub, reason = "a module of test binaries")]
#![allow(dead_code, reason = "each test binary uses its own share")]

pub mod fixture;
pub mod generate;

use std::path::PathBuf;

/// The folder of moc3 vectors, when the shared data is there.
pub fn vectors() -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let data = std::env::var_os("RIGFARM_DATA").map_or_else(|| root.join("../shared/data"), PathBuf::from);
    let folder = data.join("moc3-vectors");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no moc3-vectors in {}", data.display());
    None
}

/// Name and bytes of every vector.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let Some(folder) = vectors() else { return Vec::new() };
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "moc3")).collect();
    paths.sort();
    let name = |path: &PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}
