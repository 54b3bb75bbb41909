//! What can go wrong.

/// A picture that cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model's links or sizes are broken.
    #[error("the model cannot be evaluated: {0}")]
    Model(#[from] moc3::Error),
    /// A drawable asks for a page that was not given.
    #[error("{drawable} uses texture page {page}, but there are only {pages}")]
    NoPage {
        /// Id of the drawable.
        drawable: String,
        /// Page it asks for, from 0.
        page: u32,
        /// Pages there are.
        pages: usize,
    },
    /// A page without pixels.
    #[error("texture page {0} is empty")]
    EmptyPage(usize),
    /// The model has no such parameter.
    #[error("no parameter {0}")]
    NoParameter(String),
    /// The canvas or the crop is not an area, or a side of the picture is 0 or above the limit.
    #[error("a picture of {width} x {height} pixels cannot be drawn; sides go from 1 to {limit}")]
    Size {
        /// Width asked for.
        width: u32,
        /// Height asked for.
        height: u32,
        /// Largest side.
        limit: u32,
    },
    /// An animation needs frames of one size.
    #[error("an animation needs at least one frame, all of one size")]
    Frames,
    /// The PNG encoder refused the picture.
    #[error("the picture cannot be encoded: {0}")]
    Encode(#[from] png::EncodingError),
}
