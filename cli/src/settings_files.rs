//! Settings files on disk to merged settings.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use settings::{Settings, Source};

use crate::regular;

/// Largest settings file that is read.
const MAX_FILE: u64 = 16 << 20;
/// Longest chain of `extends`.
const MAX_CHAIN: usize = 16;

/// What the flags say: `--settings` and `--set`.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    sources: Vec<Source>,
    sets: Vec<String>,
    /// The files read, for those who watch them.
    pub(crate) files: Vec<PathBuf>,
}

impl Shared {
    /// Reads the settings file with what it extends, and checks both.
    ///
    /// # Errors
    /// One line naming the file or flag, and the key.
    pub(crate) fn read(file: Option<&Path>, sets: &[String]) -> Result<Self, String> {
        let (sources, files) = match file {
            Some(path) => chain(path)?,
            None => Default::default(),
        };
        settings::load(&sources, sets).map_err(|e| e.to_string())?;
        Ok(Self { sources, sets: sets.to_vec(), files })
    }

    /// The settings of one character: `--set` over `NAME.toml` beside the art over `--settings` over defaults.
    ///
    /// # Errors
    /// One line naming the file and the key.
    pub(crate) fn for_art(&self, art: &Path) -> Result<Settings, String> {
        let mut sources = self.sources.clone();
        let beside = art.with_extension("toml");
        // Whatever has the name is meant as settings: a dangling link or a folder is told of.
        if fs::symlink_metadata(&beside).is_ok() {
            sources.extend(chain(&beside)?.0);
        }
        settings::load(&sources, &self.sets).map_err(|e| e.to_string())
    }
}

/// A settings file, whether there or not, and as far as they can be told those it extends.
pub(crate) fn files_behind(path: &Path) -> Vec<PathBuf> {
    if path.is_file()
        && let Ok((_, files)) = chain(path)
    {
        return files;
    }
    vec![path.to_owned()]
}

/// A file and what it extends, lowest precedence first, with their paths.
fn chain(path: &Path) -> Result<(Vec<Source>, Vec<PathBuf>), String> {
    let mut sources = Vec::new();
    let mut files = Vec::new();
    let mut seen = BTreeSet::new();
    let mut next = Some(path.to_owned());
    while let Some(path) = next {
        let known = fs::canonicalize(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        if !seen.insert(known) {
            return Err(format!("{}: settings files extend each other without end", path.display()));
        }
        if sources.len() >= MAX_CHAIN {
            return Err(format!(
                "{}: more than {MAX_CHAIN} settings files extend one another",
                path.display()
            ));
        }
        let told = |e: std::io::Error| format!("{}: {e}", path.display());
        let text = String::from_utf8(regular::read(&path, MAX_FILE).map_err(told)?)
            .map_err(|_| format!("{}: is not UTF-8 text", path.display()))?;
        let source = Source { origin: path.display().to_string(), text };
        let extended = settings::extends(&source).map_err(|e| e.to_string())?;
        next = extended.map(|name| path.parent().unwrap_or(Path::new(".")).join(name));
        sources.push(source);
        files.push(path);
    }
    sources.reverse();
    Ok((sources, files))
}
