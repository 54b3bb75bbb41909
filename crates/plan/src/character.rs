//! The graph template of one character: which nodes a character consists of before any job has run (DESIGN 4).
//!
//! The template only names kinds, versions, parameters and references; what a job finds in the art (limbs, bodies,
//! pages) arrives later as a [`crate::Subgraph`] in that job's result.

use canonical::BlobRef;

use crate::graph::{Graph, GraphError, NodeTemplate};
use crate::job::JobKind;

/// Name of the node whose outputs are delivered: `manifest` and one `file/<path>` per document.
pub const BUNDLE: &str = "bundle";

/// Name of the node that gives one `picture/<path>` per picture.
pub const PREVIEW: &str = "preview";

/// The parameters of each kind, in the kind's own encoding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params {
    /// Import settings.
    pub ingest: Vec<u8>,
    /// Rig settings.
    pub rig: Vec<u8>,
    /// Physics and motion settings.
    pub finish: Vec<u8>,
    /// Atlas settings.
    pub atlas_layout: Vec<u8>,
    /// Export settings of the moc3 file.
    pub pack_moc3: Vec<u8>,
    /// File stem and names.
    pub bundle: Vec<u8>,
    /// Picture settings; `None` when pictures are not asked for.
    pub preview: Option<Vec<u8>>,
}

/// The nodes of one character.
///
/// ```text
/// art -> ingest -> rig -> author -> finish -> pack-moc3 -> bundle
///            \       \-> atlas-layout -> pages ->/
/// ```
///
/// `atlas-layout` reads tile sizes alone, so that repainting a layer does not move it; `pages` reads the layout and the
/// names of the rasters and expands to one node a page, so that only repainted pages are drawn again.
///
/// # Errors
/// Never for this template; the type is [`Graph::new`]'s.
pub fn graph(art: BlobRef, params: Params) -> Result<Graph, GraphError> {
    let mut nodes = vec![
        NodeTemplate::new("ingest", JobKind::Ingest, params.ingest).blob("art", art),
        NodeTemplate::new("rig", JobKind::Rig, params.rig)
            .output("tree", "ingest", "tree")
            .outputs("raster", "ingest", "raster/"),
        NodeTemplate::new("author", JobKind::Author, Vec::new())
            .output("scaffold", "rig", "scaffold")
            .outputs("drawable", "rig", "drawable/")
            .output("host", "rig", "host")
            .outputs("skin", "rig", "skin/"),
        NodeTemplate::new("finish", JobKind::Finish, params.finish).output("puppet", "author", "puppet"),
        NodeTemplate::new("atlas-layout", JobKind::AtlasLayout, params.atlas_layout)
            .output("sizes", "rig", "sizes"),
        NodeTemplate::new("pages", JobKind::AtlasPage, b"expand".to_vec())
            .output("layout", "atlas-layout", "layout")
            .output("tiles", "rig", "tiles"),
        NodeTemplate::new("pack-moc3", JobKind::PackMoc3, params.pack_moc3)
            .output("puppet", "finish", "puppet")
            .output("layout", "atlas-layout", "layout"),
        NodeTemplate::new(BUNDLE, JobKind::Bundle, params.bundle)
            .output("puppet", "finish", "puppet")
            .output("layout", "atlas-layout", "layout")
            .output("moc3", "pack-moc3", "moc3")
            .output("audits", "pack-moc3", "audits")
            .output("report", "rig", "report")
            .output("notes", "author", "notes")
            .outputs("page", "pages", "page/"),
    ];
    let mut wanted = vec![BUNDLE.to_owned()];
    if let Some(preview) = params.preview {
        nodes.push(
            NodeTemplate::new(PREVIEW, JobKind::Preview, preview)
                .output("moc3", "pack-moc3", "moc3")
                .output("audits", "pack-moc3", "audits")
                .output("puppet", "finish", "puppet")
                .output("layout", "atlas-layout", "layout")
                .output("report", "rig", "report")
                .output("notes", "author", "notes")
                .outputs("page", "pages", "page/"),
        );
        wanted.push(PREVIEW.to_owned());
    }
    Graph::new(nodes, wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_a_sound_graph() {
        let params = Params { preview: Some(Vec::new()), ..Params::default() };
        let graph = graph(BlobRef::of(b"art"), params).unwrap();
        assert_eq!(graph.wanted(), ["bundle", "preview"]);
    }
}
