//! The way to a coordinator: its address, TLS, and the token that every call carries.

mod anyone;

use std::time::Duration;

use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity, Uri};
use tonic::{Code, Request, Status};

pub use anyone::Anyone;

/// A coordinator that does not take the connection within this time is away.
const CONNECT: Duration = Duration::from_secs(3);
/// How often a silent connection is asked whether it is alive, and how long it may take to say so.
const ALIVE: Duration = Duration::from_secs(5);
/// Bytes on their way before the reader has taken them: of one call, and of all.
const STREAM_WINDOW: u32 = 2 << 20;
const CONNECTION_WINDOW: u32 = 16 << 20;
/// Port of an address that names none.
const PORT: u16 = 7070;

/// Where a coordinator is and how to be let in.
#[derive(Clone, Default)]
pub struct LinkConfig {
    /// `http://HOST:PORT`, `https://HOST:PORT` or `HOST:PORT`; several with commas between them are coordinators of
    /// one pool, of which any will do.
    pub address: String,
    /// The token, if the coordinator wants one.
    pub token: Option<String>,
    /// Certificates (PEM) that vouch for the coordinator, instead of those of the system.
    pub authorities: Option<Vec<u8>>,
    /// Own certificate and key (PEM), if the coordinator wants to see one.
    pub identity: Option<(Vec<u8>, Vec<u8>)>,
}

/// A connection, made when first used and again whenever it is lost. Cheap to clone.
pub type Channel = InterceptedService<Anyone, Bearer>;

/// Puts the token into every call.
#[derive(Clone)]
pub struct Bearer(Option<MetadataValue<Ascii>>);

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(value) = &self.0 {
            request.metadata_mut().insert("authorization", value.clone());
        }
        Ok(request)
    }
}

/// Why a link cannot be used: correct what was given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// The address cannot be understood.
    #[error("coordinator address {address:?}: {reason}; write http://HOST:PORT or https://HOST:PORT")]
    Address {
        /// As given.
        address: String,
        /// What is wrong.
        reason: String,
    },
    /// Certificates were given for an address without TLS.
    #[error("coordinator address {0:?}: certificates are of use with https:// only")]
    TlsWithoutHttps(String),
    /// The certificates cannot be used.
    #[error("TLS: {0}")]
    Tls(String),
    /// The token holds what no header may hold.
    #[error("the token holds characters other than visible ASCII")]
    Token,
}

/// Prepares a connection; nothing is sent yet. Needs a tokio runtime around it.
///
/// # Errors
/// [`LinkError`].
pub fn open(config: &LinkConfig) -> Result<Channel, LinkError> {
    let addresses = full_addresses(&config.address)?;
    let endpoints = addresses.iter().map(|address| endpoint(config, address));
    let endpoints: Vec<Endpoint> = endpoints.collect::<Result<_, _>>()?;
    let value = |token: &String| {
        let value = MetadataValue::try_from(format!("Bearer {}", token.trim()));
        value.map_err(|_| LinkError::Token)
    };
    let bearer = Bearer(config.token.as_ref().map(value).transpose()?);
    // Who is there is asked first, so that commands which try once find somebody.
    let first = if addresses.len() > 1 { addresses.iter().position(answers).unwrap_or(0) } else { 0 };
    Ok(InterceptedService::new(Anyone::new(&endpoints, first), bearer))
}

fn endpoint(config: &LinkConfig, address: &Uri) -> Result<Endpoint, LinkError> {
    let endpoint = Endpoint::from(address.clone())
        .connect_timeout(CONNECT)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(ALIVE)
        .keep_alive_timeout(ALIVE)
        .keep_alive_while_idle(true)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW);
    if address.scheme_str() == Some("https") {
        return endpoint.tls_config(tls(config)).map_err(|error| LinkError::Tls(with_causes(&error)));
    }
    if config.authorities.is_some() || config.identity.is_some() {
        return Err(LinkError::TlsWithoutHttps(address.to_string()));
    }
    Ok(endpoint)
}

