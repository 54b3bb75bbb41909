//! `rigfarm watch`: a farm's build until it ends.

use coordinator::embedded::Summary;
use plan::JobFailure;
use proto::v1;
use serde_json::json;
use tonic::Code;

use crate::args::BuildOnFarmArgs;
use crate::build::reporter::Reporter;
use crate::failure::Failure;
use crate::out;
use crate::remote::events::{Heard, Listener};
use crate::remote::follow::{PATIENCE, Patience};
use crate::remote::session::Session;

/// Tells of everything from the beginning; fails when a character did.
pub(crate) fn run(args: &BuildOnFarmArgs) -> Result<(), Failure> {
    let session = Session::open(&args.ask.farm)?;
    let reporter = Reporter::new(args.ask.json);
    let mut failed = 0;
    let summary = session.runtime.block_on(follow(&session, args.build, &reporter, &mut failed))?;
    tell_summary(&reporter, &summary);
    if failed == 0 { Ok(()) } else { Err(Failure::failed("")) }
}

async fn follow(
    session: &Session,
    build: u64,
    reporter: &Reporter,
    failed: &mut usize,
) -> Result<Summary, Failure> {
    let mut listener = Listener::default();
    let mut patience = Patience::new(std::time::Duration::ZERO);
    let mut after = 0;
    loop {
        let lost = match session.farm().watch(v1::WatchRequest { build, after }).await {
            Ok(events) => {
                let mut events = events.into_inner();
                loop {
                    let event = match events.message().await {
                        Ok(Some(event)) => event,
                        Ok(None) => break tonic::Status::unavailable("the coordinator ended the call"),
                        Err(status) => break status,
                    };
                    patience = Patience::new(PATIENCE);
                    after = event.id;
                    match event.event.map_or(Heard::Nothing, |event| listener.hear(event)) {
                        Heard::Nothing => {}
                        Heard::Pass(event) | Heard::NodeEnded(event) => reporter.see(&event),
                        Heard::CharacterEnded(character, failure) => {
                            *failed += usize::from(failure.is_some());
                            tell_character(reporter, &character, failure.as_ref());
                            listener.done.insert(character);
                        }
                        Heard::Ended(summary) => return Ok(summary),
                    }
                }
            }
            Err(status) => status,
        };
        if lost.code() == Code::NotFound {
            return Err(session.failure(&lost));
        }
        let Some(pause) = patience.next(&lost) else { return Err(session.failure(&lost)) };
        tokio::time::sleep(pause).await;
    }
}

/// A character ended on the farm; it is not delivered.
pub(crate) fn tell_character(reporter: &Reporter, name: &str, failure: Option<&JobFailure>) {
    let state = if failure.is_some() { "failed" } else { "made" };
    let error = failure.map(|failure| json!({"code": failure.code, "message": failure.message}));
    reporter.emit(|| json!({"v": 1, "event": "character", "name": name, "state": state, "error": error}));
    match failure {
        None => reporter.tell(&format!("{name}: made")),
        Some(failure) => reporter.tell(&format!("{name}: failed: {failure}")),
    }
}

/// A build ended on the farm.
pub(crate) fn tell_summary(reporter: &Reporter, summary: &Summary) {
    let cached = summary.hits + summary.cut_off;
    let saved = summary.saved_us as f64 / 1e6;
    reporter.emit(|| {
        json!({"v": 1, "event": "summary", "failed": summary.failed_characters,
            "jobs": {"run": summary.run, "cached": cached, "failed": summary.failed, "cancelled": summary.cancelled},
            "run_seconds": summary.run_us as f64 / 1e6, "saved_seconds": saved})
    });
    reporter.tell(&format!(
        "{} run in {} of slot time; {cached} from cache, {} saved",
        out::counted(summary.run, "job"),
        out::duration(summary.run_us as f64 / 1e6),
        out::duration(saved),
    ));
}
