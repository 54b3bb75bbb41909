//! `atlas-page`: expands to one node a page, draws a page, gathers them.

use std::collections::BTreeMap;

use atlas::{Layout, Placement};
use canonical::BlobRef;
use plan::{JobFailure, JobKind, NodeTemplate, Outcome, Subgraph};
use serde::{Deserialize, Serialize};

use crate::codec;
use crate::inputs::Inputs;

/// What one page shows: its side, the bleed and every tile's place. Rasters are the inputs `raster/<tile index>`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Recipe {
    page_size: u32,
    padding: u32,
    tiles: Vec<Placement>,
}

/// Which rasters the tiles show: tile id to the raster blob.
pub(crate) type TileRasters = BTreeMap<String, BlobRef>;

/// Runs one of the three forms, told apart by the parameters.
pub(crate) fn run(params: &[u8], inputs: &Inputs) -> Result<Outcome, JobFailure> {
    match params {
        b"expand" => expand(inputs),
        b"gather" => Ok(gather(inputs)),
        recipe => draw(&codec::decode("recipe", recipe)?, inputs),
    }
}

fn expand(inputs: &Inputs) -> Result<Outcome, JobFailure> {
    let layout: Layout = inputs.value("layout")?;
    let rasters: TileRasters = inputs.value("tiles")?;
    let mut nodes = Vec::new();
    let mut gather = NodeTemplate::new("gather", JobKind::AtlasPage, b"gather".to_vec());
    for page in 0..layout.pages {
        let tiles: Vec<Placement> = layout
            .placements
            .iter()
            .filter(|p| p.page == page)
            .map(|p| Placement { page: 0, ..p.clone() })
            .collect();
        let mut inputs = Vec::new();
        for (index, place) in tiles.iter().enumerate() {
            let blob = rasters.get(&place.tile).ok_or_else(|| {
                JobFailure::deterministic("tile-missing", format!("tile {} has no raster", place.tile))
            })?;
            inputs.push((format!("raster/{index:05}"), *blob));
        }
        // Names of tiles do not change a page's pixels: they stay out of its key.
        let tiles = tiles.into_iter().map(|p| Placement { tile: String::new(), ..p }).collect();
        let recipe = Recipe { page_size: layout.page_size, padding: layout.padding, tiles };
        let name = format!("page-{page:02}");
        let node = NodeTemplate::new(&name, JobKind::AtlasPage, codec::encode(&recipe)?);
        nodes.push(inputs.into_iter().fold(node, |node, (input, blob)| node.blob(input, blob)));
        gather = gather.output(format!("page/{page:02}"), &name, "png");
    }
    nodes.push(gather);
    let subgraph = Subgraph::new(nodes, "gather")
        .map_err(|e| JobFailure::deterministic("graph-invalid", e.to_string()))?;
    Ok(Outcome { outputs: BTreeMap::new(), subgraph: Some(subgraph) })
}

/// The pages under one node: `page/00`, `page/01`, ...
fn gather(inputs: &Inputs) -> Outcome {
    let outputs = inputs.0.iter().map(|(name, bytes)| (name.clone(), bytes.to_vec())).collect();
    Outcome { outputs, subgraph: None }
}

fn draw(recipe: &Recipe, inputs: &Inputs) -> Result<Outcome, JobFailure> {
    let rasters = inputs.rasters("raster")?;
    let tiles: Vec<(&Placement, &raster::Rgba)> =
        recipe.tiles.iter().zip(rasters.values()).map(|(place, image)| (place, &**image)).collect();
    let page = atlas::compose(recipe.page_size, recipe.padding, &tiles);
    let png =
        atlas::encode_png(&page).map_err(|e| JobFailure::deterministic("page-not-encoded", e.to_string()))?;
    Ok(Outcome { outputs: BTreeMap::from([("png".to_owned(), png)]), subgraph: None })
}