/// Whether somebody takes connections there now.
fn answers(address: &Uri) -> bool {
    use std::net::{TcpStream, ToSocketAddrs};
    let host = address.host().unwrap_or_default().trim_matches(['[', ']']);
    let found = (host, address.port_u16().unwrap_or(PORT)).to_socket_addrs();
    found.into_iter().flatten().any(|at| TcpStream::connect_timeout(&at, CONNECT).is_ok())
}

/// All addresses of a list.
fn full_addresses(given: &str) -> Result<Vec<Uri>, LinkError> {
    given.split(',').map(full_address).collect()
}

/// The address with scheme and port.
fn full_address(given: &str) -> Result<Uri, LinkError> {
    let wrong = |reason: &str| LinkError::Address { address: given.to_owned(), reason: reason.to_owned() };
    let given = given.trim().trim_end_matches('/');
    let full = if given.contains("://") { given.to_owned() } else { format!("http://{given}") };
    let uri: Uri = full.parse().map_err(|_| wrong("is no address"))?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) {
        return Err(wrong("is neither http nor https"));
    }
    if uri.path().len() > 1 || uri.query().is_some() {
        return Err(wrong("has a path"));
    }
    match uri.host() {
        None | Some("") => Err(wrong("names no host")),
        Some(_) if uri.port().is_some() => Ok(uri),
        Some(_) => format!("{full}:{PORT}").parse().map_err(|_| wrong("is no address")),
    }
}

fn tls(config: &LinkConfig) -> ClientTlsConfig {
    let tls = match &config.authorities {
        Some(pem) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem)),
        None => ClientTlsConfig::new().with_native_roots(),
    };
    match &config.identity {
        Some((certificate, key)) => tls.identity(Identity::from_pem(certificate, key)),
        None => tls,
    }
}

/// Whether a call failed since the coordinator is away, restarting or overloaded, so that it may work later.
pub fn is_away(status: &Status) -> bool {
    let broken = |status: &Status| std::error::Error::source(status).is_some();
    match status.code() {
        Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled | Code::Aborted => true,
        Code::ResourceExhausted => true,
        Code::Unknown | Code::Internal => broken(status) || status.message().contains("h2 protocol error"),
        _ => false,
    }
}

/// A failed call in words for people, with what lies behind it.
pub fn told(status: &Status) -> String {
    let said = match status.message() {
        "" => status.code().description().to_lowercase(),
        message => message.to_owned(),
    };
    match std::error::Error::source(status) {
        Some(cause) => {
            let cause = with_causes(cause);
            if said.contains(&cause) { said } else { format!("{said}: {cause}") }
        }
        None => said,
    }
}

/// An error and its causes, each once.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !said.contains(&more) {
            said = format!("{said}: {more}");
        }
        cause = error.source();
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_taken_apart() {
        let hosts = |given: &str| {
            full_addresses(given)
                .map(|all| all.iter().map(|uri| uri.host().unwrap_or("").to_owned()).collect())
        };
        assert_eq!(hosts("a:1, http://b"), Ok(vec!["a".to_owned(), "b".to_owned()]));
        assert!(hosts("a,,b").is_err() && hosts("a,").is_err());
    }

    #[test]
    fn addresses_are_completed_or_explained() {
        let check = |given: &str, expected: &str| {
            let found = full_address(given).map_or_else(|error| error.to_string(), |uri| uri.to_string());
            assert!(found.contains(expected), "{given}: {found}");
        };
        check("farm", "http://farm:7070/");
        check("farm:99", "http://farm:99/");
        check("http://[::1]:80/", "http://[::1]:80/");
        check(" https://farm.example ", "https://farm.example:7070/");
        check("ftp://farm", "neither http nor https");
        check("http://farm/a", "has a path");
        check("http://", "is no address");
        check("", "is no address");
        check("a b", "is no address");
    }

    #[tokio::test]
    async fn what_cannot_be_used_is_refused() {
        let check = |config: LinkConfig, expected: &str| {
            let said = open(&config).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(said.contains(expected), "{said:?}, not {expected:?}");
        };
        let plain = LinkConfig { address: "farm".into(), ..LinkConfig::default() };
        check(plain.clone(), "");
        check(LinkConfig { token: Some("a\nb".into()), ..plain.clone() }, "visible ASCII");
        check(LinkConfig { authorities: Some(Vec::new()), ..plain }, "https:// only");
    }
}
