//! From an address to a place: `file:///…`, `memory:`, `s3://bucket/prefix`, `gs://…`, `az://…`, `reapi://host:port/instance`.

use std::sync::Arc;

use object_store::memory::InMemory;
use object_store::path::Path as ObjectPath;
use url::Url;

use crate::error::Error;
use crate::folder::Folder;
use crate::objects::Objects;
use crate::options::Options;
use crate::place::Place;

/// Where a cache server listens unless its address says so: the port of our own coordinators.
#[cfg(feature = "reapi")]
const REAPI_PORT: u16 = 7070;

/// Opens what an address names. The query `mode=ro` makes it read-only; other queries configure an object store
/// (`endpoint`, `region` …), which otherwise takes its configuration from the usual environment variables.
pub(crate) fn open(address: &str, options: &Options) -> Result<Place, Error> {
    let wrong = |reason: &str| Error::Address { url: address.to_owned(), reason: reason.to_owned() };
    let mut url = Url::parse(address)
        .map_err(|error| wrong(&format!("{error}; for a folder write file:///absolute/path")))?;
    let mut options = options.clone();
    let mut settings = Vec::new();
    for (key, value) in url.query_pairs() {
        match (key.as_ref(), value.as_ref()) {
            ("mode", "ro") => options.read_only = true,
            ("mode", "rw") => {}
            ("mode", _) => return Err(wrong("mode is `ro` or `rw`")),
            _ => settings.push((key.into_owned(), value.into_owned())),
        }
    }
    url.set_query(None);
    url.set_fragment(None);
    match url.scheme() {
        "file" | "memory" if !settings.is_empty() => {
            Err(wrong(&format!("`{}` means nothing here; only `mode` does", settings[0].0)))
        }
        "file" => match url.to_file_path() {
            Ok(root) if is_absolute(address) && root.parent().is_some() => {
                Ok(Place::Folder(Folder::open(&root, &options)?))
            }
            Ok(_) if is_absolute(address) => {
                Err(wrong("the root of the file system is no place for a store"))
            }
            _ => Err(wrong("for a folder write file:///absolute/path, with three slashes")),
        },
        "memory" if !url[url::Position::BeforeUsername..].is_empty() => {
            Err(wrong("nothing may stand behind `memory:`; each process has one of its own"))
        }
        "memory" => Ok(memory(&options)),
        "s3" | "gs" | "az" if url.host_str().is_none_or(str::is_empty) => {
            Err(wrong(&format!("write {}://bucket/prefix", url.scheme())))
        }
        "s3" | "gs" | "az" => cloud(address, &url, settings, &options),
        "reapi" | "reapis" if url.host_str().is_none_or(str::is_empty) => {
            Err(wrong(&format!("write {}://host:port/instance", url.scheme())))
        }
        "reapi" | "reapis" => reapi(address, &url, &settings, &options),
        _ => Err(wrong("known are file:///…, memory:, s3://…, gs://…, az://… and reapi://…")),
    }
}

/// Whether three slashes follow `file:`. Parsing would add them.
fn is_absolute(address: &str) -> bool {
    address.get(5..8) == Some("///")
}

/// An empty store that lives as long as the process.
pub(crate) fn memory(options: &Options) -> Place {
    Place::Objects(Objects::new(Arc::new(InMemory::new()), ObjectPath::default(), "memory", options))
}

#[cfg(not(feature = "cloud"))]
fn cloud(address: &str, _: &Url, _: Vec<(String, String)>, _: &Options) -> Result<Place, Error> {
    Err(Error::NoCloud { url: address.to_owned() })
}

#[cfg(feature = "cloud")]
fn cloud(
    address: &str,
    url: &Url,
    settings: Vec<(String, String)>,
    options: &Options,
) -> Result<Place, Error> {
    use std::time::Duration;

    use object_store::aws::AmazonS3Builder;
    use object_store::azure::MicrosoftAzureBuilder;
    use object_store::gcp::GoogleCloudStorageBuilder;
    use object_store::{ClientOptions, ObjectStore, RetryConfig};

    // Who has chosen another one before keeps it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // Time limits of whole requests are set where the requests are made, by their size.
    let client = || ClientOptions::new().with_connect_timeout(Duration::from_secs(3)).with_timeout_disabled();
    let retry =
        || RetryConfig { max_retries: 3, retry_timeout: Duration::from_secs(10), ..RetryConfig::default() };
    let wrong = |reason: String| Error::Address { url: address.to_owned(), reason };

    macro_rules! build {
        ($builder:ty) => {{
            let mut builder = <$builder>::from_env()
                .with_client_options(client().with_allow_http(is_plain_http(&settings)))
                .with_retry(retry())
                .with_url(url.as_str());
            for (key, value) in settings {
                let known = key.parse().map_err(|_| wrong(format!("unknown setting `{key}`")))?;
                builder = builder.with_config(known, value);
            }
            Arc::new(builder.build().map_err(|error| wrong(error.to_string()))?) as Arc<dyn ObjectStore>
        }};
    }
    let store = match url.scheme() {
        "s3" => build!(AmazonS3Builder),
        "gs" => build!(GoogleCloudStorageBuilder),
        _ => build!(MicrosoftAzureBuilder),
    };
    let root = ObjectPath::from_url_path(url.path()).map_err(|error| wrong(error.to_string()))?;
    Ok(Place::Objects(Objects::new(store, root, url.as_str().trim_end_matches('/'), options)))
}

