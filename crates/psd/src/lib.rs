//! PSD and PSB bytes to a layer tree, and a small writer for tests and samples.

mod document;

pub use document::{Blend, ColorMode, Document, Layer, LayerKind, Mask, Notice, Pixels};
