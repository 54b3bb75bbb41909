//! Shared data and the built binary.

use std::path::{Path, PathBuf};

/// The folder of shared data: `RIGFARM_DATA`, else `../shared/data` beside the workspace.
pub(crate) fn folder() -> PathBuf {
    std::env::var_os("RIGFARM_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from)
}

/// The workspace's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A character of the shared data.
pub(crate) fn character(name: &str) -> Result<PathBuf, String> {
    let path = folder().join("characters").join(name);
    if path.is_file() { Ok(path) } else { Err(format!("skipped: {} is not there", path.display())) }
}

/// Every character of the shared data, sorted.
pub(crate) fn characters() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder().join("characters")).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "psd" || e == "psb"))
        .collect();
    paths.sort();
    paths
}

/// The `rigfarm` binary beside this one.
pub(crate) fn rigfarm() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let path = own.with_file_name("rigfarm");
    if path.is_file() {
        return Ok(path);
    }
    Err(format!("{} is not built: cargo build --release -p rigfarm", path.display()))
}
