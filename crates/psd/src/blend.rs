//! The four-letter keys of blend modes.

use crate::Blend;

/// Every known key.
pub(crate) const KEYS: [(&[u8; 4], Blend); 28] = [
    (b"pass", Blend::PassThrough),
    (b"norm", Blend::Normal),
    (b"diss", Blend::Dissolve),
    (b"dark", Blend::Darken),
    (b"mul ", Blend::Multiply),
    (b"idiv", Blend::ColorBurn),
    (b"lbrn", Blend::LinearBurn),
    (b"dkCl", Blend::DarkerColor),
    (b"lite", Blend::Lighten),
    (b"scrn", Blend::Screen),
    (b"div ", Blend::ColorDodge),
    (b"lddg", Blend::LinearDodge),
    (b"lgCl", Blend::LighterColor),
    (b"over", Blend::Overlay),
    (b"sLit", Blend::SoftLight),
    (b"hLit", Blend::HardLight),
    (b"vLit", Blend::VividLight),
    (b"lLit", Blend::LinearLight),
    (b"pLit", Blend::PinLight),
    (b"hMix", Blend::HardMix),
    (b"diff", Blend::Difference),
    (b"smud", Blend::Exclusion),
    (b"fsub", Blend::Subtract),
    (b"fdiv", Blend::Divide),
    (b"hue ", Blend::Hue),
    (b"sat ", Blend::Saturation),
    (b"colr", Blend::Color),
    (b"lum ", Blend::Luminosity),
];

impl Blend {
    /// From the four bytes of the file.
    pub fn from_key(key: [u8; 4]) -> Self {
        KEYS.iter().find(|(known, _)| **known == key).map_or(Self::Unknown(key), |(_, blend)| *blend)
    }

    /// The four bytes of the file.
    pub fn key(self) -> [u8; 4] {
        if let Self::Unknown(key) = self {
            return key;
        }
        KEYS.iter().find(|(_, blend)| *blend == self).map_or(*b"norm", |(key, _)| **key)
    }
}
