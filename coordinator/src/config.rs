//! `coordinator.toml`.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use canonical::Digest;
use serde::Deserialize;

use crate::auth::{Role, Token};
use crate::pool::Quotas;
use crate::serve::{Settings, Tls};

/// The configuration file of a coordinator, every key optional. `deploy/coordinator.toml` tells what each means.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct File {
    /// Address and port to listen on.
    pub listen: Option<SocketAddr>,
    /// URL at which other coordinators reach this one.
    pub advertise: Option<String>,
    /// Address and port for `/metrics`, `/healthz`, `/readyz`.
    pub metrics: Option<SocketAddr>,
    /// Where the pool's state is kept.
    pub redis: Option<String>,
    /// Name of the pool within that Redis.
    pub pool: Option<String>,
    /// Address of the store.
    pub store: Option<String>,
    /// Whether plain text is all right on an address that is not loopback.
    pub allow_plaintext: Option<bool>,
    /// Whether log lines are JSON.
    pub json: Option<bool>,
    /// Share of cached results that are made again to be compared.
    pub audit: Option<f64>,
    /// Certificates.
    pub tls: Option<TlsFiles>,
    /// What tenants may have at once.
    pub quota: Quota,
    /// Who may do what.
    pub token: Vec<TokenLine>,
    /// Tenants with a share other than 1.
    pub tenant: Vec<TenantLine>,
}

/// Files with certificates in PEM.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsFiles {
    cert: PathBuf,
    key: PathBuf,
    client_ca: Option<PathBuf>,
    peer_ca: Option<PathBuf>,
}

/// What tenants may have at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Quota {
    builds: Option<usize>,
    nodes: Option<usize>,
    all_nodes: Option<usize>,
    nodes_per_build: Option<usize>,
}

/// A token by its hash.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenLine {
    name: String,
    hash: String,
    roles: Vec<Role>,
    tenant: Option<String>,
}

/// A tenant's share.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TenantLine {
    name: String,
    weight: u64,
}

/// Why a configuration cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The text is not such a configuration.
    #[error("{0}")]
    Toml(String),
    /// A token's hash is none.
    #[error("token {0}: hash is not 64 hexadecimal digits: make it with `printf %s TOKEN | sha256sum`")]
    Hash(String),
    /// A token is good for nothing.
    #[error("token {0}: roles is empty: give some of submit, read, worker, admin")]
    NoRoles(String),
    /// A weight that is no share.
    #[error("tenant {0}: weight is 1 to 1000")]
    Weight(String),
    /// A share that is none.
    #[error("audit = {0}: a share from 0 to 1")]
    Audit(String),
    /// A file that is named cannot be read.
    #[error("{0}: {1}")]
    Read(PathBuf, String),
}

impl File {
    /// Reads the text of a configuration.
    ///
    /// # Errors
    /// [`ConfigError::Toml`], naming line and key.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        toml::from_str(text).map_err(|error| ConfigError::Toml(error.to_string()))
    }

    /// What it says, over the defaults. Reads the files with certificates.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn settings(&self) -> Result<Settings, ConfigError> {
        let usual = Settings::default();
        let audit = self.audit.unwrap_or(0.0);
        if !(0.0..=1.0).contains(&audit) {
            return Err(ConfigError::Audit(audit.to_string()));
        }
        let mut rules = usual.rules;
        rules.max_nodes = self.quota.nodes_per_build.unwrap_or(rules.max_nodes);
        Ok(Settings {
            listen: self.listen.unwrap_or(usual.listen),
            advertise: self.advertise.clone(),
            metrics: self.metrics,
            tokens: self.token.iter().map(TokenLine::token).collect::<Result<_, _>>()?,
            tls: self.tls.as_ref().map(TlsFiles::read).transpose()?,
            allow_plaintext: self.allow_plaintext.unwrap_or(false),
            weights: self.tenant.iter().map(TenantLine::weight).collect::<Result<BTreeMap<_, _>, _>>()?,
            quotas: self.quota.quotas(),
            audit,
            rules,
        })
    }
}

