//! Log lines of services, on standard error.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

/// Begins to write what is traced; what is written is chosen by `RIGFARM_LOG` (such as `debug`, or
/// `worker=debug,warn`), else everything from `info` on.
pub(crate) fn start(as_json: bool) {
    let chosen = EnvFilter::try_from_env("RIGFARM_LOG");
    let filter = chosen.unwrap_or_else(|_| EnvFilter::new("info,h2=warn,hyper=warn,tonic=warn,tower=warn"));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A second start changes nothing.
    let _ = match as_json {
        true => lines.json().flatten_event(true).try_init(),
        false => lines.with_ansi(std::io::stderr().is_terminal()).try_init(),
    };
}
