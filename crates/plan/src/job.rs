//! One pure function call and its name.

use std::collections::BTreeMap;

use canonical::{BlobRef, Digest};
use serde::{Deserialize, Serialize};

use crate::action::Action;

/// What a job does (DESIGN 4). The order is the order in which a character passes through them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum JobKind {
    /// PSD bytes to layer tree and rasters.
    Ingest,
    /// Layer tree and rasters to meshes, limb trees, deformers.
    Rig,
    /// One limb tree to its skinned meshes, glue and parameters.
    Skeleton,
    /// Rig, skins and document to the authored puppet.
    Author,
    /// One body of the authored puppet to its simulation bake.
    Simulate,
    /// Authored puppet and bakes to the final unbound puppet, physics, motions.
    Finish,
    /// Tile sizes to page layout.
    AtlasLayout,
    /// One page's recipe and rasters to a PNG.
    AtlasPage,
    /// Final puppet and layout to a moc3 file.
    PackMoc3,
    /// Final puppet, layout and rasters to a cmo3 file.
    PackCmo3,
    /// The delivered model as pictures.
    Preview,
    /// The outputs of all targets to manifest and report.
    Bundle,
}

/// Name and version of every kind, in order. The version enters every key of the kind: its author raises it whenever
/// the kind's output bytes change for some input.
const KINDS: [(JobKind, &str, &str); 12] = [
    (JobKind::Ingest, "ingest", "1"),
    (JobKind::Rig, "rig", "11"),
    (JobKind::Skeleton, "skeleton", "1"),
    (JobKind::Author, "author", "2"),
    (JobKind::Simulate, "simulate", "1"),
    (JobKind::Finish, "finish", "4"),
    (JobKind::AtlasLayout, "atlas-layout", "1"),
    (JobKind::AtlasPage, "atlas-page", "1"),
    (JobKind::PackMoc3, "pack-moc3", "2"),
    (JobKind::PackCmo3, "pack-cmo3", "1"),
    (JobKind::Preview, "preview", "5"),
    (JobKind::Bundle, "bundle", "2"),
];

impl JobKind {
    /// Every kind, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().map(|(kind, ..)| *kind)
    }

    /// The name used in keys, on the wire and in messages: `ingest`, `atlas-page`, …
    pub fn name(self) -> &'static str {
        KINDS[self as usize].1
    }

    /// The version this program runs.
    pub fn version(self) -> &'static str {
        KINDS[self as usize].2
    }

    /// The kind of a name; `None` when there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        KINDS.iter().find(|(_, known, _)| *known == name).map(|(kind, ..)| *kind)
    }
}

impl std::fmt::Display for JobKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// The name of a job ([`Job::key`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct JobKey(pub Digest);

impl std::fmt::Display for JobKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::fmt::Debug for JobKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// One pure function call with all its inputs known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// What is done.
    pub kind: JobKind,
    /// The version of the kind that must do it; a worker of another version leaves it alone.
    pub version: String,
    /// The parameters in the kind's own encoding.
    pub params: Vec<u8>,
    /// The inputs by name.
    pub inputs: BTreeMap<String, BlobRef>,
}

impl Job {
    /// The job's name: the digest of its [`Action`], which holds all its fields and nothing else.
    pub fn key(&self) -> JobKey {
        JobKey(Action::of(self).digest())
    }

    /// Total length of the inputs in bytes; saturates.
    pub fn input_bytes(&self) -> u64 {
        self.inputs.values().fold(0, |sum, blob| sum.saturating_add(blob.len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> Job {
        Job {
            kind: JobKind::AtlasPage,
            version: "7".into(),
            params: b"page=0".to_vec(),
            inputs: BTreeMap::from([
                ("recipe".into(), BlobRef::of(b"r")),
                ("raster/a".into(), BlobRef::of(b"a")),
            ]),
        }
    }

    #[test]
    fn table_is_in_order_and_names_are_unique() {
        for (index, (kind, name, _)) in KINDS.iter().enumerate() {
            assert_eq!(*kind as usize, index);
            assert_eq!(JobKind::from_name(name), Some(*kind));
        }
        assert_eq!(JobKind::from_name("Ingest"), None);
    }

    #[test]
    fn golden_key() {
        assert_eq!(
            job().key().to_string(),
            "e63ce56f880c4aba1f5aaa4d8039f3f2513998c24abe628196472bc8c54a28d3"
        );
    }

    #[test]
    fn everything_enters_the_key() {
        let base = job().key();
        let changes: [fn(&mut Job); 7] = [
            |job| job.kind = JobKind::Bundle,
            |job| job.version.push('1'),
            |job| job.params.push(0),
            |job| {
                job.inputs.remove("recipe");
            },
            |job| {
                job.inputs.insert("recipe".into(), BlobRef::of(b"R"));
            },
            |job| {
                job.inputs.insert("recipe2".into(), BlobRef::of(b"r"));
            },
            |job| job.inputs.get_mut("recipe").unwrap().len = 2,
        ];
        for (index, change) in changes.iter().enumerate() {
            let mut other = job();
            change(&mut other);
            assert_ne!(other.key(), base, "change {index}");
        }
    }
}
