//! A store in a folder, without async: some ten microseconds per lookup.

mod sweep;

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use canonical::{BlobRef, Digest};

use crate::envelope::{self, Action};
use crate::error::{Attempt, Error};
use crate::layout::{Entry, Shelf};
use crate::options::Options;

pub use sweep::Swept;

/// Modification times stand for the time of last use; they are renewed when older than this, so that a warm build
/// writes nothing.
const TOUCH_AFTER: Duration = Duration::from_secs(60);

/// Longest action result that is read; a longer file is damaged. The largest that are written have some hundred KiB.
const MAX_ACTION: u64 = 64 << 20;

/// Longest blob that is read; a longer file is damaged. The largest art that is built has half of it.
const MAX_BLOB: u64 = 8 << 30;

/// How the names of files begin that are being written or removed.
const TEMPORARY: &str = "tmp-";

/// A store in a folder. Any number of processes may use one at once. Cheap to clone.
///
/// Every file is written beside and renamed into place, so a reader sees a whole file or none. Bytes are stored
/// as they are: compressing costs more time than the local disk saves.
#[derive(Clone, Debug)]
pub struct Folder {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    root: PathBuf,
    name: Arc<str>,
    options: Options,
    /// Distinguishes the temporary files of processes which share a folder and, in containers, a process id.
    opened: u128,
    temporaries: AtomicU64,
    usage: sweep::Usage,
}

/// What a folder knows about a job key: the result and those of its blobs that are not in the folder.
pub(crate) type Lookup = Option<(Action, Vec<BlobRef>)>;

impl Folder {
    /// Opens a folder and makes it if need be. A folder that cannot be written is opened for reading.
    ///
    /// # Errors
    /// When there is no folder and none can be made.
    pub fn open(root: &Path, options: &Options) -> Result<Self, Error> {
        let name: Arc<str> = root.display().to_string().into();
        let mut options = options.clone();
        let is_new = !root.is_dir();
        let is_empty = !root.join(Shelf::Blobs.name()).is_dir();
        if !options.create && is_empty {
            return Err(Error::Absent { place: name });
        }
        if !options.read_only && options.create {
            let made = [Shelf::Blobs.name(), Shelf::Actions.name()]
                .iter()
                .try_for_each(|shelf| fs::create_dir_all(root.join(shelf)));
            match made.map_err(|error| Error::of_io(&name, Attempt::Write, &error)) {
                Err(Error::ReadOnly { .. }) if !is_new => options.read_only = true,
                made => made?,
            }
        } else if is_new {
            // Read-only, and there is nothing to read.
            let reason = "there is no such folder".to_owned();
            return Err(Error::Io { place: name, reason });
        }
        let opened = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        let usage = sweep::Usage::new(is_empty && !options.read_only);
        let root = root.to_owned();
        Ok(Self {
            inner: Arc::new(Inner { root, name, options, opened, temporaries: AtomicU64::new(0), usage }),
        })
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.inner.root
    }

    /// Stores a blob, unless it is there: then it counts as used. A file of the wrong length is replaced.
    ///
    /// # Errors
    /// [`Error::Full`], [`Error::ReadOnly`], [`Error::Io`] …; a read-only folder accepts what it has.
    pub fn put_blob(&self, bytes: &[u8]) -> Result<BlobRef, Error> {
        let blob = BlobRef::of(bytes);
        if !self.inner.is_there(&self.path(Shelf::Blobs, &blob.digest), blob.len) {
            self.write(Shelf::Blobs, &blob.digest, bytes)?;
        }
        Ok(blob)
    }

    /// A blob's bytes, which are sure to be the ones named.
    ///
    /// # Errors
    /// [`Error::Missing`]; [`Error::Corrupt`] after moving the bytes to the quarantine; others when reading fails.
    pub fn get_blob(&self, blob: &BlobRef) -> Result<Bytes, Error> {
        self.read_blob(blob, Use::Counts)
    }

    /// Which blobs are there, at their full length; these count as used. What cannot be read is not there.
    pub fn has(&self, blobs: &[BlobRef]) -> Vec<bool> {
        blobs
            .iter()
            .map(|blob| self.inner.is_there(&self.path(Shelf::Blobs, &blob.digest), blob.len))
            .collect()
    }

    /// The result of a job whose blobs are all there. A damaged one is moved to the quarantine and is no result.
    ///
    /// # Errors
    /// When reading fails.
    pub fn get_action(&self, key: &Digest) -> Result<Option<Action>, Error> {
        Ok(self.lookup(key)?.filter(|(_, missing)| missing.is_empty()).map(|(action, _)| action))
    }

    /// Stores the result of a job, in place of an earlier one.
    ///
    /// # Errors
    /// As [`put_blob`](Self::put_blob).
    pub fn put_action(&self, key: &Digest, action: &Action) -> Result<(), Error> {
        self.write(Shelf::Actions, key, &envelope::seal(key, action))
    }

