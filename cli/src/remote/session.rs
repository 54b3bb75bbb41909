//! Calls to a coordinator, from threads that may wait.

use std::fs;
use std::path::Path;

use plan::{Graph, JobKind};
use proto::{convert, limits, v1};
use tokio::runtime::{Builder, Runtime};
use tonic::{Code, Status};
use worker::link::{self, Channel, LinkConfig};
use worker::transfer::Transfer;

use crate::args::FarmArgs;
use crate::failure::Failure;

/// A token is read from the environment or a file, never from the command line, where others would see it.
const TOKEN: &str = "RIGFARM_TOKEN";

/// A farm that can be asked.
pub(crate) struct Session {
    /// As given.
    pub(crate) address: String,
    /// Where calls are made.
    pub(crate) runtime: Runtime,
    farm: v1::farm_client::FarmClient<Channel>,
    transfer: Transfer,
}

impl Session {
    /// Prepares the connection to the coordinator that the flags name.
    ///
    /// # Errors
    /// Usage, when none is named or something named cannot be used.
    pub(crate) fn open(args: &FarmArgs) -> Result<Self, Failure> {
        let config = link_config(args)?;
        let runtime =
            Builder::new_multi_thread().worker_threads(2).thread_name("farm-io").enable_all().build();
        let runtime = runtime.map_err(|e| Failure::failed(format!("cannot start a thread: {e}")))?;
        let channel = {
            let _inside = runtime.enter();
            link::open(&config).map_err(|e| Failure::usage(e.to_string()))?
        };
        let farm = v1::farm_client::FarmClient::new(channel.clone())
            .max_decoding_message_size(limits::MESSAGE)
            .max_encoding_message_size(limits::MESSAGE);
        Ok(Self { address: config.address, runtime, farm, transfer: Transfer::new(channel) })
    }

    /// The builds and what is asked about them.
    pub(crate) fn farm(&self) -> v1::farm_client::FarmClient<Channel> {
        self.farm.clone()
    }

    /// The bytes.
    pub(crate) fn transfer(&self) -> Transfer {
        self.transfer.clone()
    }

    /// Waits for a call.
    ///
    /// # Errors
    /// As [`Self::failure`].
    pub(crate) fn wait<T>(&self, call: impl Future<Output = Result<T, Status>>) -> Result<T, Failure> {
        self.runtime.block_on(call).map_err(|status| self.failure(&status))
    }

    /// A refused call as the end of a command.
    pub(crate) fn failure(&self, status: &Status) -> Failure {
        failure(&self.address, status)
    }
}

/// What a failed call means for a command: unreachable when the farm is away or does not let us in, usage when we asked
/// for what is not there.
pub(crate) fn failure(address: &str, status: &Status) -> Failure {
    let told = link::told(status);
    match status.code() {
        Code::NotFound | Code::InvalidArgument | Code::OutOfRange => Failure::usage(told),
        Code::Unauthenticated | Code::PermissionDenied => Failure::unreachable(format!("{address}: {told}")),
        _ => Failure::unreachable(format!("the farm at {address} does not answer: {told}")),
    }
}

/// The flags as a link.
///
/// # Errors
/// Usage, naming flag or file.
pub(crate) fn link_config(args: &FarmArgs) -> Result<LinkConfig, Failure> {
    let Some(address) = args.coordinator.clone() else {
        return Err(Failure::usage("which farm? give --coordinator URL or set RIGFARM_COORDINATOR"));
    };
    let read = |flag: &str, path: &Path| {
        fs::read(path).map_err(|e| Failure::usage(format!("{flag} {}: {e}", path.display())))
    };
    let token = match &args.token_file {
        Some(path) => {
            let bytes = read("--token-file", path)?;
            Some(String::from_utf8_lossy(&bytes).trim().to_owned())
        }
        None => std::env::var(TOKEN).ok().filter(|token| !token.trim().is_empty()),
    };
    let authorities = args.tls_ca.as_deref().map(|path| read("--tls-ca", path)).transpose()?;
    let identity = match (&args.tls_cert, &args.tls_key) {
        (Some(cert), Some(key)) => Some((read("--tls-cert", cert)?, read("--tls-key", key)?)),
        _ => None,
    };
    Ok(LinkConfig { address, token, authorities, identity })
}

/// Characters as they are submitted.
///
/// # Errors
/// Usage, when they are more than one build takes.
pub(crate) fn characters(list: &[(String, Graph)]) -> Result<Vec<v1::Character>, Failure> {
    let to_wire =
        |(name, graph): &(String, Graph)| v1::Character { name: name.clone(), graph: Some(graph.into()) };
    let wire: Vec<v1::Character> = list.iter().map(to_wire).collect();
    let request = v1::SubmitRequest { characters: wire, ..v1::SubmitRequest::default() };
    let bytes = prost::Message::encoded_len(&request);
    if list.len() > limits::CHARACTERS || bytes + (64 << 10) > limits::MESSAGE {
        let message = format!(
            "{} characters are more than a farm takes in one build: submit them in several",
            list.len()
        );
        return Err(Failure::usage(message));
    }
    Ok(request.characters)
}

/// A job kind of the wire; `None` for one that this release does not know.
pub(crate) fn kind(name: &str) -> Option<JobKind> {
    JobKind::from_name(name)
}

/// A job key of the wire.
pub(crate) fn key(bytes: Option<&[u8]>) -> Option<plan::JobKey> {
    bytes.and_then(|bytes| convert::key(bytes).ok())
}
