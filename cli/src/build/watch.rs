//! `--watch`: what changed since the last look.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::inputs::{self, Character};
use crate::project;

/// How often files are looked at.
pub(crate) const POLL: Duration = Duration::from_millis(200);

/// Length and time of a file; `None` when it is not there.
type Stamp = Option<(u64, Option<SystemTime>)>;

/// The files of a batch as they were at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Per character its files.
    characters: BTreeMap<String, Vec<(PathBuf, Stamp)>>,
    /// Files that concern all.
    shared: Vec<(PathBuf, Stamp)>,
}

/// What happened between two looks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Characters to be built again.
    pub(crate) names: Vec<String>,
    /// Files that changed, came or went.
    pub(crate) files: Vec<PathBuf>,
}

impl Seen {
    /// Looks at the files of `characters` and at `shared` ones.
    pub(crate) fn now(characters: &[Character], shared: &[PathBuf]) -> Self {
        let stamped = |files: &[PathBuf]| files.iter().map(|file| (file.clone(), stamp(file))).collect();
        Self {
            characters: characters
                .iter()
                .map(|character| (character.name.clone(), stamped(&project::files_of(character))))
                .collect(),
            shared: stamped(shared),
        }
    }

    /// What differs from an earlier look.
    pub(crate) fn since(&self, before: &Self) -> Changes {
        let mut changes = Changes::default();
        let all_changed = self.shared != before.shared;
        for (name, files) in &self.characters {
            let old = before.characters.get(name);
            if all_changed || old != Some(files) {
                changes.names.push(name.clone());
            }
            let is_old = |file: &&(PathBuf, Stamp)| old.is_some_and(|old| old.contains(file));
            let is_there = |file: &&(PathBuf, Stamp)| old.is_some() || file.1.is_some();
            let new = files.iter().filter(|file| !is_old(file)).filter(is_there);
            changes.files.extend(new.map(|(path, _)| path.clone()));
        }
        let shared = self.shared.iter().filter(|file| !before.shared.contains(file));
        changes.files.extend(shared.map(|(path, _)| path.clone()));
        changes
    }
}

fn stamp(path: &Path) -> Stamp {
    let known = std::fs::metadata(path).ok()?;
    Some((known.len(), known.modified().ok()))
}

/// The characters there are now; while they cannot be told (a folder is being renamed, say) those of before.
pub(crate) fn characters_now(arguments: &[PathBuf], before: &[Character]) -> Vec<Character> {
    inputs::find(arguments).unwrap_or_else(|_| before.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_by_character() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("a.psd", "1");
        write("b.psd", "1");
        let shared = [folder.path().join("studio.toml")];
        let look = || {
            let characters = inputs::find(&[folder.path().to_owned()]).unwrap();
            Seen::now(&characters, &shared)
        };
        let check = |before: &Seen, names: &[&str], files: &[&str]| {
            let changes = look().since(before);
            assert_eq!(changes.names, names);
            assert_eq!(changes.files, files.iter().map(|f| folder.path().join(f)).collect::<Vec<_>>());
        };
        let first = look();
        check(&first, &[], &[]);
        write("a.psd", "longer");
        write("b.toml", "");
        write("c.psd", "1");
        check(&first, &["a", "b", "c"], &["a.psd", "b.toml", "c.psd"]);
        let second = look();
        write("studio.toml", "");
        std::fs::remove_file(folder.path().join("c.psd")).unwrap();
        check(&second, &["a", "b"], &["studio.toml"]);
    }
}
