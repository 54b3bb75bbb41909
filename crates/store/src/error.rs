//! What can go wrong, by what the caller can do about it.

use std::error::Error as StdError;
use std::io;
use std::sync::Arc;

use canonical::BlobRef;

/// A failed store operation. `place` is the folder or address of the store that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The address cannot be understood: correct it.
    #[error("store address {url}: {reason}")]
    Address {
        /// As given.
        url: String,
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// The address is of an object store this build cannot speak to.
    #[error("store address {url}: this rigfarm was built without object stores (cargo feature `cloud`)")]
    NoCloud {
        /// As given.
        url: String,
    },
    /// The address is of a cache server this build cannot speak to.
    #[error("store address {url}: this rigfarm was built without cache servers (cargo feature `reapi`)")]
    NoReapi {
        /// As given.
        url: String,
    },
    /// There is no store, and none was to be made ([`Options::create`](crate::Options::create)).
    #[error("{place}: no store there")]
    Absent {
        /// Where.
        place: Arc<str>,
    },
    /// There is no such bucket or container, and none is ever made here: make it, or correct the address.
    #[error("{place}: there is no such bucket: make it, or correct the address")]
    NoBucket {
        /// Where.
        place: Arc<str>,
    },
    /// The blob is not there: run its producer again.
    #[error("blob {blob} is not in {place}")]
    Missing {
        /// The name asked for.
        blob: BlobRef,
        /// Where.
        place: Arc<str>,
    },
    /// The bytes found were not the ones named; they are in the quarantine now. Run the producer again.
    #[error("blob {blob} was damaged in {place} and has been set aside")]
    Corrupt {
        /// The name asked for.
        blob: BlobRef,
        /// Where.
        place: Arc<str>,
    },
    /// No room: go on without the cache, or make room.
    #[error("{place} is full: free some space, or lower the cache bound")]
    Full {
        /// Where.
        place: Arc<str>,
    },
    /// Writing is not allowed there: go on reading only.
    #[error("{place} cannot be written to")]
    ReadOnly {
        /// Where.
        place: Arc<str>,
    },
    /// Not even reading is allowed: check credentials and rights.
    #[error("access to {place} is denied: {reason}")]
    Denied {
        /// Where.
        place: Arc<str>,
        /// In the words of the store.
        reason: String,
    },
    /// The store does not answer, or not in time: go on without it, try later.
    #[error("{place} is unreachable: {reason}")]
    Unreachable {
        /// Where.
        place: Arc<str>,
        /// In the words of the store.
        reason: String,
    },
    /// The disk or file system failed otherwise.
    #[error("{place}: {reason}")]
    Io {
        /// Where.
        place: Arc<str>,
        /// In the words of the system.
        reason: String,
    },
}

/// What was attempted; a refusal means something else on each.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    Read,
    Write,
}

impl Error {
    /// Whether a write failed because this place takes none (full, read-only, refused, broken), so that another
    /// place may be tried.
    pub fn is_about_the_place(&self) -> bool {
        !matches!(
            self,
            Self::Address { .. }
                | Self::NoCloud { .. }
                | Self::NoReapi { .. }
                | Self::Missing { .. }
                | Self::Corrupt { .. }
        )
    }

    pub(crate) fn place(&self) -> Option<&Arc<str>> {
        match self {
            Self::Address { .. } | Self::NoCloud { .. } | Self::NoReapi { .. } => None,
            Self::Absent { place }
            | Self::NoBucket { place }
            | Self::Missing { place, .. }
            | Self::Corrupt { place, .. }
            | Self::Full { place }
            | Self::ReadOnly { place }
            | Self::Denied { place, .. }
            | Self::Unreachable { place, .. }
            | Self::Io { place, .. } => Some(place),
        }
    }

