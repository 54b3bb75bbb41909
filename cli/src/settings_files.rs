//! Settings files on disk to merged settings.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use settings::{Settings, Source};

/// Longest chain of `extends`.
const MAX_CHAIN: usize = 16;

/// The settings of one character: `--set` over `NAME.toml` beside the art over `--settings` over defaults.
///
/// # Errors
/// One line naming the file and the key.
pub(crate) fn for_art(art: &Path, shared: Option<&Path>, sets: &[String]) -> Result<Settings, String> {
    let mut sources = Vec::new();
    if let Some(path) = shared {
        sources.extend(chain(path)?);
    }
    if let Some(path) = beside(art) {
        sources.extend(chain(&path)?);
    }
    settings::load(&sources, sets).map_err(|e| e.to_string())
}

/// `mika.toml` beside `mika.psd`, if it is there.
pub(crate) fn beside(art: &Path) -> Option<PathBuf> {
    let path = art.with_extension("toml");
    path.is_file().then_some(path)
}

/// A file and what it extends, lowest precedence first.
fn chain(path: &Path) -> Result<Vec<Source>, String> {
    let mut sources = Vec::new();
    let mut seen = BTreeSet::new();
    let mut next = Some(path.to_owned());
    while let Some(path) = next {
        let known = fs::canonicalize(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        if !seen.insert(known) || sources.len() >= MAX_CHAIN {
            return Err(format!("{}: settings files extend each other without end", path.display()));
        }
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let source = Source { origin: path.display().to_string(), text };
        let extended = settings::extends(&source).map_err(|e| e.to_string())?;
        next = extended.map(|name| path.parent().unwrap_or(Path::new(".")).join(name));
        sources.push(source);
    }
    sources.reverse();
    Ok(sources)
}
