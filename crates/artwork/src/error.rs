//! Why art cannot be cleaned.

/// Why a document yields no artwork.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No layer holds a pixel.
    #[error(
        "the file has no layer with visible pixels ({folders} folders, {others} layers without pixels of their own): \
         rasterise texts, shapes and fills, and save with layers"
    )]
    NoPixels {
        /// Folders seen.
        folders: usize,
        /// Adjustment layers and empty layers seen.
        others: usize,
    },
    /// Layers hold pixels, but none is art.
    #[error(
        "no layer is left of {layers}: {specks} hold fewer than 5 visible pixels, {faint} are fainter than \
         import.alpha_threshold, {beyond} lie outside the canvas; draw on the canvas, or lower the threshold"
    )]
    NothingLeft {
        /// Layers with pixels.
        layers: usize,
        /// Those of a few pixels.
        specks: usize,
        /// Those without a pixel of the least alpha.
        faint: usize,
        /// Those off the canvas.
        beyond: usize,
    },
    /// Layers hold pixels, but every one is switched off or fully transparent.
    #[error(
        "none of the {hidden} layers is shown (first: `{first}`): switch on the layers of the default look before saving"
    )]
    AllHidden {
        /// Layers with pixels.
        hidden: usize,
        /// Path of the first.
        first: String,
    },
}
