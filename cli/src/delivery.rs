//! A finished bundle into its folder, whole or not at all.
//!
//! A new folder is written aside and moved into place. Into an existing one only the files that its previous report
//! lists are replaced; everything else (a user's own motions, VTube Studio files) is kept, and both folders are
//! exchanged in one step. Where the file system cannot exchange, files are moved one by one, `model3.json` last.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, FileType};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use canonical::{BlobRef, Digest};

use crate::regular;

/// Largest report that is read.
const MAX_REPORT: u64 = 64 << 20;
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

/// Puts `files` into `folder`, which lies below `out`. Returns false when nothing but perhaps the report changed.
///
/// # Errors
/// [`Error`] naming the path.
pub(crate) fn deliver(
    out: &Path,
    folder: &Path,
    report: &str,
    files: &[File],
    fetch: &Fetch,
) -> Result<bool, Error> {
    // Where a link stands in the place of the folder, what it leads to is the folder.
    let led = fs::symlink_metadata(folder).is_ok_and(|known| known.is_symlink());
    let folder = &if led { at(folder, fs::canonicalize(folder))? } else { folder.to_owned() };
    let parent = &parent_of(folder);
    at(parent, fs::create_dir_all(parent))?;
    // One delivery at a time below one `--out`, also of other processes: bundles may lie in bundles, and what another
    // process delivers is not a user's.
    let _out = lock(out);
    let _parent = if is_same_folder(out, parent) { None } else { lock(parent) };
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
    check_folders(folder, files)?;
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

/// Holds a folder for this process until it is dropped. Where the file system has no locks, builds into one folder at
/// once are the user's affair.
pub(crate) fn lock(folder: &Path) -> Option<fs::File> {
    let handle = fs::File::open(folder).ok()?;
    rustix::fs::flock(&handle, rustix::fs::FlockOperation::LockExclusive).ok()?;
    Some(handle)
}

fn is_same_folder(a: &Path, b: &Path) -> bool {
    let id = |path: &Path| fs::metadata(path).ok().map(|known| (known.dev(), known.ino()));
    id(a) == id(b)
}

fn bytes_of(folder: &Path, file: &File, fetch: &Fetch) -> Result<Arc<[u8]>, Error> {
    at(&folder.join(&file.path), fetch(file).map_err(io::Error::other))
}

/// Paths that the previous report lists, inside the folder.
fn listed(folder: &Path, report: &str) -> BTreeSet<String> {
    let previous = regular::read(&folder.join(report), MAX_REPORT).unwrap_or_default();
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

/// A link or a file where the bundle has a folder is a user's too; through a link, files elsewhere would be replaced.
fn check_folders(folder: &Path, files: &[File]) -> Result<(), Error> {
    let below = files.iter().flat_map(|file| Path::new(&file.path).ancestors().skip(1));
    let below: BTreeSet<&Path> = below.filter(|path| !path.as_os_str().is_empty()).collect();
    let is_other = |path: &&&Path| fs::symlink_metadata(folder.join(path)).is_ok_and(|m| !m.is_dir());
    below.iter().find(is_other).map_or(Ok(()), |path| {
        let message = "stands where the bundle has a folder: move it away, or deliver into another folder";
        at(&folder.join(path), Err(io::Error::other(message)))
    })
}

/// Whether a path of a bundle stays in the bundle's folder.
pub(crate) fn is_inside(path: &str) -> bool {
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

/// Whether the folder is one of another file system than its parent, so that nothing can be moved into its place.
fn is_mounted(folder: &Path) -> bool {
    let device = |path: &Path| fs::metadata(path).ok().map(|known| known.dev());
    device(folder).is_some_and(|own| device(&parent_of(folder)) != Some(own))
}

fn parent_of(folder: &Path) -> PathBuf {
    let parent = folder.parent().unwrap_or(Path::new("."));
    if parent.as_os_str().is_empty() { PathBuf::from(".") } else { parent.to_owned() }
}

/// Writes the bundle beside `folder`, or in it where that is a mount. What is the `same` there already is linked, not
/// written.
fn write_aside(folder: &Path, files: &[File], same: &BTreeSet<&str>, fetch: &Fetch) -> Result<Aside, Error> {
    let parent = &if is_mounted(folder) { folder.to_owned() } else { parent_of(folder) };
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
    if is_mounted(folder) {
        return move_one_by_one(folder, &aside, files, stale);
    }
    let ours: BTreeSet<&Path> =
        files.iter().map(|f| Path::new(&f.path)).chain(stale.iter().map(Path::new)).collect();
    // A folder that only files of ours were in goes with them.
    let made: BTreeSet<&Path> = ours.iter().flat_map(|path| path.ancestors().skip(1)).collect();
    for (path, kind) in entries(folder, Path::new(""))? {
        let (from, to) = (folder.join(&path), aside.0.join(&path));
        if kind.is_dir() && !made.contains(path.as_path()) {
            at(&to, fs::create_dir_all(&to))?;
        } else if !kind.is_dir() && !ours.contains(path.as_path()) {
            at(&from, keep(&from, &to, kind))?;
        }
    }
    let flags = rustix::fs::RenameFlags::EXCHANGE;
    let cwd = rustix::fs::CWD;
    if rustix::fs::renameat_with(cwd, &aside.0, cwd, folder, flags).is_ok() {
        return Ok(());
    }
    move_one_by_one(folder, &aside, files, stale)
}

/// Puts a user's file into the new folder, too.
fn keep(from: &Path, to: &Path, kind: FileType) -> io::Result<()> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    if fs::hard_link(from, to).is_ok() {
        return Ok(());
    }
    if kind.is_symlink() {
        return std::os::unix::fs::symlink(fs::read_link(from)?, to);
    }
    if !kind.is_file() {
        return Err(io::Error::other("is neither a file nor a folder and cannot be kept: move it away"));
    }
    fs::copy(from, to).map(drop)
}

/// Everything below a folder, relative to it; folders before what is in them.
fn entries(folder: &Path, below: &Path) -> Result<Vec<(PathBuf, FileType)>, Error> {
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
        let kind = at(&here, entry.file_type())?;
        out.push((path.clone(), kind));
        if kind.is_dir() {
            out.extend(entries(folder, &path)?);
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

/// Writes one file so that readers see the old or the new one. Through a link the file it leads to is written; a device
/// or a pipe is written to as it is.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let known = fs::symlink_metadata(path).ok();
    if known.as_ref().is_some_and(|known| known.is_symlink()) {
        let target = at(path, fs::canonicalize(path))?;
        return write_file(&target, bytes);
    }
    if known.is_some_and(|known| !known.is_file() && !known.is_dir()) {
        // Opening a pipe that nobody reads would wait for ever; opened so it fails.
        let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let _reader = at(path, fs::OpenOptions::new().write(true).custom_flags(flags).open(path))?;
        let mut file = at(path, fs::OpenOptions::new().write(true).open(path))?;
        return at(path, file.write_all(bytes));
    }
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
#[path = "delivery_tests.rs"]
mod tests;
