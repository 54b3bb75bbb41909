//! A finished bundle into its folder, whole or not at all.
//!
//! A new folder is written aside and moved into place. Into an existing one only the files that its previous report
//! lists are replaced; everything else (a user's own motions, VTube Studio files) is kept, and both folders are
//! exchanged in one step. Where the file system cannot exchange, files are moved one by one, `model3.json` last.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use canonical::{BlobRef, Digest};

/// Age at which what a killed process left behind is removed.
const FORGOTTEN: Duration = Duration::from_secs(3600);

/// A delivery that failed; the folder is as it was, or (without exchange) still whole with its old `model3.json`.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}")]
pub(crate) struct Error {
    path: PathBuf,
    source: io::Error,
}

/// A file of the bundle, whose bytes are asked for only when it is written.
pub(crate) struct File {
    /// Path inside the bundle, with `/` between folders.
    pub(crate) path: String,
    /// What it holds.
    pub(crate) blob: BlobRef,
}

/// Gives the bytes of a file.
pub(crate) type Fetch<'a> = dyn Fn(&File) -> Result<Arc<[u8]>, String> + 'a;

/// Puts `files` into `folder`. Returns false when nothing but perhaps the report changed.
///
/// # Errors
/// [`Error`] naming the path.
pub(crate) fn deliver(folder: &Path, report: &str, files: &[File], fetch: &Fetch) -> Result<bool, Error> {
    let parent = folder.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    at(parent, fs::create_dir_all(parent))?;
    // One delivery at a time into one place, also of other processes: what they delivered is not a user's.
    // Where the file system has no locks, builds into one folder at once are the user's affair.
    let handle = fs::File::open(parent).ok();
    let _locked = handle.as_ref().map(|h| rustix::fs::flock(h, rustix::fs::FlockOperation::LockExclusive));
    if !folder.exists() {
        let aside = write_aside(folder, files, &BTreeSet::new(), fetch)?;
        match fs::rename(&aside.0, folder) {
            // Another process was faster: its folder is an existing one now.
            Err(e) if matches!(e.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists) => {
            }
            renamed => return at(folder, renamed).map(|()| true),
        }
    }
    let stale = stale(folder, report, files);
    let same: BTreeSet<&str> = files
        .iter()
        .filter(|file| is_same(&folder.join(&file.path), &file.blob))
        .map(|f| f.path.as_str())
        .collect();
    let changed: Vec<&File> = files.iter().filter(|file| !same.contains(file.path.as_str())).collect();
    check_foreign(folder, report, &changed)?;
    match changed[..] {
        [] if stale.is_empty() => return Ok(false),
        [file] if stale.is_empty() && file.path == report => {
            write_file(&folder.join(report), &bytes_of(folder, file, fetch)?)?;
            return Ok(false);
        }
        _ => {}
    }
    exchange(folder, files, &same, &stale, fetch)?;
    Ok(true)
}

fn bytes_of(folder: &Path, file: &File, fetch: &Fetch) -> Result<Arc<[u8]>, Error> {
    at(&folder.join(&file.path), fetch(file).map_err(io::Error::other))
}

/// Paths that the previous report lists, inside the folder.
fn listed(folder: &Path, report: &str) -> BTreeSet<String> {
    let previous = fs::read(folder.join(report)).unwrap_or_default();
    let digests: Option<BTreeMap<String, String>> = serde_json::from_slice::<serde_json::Value>(&previous)
        .ok()
        .and_then(|value| serde_json::from_value(value.get("digests")?.clone()).ok());
    digests.unwrap_or_default().into_keys().collect()
}

/// Files that the previous report lists and the new bundle does not hold.
fn stale(folder: &Path, report: &str, files: &[File]) -> BTreeSet<String> {
    let kept: BTreeSet<&str> = files.iter().map(|f| f.path.as_str()).collect();
    listed(folder, report)
        .into_iter()
        .filter(|path| !kept.contains(path.as_str()) && is_inside(path) && folder.join(path).is_file())
        .collect()
}

/// A file in the way that no report of ours lists is somebody's work: it is never replaced.
fn check_foreign(folder: &Path, report: &str, changed: &[&File]) -> Result<(), Error> {
    let ours = listed(folder, report);
    let in_the_way = changed.iter().find(|file| {
        let there = fs::symlink_metadata(folder.join(&file.path)).is_ok();
        file.path != report && !ours.contains(&file.path) && there
    });
    in_the_way.map_or(Ok(()), |file| {
        let message = "is not a file that rigfarm delivered: move it away, or deliver into another folder";
        at(&folder.join(&file.path), Err(io::Error::other(message)))
    })
}

fn is_inside(path: &str) -> bool {
    !path.starts_with('/')
        && Path::new(path).components().all(|c| matches!(c, std::path::Component::Normal(_)))
}

fn is_same(path: &Path, blob: &BlobRef) -> bool {
    fs::symlink_metadata(path).is_ok_and(|m| m.is_file() && m.len() == blob.len)
        && fs::read(path).is_ok_and(|there| Digest::of(&there) == blob.digest)
}

/// A folder beside `folder` that disappears when it is not moved away.
struct Aside(PathBuf);

