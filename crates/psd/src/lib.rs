//! PSD and PSB bytes to a layer tree, and a small writer for tests and samples.
//!
//! [`read`] decodes every layer to 8-bit straight RGBA of its own rectangle; [`probe`] looks at the header alone;
//! [`write`](write()) makes files that other programs open. Bytes are never trusted: every failure is an [`Error`],
//! everything approximated is a [`Notice`], and [`Limits`] bound the memory.

mod blend;
mod codec;
mod document;
mod error;
mod limits;
mod read;
mod write;

pub use codec::Compression;
pub use document::{Blend, ColorMode, Document, Layer, LayerKind, Mask, Notice, Pixels};
pub use error::{ChannelFault, Error};
pub use limits::Limits;
pub use read::{Header, probe, read};
pub use write::{WriteOptions, write};
