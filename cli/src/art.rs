//! Art files as bytes that jobs may read.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use canonical::BlobRef;
use coordinator::embedded::Sources;

use crate::regular;

/// Largest art file that is read.
const MAX_FILE: u64 = 4 << 30;
/// Bytes kept in memory between naming a file and its first job.
const MAX_KEPT: u64 = 256 << 20;

/// The art of a build: named when it is planned, read again only when a job wants it.
#[derive(Default)]
pub(crate) struct ArtFiles {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    paths: BTreeMap<BlobRef, PathBuf>,
    kept: BTreeMap<BlobRef, Arc<[u8]>>,
    kept_bytes: u64,
}

impl ArtFiles {
    /// Reads a file and names its bytes.
    ///
    /// # Errors
    /// Why it cannot be read, for people.
    pub(crate) fn add(&self, path: &Path) -> Result<BlobRef, String> {
        let bytes = read(path)?;
        let blob = BlobRef::of(&bytes);
        let mut state = self.lock();
        state.paths.insert(blob, path.to_owned());
        if state.kept_bytes + blob.len <= MAX_KEPT && state.kept.insert(blob, bytes).is_none() {
            state.kept_bytes += blob.len;
        }
        Ok(blob)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sources for ArtFiles {
    fn read(&self, blob: &BlobRef) -> Option<Result<Arc<[u8]>, String>> {
        let path = {
            let mut state = self.lock();
            if let Some(bytes) = state.kept.remove(blob) {
                state.kept_bytes -= blob.len;
                return Some(Ok(bytes));
            }
            state.paths.get(blob)?.clone()
        };
        Some(read(&path))
    }
}

fn read(path: &Path) -> Result<Arc<[u8]>, String> {
    let told = |e: std::io::Error| format!("cannot be read: {e}");
    let (mut file, len) = regular::open(path, MAX_FILE).map_err(told)?;
    // One allocation, filled in place: art is large.
    let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, len as usize).collect();
    let room = Arc::get_mut(&mut bytes).unwrap_or_default();
    file.read_exact(room).map_err(|e| match e.kind() {
        std::io::ErrorKind::UnexpectedEof => "became shorter while it was read: build again".to_owned(),
        _ => told(e),
    })?;
    Ok(bytes)
}
