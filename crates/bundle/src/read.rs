//! Any bundle's documents, read leniently: also one that rigfarm did not make.

use std::collections::BTreeMap;

use serde_json::Value;

/// Longest document that is read.
const MAX_DOCUMENT: usize = 64 * 1024 * 1024;

/// A model3.json and what it refers to, paths relative to its folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelDocument {
    /// The moc3 file.
    pub moc: String,
    /// Texture pages in order.
    pub textures: Vec<String>,
    /// physics3 file.
    pub physics: Option<String>,
    /// cdi3 file.
    pub display: Option<String>,
    /// pose3 file.
    pub pose: Option<String>,
    /// (name, file).
    pub expressions: Vec<(String, String)>,
    /// Group to files.
    pub motions: BTreeMap<String, Vec<String>>,
    /// Parameter groups: name to ids.
    pub groups: BTreeMap<String, Vec<String>>,
    /// (drawable id, name).
    pub hit_areas: Vec<(String, String)>,
}

/// A document that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not JSON.
    #[error("not a JSON document: {0}")]
    Json(#[from] serde_json::Error),
    /// A key is missing or has the wrong kind.
    #[error("{0} is missing or not of the right kind")]
    Key(&'static str),
    /// A reference leaves the bundle.
    #[error("{0:?} points outside the bundle")]
    Path(String),
    /// Too long.
    #[error("the document has {0} bytes, more than {MAX_DOCUMENT}")]
    TooLong(usize),
}

impl ModelDocument {
    /// Reads a model3.json.
    ///
    /// # Errors
    /// When it is not JSON, names no moc3 or texture, or a path leaves the bundle.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let value = parse(bytes)?;
        let files = value.get("FileReferences").ok_or(Error::Key("FileReferences"))?;
        let text = |key: &str| files.get(key).and_then(Value::as_str).map(str::to_owned);
        let mut document = Self {
            moc: text("Moc").ok_or(Error::Key("FileReferences.Moc"))?,
            textures: strings(files.get("Textures")),
            physics: text("Physics"),
            display: text("DisplayInfo"),
            pose: text("Pose"),
            ..Self::default()
        };
        for entry in list(files.get("Expressions")) {
            document.expressions.push((field(entry, "Name"), field(entry, "File")));
        }
        if let Some(motions) = files.get("Motions").and_then(Value::as_object) {
            for (group, entries) in motions {
                let paths = list(Some(entries)).map(|e| field(e, "File")).collect();
                document.motions.insert(group.clone(), paths);
            }
        }
        for entry in list(value.get("Groups")) {
            document.groups.insert(field(entry, "Name"), strings(entry.get("Ids")));
        }
        for entry in list(value.get("HitAreas")) {
            document.hit_areas.push((field(entry, "Id"), field(entry, "Name")));
        }
        let outside = document.files().find(|path| !is_inside(path)).map(str::to_owned);
        outside.map_or(Ok(document), |path| Err(Error::Path(path)))
    }

    /// Every file it refers to.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.moc)
            .chain(&self.textures)
            .chain(&self.physics)
            .chain(&self.display)
            .chain(&self.pose)
            .chain(self.expressions.iter().map(|e| &e.1))
            .chain(self.motions.values().flatten())
            .map(String::as_str)
    }
}

/// Parameter ids that a motion3.json drives.
///
/// # Errors
/// When it is not JSON.
pub fn motion_parameters(bytes: &[u8]) -> Result<Vec<String>, Error> {
    let value = parse(bytes)?;
    Ok(list(value.get("Curves"))
        .filter(|c| field(c, "Target") == "Parameter")
        .map(|c| field(c, "Id"))
        .collect())
}

/// Parameter ids that a physics3.json reads and drives.
///
/// # Errors
/// When it is not JSON.
pub fn physics_parameters(bytes: &[u8]) -> Result<Vec<String>, Error> {
    let value = parse(bytes)?;
    let mut ids = Vec::new();
    for setting in list(value.get("PhysicsSettings")) {
        let side = |list_key: &str, end: &str| -> Vec<String> {
            list(setting.get(list_key))
                .filter_map(|e| e.get(end)?.get("Id")?.as_str().map(str::to_owned))
                .collect()
        };
        ids.extend(side("Input", "Source"));
        ids.extend(side("Output", "Destination"));
    }
    Ok(ids)
}

/// Parameter ids that an exp3.json sets.
///
/// # Errors
/// When it is not JSON.
pub fn expression_parameters(bytes: &[u8]) -> Result<Vec<String>, Error> {
    let value = parse(bytes)?;
    Ok(list(value.get("Parameters")).map(|p| field(p, "Id")).collect())
}

pub(crate) fn parse(bytes: &[u8]) -> Result<Value, Error> {
    if bytes.len() > MAX_DOCUMENT {
        return Err(Error::TooLong(bytes.len()));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    Ok(serde_json::from_slice(bytes)?)
}

pub(crate) fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default().iter()
}

fn strings(value: Option<&Value>) -> Vec<String> {
    list(value).filter_map(Value::as_str).map(str::to_owned).collect()
}

pub(crate) fn field(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A relative path that never climbs out.
fn is_inside(path: &str) -> bool {
    !path.starts_with(['/', '\\'])
        && !path.contains('\0')
        && !path.contains(':')
        && path.split(['/', '\\']).all(|part| part != "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_refused(text: &str, expected: &str) {
        let error = ModelDocument::parse(text.as_bytes()).expect_err("must be refused");
        assert!(error.to_string().contains(expected), "{error}");
    }

    #[test]
    fn broken_documents_are_refused_with_the_reason() {
        check_refused("", "not a JSON document");
        check_refused("{}", "FileReferences");
        check_refused(r#"{"FileReferences":{"Textures":[]}}"#, "Moc");
        check_refused(r#"{"FileReferences":{"Moc":"../x.moc3"}}"#, "outside the bundle");
        check_refused(r#"{"FileReferences":{"Moc":"a","Textures":["/etc/passwd"]}}"#, "outside the bundle");
    }

    #[test]
    fn what_was_written_is_read() {
        let eye_blink = vec!["ParamEyeLOpen".into()];
        let puppet = puppet::Puppet { eye_blink, ..puppet::Puppet::default() };
        let names =
            crate::Names { stem: "m".to_owned(), page_size: 1024, pages: 2, language: crate::Language::En };
        let files = crate::documents(&puppet, &names);
        let model = files.iter().find(|f| f.0 == "m.model3.json").unwrap();
        let read = ModelDocument::parse(&model.1).unwrap();
        assert_eq!(read.moc, "m.moc3");
        assert_eq!(read.textures.len(), 2);
        assert_eq!(read.groups["EyeBlink"], ["ParamEyeLOpen"]);
    }
}
