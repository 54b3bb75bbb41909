//! How drawables and offscreens blend (MOC3_FORMAT 6.7).

/// Blend modes that every version knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlendMode {
    /// Source over.
    #[default]
    Normal,
    /// Adds light.
    Additive,
    /// Darkens.
    Multiplicative,
}

/// The flags byte of a drawable or offscreen.
///
/// Bits 0-1 blend mode (0 normal, 1 additive, 2 multiplicative), bit 2 double sided, bit 3 inverted mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags(pub u8);

impl Flags {
    /// Culling off.
    const DOUBLE_SIDED: u8 = 4;
    /// Masks show the outside.
    const INVERTED_MASK: u8 = 8;

    /// A double-sided drawable, as the editor makes it.
    pub fn new(blend: BlendMode, inverted_mask: bool) -> Self {
        let inverted = if inverted_mask { Self::INVERTED_MASK } else { 0 };
        Self(blend as u8 | Self::DOUBLE_SIDED | inverted)
    }
    /// The blend mode; 3 means additive, as in the Core.
    pub fn blend(self) -> BlendMode {
        match self.0 & 3 {
            0 => BlendMode::Normal,
            2 => BlendMode::Multiplicative,
            _ => BlendMode::Additive,
        }
    }
    /// Both sides are drawn.
    pub fn double_sided(self) -> bool {
        self.0 & Self::DOUBLE_SIDED != 0
    }
    /// Masks show the outside.
    pub fn inverted_mask(self) -> bool {
        self.0 & Self::INVERTED_MASK != 0
    }
}

impl Default for Flags {
    /// Normal blending, double sided.
    fn default() -> Self {
        Self::new(BlendMode::Normal, false)
    }
}

/// Blending of version 5.3: how colours mix, and how coverage does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtendedBlend {
    /// Colours.
    pub color: ColorBlend,
    /// Coverage.
    pub alpha: AlphaBlend,
}

impl ExtendedBlend {
    /// The stored value: colour in the low byte, coverage in the next.
    pub fn code(self) -> i32 {
        self.color as i32 | (self.alpha as i32) << 8
    }
    /// The meaning of a stored value; `None` for unknown ones, which the Core refuses.
    pub fn from_code(code: i32) -> Option<Self> {
        let color = ColorBlend::ALL.into_iter().find(|color| *color as i32 == code & 0xff)?;
        let alpha = AlphaBlend::ALL.into_iter().find(|alpha| *alpha as i32 == code >> 8)?;
        Some(Self { color, alpha })
    }
}

impl From<BlendMode> for ExtendedBlend {
    fn from(mode: BlendMode) -> Self {
        let color = match mode {
            BlendMode::Normal => ColorBlend::Normal,
            BlendMode::Additive => ColorBlend::AddCompatible,
            BlendMode::Multiplicative => ColorBlend::MultiplyCompatible,
        };
        Self { color, alpha: AlphaBlend::Over }
    }
}

/// How colours mix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the editor")]
pub enum ColorBlend {
    #[default]
    Normal,
    /// Additive as in earlier versions.
    AddCompatible,
    /// Multiplicative as in earlier versions.
    MultiplyCompatible,
    Add,
    AddGlow,
    Darken,
    Multiply,
    ColorBurn,
    LinearBurn,
    Lighten,
    Screen,
    ColorDodge,
    Overlay,
    SoftLight,
    HardLight,
    LinearLight,
    Hue,
    Color,
}

impl ColorBlend {
    /// All, in the order of their codes.
    pub const ALL: [Self; 18] = [
        Self::Normal,
        Self::AddCompatible,
        Self::MultiplyCompatible,
        Self::Add,
        Self::AddGlow,
        Self::Darken,
        Self::Multiply,
        Self::ColorBurn,
        Self::LinearBurn,
        Self::Lighten,
        Self::Screen,
        Self::ColorDodge,
        Self::Overlay,
        Self::SoftLight,
        Self::HardLight,
        Self::LinearLight,
        Self::Hue,
        Self::Color,
    ];
}

/// How coverage mixes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the editor")]
pub enum AlphaBlend {
    #[default]
    Over,
    Atop,
    Out,
    ConjointOver,
    DisjointOver,
}

impl AlphaBlend {
    /// All, in the order of their codes.
    pub const ALL: [Self; 5] = [Self::Over, Self::Atop, Self::Out, Self::ConjointOver, Self::DisjointOver];
}
