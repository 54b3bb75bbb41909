//! `rigfarm build`.

use std::path::Path;

use crate::args::BuildArgs;
use crate::build::reporter::{Reporter, Totals};
use crate::build::row::{Row, RowState};
use crate::build::run::{self, Batch};
use crate::build::site::Site;
use crate::build::watch::{self, Seen};
use crate::build::{batch, contact, interrupt, junit};
use crate::delivery;
use crate::failure::Failure;
use crate::inputs::{self, Character};
use crate::project::Recipe;
use crate::remote::session::Session;
use crate::remote::site::{RemoteSite, Terms};
use crate::stores::Purpose;

/// Builds, once or with `--watch` until Ctrl-C.
pub(crate) fn run(args: &BuildArgs) -> Result<(), Failure> {
    let args = &BuildArgs { fail_on: codes(&args.fail_on)?, ..args.clone() };
    let recipe = Recipe::new(&args.settings)?;
    let characters = inputs::find(&args.inputs).map_err(|e| Failure::usage(e.to_string()))?;
    can_hold(&args.out)?;
    let reporter = Reporter::new(args.json);
    interrupt::listen();
    let site: Box<dyn Site> = match &args.farm.coordinator {
        None => Box::new(run::farm(&args.store, Purpose::Build, args.pool, &reporter)?),
        Some(_) => Box::new(RemoteSite::new(Session::open(&args.farm)?, Terms::titled(&args.inputs))),
    };
    on(args, recipe, &characters, &*site, &reporter)
}

/// Builds on a farm, wherever it is.
pub(crate) fn on(
    args: &BuildArgs,
    recipe: Recipe,
    characters: &[Character],
    site: &dyn Site,
    reporter: &Reporter,
) -> Result<(), Failure> {
    let result = if args.watch {
        watch(args, recipe, characters, site, reporter)
    } else {
        once(args, &recipe, &chosen(args, characters, reporter), site, reporter)
    };
    if interrupt::is_asked() {
        site.farewell().iter().flat_map(|words| words.lines()).for_each(|line| reporter.tell(line));
        // What still runs in the farm is not waited for.
        std::process::exit(i32::from(interrupt::STATUS));
    }
    result
}

/// The codes of `--fail-on` as warnings have them.
///
/// # Errors
/// Usage, naming a code that no warning has.
pub(crate) fn codes(given: &[String]) -> Result<Vec<String>, Failure> {
    let known = |code: &String| settings::warning_code("--fail-on", code).map(str::to_owned);
    given.iter().map(known).collect::<Result<_, _>>().map_err(|e| Failure::usage(e.to_string()))
}

/// Nothing is built for a folder that cannot take it.
pub(crate) fn can_hold(out: &Path) -> Result<(), Failure> {
    let refuse =
        |e: std::io::Error| Failure::usage(format!("--out {}: cannot be written to: {e}", out.display()));
    std::fs::create_dir_all(out).map_err(refuse)?;
    let probe = out.join(format!(".rigfarm-{}", std::process::id()));
    std::fs::write(&probe, b"").map_err(refuse)?;
    std::fs::remove_file(&probe).map_err(refuse)
}

/// With `--only-failed` the characters that the last batch report does not call built.
fn chosen(args: &BuildArgs, characters: &[Character], reporter: &Reporter) -> Vec<Character> {
    if !args.only_failed {
        return characters.to_vec();
    }
    let Some(built) = batch::built(&args.out) else {
        reporter.tell(&format!("no {} in {}: building all", batch::NAME, args.out.display()));
        return characters.to_vec();
    };
    characters.iter().filter(|character| !built.contains(&character.name)).cloned().collect()
}

fn once(
    args: &BuildArgs,
    recipe: &Recipe,
    characters: &[Character],
    site: &dyn Site,
    reporter: &Reporter,
) -> Result<(), Failure> {
    let batch =
        Batch { out: &args.out, recipe, read_cache: !args.store.no_cache, fail_on: &args.fail_on, reporter };
    let kept =
        if args.only_failed || args.watch { batch::other_rows(&args.out, characters) } else { Vec::new() };
    let (rows, totals) = batch.run(site, characters);
    let written = write_reports(args, &rows, &totals, kept);
    if recipe.preview && written.is_ok() {
        let told = contact::write(&args.out);
        told.unwrap_or_else(|message| reporter.warn(None, "picture-not-delivered", &message));
    }
    site.flush().iter().for_each(|notice| reporter.warn(None, "cache-trouble", notice));
    reporter.summary(&totals);
    written?;
    if let Some(trouble) = site.trouble() {
        return Err(trouble);
    }
    match totals.count(RowState::Built) == rows.len() {
        true => Ok(()),
        false => Err(Failure::failed("")),
    }
}

fn write_reports(
    args: &BuildArgs,
    rows: &[Row],
    totals: &Totals,
    kept: Vec<serde_json::Value>,
) -> Result<(), Failure> {
    let batch = batch::write(&args.out, rows, totals, kept).map_err(Failure::failed);
    let Some(junit) = &args.junit else { return batch };
    let text = junit::text(rows, totals.seconds);
    delivery::write_file(junit, text.as_bytes()).map_err(|e| Failure::failed(format!("--junit {e}")))?;
    batch
}

fn watch(
    args: &BuildArgs,
    mut recipe: Recipe,
    characters: &[Character],
    site: &dyn Site,
    reporter: &Reporter,
) -> Result<(), Failure> {
    let mut known = characters.to_vec();
    let mut seen = Seen::now(&known, &recipe.shared.files);
    let mut chosen = chosen(args, &known, reporter);
    loop {
        // A character that does not build is told of and watched on.
        let built = once(args, &recipe, &chosen, site, reporter);
        if let Err(Failure::Unreachable(_)) = built {
            return built;
        }
        reporter.tell("watching for changes, Ctrl-C ends");
        loop {
            std::thread::sleep(watch::POLL);
            if interrupt::is_asked() {
                return Ok(());
            }
            known = watch::characters_now(&args.inputs, &known);
            let now = Seen::now(&known, &recipe.shared.files);
            if now == seen {
                continue;
            }
            // Whoever writes the files may not be done.
            std::thread::sleep(watch::POLL);
            if Seen::now(&known, &recipe.shared.files) != now {
                continue;
            }
            let changes = now.since(&seen);
            seen = now;
            match Recipe::new(&args.settings) {
                Ok(again) => recipe = again,
                Err(failure) => {
                    reporter.tell(failure.message());
                    continue;
                }
            }
            let files: Vec<String> = changes.files.iter().map(|file| file.display().to_string()).collect();
            if changes.names.is_empty() {
                continue;
            }
            reporter.tell(&format!("changed: {}", files.join(", ")));
            // Art that went away, perhaps with its folder, is not made again for the sake of a failure.
            let is_chosen = |c: &&Character| changes.names.contains(&c.name) && c.path.exists();
            chosen = known.iter().filter(is_chosen).cloned().collect();
            if !chosen.is_empty() {
                break;
            }
        }
    }
}