impl Quota {
    fn quotas(&self) -> Quotas {
        let usual = Quotas::default();
        Quotas {
            builds: self.builds.unwrap_or(usual.builds),
            nodes: self.nodes.unwrap_or(usual.nodes),
            all_nodes: self.all_nodes.unwrap_or(usual.all_nodes),
        }
    }
}

impl TokenLine {
    fn token(&self) -> Result<Token, ConfigError> {
        let hash = Digest::from_hex(&self.hash).ok_or_else(|| ConfigError::Hash(self.name.clone()))?;
        if self.roles.is_empty() {
            return Err(ConfigError::NoRoles(self.name.clone()));
        }
        let (name, tenant) = (self.name.as_str().into(), self.tenant.as_deref().map(Into::into));
        Ok(Token { name, hash, roles: self.roles.clone(), tenant })
    }
}

impl TenantLine {
    fn weight(&self) -> Result<(Arc<str>, u64), ConfigError> {
        if (1..=1000).contains(&self.weight) {
            Ok((self.name.as_str().into(), self.weight))
        } else {
            Err(ConfigError::Weight(self.name.clone()))
        }
    }
}

impl TlsFiles {
    fn read(&self) -> Result<Tls, ConfigError> {
        let optional = |path: &Option<PathBuf>| path.as_deref().map(read).transpose();
        Ok(Tls {
            cert: read(&self.cert)?,
            key: read(&self.key)?,
            client_ca: optional(&self.client_ca)?,
            peer_ca: optional(&self.peer_ca)?,
        })
    }
}

fn read(path: &Path) -> Result<Vec<u8>, ConfigError> {
    std::fs::read(path).map_err(|error| ConfigError::Read(path.to_owned(), error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENTED: &str = include_str!("../../deploy/coordinator.toml");

    #[test]
    fn the_documented_values_are_the_defaults() {
        let settings = File::parse(DOCUMENTED).unwrap().settings().unwrap();
        let usual = Settings::default();
        assert_eq!(format!("{settings:?}"), format!("{usual:?}"));
    }

    #[test]
    fn what_is_commented_out_would_be_understood() {
        let is_key = |line: &&str| line.contains(" = ") || line.starts_with('[');
        let lines =
            DOCUMENTED.lines().filter_map(|line| line.strip_prefix("# ").or(Some(line)).filter(is_key));
        let all: Vec<_> = lines.collect();
        // Top level keys first, then tables, as TOML wants it: that is their order in the file.
        let file = File::parse(&all.join("\n")).unwrap();
        let known = format!("{file:?}");
        assert!(!known.contains("None"), "a key is not documented: {known}");
        let missing = file.settings().unwrap_err();
        assert!(matches!(missing, ConfigError::Read(..)), "{missing}");
    }

    #[test]
    fn mistakes_are_named() {
        let check = |text: &str, part: &str| {
            let told = File::parse(text).and_then(|file| file.settings()).unwrap_err().to_string();
            assert!(told.contains(part), "{told}");
        };
        check("listn = 1", "listn");
        check("listen = \"nowhere\"", "listen");
        check("audit = 2.0", "share from 0 to 1");
        check("[[token]]\nname = \"ci\"\nhash = \"abc\"\nroles = [\"read\"]", "sha256sum");
        check("[[token]]\nname = \"ci\"\nhash = \"abc\"\nroles = [\"root\"]", "submit");
        let hash = "0".repeat(64);
        check(&format!("[[token]]\nname = \"ci\"\nhash = \"{hash}\"\nroles = []"), "roles is empty");
        check("[[tenant]]\nname = \"a\"\nweight = 0", "1 to 1000");
        check("[tls]\ncert = \"/none\"\nkey = \"/none\"", "/none");
    }
}
