//! What a PSD holds, as plain values.

use geom::IntRect;
use raster::{Alpha, Rgba};

/// A decoded PSD or PSB.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Canvas width in pixels.
    pub width: u32,
    /// Canvas height in pixels.
    pub height: u32,
    /// Colour mode of the file.
    pub mode: ColorMode,
    /// Bits per channel of the file: 1, 8, 16 or 32. Pixels here are always 8 bits.
    pub depth: u16,
    /// The layer tree, bottom to top.
    pub layers: Vec<Layer>,
    /// What was skipped, converted or approximated, in file order.
    pub notices: Vec<Notice>,
}

/// Colour mode of the file's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorMode {
    /// One bit per pixel.
    Bitmap,
    /// Grey.
    Grayscale,
    /// Palette.
    Indexed,
    /// Red, green, blue.
    Rgb,
    /// Cyan, magenta, yellow, black.
    Cmyk,
    /// Any number of ink channels.
    Multichannel,
    /// Grey with ink curves.
    Duotone,
    /// CIE L*a*b*.
    Lab,
}

/// One layer or folder.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Photoshop's layer id (`lyid`); not every program writes one, and copies may repeat it.
    pub id: Option<u32>,
    /// The unicode name (`luni`), else the Pascal name decoded as well as possible.
    pub name: String,
    /// The layer's own eye, not that of its folders.
    pub visible: bool,
    /// Opacity 0..=255.
    pub opacity: u8,
    /// Fill opacity 0..=255 (`iOpa`).
    pub fill: u8,
    /// Blend mode.
    pub blend: Blend,
    /// Clipped to the nearest layer or folder below it in the same folder that is not clipped.
    pub clipping: bool,
    /// The user's layer mask, if any and enabled.
    pub mask: Option<Mask>,
    /// Pixels or children.
    pub kind: LayerKind,
}

/// What a layer is.
#[derive(Clone, Debug, PartialEq)]
pub enum LayerKind {
    /// A folder with its children, bottom to top. Its blend may be [`Blend::PassThrough`].
    Group(Vec<Layer>),
    /// Pixels.
    Pixels(Pixels),
    /// An adjustment, fill or other layer that has no pixels of its own; the word is its kind (`levels`, `solid color`, ...).
    Effect(String),
}

/// A layer's own pixels: only its rectangle, never the canvas.
#[derive(Clone, Debug, PartialEq)]
pub struct Pixels {
    /// Where they lie on the canvas; may reach beyond it.
    pub rect: IntRect,
    /// Straight-alpha pixels of exactly `rect`'s size. Masks, opacity and clipping are not applied.
    pub image: Rgba,
}

/// A layer mask.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    /// Where the values lie on the canvas.
    pub rect: IntRect,
    /// Values of exactly `rect`'s size: 255 shows, 0 hides.
    pub alpha: Alpha,
    /// The value everywhere outside `rect`: 0 or 255, or between them where the mask's density is lowered.
    pub outside: u8,
}

/// Blend mode of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blend {
    /// Folder without compositing of its own.
    PassThrough,
    /// `norm`.
    Normal,
    /// `diss`.
    Dissolve,
    /// `dark`.
    Darken,
    /// `mul `.
    Multiply,
    /// `idiv`.
    ColorBurn,
    /// `lbrn`.
    LinearBurn,
    /// `dkCl`.
    DarkerColor,
    /// `lite`.
    Lighten,
    /// `scrn`.
    Screen,
    /// `div `.
    ColorDodge,
    /// `lddg`: linear dodge, also called add.
    LinearDodge,
    /// `lgCl`.
    LighterColor,
    /// `over`.
    Overlay,
    /// `sLit`.
    SoftLight,
    /// `hLit`.
    HardLight,
    /// `vLit`.
    VividLight,
    /// `lLit`.
    LinearLight,
    /// `pLit`.
    PinLight,
    /// `hMix`.
    HardMix,
    /// `diff`.
    Difference,
    /// `smud`.
    Exclusion,
    /// `fsub`.
    Subtract,
    /// `fdiv`.
    Divide,
    /// `hue `.
    Hue,
    /// `sat `.
    Saturation,
    /// `colr`.
    Color,
    /// `lum `.
    Luminosity,
    /// A key this reader does not know; drawn as normal. The four bytes of the file.
    Unknown([u8; 4]),
}

/// Something a reader should be told about.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Stable code. Of the file: `no-layers`, `color-converted`, `depth-reduced`, `color-profile-ignored`,
    /// `resources-damaged`, `merged-image-damaged`, `notices-left-out`. Of a layer: `layer-style-ignored`,
    /// `layer-rasterized` (text, smart object, fill or adjustment with pixels), `layer-effect-ignored` (such a one
    /// without), `blend-unknown`, `blend-if-ignored`, `channel-missing`, `channel-ignored`, `pixels-missing`,
    /// `mask-disabled`, `mask-relative`, `mask-density-ignored`, `mask-feather-ignored`, `vector-mask-rendered`,
    /// `vector-mask-ignored`, `folder-unbalanced`.
    pub code: &'static str,
    /// Names of the folders and the layer, outermost first; empty for the whole file.
    pub path: Vec<String>,
    /// What happened, in a sentence.
    pub message: String,
}
