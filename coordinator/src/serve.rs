//! A coordinator on the network.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use bazel_remote_apis::google::bytestream::byte_stream_server::ByteStreamServer;
use proto::limits;
use proto::v1::blobs_server::BlobsServer;
use proto::v1::farm_server::FarmServer;
use proto::v1::workers_server::WorkersServer;
use re::action_cache_server::ActionCacheServer;
use re::capabilities_server::CapabilitiesServer;
use re::content_addressable_storage_server::ContentAddressableStorageServer;
use store::Store;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Certificate, Identity, Server, ServerTlsConfig};

use crate::auth::{Token, Tokens};
use crate::journal::{Journal, Memory};
use crate::lead::Candidate;
use crate::metrics::Metrics;
use crate::pool::Quotas;
use crate::service::{Lead, PeerTls, Peers, Room, Service, Shared};
use crate::state::Config;

/// How long streams that are read may go on after everything else has ended.
const LAST_READERS: Duration = Duration::from_secs(5);

/// What a coordinator is started with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it listens; port 0 for any.
    pub listen: SocketAddr,
    /// Where other coordinators reach it, as a URL; nothing for the address it listens on.
    pub advertise: Option<String>,
    /// Where it answers `/metrics`, `/healthz` and `/readyz`, if anywhere.
    pub metrics: Option<SocketAddr>,
    /// Who may do what; empty for everybody, on a loopback address only.
    pub tokens: Vec<Token>,
    /// Certificates; nothing for plain text.
    pub tls: Option<Tls>,
    /// Whether plain text is all right on an address that is not loopback.
    pub allow_plaintext: bool,
    /// Shares of tenants other than 1.
    pub weights: BTreeMap<Arc<str>, u64>,
    /// What tenants may have at once.
    pub quotas: Quotas,
    /// Share of cached results that are made again to be compared, 0 to 1.
    pub audit: f64,
    /// The rules of the state machine.
    pub rules: Config,
}

/// Certificates in PEM.
#[derive(Clone, Debug)]
pub struct Tls {
    /// The server's, with those between it and the authority.
    pub cert: Vec<u8>,
    /// Its key.
    pub key: Vec<u8>,
    /// The authority that clients' certificates must come from; nothing when clients need none.
    pub client_ca: Option<Vec<u8>>,
    /// The authority that other coordinators' certificates come from.
    pub peer_ca: Option<Vec<u8>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 7070)),
            advertise: None,
            metrics: None,
            tokens: Vec::new(),
            tls: None,
            allow_plaintext: false,
            weights: BTreeMap::new(),
            quotas: Quotas::default(),
            audit: 0.0,
            rules: Config { max_nodes: 200_000, ..Config::default() },
        }
    }
}

/// Why a coordinator does not start, or ends.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The settings would open the farm to anybody.
    #[error("{0}")]
    Unsafe(String),
    /// The address cannot be listened on.
    #[error("cannot listen on {0}: {1}")]
    Listen(SocketAddr, std::io::Error),
    /// The certificates cannot be used.
    #[error("tls: {0}")]
    Tls(tonic::transport::Error),
    /// The journal cannot be used as it is.
    #[error("{0}")]
    Journal(String),
    /// The server failed.
    #[error("the server failed: {0}")]
    Server(String),
}

/// A coordinator at work. Dropping it does not stop it.
#[derive(Debug)]
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    /// Where it answers for metrics.
    pub metrics_address: Option<SocketAddr>,
    /// Its counters.
    pub metrics: Arc<Metrics>,
    stop: watch::Sender<bool>,
    ready: watch::Receiver<bool>,
    leader: JoinHandle<Result<(), String>>,
    server: JoinHandle<Result<(), tonic::transport::Error>>,
}

/// Starts a coordinator whose state lives as long as the process.
///
/// # Errors
/// [`ServeError`].
pub async fn start(settings: Settings, store: Store) -> Result<Running, ServeError> {
    start_with(settings, store, |_| Memory::forgetful()).await
}

/// Starts a coordinator on a journal, which is made from the URL at which other coordinators reach this one.
///
/// # Errors
/// [`ServeError`].
pub async fn start_with<J: Journal>(
    settings: Settings,
    store: Store,
    journal: impl FnOnce(&str) -> J,
) -> Result<Running, ServeError> {
    check(&settings)?;
    let listener = listen(settings.listen).await?;
    let address = listener.local_addr().map_err(|error| ServeError::Listen(settings.listen, error))?;
    let scheme = if settings.tls.is_some() { "https" } else { "http" };
    let advertised = settings.advertise.clone().unwrap_or_else(|| format!("{scheme}://{address}"));
    let metrics = Arc::new(Metrics::default());
    let (stop, stopped) = watch::channel(false);
    let (ready, is_ready) = watch::channel(false);
    let (lead, leads) = watch::channel(Lead::Nobody("the coordinator is starting".into()));
    let candidate = Candidate {
        journal: journal(&advertised),
        store: store.clone(),
        rules: settings.rules.clone(),
        weights: settings.weights.clone(),
        quotas: settings.quotas.clone(),
        audit: settings.audit,
        metrics: Arc::clone(&metrics),
        lead,
        ready,
        stop: stopped.clone(),
    };
    let metrics_address = match settings.metrics {
        Some(address) => {
            let listener = listen(address).await?;
            let address = listener.local_addr().map_err(|error| ServeError::Listen(address, error))?;
            tokio::spawn(crate::probe::serve(
                listener,
                Arc::clone(&metrics),
                is_ready.clone(),
                stopped.clone(),
            ));
            Some(address)
        }
        None => None,
    };
    let service = Service(Arc::new(Shared {
        lead: leads,
        tokens: Tokens(settings.tokens.clone()),
        store,
        metrics: Arc::clone(&metrics),
        serials: 1.into(),
        peers: Peers::new(peer_tls(settings.tls.as_ref())),
        room: Room::new(),
    }));
    let server = serve(settings.tls, service, listener, stopped)?;
    let leader = tokio::spawn(candidate.run());
    Ok(Running { address, metrics_address, metrics, stop, ready: is_ready, leader, server })
}