    pub(crate) fn of_io(place: &Arc<str>, attempt: Attempt, error: &io::Error) -> Self {
        let place = Arc::clone(place);
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::Full { place }
            }
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { place },
            io::ErrorKind::PermissionDenied if attempt == Attempt::Write => Self::ReadOnly { place },
            io::ErrorKind::PermissionDenied => Self::Denied { place, reason: error.to_string() },
            io::ErrorKind::TimedOut
            | io::ErrorKind::StaleNetworkFileHandle
            | io::ErrorKind::HostUnreachable => Self::Unreachable { place, reason: error.to_string() },
            _ => Self::Io { place, reason: error.to_string() },
        }
    }

    pub(crate) fn of_object_store(place: &Arc<str>, attempt: Attempt, error: &object_store::Error) -> Self {
        if let Some(io) = io_cause(error) {
            return Self::of_io(place, attempt, io);
        }
        let (place, reason) = (Arc::clone(place), error.to_string());
        match error {
            object_store::Error::PermissionDenied { .. }
                if attempt == Attempt::Write && !is_about_credentials(&reason) =>
            {
                Self::ReadOnly { place }
            }
            object_store::Error::PermissionDenied { .. } | object_store::Error::Unauthenticated { .. } => {
                Self::Denied { place, reason }
            }
            // What is written need not be there; where it is written to must.
            object_store::Error::NotFound { .. } if attempt == Attempt::Write || is_without_bucket(error) => {
                Self::NoBucket { place }
            }
            _ => Self::Unreachable { place, reason },
        }
    }
}

/// Whether something was not found since there is not even a bucket for it.
pub(crate) fn is_without_bucket(error: &object_store::Error) -> bool {
    let said = error.to_string();
    ["NoSuchBucket", "ContainerNotFound", "The specified bucket does not exist"]
        .iter()
        .any(|words| said.contains(words))
}

/// Whether a refusal means that nobody is let in with these credentials, rather than that this may not be done.
fn is_about_credentials(said: &str) -> bool {
    ["InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "AuthenticationFailed"]
        .iter()
        .any(|words| said.contains(words))
}

/// The operating system's error at the bottom of an object store's, if the store is a file system.
fn io_cause(error: &object_store::Error) -> Option<&io::Error> {
    let object_store::Error::Generic { store: "LocalFileSystem", .. } = error else { return None };
    let mut cause: Option<&(dyn StdError + 'static)> = error.source();
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref() {
            return Some(io);
        }
        cause = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_object_stores_are_told_apart() {
        let place: Arc<str> = "s3://farm".into();
        let denied = |said: &str| object_store::Error::PermissionDenied {
            path: "cas/x".into(),
            source: said.to_owned().into(),
        };
        let absent = |said: &str| object_store::Error::NotFound {
            path: "cas/x".into(),
            source: said.to_owned().into(),
        };
        let check = |error: object_store::Error, attempt, expected: &str| {
            let error = Error::of_object_store(&place, attempt, &error);
            assert_eq!(format!("{error:?}").split([' ', '{']).next(), Some(expected), "{error}");
        };
        check(denied("<Code>AccessDenied</Code>"), Attempt::Write, "ReadOnly");
        check(denied("<Code>AccessDenied</Code>"), Attempt::Read, "Denied");
        check(denied("<Code>InvalidAccessKeyId</Code>"), Attempt::Write, "Denied");
        check(denied("<Code>SignatureDoesNotMatch</Code>"), Attempt::Read, "Denied");
        check(absent("<Code>NoSuchBucket</Code>"), Attempt::Read, "NoBucket");
        check(absent(""), Attempt::Write, "NoBucket");
    }

    #[test]
    fn errors_of_the_system_are_told_apart() {
        let place: Arc<str> = "/cache".into();
        let check = |code: i32, attempt, expected: &str| {
            let error = Error::of_io(&place, attempt, &io::Error::from_raw_os_error(code));
            let name = format!("{error:?}");
            assert_eq!(name.split([' ', '{']).next(), Some(expected), "{error}");
        };
        check(28, Attempt::Write, "Full"); // ENOSPC
        check(122, Attempt::Write, "Full"); // EDQUOT
        check(30, Attempt::Write, "ReadOnly"); // EROFS
        check(13, Attempt::Write, "ReadOnly"); // EACCES
        check(13, Attempt::Read, "Denied");
        check(116, Attempt::Read, "Unreachable"); // ESTALE
        check(5, Attempt::Read, "Io"); // EIO
    }
}
