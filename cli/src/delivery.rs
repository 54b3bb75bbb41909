//! A finished bundle into its folder, whole or not at all.
//!
//! A new folder is written aside and moved into place. Into an existing one only the files that its previous report
//! lists are replaced; everything else (a user's own motions, VTube Studio files) is kept, and both folders are
//! exchanged in one step. Where the file system cannot exchange, files are moved one by one, `model3.json` last.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use canonical::Digest;

/// A delivery that failed; the folder is as it was, or (without exchange) still whole with its old `model3.json`.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}")]
pub(crate) struct Error {
    path: PathBuf,
    source: io::Error,
}

/// A file of the bundle: path inside it and bytes.
pub(crate) type File = (String, Vec<u8>);

/// Puts `files` into `folder`. Returns false when every file was there already.
///
/// # Errors
/// [`Error`] naming the path.
pub(crate) fn deliver(folder: &Path, report: &str, files: &[File]) -> Result<bool, Error> {
    if !folder.exists() {
        let aside = write_aside(folder, files)?;
        return at(folder, fs::rename(&aside.0, folder)).map(|()| true);
    }
    let stale = stale(folder, report, files);
    let changed: Vec<&File> = files.iter().filter(|(path, bytes)| !same(&folder.join(path), bytes)).collect();
    if changed.is_empty() && stale.is_empty() {
        return Ok(false);
    }
    if let [(path, bytes)] = changed[..]
        && stale.is_empty()
        && path == report
    {
        write_file(&folder.join(path), bytes)?;
        return Ok(true);
    }
    exchange(folder, files, &stale)?;
    Ok(true)
}

/// Files that the previous report lists and the new bundle does not hold, paths inside the folder.
fn stale(folder: &Path, report: &str, files: &[File]) -> BTreeSet<String> {
    let kept: BTreeSet<&str> = files.iter().map(|f| f.0.as_str()).collect();
    let previous = fs::read(folder.join(report)).unwrap_or_default();
    let listed: Option<BTreeMap<String, String>> = serde_json::from_slice::<serde_json::Value>(&previous)
        .ok()
        .and_then(|value| serde_json::from_value(value.get("digests")?.clone()).ok());
    listed
        .unwrap_or_default()
        .into_keys()
        .filter(|path| !kept.contains(path.as_str()) && is_inside(path) && folder.join(path).is_file())
        .collect()
}

fn is_inside(path: &str) -> bool {
    !path.starts_with('/') && Path::new(path).components().all(|c| matches!(c, std::path::Component::Normal(_)))
}

fn same(path: &Path, bytes: &[u8]) -> bool {
    fs::metadata(path).is_ok_and(|m| m.len() == bytes.len() as u64)
        && fs::read(path).is_ok_and(|there| Digest::of(&there) == Digest::of(bytes))
}

/// A folder beside `folder` that disappears when it is not moved away.
struct Aside(PathBuf);

