//! Characters with their settings and graphs: a project ready to be built.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use canonical::BlobRef;
use pipeline::params::{PreviewParams, encode};
use plan::Graph;
use settings::Settings;

use crate::args::SettingsArgs;
use crate::art::ArtFiles;
use crate::failure::Failure;
use crate::inputs::Character;
use crate::settings_files::{self, Shared};

/// What can be made of a character.
const TARGETS: &[&str] = &["moc3", "preview"];

/// What all characters of a command have in common.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    /// `--settings` and `--set`.
    pub(crate) shared: Shared,
    /// Pictures are asked for.
    pub(crate) preview: bool,
}

/// A character that can be built.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// Which.
    pub(crate) character: Character,
    /// Its art, if it is here.
    pub(crate) art: Option<BlobRef>,
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
        let unknown = args.targets.iter().find(|name| !TARGETS.contains(&name.trim()));
        if let Some(name) = unknown {
            let known = TARGETS.join(", ");
            return Err(Failure::usage(format!(
                "--targets: there is no target {name:?} in this release, only {known}"
            )));
        }
        let shared = Shared::read(args.settings.as_deref(), &args.sets).map_err(Failure::usage)?;
        let preview = args.targets.iter().any(|name| name.trim() == "preview");
        Ok(Self { shared, preview })
    }
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
    let mut params = settings.params(&character.stem).map_err(|e| ("settings-invalid", e.to_string()))?;
    if recipe.preview {
        let pictures = encode(&PreviewParams::default()).map_err(|e| ("settings-invalid", e.to_string()))?;
        params.preview = Some(pictures);
    }
    let graph = plan::character::graph(blob, params).map_err(|e| ("graph-invalid", e.to_string()))?;
    Ok(Prepared { character: character.clone(), art: Some(blob), settings, graph })
}

/// Files whose change makes a character another one: its art and its own settings, whether there or not, and what
/// those extend.
pub(crate) fn files_of(character: &Character) -> Vec<PathBuf> {
    let beside = character.path.with_extension("toml");
    let mut files = vec![character.path.clone()];
    files.extend(settings_files::files_behind(&beside));
    files
}
