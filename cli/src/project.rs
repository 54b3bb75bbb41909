//! Characters with their settings and graphs: a project ready to be built.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use canonical::BlobRef;
use plan::{Executor, Graph, JobKind};
use settings::Settings;

use crate::args::SettingsArgs;
use crate::art::ArtFiles;
use crate::failure::Failure;
use crate::inputs::Character;
use crate::settings_files::Shared;

/// What is made of every character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Targets {
    /// Pictures.
    pub(crate) preview: bool,
}

/// What all characters of a command have in common.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    /// `--settings` and `--set`.
    pub(crate) shared: Shared,
    /// `--targets`.
    pub(crate) targets: Targets,
}

/// A character that can be built.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// Which.
    pub(crate) character: Character,
    /// Its art.
    pub(crate) art: BlobRef,
    /// Its settings.
    pub(crate) settings: Settings,
    /// Its jobs.
    pub(crate) graph: Graph,
}

/// A character that cannot be built.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    /// Which.
    pub(crate) character: Character,
    /// Stable name of the reason.
    pub(crate) code: &'static str,
    /// For people, naming the file.
    pub(crate) message: String,
}

impl Recipe {
    /// Reads what the flags name.
    ///
    /// # Errors
    /// Usage, naming file, key or target.
    pub(crate) fn new(args: &SettingsArgs) -> Result<Self, Failure> {
        let shared = Shared::read(args.settings.as_deref(), &args.sets).map_err(Failure::usage)?;
        Ok(Self { shared, targets: targets(&args.targets)? })
    }
}

fn targets(asked: &[String]) -> Result<Targets, Failure> {
    let preview_exists = pipeline::Pipeline.supports(JobKind::Preview, JobKind::Preview.version());
    let mut targets = Targets::default();
    for name in asked {
        match name.trim() {
            "moc3" => {}
            "preview" if preview_exists => targets.preview = true,
            other => {
                let known = if preview_exists { "moc3, preview" } else { "moc3" };
                return Err(Failure::usage(format!(
                    "--targets: there is no target {other:?}; there is {known}"
                )));
            }
        }
    }
    Ok(targets)
}

/// Settings, art and graph of every character, in the order given. Files are read and named on `threads` threads.
pub(crate) fn prepare(
    characters: &[Character],
    recipe: &Recipe,
    art: &ArtFiles,
    threads: usize,
) -> Vec<Result<Prepared, Box<Refused>>> {
    let one = |character: &Character| {
        prepare_one(character, recipe, art).map_err(|(code, message)| {
            let message = format!("{}: {message}", character.path.display());
            Box::new(Refused { character: character.clone(), code, message })
        })
    };
    let threads = threads.min(characters.len());
    if threads < 2 {
        return characters.iter().map(one).collect();
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(characters.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(character) = characters.get(place) else { break };
                    let prepared = one(character);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((place, prepared));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, prepared)| prepared).collect()
}

fn prepare_one(
    character: &Character,
    recipe: &Recipe,
    art: &ArtFiles,
) -> Result<Prepared, (&'static str, String)> {
    let settings = recipe.shared.for_art(&character.path).map_err(|e| ("settings-invalid", e))?;
    let blob = art.add(&character.path).map_err(|e| ("art-unreadable", e))?;
    let params = settings.params(&character.stem);
    let graph = plan::character::graph(blob, params).map_err(|e| ("graph-invalid", e.to_string()))?;
    Ok(Prepared { character: character.clone(), art: blob, settings, graph })
}

/// Files whose change makes a character another one: its art and its own settings, whether there or not.
pub(crate) fn files_of(character: &Character) -> [PathBuf; 2] {
    [character.path.clone(), character.path.with_extension("toml")]
}
