//! Tile sizes to a page layout, and one page's tiles to pixels.
