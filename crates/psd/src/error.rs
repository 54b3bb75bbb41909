//! What can go wrong.

use crate::ColorMode;

/// Why a file could not be read, or a document not be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The first four bytes are another file's.
    #[error("not a PSD or PSB: the file does not begin with \"8BPS\"")]
    NotPsd,
    /// The header's version is neither 1 (PSD) nor 2 (PSB).
    #[error("PSD version {0} is unknown: save as PSD (version 1) or PSB (version 2)")]
    UnknownVersion(u16),
    /// A header field is outside what the format allows.
    #[error("the header's {field} is {value}, which the format does not allow")]
    BadHeader {
        /// Which field.
        field: &'static str,
        /// What it holds.
        value: u64,
    },
    /// The file, or one of its sections, ends too early.
    #[error("the file is cut short: {what} needs {needed} bytes at byte {offset}, {left} are left")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Where, in bytes from the start of the file.
        offset: u64,
        /// Bytes wanted.
        needed: u64,
        /// Bytes there.
        left: u64,
    },
    /// A structure contradicts the format.
    #[error("the file is damaged at byte {offset}: {what}")]
    Damaged {
        /// What is wrong.
        what: &'static str,
        /// Where, in bytes from the start of the file.
        offset: u64,
    },
    /// More than [`crate::Limits`] allow.
    #[error("{what} would be {value}, more than the limit of {limit}")]
    OverLimit {
        /// What is too much.
        what: &'static str,
        /// How much the file asks for.
        value: u64,
        /// How much is allowed.
        limit: u64,
    },
    /// A layer's channel, or one of the merged image (layer name "merged image"), cannot be decoded.
    #[error("layer {layer:?}, channel {channel}: {fault}")]
    Channel {
        /// The layer's name.
        layer: String,
        /// Channel id: 0.. colour, -1 alpha, -2 mask, -3 real user mask.
        channel: i16,
        /// What is wrong with it.
        fault: ChannelFault,
    },
    /// The colour mode, at this depth, has no conversion to RGB.
    #[error("colour mode {mode:?} at {depth} bits cannot be converted: save the file as 8-bit RGB")]
    UnsupportedMode {
        /// Colour mode of the file.
        mode: ColorMode,
        /// Bits per channel.
        depth: u16,
    },
    /// The writer cannot express something of the document.
    #[error("layer {layer:?} cannot be written: {reason}")]
    Unwritable {
        /// The layer's name; empty for the document itself.
        layer: String,
        /// Why, and the way out.
        reason: &'static str,
    },
}

/// What is wrong with one channel's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChannelFault {
    /// The compression word is none of 0 (raw), 1 (RLE), 2 (ZIP), 3 (ZIP with prediction).
    #[error("unknown compression {0}")]
    Compression(u16),
    /// Fewer bytes than the rectangle needs.
    #[error("its data ends too early")]
    Short,
    /// An RLE row does not fill its row exactly.
    #[error("an RLE row has the wrong length")]
    Row,
    /// The ZIP stream is not one.
    #[error("its ZIP stream is damaged")]
    Zip,
    /// The ZIP stream holds more than the rectangle.
    #[error("its ZIP stream holds more than its rectangle")]
    Long,
    /// Samples of this many bits have no meaning here.
    #[error("{0} bits per sample are not supported")]
    Depth(u16),
}