#[cfg(not(feature = "reapi"))]
fn reapi(address: &str, _: &Url, _: &[(String, String)], _: &Options) -> Result<Place, Error> {
    Err(Error::NoReapi { url: address.to_owned() })
}

/// `reapi://host:port/instance` without TLS, `reapis://` with; `?token_file=PATH` names a file with the token to show.
#[cfg(feature = "reapi")]
fn reapi(address: &str, url: &Url, settings: &[(String, String)], options: &Options) -> Result<Place, Error> {
    let wrong = |reason: String| Error::Address { url: address.to_owned(), reason };
    let mut token = None;
    for (key, value) in settings {
        match key.as_str() {
            "token_file" => {
                let text = std::fs::read_to_string(value);
                token = Some(text.map_err(|error| wrong(format!("token_file {value}: {error}")))?);
            }
            _ => return Err(wrong(format!("unknown setting `{key}`; known are `mode` and `token_file`"))),
        }
    }
    let scheme = if url.scheme() == "reapis" { "https" } else { "http" };
    let host = url.host_str().unwrap_or_default();
    let port = url.port().unwrap_or(REAPI_PORT);
    let target = crate::reapi::Target {
        uri: format!("{scheme}://{host}:{port}"),
        instance: url.path().trim_matches('/').to_owned(),
        token,
        name: url.as_str().trim_end_matches('/').to_owned(),
        read_only: options.read_only,
    };
    Ok(Place::Reapi(crate::reapi::Reapi::new(target).map_err(wrong)?))
}

/// Whether an endpoint was given that is no HTTPS: who writes `http://` means it.
#[cfg(feature = "cloud")]
fn is_plain_http(settings: &[(String, String)]) -> bool {
    const VARIABLES: [&str; 4] =
        ["AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AZURE_STORAGE_ENDPOINT"];
    settings.iter().any(|(key, value)| key.ends_with("endpoint") && value.starts_with("http://"))
        || VARIABLES.iter().any(|name| std::env::var(name).is_ok_and(|value| value.starts_with("http://")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_understood_or_explained() {
        let folder = tempfile::tempdir().unwrap();
        let there = Url::from_directory_path(folder.path()).unwrap();
        let check = |address: &str, expected: &str| {
            let found = match open(address, &Options::default()) {
                Ok(place) => format!("{}{}", place.name(), if place.is_read_only() { ", ro" } else { "" }),
                Err(error) => error.to_string(),
            };
            assert!(found.contains(expected), "{address}: {found}");
        };
        check("memory:", "memory");
        check("memory:?mode=ro", "memory, ro");
        check(there.as_str(), folder.path().to_str().unwrap());
        check(&format!("{there}?mode=ro"), ", ro");
        check(&format!("{there}?mode=rx"), "mode is `ro` or `rw`");
        check(&format!("{there}?region=x"), "`region` means nothing here");
        check(&format!("{there}absent?mode=ro"), "there is no such folder");
        check("cache", "for a folder write file:///absolute/path");
        for address in
            ["file:", "file:cache", "file:/cache", "file://", "file://cache/x", "file://localhost/x"]
        {
            check(address, "with three slashes");
        }
        for address in ["file:///", "FILE:///", "file:///x/..", "file:///?mode=ro"] {
            check(address, "the root of the file system");
        }
        for address in ["memory:cache", "memory:/", "memory://cache"] {
            check(address, "nothing may stand behind `memory:`");
        }
        check("s3:///x", "write s3://bucket/prefix");
        check("ftp://x/y", "known are file:///");
        if cfg!(feature = "reapi") {
            check("reapi://farm:7070/film/a?mode=ro", "reapi://farm:7070/film/a, ro");
            check("reapi://farm?colour=red", "unknown setting `colour`");
            check("reapis://farm?token_file=/absent", "token_file /absent");
            check("reapi:///x", "write reapi://host:port/instance");
        } else {
            check("reapi://farm", "cargo feature `reapi`");
        }
        if cfg!(feature = "cloud") {
            check("s3://bucket/a/b?mode=ro&region=us-east-1", "s3://bucket/a/b, ro");
            check("s3://bucket?colour=red", "unknown setting `colour`");
        } else {
            check("s3://bucket/a", "cargo feature `cloud`");
            check("az://bucket/a", "cargo feature `cloud`");
        }
    }
}