    /// Makes room now if the bound is passed, as it is done in the background after writes.
    ///
    /// # Errors
    /// When the folder cannot be listed.
    pub fn sweep(&self) -> Result<Swept, Error> {
        self.inner.sweep()
    }

    /// Waits until background work is done and recorded.
    pub fn settle(&self) {
        self.inner.settle();
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.inner.options.read_only
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.inner.name
    }

    pub(crate) fn lookup(&self, key: &Digest) -> Result<Lookup, Error> {
        let Some(action) = self.read_action(key, Use::Counts)? else { return Ok(None) };
        let there = self.has(&action.refs);
        let missing =
            action.refs.iter().zip(there).filter(|(_, there)| !there).map(|(blob, _)| *blob).collect();
        Ok(Some((action, missing)))
    }

    /// The blobs a result names, without counting it as used.
    pub(crate) fn refs(&self, key: &Digest) -> Result<Option<Vec<BlobRef>>, Error> {
        Ok(self.read_action(key, Use::IsInspection)?.map(|action| action.refs))
    }

    /// Reads and hashes a blob without counting it as used.
    pub(crate) fn check_blob(&self, blob: &BlobRef) -> Result<(), Error> {
        self.read_blob(blob, Use::IsInspection).map(drop)
    }

    /// Everything on a shelf, in no order.
    pub(crate) fn list(&self, shelf: Shelf) -> Result<Vec<Entry>, Error> {
        self.inner.list(shelf).map_err(|error| Error::of_io(&self.inner.name, Attempt::Read, &error))
    }

    /// Removes an entry that was not used since `cutoff`; whether it is gone.
    pub(crate) fn remove(&self, shelf: Shelf, name: &Digest, cutoff: SystemTime) -> Result<bool, Error> {
        let removed = self.inner.remove(&self.path(shelf, name), cutoff);
        removed.map_err(|error| Error::of_io(&self.inner.name, Attempt::Write, &error))
    }

    pub(crate) fn path(&self, shelf: Shelf, name: &Digest) -> PathBuf {
        self.inner.root.join(shelf.path(name))
    }

    fn read_blob(&self, blob: &BlobRef, usage: Use) -> Result<Bytes, Error> {
        let place = || Arc::clone(&self.inner.name);
        let path = self.path(Shelf::Blobs, &blob.digest);
        match self.read(&path, Some(blob.len), usage)? {
            Contents::None => Err(Error::Missing { blob: *blob, place: place() }),
            Contents::Bytes(bytes) if Digest::of(&bytes) == blob.digest => Ok(bytes.into()),
            Contents::Bytes(_) | Contents::Wrong => {
                self.quarantine(Shelf::Blobs, &blob.digest);
                Err(Error::Corrupt { blob: *blob, place: place() })
            }
        }
    }

    fn read_action(&self, key: &Digest, usage: Use) -> Result<Option<Action>, Error> {
        let action = match self.read(&self.path(Shelf::Actions, key), None, usage)? {
            Contents::None => return Ok(None),
            Contents::Wrong => None,
            Contents::Bytes(bytes) => envelope::open(key, &bytes.into()),
        };
        if action.is_none() {
            self.quarantine(Shelf::Actions, key);
        }
        Ok(action)
    }

    /// Moves an entry to the quarantine, unless this is read-only.
    pub(crate) fn quarantine(&self, shelf: Shelf, name: &Digest) {
        if self.inner.options.read_only {
            return;
        }
        let (from, to) = (self.path(shelf, name), self.path(Shelf::Quarantine, name));
        if self.inner.rename(&from, &to).is_err() {
            // Better no evidence than wrong bytes.
            let _ = delete(&from);
        }
    }

    fn read(&self, path: &Path, expected: Option<u64>, usage: Use) -> Result<Contents, Error> {
        self.inner
            .read(path, expected, usage)
            .map_err(|error| Error::of_io(&self.inner.name, Attempt::Read, &error))
    }

    fn write(&self, shelf: Shelf, name: &Digest, bytes: &[u8]) -> Result<(), Error> {
        if self.inner.options.read_only {
            return Err(Error::ReadOnly { place: Arc::clone(&self.inner.name) });
        }
        let path = self.path(shelf, name);
        let mut written = self.inner.write(&path, bytes);
        if written.is_err() && path.is_dir() {
            // A folder in its place is damage like any other.
            self.quarantine(shelf, name);
            written = self.inner.write(&path, bytes);
        }
        written.map_err(|error| Error::of_io(&self.inner.name, Attempt::Write, &error))?;
        self.inner.after_write(bytes.len() as u64);
        Ok(())
    }
}

/// Whether reading counts as use, which keeps an entry from eviction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Counts,
    IsInspection,
}

enum Contents {
    None,
    /// Of another length, or no file at all.
    Wrong,
    Bytes(Vec<u8>),
}

