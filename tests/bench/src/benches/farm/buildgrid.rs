//! BuildGrid, an independent cache server of the Remote Execution API, where `./dev test` has installed it.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use canonical::Digest;
use store::{Action, Options, Store};
use tokio::runtime::Runtime;

/// How often it is asked whether it is there.
const STEP: Duration = Duration::from_millis(200);
const STEPS: u32 = 300;

/// In memory, with one result; killed when dropped.
pub(super) struct BuildGrid {
    child: Child,
    _folder: tempfile::TempDir,
    pub(super) url: String,
}

impl BuildGrid {
    /// `None` where there is none.
    pub(super) fn start(runtime: &Runtime, key: &Digest) -> Option<Self> {
        let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).ok()?.port();
        let folder = tempfile::tempdir().ok()?;
        let config = folder.path().join("bgd.yml");
        std::fs::write(&config, CONFIG.replace("PORT", &port.to_string())).ok()?;
        let mut command = Command::new(program()?);
        command.args(["server", "start"]).arg(config);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
        let this = Self { child, _folder: folder, url: format!("http://127.0.0.1:{port}") };
        let address = format!("reapi://127.0.0.1:{port}/");
        let store = Store::open(&address, &Options::default()).ok()?;
        runtime.block_on(async {
            for _ in 0..STEPS {
                if store.check().await.is_ok() {
                    let action = Action { payload: "result".into(), refs: Vec::new() };
                    return store.put_action(key, &action).await.ok();
                }
                tokio::time::sleep(STEP).await;
            }
            None
        })?;
        Some(this)
    }
}

impl Drop for BuildGrid {
    fn drop(&mut self) {
        // It has ended, or does so now.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches = || set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let folder = set("RIGFARM_PEERS").or_else(|| Some(caches()?.join("rigfarm-peers")))?;
    Some(folder.join("bg/bin/bgd")).filter(|program| program.is_file())
}

const CONFIG: &str = "\
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
        size: 64M
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
