//! Original layered characters drawn from a seed.
//!
//! [`draw`] is a pure function: the same request gives the same pixels on every machine. The layers carry the names
//! that segmentation tools and riggers use (`front hair`, `eyelash-l`, ... with `-l` the character's own left), and
//! every part is complete behind the others, so that a rig can move them.

mod design;
mod figure;
mod rng;

mod arms;
mod cloth;
mod eyes;
mod face;
mod hair;
mod legs;
mod limb;
mod lock;
mod mouth;
mod ornaments;
mod skirt;
mod top;

mod ink;

use psd::{ColorMode, Document};

/// What to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Any number; each is another character.
    pub seed: u64,
    /// Height of the canvas in pixels, taken as at least 64 and at most 8192. The width is two thirds of it, even.
    pub size: u32,
}

impl Default for Request {
    /// Seed 0 at 2048 pixels.
    fn default() -> Self {
        Self { seed: 0, size: 2048 }
    }
}

/// Draws a standing character seen from the front on a transparent canvas: 35 to 45 layers, bottom to top.
pub fn draw(request: &Request) -> Document {
    let height = request.size.clamp(64, 8192);
    let design = design::Design::new(request.seed);
    let (width, layers) = figure::layers(&design, height);
    Document { width, height, mode: ColorMode::Rgb, depth: 8, layers, notices: Vec::new() }
}
