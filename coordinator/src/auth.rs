//! Who may do what. A caller names itself by a token in the metadata `authorization: Bearer …`; only hashes of tokens
//! are configured.

use std::sync::Arc;

use canonical::Digest;
use subtle::ConstantTimeEq;
use tonic::Status;
use tonic::metadata::MetadataMap;

/// What a token is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Submit, plan and cancel builds, put blobs, and all that `read` may.
    Submit,
    /// List, watch and fetch builds.
    Read,
    /// Run jobs.
    Worker,
    /// Everything, of every tenant.
    Admin,
}

/// A configured token.
#[derive(Clone, Debug)]
pub struct Token {
    /// For logs.
    pub name: Arc<str>,
    /// SHA-256 of the token.
    pub hash: Digest,
    /// What it is good for.
    pub roles: Vec<Role>,
    /// Whose builds it is about; nothing for all.
    pub tenant: Option<Arc<str>>,
}

/// All tokens. Without any, everybody may do everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tokens(pub(crate) Vec<Token>);

/// A caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) name: Arc<str>,
    pub(crate) tenant: Option<Arc<str>>,
    pub(crate) is_admin: bool,
}

impl Tokens {
    /// The caller, if it has one of the roles.
    pub(crate) fn check(&self, metadata: &MetadataMap, roles: &[Role]) -> Result<Identity, Status> {
        if self.0.is_empty() {
            return Ok(Identity { name: "anybody".into(), tenant: None, is_admin: true });
        }
        let value = metadata.get("authorization").and_then(|value| value.to_str().ok());
        let Some(given) = value.and_then(|value| value.strip_prefix("Bearer ")) else {
            return Err(Status::unauthenticated(
                "this farm wants a token: set RIGFARM_TOKEN or give --token-file",
            ));
        };
        let hash = Digest::of(given.trim().as_bytes());
        // Each is compared in constant time.
        let is_it = |token: &&Token| bool::from(token.hash.as_bytes().ct_eq(hash.as_bytes()));
        let Some(token) = self.0.iter().rfind(is_it) else {
            return Err(Status::unauthenticated("this farm does not know the token"));
        };
        let is_admin = token.roles.contains(&Role::Admin);
        if !is_admin && !roles.iter().any(|role| token.roles.contains(role)) {
            let wanted: Vec<_> = roles.iter().map(|role| format!("{role:?}").to_lowercase()).collect();
            let message = format!(
                "token {} is not good for this: it needs the role {}",
                token.name,
                wanted.join(" or ")
            );
            return Err(Status::permission_denied(message));
        }
        Ok(Identity { name: Arc::clone(&token.name), tenant: token.tenant.clone(), is_admin })
    }
}

impl Identity {
    /// Whether a build of this tenant concerns the caller.
    pub(crate) fn sees(&self, tenant: &str) -> bool {
        self.is_admin || self.tenant.as_deref().is_none_or(|own| own == tenant)
    }

    /// The tenant that a submission counts for.
    pub(crate) fn tenant_for(&self, asked: &str) -> Result<Arc<str>, Status> {
        match &self.tenant {
            Some(own) if asked.is_empty() || **own == *asked => Ok(Arc::clone(own)),
            Some(own) if !self.is_admin => {
                Err(Status::permission_denied(format!("token {} is for tenant {own}", self.name)))
            }
            _ if asked.is_empty() => Ok("default".into()),
            _ => Ok(asked.into()),
        }
    }
}
