//! Tile sizes to a page layout, and one page's tiles to pixels.
//!
//! [`layout`] is integer arithmetic on sizes alone (DOCUMENT_LAYER 10.1); [`compose`] draws one page and bleeds edge
//! colours into the transparent surroundings, so that bilinear sampling never meets black; [`encode_png`] is pinned.

mod fit;
mod max_rects;
mod page;
mod png_file;

pub use fit::{Item, Layout, Notice, Placement, Settings, layout};
pub use page::compose;
pub use png_file::{Error, decode_png, encode_png};