impl Drop for Aside {
    fn drop(&mut self) {
        // What cannot be removed is a hidden folder that the next delivery replaces.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Writes the bundle beside `folder`. What is the `same` there already is linked, not written.
fn write_aside(folder: &Path, files: &[File], same: &BTreeSet<&str>, fetch: &Fetch) -> Result<Aside, Error> {
    let parent = folder.parent().unwrap_or(Path::new("."));
    at(parent, fs::create_dir_all(parent))?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    remove_forgotten(parent, &format!(".{name}.rigfarm-"));
    let aside = Aside(parent.join(format!(".{name}.rigfarm-{}", std::process::id())));
    let _ = fs::remove_dir_all(&aside.0);
    at(&aside.0, fs::create_dir(&aside.0))?;
    for file in files {
        let path = aside.0.join(&file.path);
        if let Some(parent) = path.parent() {
            at(parent, fs::create_dir_all(parent))?;
        }
        let known = same.contains(file.path.as_str());
        if !known || fs::hard_link(folder.join(&file.path), &path).is_err() {
            let bytes = bytes_of(folder, file, fetch)?;
            at(&folder.join(&file.path), fs::write(&path, &bytes))?;
        }
    }
    Ok(aside)
}

/// Removes what killed processes left beside the folder an hour ago or earlier.
fn remove_forgotten(parent: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten().filter(|e| e.file_name().to_string_lossy().starts_with(prefix)) {
        let modified = entry.metadata().and_then(|m| m.modified()).ok();
        if modified.and_then(|m| m.elapsed().ok()).is_some_and(|age| age > FORGOTTEN) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn exchange(
    folder: &Path,
    files: &[File],
    same: &BTreeSet<&str>,
    stale: &BTreeSet<String>,
    fetch: &Fetch,
) -> Result<(), Error> {
    let aside = write_aside(folder, files, same, fetch)?;
    let ours: BTreeSet<&str> =
        files.iter().map(|f| f.path.as_str()).chain(stale.iter().map(String::as_str)).collect();
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
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with('.') && name.contains(".rigfarm-") {
            continue;
        }
        if at(&here, entry.file_type())?.is_dir() {
            out.extend(other_files(folder, &path)?);
        } else {
            out.push(path);
        }
    }
    Ok(out)
}

fn move_one_by_one(
    folder: &Path,
    aside: &Aside,
    files: &[File],
    stale: &BTreeSet<String>,
) -> Result<(), Error> {
    let last = |file: &&File| file.path.ends_with(".model3.json");
    let order = files.iter().filter(|f| !last(f)).chain(files.iter().filter(last));
    for File { path, .. } in order {
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

    type Written<'a> = (&'a str, String);

    fn put(folder: &Path, files: &[Written]) -> bool {
        let named = named(files);
        deliver(folder, "m.report.json", &named, &|file| fetch(files, file)).unwrap()
    }

    fn named(files: &[Written]) -> Vec<File> {
        let named =
            |(path, text): &Written| File { path: (*path).to_owned(), blob: BlobRef::of(text.as_bytes()) };
        files.iter().map(named).collect()
    }

    fn fetch(files: &[Written], file: &File) -> Result<Arc<[u8]>, String> {
        Ok(files.iter().find(|(path, _)| *path == file.path).unwrap().1.as_bytes().into())
    }

    fn file<'a>(path: &'a str, text: &str) -> Written<'a> {
        (path, text.to_owned())
    }

    fn report(listed: &[&str]) -> Written<'static> {
        let digests: serde_json::Map<String, serde_json::Value> =
            listed.iter().map(|p| ((*p).to_owned(), "x".into())).collect();
        ("m.report.json", serde_json::json!({"digests": digests}).to_string())
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
        let first =
            [file("m.model3.json", "1"), file("old/a.png", "a"), report(&["m.model3.json", "old/a.png"])];
        assert!(put(&folder, &first));
        assert!(!put(&folder, &first), "nothing changed");
        fs::write(folder.join("mine.vtube.json"), b"user").unwrap();
        fs::create_dir(folder.join("motions")).unwrap();
        fs::write(folder.join("motions/mine.motion3.json"), b"user").unwrap();
        let second =
            [file("m.model3.json", "2"), file("new/b.png", "b"), report(&["m.model3.json", "new/b.png"])];
        assert!(put(&folder, &second));
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
        put(&folder, &[file("m.model3.json", "1"), file("a", "a")]);
        let files = [file("m.model3.json", "2"), file("b/c", "c")];
        let aside = write_aside(&folder, &named(&files), &BTreeSet::new(), &|f| fetch(&files, f)).unwrap();
        move_one_by_one(&folder, &aside, &named(&files), &BTreeSet::from(["a".to_owned()])).unwrap();
        assert_eq!(listing(&folder), ["b/c", "m.model3.json"]);
    }

    #[test]
    fn a_report_that_lies_removes_nothing_outside() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("m");
        fs::write(root.path().join("precious"), b"x").unwrap();
        put(&folder, &[report(&["../precious", "/etc/hostname"])]);
        put(&folder, &[file("m.model3.json", "1")]);
        assert!(root.path().join("precious").exists());
    }

    #[test]
    fn a_users_file_in_the_way_is_never_replaced() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("m");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("m.model3.json"), b"mine").unwrap();
        let files = [file("m.model3.json", "1"), report(&["m.model3.json"])];
        let told = deliver(&folder, "m.report.json", &named(&files), &|f| fetch(&files, f));
        assert!(told.unwrap_err().to_string().contains("move it away"));
        assert_eq!(fs::read(folder.join("m.model3.json")).unwrap(), b"mine");
    }
}
