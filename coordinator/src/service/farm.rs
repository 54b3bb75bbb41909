//! What clients ask.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use canonical::BlobRef;
use futures::{StreamExt, TryStreamExt, stream};
use plan::{Graph, Input, JobKey};
use proto::v1::farm_client::FarmClient;
use proto::v1::farm_server::Farm;
use proto::{convert, limits, retry, v1};
use tokio::sync::oneshot;
use tonic::transport::Channel;
use tonic::{Code, Request, Response, Status};

use super::blobs::missing_response;
use super::forward::onward;
use super::{Answers, Service, Way, gone, invalid, patient, render};
use crate::auth::{Identity, Role};
use crate::embedded::{BuildRequest, Expectation, PlannedNode, forecast};
use crate::ledger::{Character, Ledger, Order};
use crate::pool::{Handle, Message};
use crate::state::BuildId;
use crate::stored::Waiting;

/// Who may start and stop builds.
const WRITERS: &[Role] = &[Role::Submit];
/// Who may look at builds.
const READERS: &[Role] = &[Role::Submit, Role::Read];
/// Events sent in one go.
const EVENTS: usize = 512;
/// When a refused client should try again.
const REFUSED: Duration = Duration::from_secs(5);

#[tonic::async_trait]
impl Farm for Service {
    async fn submit(
        &self,
        request: Request<v1::SubmitRequest>,
    ) -> Result<Response<v1::SubmitResponse>, Status> {
        match self.way(request.metadata(), WRITERS)? {
            Way::There(channel) => client(channel).submit(onward(request)).await,
            Way::Here(handle, identity) => {
                let trace = request.metadata().get("traceparent").cloned();
                let answer = self.start(&handle, &identity, request.into_inner()).await?;
                if let v1::submit_response::Answer::Build(build) = answer {
                    tracing::info!(build, by = %identity.name, ?trace, "build submitted");
                }
                Ok(Response::new(v1::SubmitResponse { answer: Some(answer) }))
            }
        }
    }

    async fn plan(&self, request: Request<v1::PlanRequest>) -> Result<Response<v1::PlanResponse>, Status> {
        match self.way(request.metadata(), WRITERS)? {
            Way::There(channel) => client(channel).plan(onward(request)).await,
            Way::Here(handle, _) => self.forecast(&handle, request.into_inner()).await.map(Response::new),
        }
    }

    type WatchStream = Answers<v1::BuildEvent>;

    async fn watch(&self, request: Request<v1::WatchRequest>) -> Result<Response<Self::WatchStream>, Status> {
        match self.way(request.metadata(), READERS)? {
            Way::There(channel) => {
                let stream = client(channel).watch(onward(request)).await?;
                Ok(stream.map(StreamExt::boxed))
            }
            Way::Here(handle, identity) => {
                let v1::WatchRequest { build, after } = request.into_inner();
                see(&handle, &identity, build).await?;
                Ok(Response::new(events(handle, BuildId(build), after)))
            }
        }
    }

    type LogsStream = Answers<v1::LogLine>;

    async fn logs(&self, request: Request<v1::LogsRequest>) -> Result<Response<Self::LogsStream>, Status> {
        match self.way(request.metadata(), READERS)? {
            Way::There(channel) => {
                let stream = client(channel).logs(onward(request)).await?;
                Ok(stream.map(StreamExt::boxed))
            }
            Way::Here(handle, identity) => {
                let request = request.into_inner();
                see(&handle, &identity, request.build).await?;
                self.log_lines(&handle, request).await.map(Response::new)
            }
        }
    }

    async fn cancel(
        &self,
        request: Request<v1::CancelRequest>,
    ) -> Result<Response<v1::CancelResponse>, Status> {
        match self.way(request.metadata(), WRITERS)? {
            Way::There(channel) => client(channel).cancel(onward(request)).await,
            Way::Here(handle, identity) => {
                let build = request.into_inner().build;
                see(&handle, &identity, build).await?;
                handle.send(Message::Cancel(BuildId(build))).await.map_err(gone)?;
                // Once this is answered the cancellation is written.
                patient(handle.look(|_| ())).await?;
                Ok(Response::new(v1::CancelResponse {}))
            }
        }
    }

    async fn list(&self, request: Request<v1::ListRequest>) -> Result<Response<v1::ListResponse>, Status> {
        match self.way(request.metadata(), READERS)? {
            Way::There(channel) => client(channel).list(onward(request)).await,
            Way::Here(handle, identity) => {
                let request = request.into_inner();
                let builds = patient(handle.look(move |ledger| list(ledger, &identity, &request))).await?;
                Ok(Response::new(v1::ListResponse { builds }))
            }
        }
    }

