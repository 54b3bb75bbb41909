//! `rigfarm demo`: a character drawn, built, and where it is.

use crate::args::{DemoArgs, PoolArgs, StoreArgs};
use crate::build::reporter::Reporter;
use crate::build::row::RowState;
use crate::build::run::{self, Batch};
use crate::build::{batch, interrupt};
use crate::commands::sample;
use crate::failure::Failure;
use crate::inputs;
use crate::out::say;
use crate::project::Recipe;

/// Height of the demo's art in pixels.
const SIZE: u32 = 2048;

/// Draws `sample.psd` into the folder, builds it beside it, and prints where everything is.
pub(crate) fn run(args: &DemoArgs) -> Result<(), Failure> {
    let art = args.out.join("sample.psd");
    sample::draw(args.seed, SIZE, &art)?;
    let reporter = Reporter::new(false);
    interrupt::listen();
    let farm = run::farm(&StoreArgs::default(), PoolArgs::default(), &reporter)?;
    let recipe = Recipe::new(&crate::args::SettingsArgs::default())?;
    let characters = inputs::find(std::slice::from_ref(&art)).map_err(|e| Failure::usage(e.to_string()))?;
    let batch =
        Batch { out: &args.out, recipe: &recipe, read_cache: true, fail_on: &[], reporter: &reporter };
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
    say!("art       {}", art.display());
    for page in pages(&bundle) {
        say!("picture   {}", page.display());
    }
    say!("bundle    {}", bundle.join(format!("{}.model3.json", characters[0].stem)).display());
    say!("report    {}", bundle.join(format!("{}.report.json", characters[0].stem)).display());
    match totals.count(RowState::Built) {
        0 => Err(Failure::failed("")),
        _ => Ok(()),
    }
}

/// Every texture page of a bundle, in order.
fn pages(bundle: &std::path::Path) -> Vec<std::path::PathBuf> {
    let pattern = |path: &std::path::PathBuf| path.extension().is_some_and(|e| e == "png");
    let list = |folder: &std::path::Path| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let mut pages: Vec<_> =
        list(bundle).iter().filter(|p| p.is_dir()).flat_map(|p| list(p)).filter(pattern).collect();
    pages.sort();
    pages
}
