//! Programs of others that tests talk to, where `./dev test` has installed them.

use std::ffi::OsString;
use std::path::PathBuf;

/// Configuration of a BuildGrid that keeps blobs and results in memory, at `127.0.0.1:PORT`.
pub const BUILDGRID: &str = "\
server:
  - !channel
    address: 127.0.0.1:PORT
    insecure-mode: true
authorization:
  method: none
monitoring:
  enabled: false
instances:
  - name: ''
    storages:
      - !lru-storage &cas
        size: 256M
    caches:
      - !lru-action-cache &ac
        storage: *cas
        max-cached-refs: 1000
        allow-updates: true
    services:
      - !cas
        storage: *cas
      - !bytestream
        storage: *cas
      - !action-cache
        cache: *ac
thread-pool-size: 20
";

/// A program that `./dev test` installs for comparison, in `RIGFARM_PEERS` or the user's cache folder.
pub fn peer(name: &str) -> PathBuf {
    let caches = || {
        let set = |name: &str| std::env::var_os(name).filter(|value: &OsString| !value.is_empty());
        let home = || Some(PathBuf::from(set("HOME")?).join(".cache"));
        Some(set("XDG_CACHE_HOME").map(PathBuf::from).or_else(home)?.join("rigfarm-peers"))
    };
    let folder = std::env::var_os("RIGFARM_PEERS").map(PathBuf::from).or_else(caches);
    folder.unwrap_or_default().join(name)
}