impl Running {
    /// Waits until it leads, or follows somebody who does.
    pub async fn ready(&mut self) {
        // Fails only when it has ended.
        let _ = self.ready.wait_for(|ready| *ready).await;
    }

    /// Stops it in good order: no new calls, everybody answered, all written, the lead free.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Something to stop it with from elsewhere.
    pub fn stopper(&self) -> impl Fn() + Send + 'static {
        let stop = self.stop.clone();
        move || {
            stop.send_replace(true);
        }
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// [`ServeError`] when it ended by itself.
    pub async fn join(mut self) -> Result<(), ServeError> {
        let ended = |error: tokio::task::JoinError| ServeError::Server(error.to_string());
        tokio::select! {
            led = &mut self.leader => {
                self.stop.send_replace(true);
                // What clients still read may take a while, but not for ever.
                if tokio::time::timeout(LAST_READERS, &mut self.server).await.is_err() {
                    self.server.abort();
                }
                led.map_err(ended)?.map_err(ServeError::Journal)
            }
            served = &mut self.server => {
                self.stop.send_replace(true);
                let led = (&mut self.leader).await;
                served.map_err(ended)?.map_err(|error| ServeError::Server(error.to_string()))?;
                led.map_err(ended)?.map_err(ServeError::Journal)
            }
        }
    }

    /// Ends it at once, as a crash would: nothing is written any more, no lead is given back.
    pub async fn kill(self) {
        self.leader.abort();
        self.server.abort();
        let _ = self.leader.await;
        let _ = self.server.await;
    }
}

fn check(settings: &Settings) -> Result<(), ServeError> {
    let is_public = |address: &SocketAddr| !address.ip().is_loopback();
    if is_public(&settings.listen) && settings.tokens.is_empty() {
        return Err(ServeError::Unsafe(format!(
            "listening on {} needs tokens ([[token]] in the configuration); without any only a loopback address is allowed",
            settings.listen
        )));
    }
    if is_public(&settings.listen) && settings.tls.is_none() && !settings.allow_plaintext {
        return Err(ServeError::Unsafe(format!(
            "listening on {} without tls: configure [tls], or say --allow-plaintext where the network is trusted",
            settings.listen
        )));
    }
    Ok(())
}

async fn listen(address: SocketAddr) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).await.map_err(|error| ServeError::Listen(address, error))
}

fn peer_tls(tls: Option<&Tls>) -> PeerTls {
    let Some(tls) = tls else { return PeerTls::default() };
    let ca = tls.peer_ca.clone().or_else(|| tls.client_ca.clone());
    PeerTls { ca, identity: Some((tls.cert.clone(), tls.key.clone())) }
}

fn serve(
    tls: Option<Tls>,
    service: Service,
    listener: TcpListener,
    mut stop: watch::Receiver<bool>,
) -> Result<JoinHandle<Result<(), tonic::transport::Error>>, ServeError> {
    let mut server = Server::builder()
        .http2_keepalive_interval(Some(Duration::from_secs(10)))
        .http2_keepalive_timeout(Some(Duration::from_secs(5)));
    if let Some(tls) = tls {
        let mut config = ServerTlsConfig::new().identity(Identity::from_pem(tls.cert, tls.key));
        if let Some(ca) = tls.client_ca {
            config = config.client_ca_root(Certificate::from_pem(ca));
        }
        server = server.tls_config(config).map_err(ServeError::Tls)?;
    }
    let farm = FarmServer::new(service.clone())
        .max_decoding_message_size(limits::MESSAGE)
        .max_encoding_message_size(limits::MESSAGE);
    let workers = WorkersServer::new(service.clone())
        .max_decoding_message_size(limits::MESSAGE)
        .max_encoding_message_size(limits::MESSAGE);
    let actions = ActionCacheServer::new(service.clone())
        .max_decoding_message_size(limits::MESSAGE)
        .max_encoding_message_size(limits::MESSAGE);
    let cas = ContentAddressableStorageServer::new(service.clone())
        .max_decoding_message_size(limits::MESSAGE)
        .max_encoding_message_size(limits::MESSAGE);
    let streams = ByteStreamServer::new(service.clone()).max_decoding_message_size(limits::MESSAGE);
    let capabilities = CapabilitiesServer::new(service.clone());
    let blobs = BlobsServer::new(service)
        .max_decoding_message_size(limits::MESSAGE)
        .max_encoding_message_size(limits::MESSAGE);
    // Without it small answers wait for acknowledgements of earlier ones.
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let router = server.add_service(farm).add_service(workers).add_service(blobs);
    let router = router.add_service(actions).add_service(cas).add_service(streams).add_service(capabilities);
    Ok(tokio::spawn(router.serve_with_incoming_shutdown(incoming, async move {
        // Also when nobody can say stop any more.
        let _ = stop.wait_for(|stop| *stop).await;
    })))
}
