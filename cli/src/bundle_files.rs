//! Bundles on disk.

use std::fs;
use std::path::{Path, PathBuf};

use bundle::diff::Surface;
use bundle::read::{self, ModelDocument};
use bundle::sound::{self, Kind};
use moc3::model::Model;

use crate::failure::Failure;
use crate::regular;

/// Largest file of a bundle that is read.
const MAX_FILE: u64 = 2 << 30;

/// A bundle as found on disk.
pub(crate) struct Bundle {
    /// Its folder.
    pub(crate) folder: PathBuf,
    /// File name of the model document.
    pub(crate) name: String,
    /// The model document.
    pub(crate) document: ModelDocument,
    /// The model.
    pub(crate) model: Model,
}

impl Bundle {
    /// Opens a bundle folder, or one named by its model3.json.
    ///
    /// # Errors
    /// Usage when there is no such bundle, failed when its files cannot be read.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        if !path.exists() {
            return Err(Failure::usage(format!("{}: no such file or folder", path.display())));
        }
        let document_path = if path.is_dir() { find_document(path)? } else { path.to_owned() };
        let folder = document_path.parent().unwrap_or(Path::new(".")).to_owned();
        let bytes = read_file(&document_path)?;
        let document = ModelDocument::parse(&bytes)
            .map_err(|e| Failure::failed(format!("{}: {e}", document_path.display())))?;
        let moc_path = folder.join(&document.moc);
        let model = Model::from_bytes(&read_file(&moc_path)?)
            .map_err(|e| Failure::failed(format!("{}: {e}", moc_path.display())))?;
        let name = document_path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { folder, name, document, model })
    }

    /// Files that the document names and that are not there.
    pub(crate) fn missing_files(&self) -> Vec<String> {
        self.document.files().filter(|path| !self.folder.join(path).is_file()).map(str::to_owned).collect()
    }

    /// Files that the document names and that are not there, or cannot be shown or played, with what is wrong.
    pub(crate) fn unsound_files(&self) -> Vec<String> {
        let document = &self.document;
        let mut faults = Vec::new();
        for page in &document.textures {
            let read = regular::read(&self.folder.join(page), MAX_FILE).map_err(|e| e.to_string());
            if let Err(e) = read.and_then(|bytes| atlas::decode_png(&bytes).map_err(|e| e.to_string())) {
                faults.push(format!("{page}: {e}"));
            }
        }
        let pages = document.textures.len();
        if let Some(drawable) = self.model.drawables.iter().find(|d| d.texture as usize >= pages) {
            faults.push(format!("{} has texture {} of {pages}", drawable.id, drawable.texture));
        }
        for (kind, file) in self.documents() {
            let read = regular::read(&self.folder.join(file), MAX_FILE).map_err(|e| e.to_string());
            match read.and_then(|bytes| sound::faults(kind, &bytes).map_err(|e| e.to_string())) {
                Ok(found) => faults.extend(found.iter().map(|fault| format!("{file}: {fault}"))),
                Err(e) => faults.push(format!("{file}: {e}")),
            }
        }
        faults
    }

    /// The documents beside the model document.
    fn documents(&self) -> impl Iterator<Item = (Kind, &String)> {
        let document = &self.document;
        (document.motions.values().flatten().map(|file| (Kind::Motion, file)))
            .chain(document.physics.iter().map(|file| (Kind::Physics, file)))
            .chain(document.expressions.iter().map(|(_, file)| (Kind::Expression, file)))
            .chain(document.pose.iter().map(|file| (Kind::Pose, file)))
            .chain(document.display.iter().map(|file| (Kind::Display, file)))
    }

    /// References of motions, physics, expressions and groups to parameters that the model does not have.
    pub(crate) fn dangling_parameters(&self) -> Vec<String> {
        let known = |id: &String| {
            let parts = self.model.parts.iter().any(|p| p.id == *id);
            parts || self.model.parameters.iter().any(|p| p.id == *id)
        };
        let mut dangling = Vec::new();
        let mut see = |file: &str, ids: Vec<String>| {
            dangling.extend(ids.into_iter().filter(|id| !known(id)).map(|id| format!("{file}: {id}")));
        };
        for (kind, file) in self.documents() {
            let reader = match kind {
                Kind::Motion => read::motion_parameters,
                Kind::Physics => read::physics_parameters,
                Kind::Expression => read::expression_parameters,
                Kind::Pose | Kind::Display => continue,
            };
            let bytes = regular::read(&self.folder.join(file), MAX_FILE).ok();
            let ids = bytes.and_then(|bytes| reader(&bytes).ok());
            see(file, ids.unwrap_or_default());
        }
        for (group, ids) in &self.document.groups {
            see(&format!("group {group}"), ids.clone());
        }
        let areas = self.document.hit_areas.iter();
        let nowhere = areas.filter(|(id, _)| !self.model.drawables.iter().any(|d| d.id == *id));
        dangling.extend(nowhere.map(|(id, name)| format!("hit area {name}: {id}")));
        dangling
    }

    /// The names that others may rely on.
    pub(crate) fn surface(&self) -> Surface {
        let range =
            |p: &moc3::model::Parameter| (f64::from(p.minimum), f64::from(p.default), f64::from(p.maximum));
        let motions = self.document.motions.iter();
        let is_there = |file: &str| self.folder.join(file).is_file();
        Surface {
            parameters: self.model.parameters.iter().map(|p| (p.id.clone(), range(p))).collect(),
            parts: self.model.parts.iter().map(|p| p.id.clone()).collect(),
            drawables: self.model.drawables.iter().map(|d| d.id.clone()).collect(),
            motions: motions
                .flat_map(|(g, files)| files.iter().filter(|f| is_there(f)).map(move |f| format!("{g}/{f}")))
                .collect(),
            expressions: self
                .document
                .expressions
                .iter()
                .filter(|e| is_there(&e.1))
                .map(|e| e.0.clone())
                .collect(),
            hit_areas: self.document.hit_areas.iter().map(|h| h.1.clone()).collect(),
            groups: (self.document.groups.iter())
                .flat_map(|(name, ids)| ids.iter().map(move |id| format!("{name}/{id}")))
                .collect(),
        }
    }
}

fn find_document(folder: &Path) -> Result<PathBuf, Failure> {
    let entries = fs::read_dir(folder).map_err(|e| Failure::usage(format!("{}: {e}", folder.display())))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(".model3.json"))
        .collect();
    found.sort();
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(Failure::failed(format!("{}: holds no .model3.json", folder.display()))),
        several => Err(Failure::usage(format!(
            "{}: holds {} .model3.json files, name the one you mean",
            folder.display(),
            several.len()
        ))),
    }
}

/// Reads a whole file of bounded size.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    if fs::metadata(path).is_ok_and(|known| !known.is_file()) {
        return Err(Failure::usage(format!("{}: is not a file", path.display())));
    }
    regular::read(path, MAX_FILE).map_err(|e| Failure::failed(format!("{}: {e}", path.display())))
}
