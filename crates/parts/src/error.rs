//! Why layers cannot be cast.

/// Why artwork yields no cast.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Nothing is left to rig.
    #[error(
        "no layer of the character is shown ({layers} layers): all are backgrounds or hidden; set layers.\"name\".visible = true"
    )]
    NothingShown {
        /// Layers given.
        layers: usize,
    },
    /// The images do not go with the layers.
    #[error("{layers} layers came with {images} images: give one image per layer in the same order")]
    ImagesMismatch {
        /// Layers given.
        layers: usize,
        /// Images given.
        images: usize,
    },
}
