//! INPUT arguments to characters.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bundle::bundle_stem;

/// One character to build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Character {
    /// Name for people, unique in the batch: the place under `--out`, with `/` between folders.
    pub(crate) name: String,
    /// The art.
    pub(crate) path: PathBuf,
    /// File stem of the bundle.
    pub(crate) stem: String,
    /// Folder under `--out` that receives the bundle.
    pub(crate) place: PathBuf,
}

/// Inputs that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Nothing there.
    #[error("{0}: no such file or folder")]
    Missing(PathBuf),
    /// A folder without art.
    #[error("{0}: holds no .psd or .psb file")]
    NoArt(PathBuf),
    /// Not art.
    #[error("{0}: not a .psd or .psb file")]
    NotArt(PathBuf),
    /// Cannot be listed.
    #[error("{0}: {1}")]
    Unreadable(PathBuf, std::io::Error),
    /// Two inputs for one place.
    #[error("{0} and {1} would both be delivered into {2}: rename one, or build them apart")]
    Collision(PathBuf, PathBuf, String),
}

/// All characters, in order of the arguments and, inside folders, of their names. Sub-folders are mirrored.
///
/// # Errors
/// When an input is not there or is no art, or two would land in one place (both named).
pub(crate) fn find(arguments: &[PathBuf]) -> Result<Vec<Character>, Error> {
    let mut found = Vec::new();
    for argument in arguments {
        let kind = fs::metadata(argument).map_err(|_| Error::Missing(argument.clone()))?;
        if kind.is_dir() {
            let before = found.len();
            walk(argument, Path::new(""), &mut BTreeSet::new(), &mut found)?;
            if found.len() == before {
                return Err(Error::NoArt(argument.clone()));
            }
        } else if kind.is_file() && is_art(argument) {
            found.push(character(argument, Path::new("")));
        } else {
            return Err(Error::NotArt(argument.clone()));
        }
    }
    // A file that is named twice, or lies in a folder that is named too, is one character.
    let mut seen = BTreeSet::new();
    found.retain(|c| seen.insert(fs::canonicalize(&c.path).unwrap_or_else(|_| c.path.clone())));
    let mut places: BTreeMap<String, &Path> = BTreeMap::new();
    for character in &found {
        // Folders that differ in case alone are one folder on some machines.
        if let Some(other) = places.insert(character.name.to_lowercase(), &character.path) {
            return Err(Error::Collision(other.into(), character.path.clone(), character.name.clone()));
        }
    }
    Ok(found)
}

fn is_art(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    matches!(extension.as_deref(), Some("psd" | "psb"))
}

fn character(path: &Path, folder: &Path) -> Character {
    let stem = bundle_stem(&path.file_stem().unwrap_or_default().to_string_lossy());
    let place = folder.join(&stem);
    let name = place.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
    Character { name, path: path.to_owned(), stem, place }
}

/// Every folder is visited once, whatever links lead back to it.
fn walk(
    folder: &Path,
    below: &Path,
    visited: &mut BTreeSet<(u64, u64)>,
    found: &mut Vec<Character>,
) -> Result<(), Error> {
    let unreadable = |e| Error::Unreadable(folder.to_owned(), e);
    let known = fs::metadata(folder).map_err(unreadable)?;
    if !visited.insert((known.dev(), known.ino())) {
        return Ok(());
    }
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(unreadable)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()
        .map_err(unreadable)?;
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            walk(&path, &below.join(bundle_stem(&name)), visited, found)?;
        } else if is_art(&path) && path.is_file() {
            found.push(character(&path, below));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_mirrored_and_collisions_named() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["b.psd", "a.PSB", "x/a.psd", ".hidden/c.psd", "x/notes.txt"] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, b"").unwrap();
        }
        let names: Vec<String> =
            find(&[folder.path().to_owned()]).unwrap().into_iter().map(|c| c.name).collect();
        assert_eq!(names, ["a", "b", "x/a"]);
        let twice = [folder.path().join("a.PSB"), folder.path().join("x/a.psd")];
        let error = find(&twice).unwrap_err().to_string();
        assert!(error.contains("a.PSB") && error.contains("x/a.psd"), "{error}");
        assert!(matches!(find(&[folder.path().join("nothing")]), Err(Error::Missing(_))));
        assert!(matches!(find(&[folder.path().join("x/notes.txt")]), Err(Error::NotArt(_))));
    }
}
