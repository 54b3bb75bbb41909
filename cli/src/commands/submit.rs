//! `rigfarm submit`.

use std::sync::Arc;

use coordinator::embedded::{BuildEvent, BuildRequest};
use serde_json::json;

use crate::args::{BuildArgs, PoolArgs, StoreArgs, SubmitArgs};
use crate::art::ArtFiles;
use crate::build::reporter::Reporter;
use crate::build::site::Site;
use crate::build::{interrupt, run};
use crate::commands::{build, plan};
use crate::failure::Failure;
use crate::out::{self, say};
use crate::project::{self, Recipe};
use crate::remote::session::Session;
use crate::remote::site::{RemoteSite, Terms};
use crate::{commands, inputs};

/// Submits; with `--wait` follows the build, with `--out` delivers it too.
pub(crate) fn run(args: &SubmitArgs) -> Result<(), Failure> {
    let titled = Terms::titled(&args.inputs);
    let title = args.title.clone().unwrap_or(titled.title);
    let terms = Terms { title, tenant: args.tenant.clone(), band: args.priority };
    let recipe = Recipe::new(&args.settings)?;
    let characters = inputs::find(&args.inputs).map_err(|e| Failure::usage(e.to_string()))?;
    let site = RemoteSite::new(Session::open(&args.farm)?, terms);
    let reporter = Reporter::new(args.json);
    if let Some(args) = build_args(args)? {
        build::can_hold(&args.out)?;
        interrupt::listen();
        return build::on(&args, recipe, &characters, &site, &reporter);
    }
    let art = Arc::new(ArtFiles::default());
    let (mut ready, mut refused) = (Vec::new(), 0);
    for prepared in project::prepare(&characters, &recipe, &art, run::cores()) {
        match prepared {
            Ok(prepared) => ready.push((prepared.character.name, prepared.graph)),
            Err(character) => {
                refused += 1;
                plan::tell_refused(args.json, &character);
            }
        }
    }
    if ready.is_empty() {
        return Err(Failure::failed(""));
    }
    let request = BuildRequest { characters: ready, sources: art, read_cache: !args.no_cache };
    if args.wait {
        wait(&site, request, &reporter)?;
    } else {
        start(&site, request, args.json)?;
    }
    if refused == 0 { Ok(()) } else { Err(Failure::failed("")) }
}

/// The same as a build with delivery, when a folder is given.
fn build_args(args: &SubmitArgs) -> Result<Option<BuildArgs>, Failure> {
    let Some(out) = args.out.clone() else { return Ok(None) };
    Ok(Some(BuildArgs {
        inputs: args.inputs.clone(),
        out,
        settings: args.settings.clone(),
        store: StoreArgs { no_cache: args.no_cache, ..StoreArgs::default() },
        pool: PoolArgs::default(),
        json: args.json,
        junit: args.junit.clone(),
        fail_on: build::codes(&args.fail_on)?,
        only_failed: false,
        watch: false,
        farm: args.farm.clone(),
    }))
}

fn start(site: &RemoteSite, request: BuildRequest, as_json: bool) -> Result<(), Failure> {
    let names: Vec<String> = request.characters.iter().map(|(name, _)| name.clone()).collect();
    let order = site.order(&request)?;
    let (told, _) = std::sync::mpsc::channel();
    let follower = site.follower(request, order, told);
    let build = site.session().runtime.block_on(follower.start())?;
    if as_json {
        out::json(json!({"v": 1, "event": "submitted", "build": build, "characters": names,
            "coordinator": site.session().address}));
    } else {
        say!("{build}");
        out::note(format!("{} submitted as build {build}", out::counted(names.len(), "character")));
    }
    Ok(())
}

fn wait(site: &RemoteSite, request: BuildRequest, reporter: &Reporter) -> Result<(), Failure> {
    interrupt::listen();
    let mut build = site.build(request);
    interrupt::calls(Some(build.stopper()));
    let mut failed = 0;
    for event in build.by_ref() {
        reporter.see(&event);
        match &event {
            BuildEvent::CharacterFinished { character, failure, .. } => {
                failed += usize::from(failure.is_some());
                commands::watch::tell_character(reporter, character, failure.as_ref());
            }
            BuildEvent::BuildFinished(summary) => commands::watch::tell_summary(reporter, summary),
            _ => {}
        }
    }
    interrupt::calls(None);
    if interrupt::is_asked() {
        site.farewell().iter().flat_map(|words| words.lines()).for_each(|line| reporter.tell(line));
        std::process::exit(i32::from(interrupt::STATUS));
    }
    match site.trouble() {
        Some(trouble) => Err(trouble),
        None if failed == 0 => Ok(()),
        None => Err(Failure::failed("")),
    }
}
