//! `rigfarm coordinator`: keeps the builds of a farm.

use std::path::Path;

use coordinator::config::File;
use coordinator::journal::{JournalError, Redis};
use coordinator::serve::{self, Running, ServeError, Settings};
use store::{Options, Store};
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::args::CoordinatorArgs;
use crate::failure::Failure;
use crate::{log, stores};

/// Exit status when a second signal does not wait, by custom 128 + SIGTERM.
const KILLED: i32 = 143;
/// Name of the pool, unless the configuration says otherwise.
const POOL: &str = "main";

/// Serves until told to stop.
pub(crate) fn run(args: &CoordinatorArgs) -> Result<(), Failure> {
    let file = read(args.config.as_deref())?;
    log::start(args.json || file.json.unwrap_or(false));
    let settings = settings(args, &file)?;
    let store = open(args.store.as_deref().or(file.store.as_deref()))?;
    let redis = args.redis.clone().or(file.redis);
    let pool = file.pool.unwrap_or_else(|| POOL.to_owned());
    let runtime = Builder::new_multi_thread().thread_name("coordinator").enable_all().build();
    let runtime = runtime.map_err(|e| Failure::failed(format!("cannot start a thread: {e}")))?;
    runtime.block_on(async {
        match store.check().await {
            Ok(()) => {}
            // It may come back, and calls that need it say so until then.
            Err(error @ store::Error::Unreachable { .. }) => tracing::error!(%error, "the store is away"),
            Err(error) => return Err(Failure::unreachable(format!("--store: {error}"))),
        }
        let scheme = if settings.tls.is_some() { "https" } else { "http" };
        let running = start(settings, store, redis.as_deref(), &pool).await?;
        tracing::info!("listening on {scheme}://{}", running.address);
        if let Some(address) = running.metrics_address {
            tracing::info!("metrics at http://{address}/metrics");
        }
        until_stopped(running).await
    })
}

async fn start(
    settings: Settings,
    store: Store,
    redis: Option<&str>,
    pool: &str,
) -> Result<Running, Failure> {
    let Some(url) = redis else {
        tracing::warn!("without --redis builds end with this process; results stay in the store");
        return serve::start(settings, store).await.map_err(failure);
    };
    let refused = |error: JournalError| Failure::usage(format!("--redis: {error}"));
    Redis::new(url, pool, "").map_err(refused)?;
    let journal = |address: &str| Redis::new(url, pool, address).expect("understood a moment ago");
    serve::start_with(settings, store, journal).await.map_err(failure)
}

/// The first signal stops in good order, the second at once.
async fn until_stopped(mut running: Running) -> Result<(), Failure> {
    let listen = |kind| signal(kind).map_err(|e| Failure::failed(format!("cannot listen for signals: {e}")));
    let (mut interrupt, mut terminate) = (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
    let stopper = running.stopper();
    let mut was_asked = false;
    tokio::select! {
        () = running.ready() => tracing::info!("ready"),
        () = either(&mut interrupt, &mut terminate) => {
            was_asked = true;
            stopper();
        }
    }
    let ended = tokio::spawn(running.join());
    tokio::pin!(ended);
    loop {
        tokio::select! {
            ended = &mut ended => {
                return ended.map_err(|e| Failure::failed(e.to_string()))?.map_err(failure);
            }
            () = either(&mut interrupt, &mut terminate) => {
                if was_asked {
                    std::process::exit(KILLED);
                }
                was_asked = true;
                tracing::info!("stops");
                stopper();
            }
        }
    }
}

async fn either(interrupt: &mut Signal, terminate: &mut Signal) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

fn read(path: Option<&Path>) -> Result<File, Failure> {
    let Some(path) = path else { return Ok(File::default()) };
    let wrong = |e: &dyn std::fmt::Display| Failure::usage(format!("--config {}: {e}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| wrong(&e))?;
    File::parse(&text).map_err(|e| wrong(&e))
}

fn settings(args: &CoordinatorArgs, file: &File) -> Result<Settings, Failure> {
    let mut settings = file.settings().map_err(|e| Failure::usage(format!("--config: {e}")))?;
    settings.listen = args.listen.unwrap_or(settings.listen);
    settings.metrics = args.metrics.or(settings.metrics);
    settings.allow_plaintext |= args.allow_plaintext;
    settings.advertise = args.advertise.clone().or(settings.advertise);
    Ok(settings)
}

fn open(store: Option<&str>) -> Result<Store, Failure> {
    let address = store.map(stores::to_address).or_else(stores::default_address);
    let Some(address) = address else {
        return Err(Failure::usage("neither XDG_CACHE_HOME nor HOME names a folder: give --store URL"));
    };
    Store::open(&address, &Options::default()).map_err(|error| match error {
        store::Error::Address { .. } | store::Error::NoCloud { .. } | store::Error::NoReapi { .. } => {
            Failure::usage(error.to_string())
        }
        other => Failure::unreachable(other.to_string()),
    })
}

fn failure(error: ServeError) -> Failure {
    match error {
        ServeError::Unsafe(_) | ServeError::Tls(_) => Failure::usage(error.to_string()),
        ServeError::Listen(..) | ServeError::Journal(_) => Failure::unreachable(error.to_string()),
        ServeError::Server(_) => Failure::failed(error.to_string()),
    }
}
