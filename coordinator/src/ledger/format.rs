//! Entries and ledgers as bytes.
//!
//! Every batch of entries and every snapshot begins with [`mark`], which names the format and the job kinds of the
//! release that wrote it. Another release's bytes are refused, never guessed at.

use canonical::Digest;
use plan::JobKind;

use super::{Entry, Ledger};
use crate::journal::Kept;
use crate::state::{Config, Costs, share};

/// Raised with every change of what is written.
const FORMAT: u8 = 1;
/// Length of the mark.
const MARK: usize = 8;

/// Why a journal cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// Written by another release.
    #[error(
        "the farm's journal was written by another release of rigfarm: let it finish its builds with that release, \
         or start this one with another pool name"
    )]
    OtherRelease,
    /// Cut short or scrambled.
    #[error("the farm's journal is damaged: {0}")]
    Malformed(String),
}

/// The first bytes of all that is written: the format, and a digest of the job kinds whose numbers it holds.
fn mark() -> [u8; MARK] {
    let kinds: Vec<_> = JobKind::all().map(JobKind::name).collect();
    let digest = Digest::of(kinds.join(" ").as_bytes());
    let mut mark = [FORMAT; MARK];
    mark[1..].copy_from_slice(&digest.as_bytes()[..MARK - 1]);
    mark
}

/// Adds an entry to a batch; an empty batch is begun.
pub fn encode_entry(batch: &mut Vec<u8>, entry: &Entry, now_ms: u64) {
    if batch.is_empty() {
        batch.extend(mark());
    }
    let start = std::mem::take(batch);
    // Writing plain values into a growing vector cannot fail.
    *batch = postcard::to_extend(&(now_ms, entry), start).unwrap_or_default();
}

/// The entries of a batch with their times.
///
/// # Errors
/// [`FormatError`].
pub fn decode_entries(batch: &[u8]) -> Result<Vec<(u64, Entry)>, FormatError> {
    let mut rest = body(batch)?;
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let (entry, after) = postcard::take_from_bytes(rest).map_err(malformed)?;
        entries.push(entry);
        rest = after;
    }
    Ok(entries)
}

impl Ledger {
    /// The ledger that a journal tells of.
    ///
    /// # Errors
    /// [`FormatError`].
    pub fn restore(kept: &Kept, config: Config) -> Result<Self, FormatError> {
        let mut ledger = match &kept.snapshot {
            Some(snapshot) => Self::decode(snapshot)?,
            None => Self::new(config, Costs::default()),
        };
        for batch in &kept.batches {
            for (now_ms, entry) in decode_entries(batch)? {
                ledger.apply(entry, now_ms);
            }
        }
        Ok(ledger)
    }

    /// The whole ledger as bytes.
    pub fn encode(&self) -> Vec<u8> {
        share::writing(|| postcard::to_extend(self, mark().to_vec())).unwrap_or_default()
    }

    /// The ledger in the bytes of [`Self::encode`].
    ///
    /// # Errors
    /// [`FormatError`].
    pub fn decode(bytes: &[u8]) -> Result<Self, FormatError> {
        let body = body(bytes)?;
        share::reading(|| postcard::from_bytes(body)).map_err(malformed)
    }
}

fn body(bytes: &[u8]) -> Result<&[u8], FormatError> {
    let (found, body) =
        bytes.split_first_chunk::<MARK>().ok_or_else(|| FormatError::Malformed("too short".to_owned()))?;
    if *found == mark() { Ok(body) } else { Err(FormatError::OtherRelease) }
}

#[expect(clippy::needless_pass_by_value, reason = "used with map_err")]
fn malformed(error: postcard::Error) -> FormatError {
    FormatError::Malformed(error.to_string())
}
