//! `rigfarm fetch`: the finished characters of a farm's build into their folders.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use canonical::BlobRef;
use coordinator::embedded::BuildRequest;
use coordinator::state::Outputs;
use plan::character::{BUNDLE, PREVIEW};
use plan::{Graph, JobFailure};
use proto::v1;
use settings::Settings;

use crate::args::FetchArgs;
use crate::build::batch;
use crate::build::contact;
use crate::build::deliverer::Deliverer;
use crate::build::reporter::{Reporter, Totals};
use crate::build::row::{Row, RowState};
use crate::build::site::Site;
use crate::build::tally::Tally;
use crate::commands::build::can_hold;
use crate::failure::Failure;
use crate::inputs::Character;
use crate::project::Prepared;
use crate::remote::events;
use crate::remote::session::Session;
use crate::remote::site::{RemoteSite, Terms};

/// Delivers what has ended; fails when a character failed or has not ended.
pub(crate) fn run(args: &FetchArgs) -> Result<(), Failure> {
    let started = Instant::now();
    let session = Session::open(&args.ask.farm)?;
    can_hold(&args.out)?;
    let reporter = Reporter::new(args.ask.json);
    let fetched = fetch(&session, args.build)?;
    let all = session.wait(async {
        let request = v1::ListRequest { most: 1, before: args.build.saturating_add(1) };
        session.farm().list(request).await
    })?;
    let all = all.into_inner().builds.first().map_or(0, |line| line.characters as usize);
    let site = RemoteSite::new(session, Terms::default());
    let names: Vec<String> = fetched.iter().map(|fetched| fetched.character.clone()).collect();
    reporter.started(&names, &args.out);
    let request = BuildRequest {
        characters: Vec::new(),
        sources: Arc::new(BTreeMap::<BlobRef, Arc<[u8]>>::new()),
        read_cache: true,
    };
    let deliverer = Deliverer {
        farm: &site,
        request: &request,
        out: &args.out,
        fail_on: &[],
        reporter: &reporter,
        turn: None::<Mutex<()>>,
    };
    let mut rows = Vec::new();
    for character in fetched {
        let row = deliver(&deliverer, character);
        reporter.character(&row);
        rows.push(row);
    }
    let mut totals = Totals { seconds: started.elapsed().as_secs_f64(), ..Totals::default() };
    rows.iter().for_each(|row| totals.states[row.state as usize] += 1);
    let characters: Vec<Character> = rows.iter().map(|row| row.character.clone()).collect();
    let kept = batch::other_rows(&args.out, &characters);
    let written = batch::write(&args.out, &rows, &totals, kept).map_err(Failure::failed);
    contact::write(&args.out).unwrap_or_else(|m| reporter.warn(None, "picture-not-delivered", &m));
    reporter.summary(&totals);
    written?;
    if let Some(trouble) = site.trouble() {
        return Err(trouble);
    }
    if rows.len() < all {
        let message = format!("{} of {all} characters have ended; fetch again for the rest", rows.len());
        return Err(Failure::failed(message));
    }
    if totals.count(RowState::Built) == rows.len() { Ok(()) } else { Err(Failure::failed("")) }
}

fn fetch(session: &Session, build: u64) -> Result<Vec<v1::FetchedCharacter>, Failure> {
    session.wait(async {
        let request = v1::FetchRequest { build, characters: Vec::new() };
        let mut stream = session.farm().fetch(request).await?.into_inner();
        let mut fetched = Vec::new();
        while let Some(character) = stream.message().await? {
            fetched.push(character);
        }
        Ok(fetched)
    })
}

fn deliver(deliverer: &Deliverer, fetched: v1::FetchedCharacter) -> Row {
    let name = fetched.character.clone();
    let failure: Option<JobFailure> = fetched.failure.clone().map(events::failure);
    let outputs = events::outputs(fetched);
    let Some(character) = character(&name) else {
        let nowhere = Character { name, path: PathBuf::new(), stem: String::new(), place: PathBuf::new() };
        return Row::failed(&nowhere, "not-delivered", "its name is no folder".to_owned());
    };
    let Some(bundle) = outputs.get(BUNDLE) else {
        let (code, message) = match failure {
            Some(failure) => (failure.code, failure.message),
            None => ("not-delivered".to_owned(), "the build gave no bundle".to_owned()),
        };
        return Row::failed(&character, &code, format!("{name}: {message}"));
    };
    let Ok(graph) = Graph::new(Vec::new(), Vec::new()) else {
        return Row::failed(&character, "not-delivered", "no graph".to_owned());
    };
    let prepared = Prepared { character, art: None, settings: Settings::default(), graph };
    let mut tally = Tally::new();
    let all: Vec<&Outputs> = outputs.values().collect();
    tally.remember(all.into_iter());
    let row = deliverer.deliver(usize::MAX, &prepared, bundle, &tally);
    if let Some(pictures) = outputs.get(PREVIEW) {
        deliverer.pictures(usize::MAX, &prepared, pictures, &tally);
    }
    row
}

/// A character by its name alone; `None` for a name that would leave the folder.
fn character(name: &str) -> Option<Character> {
    let place = PathBuf::from(name);
    let is_inside = !name.is_empty() && place.components().all(|part| matches!(part, Component::Normal(_)));
    let stem = Path::new(name).file_name()?.to_string_lossy().into_owned();
    is_inside.then(|| Character { name: name.to_owned(), path: place.clone(), stem, place })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside() {
        let place = |name: &str| character(name).map(|character| (character.stem, character.place));
        assert_eq!(place("a/mika"), Some(("mika".into(), "a/mika".into())));
        for name in ["", "..", "../x", "/etc/x", "a/../../x", "."] {
            assert_eq!(place(name), None, "{name}");
        }
    }
}