impl Drop for Aside {
    fn drop(&mut self) {
        // What cannot be removed is a hidden folder that the next delivery replaces.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn write_aside(folder: &Path, files: &[File]) -> Result<Aside, Error> {
    let parent = folder.parent().unwrap_or(Path::new("."));
    at(parent, fs::create_dir_all(parent))?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let aside = Aside(parent.join(format!(".{name}.rigfarm-{}", std::process::id())));
    let _ = fs::remove_dir_all(&aside.0);
    at(&aside.0, fs::create_dir(&aside.0))?;
    for (path, bytes) in files {
        let path = aside.0.join(path);
        if let Some(parent) = path.parent() {
            at(parent, fs::create_dir_all(parent))?;
        }
        at(&path, fs::write(&path, bytes))?;
    }
    Ok(aside)
}

fn exchange(folder: &Path, files: &[File], stale: &BTreeSet<String>) -> Result<(), Error> {
    let aside = write_aside(folder, files)?;
    let ours: BTreeSet<&str> = files.iter().map(|f| f.0.as_str()).chain(stale.iter().map(String::as_str)).collect();
    for path in other_files(folder, Path::new(""))? {
        let text = path.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
        if ours.contains(text.as_str()) {
            continue;
        }
        let (from, to) = (folder.join(&path), aside.0.join(&path));
        if let Some(parent) = to.parent() {
            at(parent, fs::create_dir_all(parent))?;
        }
        if fs::hard_link(&from, &to).is_err() {
            at(&from, fs::copy(&from, &to))?;
        }
    }
    let flags = rustix::fs::RenameFlags::EXCHANGE;
    let cwd = rustix::fs::CWD;
    if rustix::fs::renameat_with(cwd, &aside.0, cwd, folder, flags).is_ok() {
        return Ok(());
    }
    move_one_by_one(folder, &aside, files, stale)
}

/// Every file below a folder, relative to it.
fn other_files(folder: &Path, below: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut out = Vec::new();
    let here = folder.join(below);
    for entry in at(&here, fs::read_dir(&here))? {
        let entry = at(&here, entry)?;
        let path = below.join(entry.file_name());
        if at(&here, entry.file_type())?.is_dir() {
            out.extend(other_files(folder, &path)?);
        } else {
            out.push(path);
        }
    }
    Ok(out)
}

fn move_one_by_one(folder: &Path, aside: &Aside, files: &[File], stale: &BTreeSet<String>) -> Result<(), Error> {
    let last = |path: &str| path.ends_with(".model3.json");
    let order = files.iter().filter(|f| !last(&f.0)).chain(files.iter().filter(|f| last(&f.0)));
    for (path, _) in order {
        let to = folder.join(path);
        if let Some(parent) = to.parent() {
            at(parent, fs::create_dir_all(parent))?;
        }
        at(&to, fs::rename(aside.0.join(path), &to))?;
    }
    for path in stale {
        at(&folder.join(path), fs::remove_file(folder.join(path)))?;
    }
    Ok(())
}

/// Writes one file so that readers see the old or the new one.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let parent = path.parent().unwrap_or(Path::new("."));
    at(parent, fs::create_dir_all(parent))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let aside = parent.join(format!(".{name}.rigfarm-{}", std::process::id()));
    let written = fs::write(&aside, bytes).and_then(|()| fs::rename(&aside, path));
    if written.is_err() {
        let _ = fs::remove_file(&aside);
    }
    at(path, written)
}

fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, Error> {
    result.map_err(|source| Error { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        (path.to_owned(), text.as_bytes().to_vec())
    }

    fn report(listed: &[&str]) -> File {
        let digests: serde_json::Map<String, serde_json::Value> =
            listed.iter().map(|p| ((*p).to_owned(), "x".into())).collect();
        ("m.report.json".to_owned(), serde_json::to_vec(&serde_json::json!({"digests": digests})).unwrap())
    }

    fn listing(folder: &Path) -> Vec<String> {
        let mut all: Vec<String> =
            other_files(folder, Path::new("")).unwrap().iter().map(|p| p.display().to_string()).collect();
        all.sort();
        all
    }

    #[test]
    fn own_files_are_replaced_and_a_users_are_kept() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("deep/m");
        let first = [file("m.model3.json", "1"), file("old/a.png", "a"), report(&["m.model3.json", "old/a.png"])];
        assert!(deliver(&folder, "m.report.json", &first).unwrap());
        assert!(!deliver(&folder, "m.report.json", &first).unwrap(), "nothing changed");
        fs::write(folder.join("mine.vtube.json"), b"user").unwrap();
        fs::create_dir(folder.join("motions")).unwrap();
        fs::write(folder.join("motions/mine.motion3.json"), b"user").unwrap();
        let second = [file("m.model3.json", "2"), file("new/b.png", "b"), report(&["m.model3.json", "new/b.png"])];
        assert!(deliver(&folder, "m.report.json", &second).unwrap());
        assert_eq!(
            listing(&folder),
            ["m.model3.json", "m.report.json", "mine.vtube.json", "motions/mine.motion3.json", "new/b.png"]
        );
        assert_eq!(fs::read(folder.join("m.model3.json")).unwrap(), b"2");
        assert_eq!(fs::read_dir(folder.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn moving_one_by_one_gives_the_same_folder() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("m");
        deliver(&folder, "m.report.json", &[file("m.model3.json", "1"), file("a", "a")]).unwrap();
        let files = [file("m.model3.json", "2"), file("b/c", "c")];
        let aside = write_aside(&folder, &files).unwrap();
        move_one_by_one(&folder, &aside, &files, &BTreeSet::from(["a".to_owned()])).unwrap();
        assert_eq!(listing(&folder), ["b/c", "m.model3.json"]);
    }

    #[test]
    fn a_report_that_lies_removes_nothing_outside() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("m");
        fs::write(root.path().join("precious"), b"x").unwrap();
        deliver(&folder, "m.report.json", &[report(&["../precious", "/etc/hostname"])]).unwrap();
        deliver(&folder, "m.report.json", &[file("m.model3.json", "1")]).unwrap();
        assert!(root.path().join("precious").exists());
    }
}
