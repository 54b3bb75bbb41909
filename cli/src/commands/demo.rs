//! `rigfarm demo`: a character drawn, built, and where it is.

use std::path::{Path, PathBuf};

use crate::args::{DemoArgs, PoolArgs, SettingsArgs};
use crate::build::reporter::Reporter;
use crate::build::row::RowState;
use crate::build::run::{self, Batch};
use crate::build::{batch, interrupt};
use crate::commands::sample;
use crate::failure::Failure;
use crate::inputs;
use crate::out::say;
use crate::project::Recipe;
use crate::stores::Purpose;

/// Height of the demo's art in pixels.
const SIZE: u32 = 2048;

/// Draws `sample.psd` into the folder, builds it beside it, and prints where everything is.
pub(crate) fn run(args: &DemoArgs) -> Result<(), Failure> {
    let art = args.out.join("sample.psd");
    sample::draw(args.seed, SIZE, &art)?;
    let reporter = Reporter::new(false);
    interrupt::listen();
    let farm = run::farm(&args.store, Purpose::Build, PoolArgs::default(), &reporter)?;
    let targets = ["moc3", "preview"].map(str::to_owned).into();
    let recipe = Recipe::new(&SettingsArgs { targets, ..SettingsArgs::default() })?;
    let characters = inputs::find(std::slice::from_ref(&art)).map_err(|e| Failure::usage(e.to_string()))?;
    let batch = Batch {
        out: &args.out,
        recipe: &recipe,
        read_cache: !args.store.no_cache,
        fail_on: &[],
        reporter: &reporter,
    };
    let (rows, totals) = batch.run(&farm, &characters);
    batch::write(&args.out, &rows, &totals, Vec::new()).map_err(Failure::failed)?;
    reporter.summary(&totals);
    if interrupt::is_asked() {
        std::process::exit(i32::from(interrupt::STATUS));
    }
    let built = matches!(rows[..], [ref row] if matches!(row.state, RowState::Built | RowState::Faulty));
    if !built {
        return Err(Failure::failed(""));
    }
    let bundle = args.out.join(&characters[0].place);
    let stem = &characters[0].stem;
    say!("art       {}", art.display());
    for path in files(&bundle, &["html"]) {
        say!("look      {}", path.display());
    }
    for path in files(&bundle, &["png"]) {
        let word = if path.starts_with(bundle.join("preview")) { "picture" } else { "texture" };
        say!("{word}   {}", path.display());
    }
    say!("bundle    {}", bundle.join(format!("{stem}.model3.json")).display());
    say!("report    {}", bundle.join(format!("{stem}.report.json")).display());
    match totals.count(RowState::Built) {
        0 => Err(Failure::failed("")),
        _ => Ok(()),
    }
}

/// The files with one of these endings in the folders of a bundle, in order.
fn files(bundle: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let list = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let has_ending =
        |path: &PathBuf| path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending));
    let mut found: Vec<PathBuf> = list(bundle)
        .iter()
        .filter(|path| path.is_dir())
        .flat_map(|folder| list(folder))
        .filter(has_ending)
        .collect();
    found.sort();
    found
}
