//! BuildGrid, an independent cache server of the Remote Execution API, where `./dev test` has installed it.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use canonical::Digest;
use store::testing::{BUILDGRID, peer};
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
        std::fs::write(&config, BUILDGRID.replace("PORT", &port.to_string())).ok()?;
        let mut command = Command::new(Some(peer("bg/bin/bgd")).filter(|program| program.is_file())?);
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
