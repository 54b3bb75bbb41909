//! `rigfarm worker`: runs jobs for a farm.

use std::path::PathBuf;
use std::sync::Arc;

use pipeline::Pipeline;
use serde::Deserialize;
use store::{Options, Store};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use worker::link::LinkConfig;
use worker::memo::StepMemo;
use worker::remote::{self, Phase, RemoteConfig, RemoteError, Stores};
use worker::stored::StoreCache;

use crate::args::{FarmArgs, WorkerArgs};
use crate::build::run::cores;
use crate::failure::Failure;
use crate::remote::session::link_config;
use crate::{log, self_test, stores};

/// Value of `cache` for no folder at all.
const NO_CACHE: &str = "none";
/// Exit status when a second signal does not wait for the jobs, by custom 128 + SIGTERM.
const KILLED: i32 = 143;
/// Megabytes of memory between jobs, unless the configuration says otherwise.
const MEMORY_MB: usize = 1024;
/// Bytes of steps inside jobs that are kept in memory.
const MEMO_BYTES: usize = 128 << 20;
/// Jobs expected to take less than this together come as one bundle, in microseconds.
const FUSE_US: u64 = 2_000;

/// `worker.toml`. Flags win over it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct WorkerFile {
    coordinator: Option<String>,
    token_file: Option<PathBuf>,
    tls_ca: Option<PathBuf>,
    tls_cert: Option<PathBuf>,
    tls_key: Option<PathBuf>,
    store: Option<String>,
    cache: Option<String>,
    slots: Option<u32>,
    threads: Option<u32>,
    memory_mb: Option<usize>,
    fuse_us: Option<u64>,
    name: Option<String>,
    json: Option<bool>,
}

/// Works until told to stop.
pub(crate) fn run(args: &WorkerArgs) -> Result<(), Failure> {
    let file = read(args)?;
    let link = link_config(&farm_args(args, &file))?;
    log::start(args.json || file.json.unwrap_or(false));
    self_test::check().map_err(Failure::failed)?;
    let shared = args.store.as_ref().or(file.store.as_ref());
    let shared = shared.map(|address| open(address, &Options::default())).transpose()?;
    let own = own_store(args.cache.as_ref().or(file.cache.as_ref()))?;
    let memo = match &own {
        Some(own) => StepMemo::over(Arc::new(StoreCache::new(own.clone())), MEMO_BYTES),
        None => StepMemo::in_memory(MEMO_BYTES),
    };
    let count = |flag: Option<u32>, key: Option<u32>| flag.or(key).map_or_else(cores, |n| n.max(1) as usize);
    let config = RemoteConfig {
        name: file.name.clone().unwrap_or_else(name),
        slots: count(args.slots, file.slots),
        threads: count(args.threads, file.threads),
        memory_bytes: file.memory_mb.unwrap_or(MEMORY_MB).max(16) << 20,
        fuse_us: file.fuse_us.unwrap_or(FUSE_US),
    };
    let LinkConfig { address, .. } = &link;
    tracing::info!(name = config.name, coordinator = address, config.slots, config.threads, "worker starts");
    let phase = listen();
    let stores = Stores { own, shared };
    remote::work(&config, &link, Arc::new(Pipeline), Arc::new(memo), stores, phase).map_err(|e| match e {
        RemoteError::Link(error) => Failure::usage(error.to_string()),
        RemoteError::Store(_) => Failure::unreachable(e.to_string()),
        RemoteError::Refused(_) => Failure::unreachable(format!("{address}: {e}")),
        RemoteError::Thread(_) | RemoteError::Pool(_) => Failure::failed(e.to_string()),
    })
}

fn read(args: &WorkerArgs) -> Result<WorkerFile, Failure> {
    let Some(path) = &args.config else { return Ok(WorkerFile::default()) };
    let wrong = |e: &dyn std::fmt::Display| Failure::usage(format!("--config {}: {e}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| wrong(&e))?;
    parse(&text).map_err(|e| wrong(&e))
}

fn parse(text: &str) -> Result<WorkerFile, toml::de::Error> {
    toml::from_str(text)
}

fn farm_args(args: &WorkerArgs, file: &WorkerFile) -> FarmArgs {
    let flags = args.farm.clone();
    FarmArgs {
        coordinator: flags.coordinator.or_else(|| file.coordinator.clone()),
        token_file: flags.token_file.or_else(|| file.token_file.clone()),
        tls_ca: flags.tls_ca.or_else(|| file.tls_ca.clone()),
        tls_cert: flags.tls_cert.or_else(|| file.tls_cert.clone()),
        tls_key: flags.tls_key.or_else(|| file.tls_key.clone()),
    }
}

fn open(address: &str, options: &Options) -> Result<Store, Failure> {
    Store::open(&stores::to_address(address), options).map_err(|error| match error {
        store::Error::Address { .. } | store::Error::NoCloud { .. } | store::Error::NoReapi { .. } => {
            Failure::usage(error.to_string())
        }
        other => Failure::unreachable(other.to_string()),
    })
}

/// The folder of this machine. One that cannot be had is done without.
fn own_store(asked: Option<&String>) -> Result<Option<Store>, Failure> {
    if asked.is_some_and(|asked| asked == NO_CACHE) {
        return Ok(None);
    }
    let address = match asked {
        Some(asked) => Some(asked.clone()),
        None => stores::default_address(),
    };
    let Some(address) = address else { return Ok(None) };
    match open(&address, &Options::default()) {
        Ok(store) => Ok(Some(store)),
        Err(Failure::Usage(message)) => Err(Failure::Usage(message)),
        Err(failure) => {
            tracing::warn!(error = failure.message(), "goes on without a folder of its own");
            Ok(None)
        }
    }
}

/// Machine and process.
fn name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { "worker" } else { host.trim() };
    format!("{host}-{}", std::process::id())
}

/// Listens for SIGTERM and SIGINT: the first asks to drain, the second ends the process.
fn listen() -> watch::Receiver<Phase> {
    let (tell, phase) = watch::channel(Phase::Work);
    let wait = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            let (Ok(mut interrupt), Ok(mut terminate)) =
                (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
            else {
                return std::future::pending().await;
            };
            loop {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                if tell.send_replace(Phase::Drain) == Phase::Drain {
                    std::process::exit(KILLED);
                }
            }
        });
    };
    // Without this thread signals end the process at once, and leases end by themselves.
    let _ = std::thread::Builder::new().name("signals".into()).spawn(wait);
    phase
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_configuration_can_be_read() {
        let text = include_str!("../../../deploy/worker.toml");
        let documented = parse(text).unwrap();
        assert_eq!((documented.memory_mb, documented.fuse_us), (Some(MEMORY_MB), Some(FUSE_US)));
        // Every key is there, set or as a comment.
        let known = format!("{:?}", WorkerFile::default());
        let keys =
            known.trim_start_matches("WorkerFile { ").split(", ").filter_map(|pair| pair.split_once(':'));
        for (key, _) in keys {
            let is_there = |line: &str| line.trim_start_matches("# ").starts_with(&format!("{key} = "));
            assert!(text.lines().any(is_there), "{key} is not in deploy/worker.toml");
        }
        let uncommented: String = text
            .lines()
            .map(|line| line.strip_prefix("# ").filter(|line| line.contains(" = ")).unwrap_or(line))
            .map(|line| format!("{line}\n"))
            .collect();
        assert!(parse(&uncommented).unwrap().coordinator.is_some());
        assert!(parse("slot = 1").unwrap_err().to_string().contains("unknown field"));
    }
}