    type FetchStream = Answers<v1::FetchedCharacter>;

    async fn fetch(&self, request: Request<v1::FetchRequest>) -> Result<Response<Self::FetchStream>, Status> {
        match self.way(request.metadata(), READERS)? {
            Way::There(channel) => {
                let stream = client(channel).fetch(onward(request)).await?;
                Ok(stream.map(StreamExt::boxed))
            }
            Way::Here(handle, identity) => {
                let v1::FetchRequest { build, characters: names } = request.into_inner();
                see(&handle, &identity, build).await?;
                let fetched = patient(handle.look(move |ledger| {
                    let book = ledger.book(BuildId(build))?;
                    // Who names a character wants what is there of it: a bundle does not wait for its pictures.
                    let is_named = |name: &str| names.iter().any(|asked| asked == name);
                    let is_asked = |c: &Character| if names.is_empty() { c.ended } else { is_named(&c.name) };
                    let asked = book.characters.iter().filter(|c| is_asked(c));
                    Some(asked.map(render::fetched).collect::<Vec<_>>())
                }))
                .await?;
                let fetched = fetched.ok_or_else(|| unknown(build))?;
                Ok(Response::new(stream::iter(fetched.into_iter().map(Ok)).boxed()))
            }
        }
    }

    async fn retry(&self, request: Request<v1::RetryRequest>) -> Result<Response<v1::RetryResponse>, Status> {
        match self.way(request.metadata(), &[Role::Admin])? {
            Way::There(channel) => client(channel).retry(onward(request)).await,
            Way::Here(handle, _) => {
                let key = convert::key(&request.into_inner().key).map_err(invalid)?;
                handle.send(Message::Retry(key)).await.map_err(gone)?;
                patient(handle.look(|_| ())).await?;
                Ok(Response::new(v1::RetryResponse {}))
            }
        }
    }
}

fn client(channel: Channel) -> FarmClient<Channel> {
    FarmClient::new(channel)
        .max_decoding_message_size(limits::MESSAGE)
        .max_encoding_message_size(limits::MESSAGE)
}

fn unknown(build: u64) -> Status {
    Status::not_found(format!(
        "build {build} is not known here: submit it again, what was done is in the cache"
    ))
}

/// Whether the caller may see a build; what is not its own does not exist for it.
async fn see(handle: &Handle, identity: &Identity, build: u64) -> Result<(), Status> {
    let identity = identity.clone();
    let sees =
        move |ledger: &Ledger| ledger.book(BuildId(build)).is_some_and(|book| identity.sees(&book.tenant));
    if patient(handle.look(sees)).await? { Ok(()) } else { Err(unknown(build)) }
}

/// The events of a build as they come, until the last.
fn events(handle: Handle, build: BuildId, after: u64) -> Answers<v1::BuildEvent> {
    let batches = stream::try_unfold(Some(after), move |after| {
        let handle = handle.clone();
        async move {
            let Some(after) = after else { return Ok::<_, Status>(None) };
            let told = handle.wait(build, after, move |book| {
                let book = book?;
                let events = render::events(book, after, EVENTS);
                let last = events.last().map_or(after, |event| event.id);
                let is_last = book.ended_ms.is_some() && last >= book.log.len() as u64;
                Some((events, (!is_last).then_some(last)))
            });
            let told = told.await.map_err(gone)?;
            let (events, next) = told.ok_or_else(|| unknown(build.0))?;
            Ok(Some((stream::iter(events.into_iter().map(Ok)), next)))
        }
    });
    batches.try_flatten().boxed()
}

fn list(ledger: &Ledger, identity: &Identity, request: &v1::ListRequest) -> Vec<v1::BuildLine> {
    let most = if request.most == 0 { 100 } else { (request.most as usize).min(1_000) };
    let before = if request.before == 0 { u64::MAX } else { request.before };
    let seen = ledger.books().rev().filter(|(build, book)| build.0 < before && identity.sees(&book.tenant));
    seen.take(most).map(|(build, book)| render::line(build, book)).collect()
}

/// The blobs a graph names and no job of it makes.
fn sources(characters: &[(String, Graph)]) -> Vec<BlobRef> {
    let inputs = characters.iter().flat_map(|(_, graph)| graph.nodes()).flat_map(|node| node.inputs.values());
    let blobs = inputs.filter_map(|input| match input {
        Input::Blob(blob) => Some(*blob),
        Input::Output { .. } | Input::Outputs { .. } => None,
    });
    blobs.collect()
}