impl Inner {
    /// Reads a file, if it has the expected length.
    fn read(&self, path: &Path, expected: Option<u64>, usage: Use) -> io::Result<Contents> {
        let is_right = |metadata: &Metadata| {
            let most = if expected.is_some() { MAX_BLOB } else { MAX_ACTION };
            metadata.is_file() && metadata.len() <= most && expected.is_none_or(|len| len == metadata.len())
        };
        let absent = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => Ok(Contents::None),
            _ => Err(error),
        };
        // Asked before opening: opening a pipe waits for its writer.
        match fs::metadata(path) {
            Ok(metadata) if !is_right(&metadata) => return Ok(Contents::Wrong),
            Ok(_) => {}
            Err(error) => return absent(error),
        }
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) => return absent(error),
        };
        let metadata = file.metadata()?;
        if !is_right(&metadata) {
            return Ok(Contents::Wrong);
        }
        if usage == Use::Counts && !self.was_used_lately(&metadata) {
            // A failure only makes the entry look older than it is.
            let _ = file.set_modified(SystemTime::now());
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
        file.read_to_end(&mut bytes)?;
        Ok(Contents::Bytes(bytes))
    }

    /// Whether a file of that length is there; if so it counts as used.
    fn is_there(&self, path: &Path, len: u64) -> bool {
        let is_right = |metadata: &Metadata| metadata.is_file() && metadata.len() == len;
        let Ok(metadata) = fs::metadata(path) else { return false };
        if !is_right(&metadata) || self.was_used_lately(&metadata) {
            return is_right(&metadata);
        }
        let Ok(file) = File::open(path) else { return false };
        let _ = file.set_modified(SystemTime::now());
        // Looked at again after the touch: whoever removes it after this look sees the touch (`remove`).
        fs::metadata(path).is_ok_and(|metadata| is_right(&metadata))
    }

    fn was_used_lately(&self, metadata: &Metadata) -> bool {
        let used = metadata.modified().unwrap_or(UNIX_EPOCH);
        // A time in the future (a clock was set back) is renewed too.
        self.options.read_only || SystemTime::now().duration_since(used).is_ok_and(|age| age < TOUCH_AFTER)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let temporary = self.beside(path);
        let written = self.write_new(&temporary, bytes).and_then(|()| self.rename(&temporary, path));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let create = || File::options().write(true).create_new(true).open(path);
        let mut file = match (create(), path.parent()) {
            (Err(error), Some(parent)) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(parent)?;
                create()?
            }
            (file, _) => file?,
        };
        file.write_all(bytes)?;
        if self.options.fsync { file.sync_all() } else { Ok(()) }
    }

    /// Moves a file into place, making the last folder of its path if need be.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        if let Err(error) = fs::rename(from, to) {
            if error.kind() != io::ErrorKind::NotFound {
                return Err(error);
            }
            let Some(parent) = to.parent() else { return Err(error) };
            fs::create_dir_all(parent)?;
            fs::rename(from, to)?;
        }
        match to.parent() {
            Some(parent) if self.options.fsync => File::open(parent)?.sync_all(),
            _ => Ok(()),
        }
    }

    /// Removes a file that was not used since `cutoff`.
    ///
    /// It is taken away first and judged after. A user who touches it before it is taken away is seen in its time,
    /// and the file is put back; one who comes later finds it missing. So nobody relies on a file that then goes.
    fn remove(&self, path: &Path, cutoff: SystemTime) -> io::Result<bool> {
        let aside = self.beside(path);
        match fs::rename(path, &aside) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            renamed => renamed?,
        }
        if fs::metadata(&aside)?.modified()? > cutoff {
            fs::rename(&aside, path)?;
            return Ok(false);
        }
        delete(&aside)?;
        Ok(true)
    }

    /// A fresh name in the same folder: renaming across folders takes a lock of the whole file system.
    fn beside(&self, path: &Path) -> PathBuf {
        let number = self.temporaries.fetch_add(1, Ordering::Relaxed);
        path.with_file_name(format!("{TEMPORARY}{}-{:x}-{number}", std::process::id(), self.opened))
    }

    fn list(&self, shelf: Shelf) -> io::Result<Vec<Entry>> {
        let most = if shelf == Shelf::Actions { MAX_ACTION } else { MAX_BLOB };
        let mut entries = Vec::new();
        for rack in read_dir(&self.root.join(shelf.name()))? {
            for file in read_dir(&rack?.path())? {
                let file = file?;
                let name = file.file_name();
                let Some(name) = name.to_str().and_then(Digest::from_hex) else { continue };
                match file.metadata() {
                    Ok(found) => entries.push(Entry {
                        name,
                        len: found.len(),
                        used: found.modified()?,
                        is_foreign: !found.is_file() || found.len() > most,
                    }),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(entries)
    }
}

/// Removes a file, or a folder that stands where a file should.
fn delete(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

/// What is in a folder; nothing if there is none.
fn read_dir(path: &Path) -> io::Result<impl Iterator<Item = io::Result<fs::DirEntry>>> {
    match fs::read_dir(path) {
        Ok(entries) => Ok(Some(entries).into_iter().flatten()),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None.into_iter().flatten())
        }
        Err(error) => Err(error),
    }
}
