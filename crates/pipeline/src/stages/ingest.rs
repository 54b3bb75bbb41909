//! `ingest`: PSD bytes to a layer tree and rasters.

use std::sync::Arc;

use artwork::Artwork;
use plan::{JobFailure, Outcome};
use raster::Rgba;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::codec;
use crate::inputs::Inputs;
use crate::params::IngestParams;

/// Reads `art`, gives `tree` (an [`Artwork`]) and one `raster/<content>` per distinct layer image.
pub(crate) fn run(params: &IngestParams, inputs: &Inputs) -> Result<Outcome, JobFailure> {
    let document = psd::read(inputs.bytes("art")?, &params.limits())
        .map_err(|e| JobFailure::deterministic("art-unreadable", told(&e)))?;
    let (tree, images) = artwork::clean(document, &params.import)
        .map_err(|e| JobFailure::deterministic("art-unusable", e.to_string()))?;
    let mut outcome = Outcome::default();
    outcome.outputs.insert("tree".to_owned(), codec::encode(&tree)?);
    outcome.outputs.extend(rasters(&tree, images));
    Ok(outcome)
}

/// The error and, where a setting is the way out, its name.
fn told(error: &psd::Error) -> String {
    match error {
        psd::Error::OverLimit { what: psd::Limits::PIXELS, .. } => {
            format!("{error}; import.max_pixels_mib raises it")
        }
        _ => error.to_string(),
    }
}

/// Each image goes as soon as it is encoded.
fn rasters(tree: &Artwork, images: Vec<Arc<Rgba>>) -> Vec<(String, Vec<u8>)> {
    let encoded: Vec<Vec<u8>> = images.into_par_iter().map(|image| codec::encode_raster(&image)).collect();
    tree.layers.iter().zip(encoded).map(|(layer, bytes)| (raster_name(&layer.content), bytes)).collect()
}

/// Output name of the raster with this content digest.
pub(crate) fn raster_name(content: &str) -> String {
    format!("raster/{content}")
}