impl Service {
    async fn start(
        &self,
        handle: &Handle,
        identity: &Identity,
        request: v1::SubmitRequest,
    ) -> Result<v1::submit_response::Answer, Status> {
        for text in [&request.request_id, &request.title, &request.tenant] {
            if text.len() > limits::NAME {
                return Err(Status::invalid_argument("request id, title or tenant is too long"));
            }
        }
        let band = match request.band {
            0 => 3,
            band @ 1..=5 => band as u8,
            band => return Err(Status::invalid_argument(format!("priority {band}: 1 (first) to 5"))),
        };
        let tenant = identity.tenant_for(&request.tenant)?;
        let characters = convert::characters(request.characters).map_err(invalid)?;
        let missing = self.missing(sources(&characters)).await?;
        if !missing.is_empty() {
            return Ok(v1::submit_response::Answer::Missing(missing_response(missing)));
        }
        let order = Order {
            request: request.request_id.into(),
            title: request.title.into(),
            tenant,
            band,
            read_cache: !request.ignore_cache,
            characters: characters.into_iter().map(|(name, graph)| (name.into(), graph)).collect(),
        };
        let (reply, answer) = oneshot::channel();
        handle.send(Message::Submit(order, reply)).await.map_err(gone)?;
        match patient(async { answer.await.map_err(|_| crate::pool::Gone) }).await? {
            Ok(build) => Ok(v1::submit_response::Answer::Build(build.0)),
            Err(refusal) => Err(retry::status(Code::ResourceExhausted, refusal.to_string(), REFUSED)),
        }
    }

    async fn forecast(&self, handle: &Handle, request: v1::PlanRequest) -> Result<v1::PlanResponse, Status> {
        let characters = convert::characters(request.characters).map_err(invalid)?;
        let costs = patient(handle.look(|ledger| ledger.state().costs().clone())).await?;
        let sources = Arc::new(BTreeMap::<BlobRef, Arc<[u8]>>::new());
        let request = BuildRequest { characters, sources, read_cache: !request.ignore_cache };
        let cache = Waiting::new(self.0.store.clone());
        let told = tokio::task::spawn_blocking(move || forecast(&cache, &request, costs)).await;
        let told = told.map_err(|error| Status::internal(error.to_string()))?;
        Ok(v1::PlanResponse { nodes: told.nodes.into_iter().map(planned).collect() })
    }

    /// The lines of the logs of a build's jobs. The id of a line is its place in all of them.
    async fn log_lines(
        &self,
        handle: &Handle,
        request: v1::LogsRequest,
    ) -> Result<Answers<v1::LogLine>, Status> {
        let v1::LogsRequest { build, job, after } = request;
        let logs = patient(handle.look(move |ledger| {
            let book = ledger.book(BuildId(build))?;
            let named = book.logs.iter().filter(|(_, key, _)| render::is_named(&key.0, &job));
            Some(named.map(|(node, key, blob)| (render::names(book, *node), *key, *blob)).collect::<Vec<_>>())
        }))
        .await?;
        let store = self.0.store.clone();
        let lines = stream::iter(logs.unwrap_or_default()).then(move |(names, key, blob)| {
            let store = store.clone();
            async move {
                let text = match store.get_blob(&blob).await {
                    Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                    Err(error) => format!("(the log is gone: {error})"),
                };
                stream::iter(log_of(&names, key, &text))
            }
        });
        let numbered =
            lines.flatten().enumerate().map(|(place, line)| v1::LogLine { id: place as u64 + 1, ..line });
        Ok(numbered.filter(move |line| std::future::ready(line.id > after)).map(Ok).boxed())
    }
}

fn log_of((character, node, _): &(String, String, String), key: JobKey, text: &str) -> Vec<v1::LogLine> {
    let node = format!("{character}: {node}");
    let line = |text: &str| v1::LogLine {
        id: 0,
        key: render::bytes(key),
        node: node.clone(),
        text: text.to_owned(),
    };
    text.lines().map(line).collect()
}

fn planned(node: PlannedNode) -> v1::PlannedNode {
    let (expectation, reason) = match node.expectation {
        Expectation::Hit => (v1::Expectation::Hit, String::new()),
        Expectation::Run(reason) => (v1::Expectation::Run, reason.to_string()),
        Expectation::Unknown => (v1::Expectation::Unknown, String::new()),
        Expectation::Failed(message) => (v1::Expectation::Failed, message),
    };
    v1::PlannedNode {
        character: node.node.character.to_string(),
        node: node.node.node.to_string(),
        kind: node.kind.name().into(),
        expectation: expectation.into(),
        reason,
        cost_us: node.cost_us,
        key: node.key.map(render::bytes),
    }
}
