//! Calls that another coordinator answers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tonic::metadata::{MetadataMap, MetadataValue};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Request, Status};

use super::no_leader;

/// Says that a call has been forwarded once; it is not forwarded again.
const FORWARDED: &str = "rigfarm-forwarded";

/// What coordinators show and trust when they call each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct PeerTls {
    pub(crate) ca: Option<Vec<u8>>,
    pub(crate) identity: Option<(Vec<u8>, Vec<u8>)>,
}

/// Connections to other coordinators.
#[derive(Default)]
pub(crate) struct Peers {
    pub(crate) tls: PeerTls,
    channels: Mutex<BTreeMap<Arc<str>, Channel>>,
}

impl Peers {
    pub(crate) fn new(tls: PeerTls) -> Self {
        Self { tls, channels: Mutex::default() }
    }

    pub(crate) fn channel(&self, address: &Arc<str>) -> Result<Channel, Status> {
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = channels.get(address) {
            return Ok(channel.clone());
        }
        let bad =
            |error: tonic::transport::Error| no_leader(&format!("the leader's address {address}: {error}"));
        let mut endpoint = Endpoint::from_shared(address.to_string())
            .map_err(bad)?
            .connect_timeout(Duration::from_secs(2))
            .tcp_nodelay(true)
            .http2_keep_alive_interval(Duration::from_secs(5))
            .keep_alive_timeout(Duration::from_secs(5));
        if address.starts_with("https:") {
            let mut tls = ClientTlsConfig::new();
            if let Some(ca) = &self.tls.ca {
                tls = tls.ca_certificate(Certificate::from_pem(ca));
            }
            if let Some((cert, key)) = &self.tls.identity {
                tls = tls.identity(Identity::from_pem(cert, key));
            }
            endpoint = endpoint.tls_config(tls).map_err(bad)?;
        }
        // The lead changes hands seldom; old channels are of no use then.
        channels.clear();
        let channel = endpoint.connect_lazy();
        channels.insert(Arc::clone(address), channel.clone());
        Ok(channel)
    }
}

pub(super) fn was_forwarded(metadata: &MetadataMap) -> bool {
    metadata.contains_key(FORWARDED)
}

/// The call as it is sent on: with the caller's own token and trace.
pub(super) fn onward<T>(request: Request<T>) -> Request<T> {
    let (old, _, message) = request.into_parts();
    let mut request = Request::new(message);
    for name in ["authorization", "traceparent", "tracestate"] {
        if let Some(value) = old.get(name) {
            request.metadata_mut().insert(name, value.clone());
        }
    }
    request.metadata_mut().insert(FORWARDED, MetadataValue::from_static("1"));
    request
}
