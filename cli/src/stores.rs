//! The cache that a command uses.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use store::{Options, Store};
use worker::cache::{Cache, NoCache};
use worker::stored::StoreCache;

use crate::args::StoreArgs;
use crate::failure::Failure;

/// An opened cache and what is to be told about it.
pub(crate) struct Opened {
    /// Ready for a farm.
    pub(crate) cache: Arc<dyn Cache>,
    /// Why it is less than what was asked for.
    pub(crate) notices: Vec<String>,
}

/// What a cache is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Results are kept; a cache is made where there is none.
    Build,
    /// Only told of; nothing is made.
    Plan,
}

/// Opens the cache with its remote tier. One that cannot be had is told of, and the build goes on without it.
///
/// # Errors
/// Usage, when an address cannot be understood.
pub(crate) fn open(args: &StoreArgs, purpose: Purpose) -> Result<Opened, Failure> {
    let mut notices = Vec::new();
    // What a full or read-only cache cannot take is kept in memory for this build.
    let options = Options { spill: true, create: purpose == Purpose::Build, ..Options::default() };
    let address = address(args.store.as_deref().filter(|url| !url.is_empty()));
    let local = match address.and_then(|address| open_with(&address, &options)) {
        // Nothing was ever kept there: what is not there cannot be a hit.
        Err(Trouble::Absent(message)) => {
            if args.store.is_some() {
                notices.push(message);
            }
            Some(Store::memory())
        }
        opened => usable(opened, &mut notices)?,
    };
    let remote = match &args.remote_store {
        None => None,
        Some(remote) => usable(open_one(&to_address(remote)), &mut notices)?,
    };
    let store = match (local, remote) {
        (Some(local), Some(remote)) => Some(local.with_remote(&remote)),
        (None, Some(remote)) => Some(Store::memory().with_remote(&remote)),
        (local, None) => local,
    };
    let cache: Arc<dyn Cache> = match store {
        Some(store) => Arc::new(StoreCache::new(store)),
        None => Arc::new(NoCache),
    };
    Ok(Opened { cache, notices })
}

/// Opens the one store that a maintenance command is about; never makes one. The user's cache folder may not be there yet:
/// then it is empty.
///
/// # Errors
/// Usage when the address cannot be understood, unreachable when the store cannot be opened or is not there.
pub(crate) fn open_for_maintenance(store: Option<&str>) -> Result<(String, Store), Failure> {
    let failure = |trouble| match trouble {
        Trouble::Usage(message) => Failure::usage(message),
        Trouble::Absent(message) | Trouble::Unusable(message) => Failure::unreachable(message),
    };
    let address = address(store).map_err(failure)?;
    let options = Options { create: false, ..Options::default() };
    match open_with(&address, &options) {
        Ok(opened) => Ok((address, opened)),
        Err(Trouble::Absent(_)) if store.is_none() => Ok((address, Store::memory())),
        Err(trouble) => Err(failure(trouble)),
    }
}

enum Trouble {
    Usage(String),
    Absent(String),
    Unusable(String),
}

fn usable(opened: Result<Store, Trouble>, notices: &mut Vec<String>) -> Result<Option<Store>, Failure> {
    match opened {
        Ok(store) => Ok(Some(store)),
        Err(Trouble::Usage(message)) => Err(Failure::usage(message)),
        Err(Trouble::Absent(message) | Trouble::Unusable(message)) => {
            notices.push(message);
            Ok(None)
        }
    }
}

fn open_one(address: &str) -> Result<Store, Trouble> {
    open_with(address, &Options::default())
}

fn open_with(address: &str, options: &Options) -> Result<Store, Trouble> {
    Store::open(address, options).map_err(|error| match error {
        store::Error::Address { .. } | store::Error::NoCloud { .. } | store::Error::NoReapi { .. } => {
            Trouble::Usage(error.to_string())
        }
        store::Error::Absent { .. } => Trouble::Absent(error.to_string()),
        other => Trouble::Unusable(other.to_string()),
    })
}

/// The user's cache folder, if there is one.
pub(crate) fn default_address() -> Option<String> {
    address(None).ok()
}

/// What was asked for, or `rigfarm` in the user's cache folder.
fn address(asked: Option<&str>) -> Result<String, Trouble> {
    if let Some(asked) = asked {
        return Ok(to_address(asked));
    }
    let absolute = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let caches = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    match caches {
        Some(caches) => Ok(folder_address(&caches.join("rigfarm"))),
        None => Err(Trouble::Unusable(
            "neither XDG_CACHE_HOME nor HOME names a folder: give one with --store".to_owned(),
        )),
    }
}

/// An address as it is, a path as the address of that folder.
pub(crate) fn to_address(asked: &str) -> String {
    let names_one = ["file:", "memory:"].iter().any(|scheme| asked.starts_with(scheme));
    let is_address = asked.contains("://") || names_one || asked.is_empty();
    match std::path::absolute(asked) {
        Ok(path) if !is_address => folder_address(&path),
        _ => asked.to_owned(),
    }
}

fn folder_address(path: &Path) -> String {
    let mut address = String::from("file://");
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => address.push(byte as char),
            _ if byte.is_ascii_alphanumeric() => address.push(byte as char),
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_addresses() {
        let check = |asked: &str, expected: &str| assert_eq!(to_address(asked), expected);
        check("/tmp/a b/ü?", "file:///tmp/a%20b/%C3%BC%3F");
        check("memory:", "memory:");
        check("file:", "file:");
        check("file:x", "file:x");
        check("s3://bucket/x?mode=ro", "s3://bucket/x?mode=ro");
        assert!(to_address("cache").starts_with("file:///"));
    }
}
