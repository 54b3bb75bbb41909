//! What a seed decides: colours, hair, eyes, clothes, proportions.

use crate::ink::color::Color;
use crate::rng::Rng;

/// One character on paper.
#[derive(Clone, Debug)]
pub(crate) struct Design {
    pub(crate) skin: Skin,
    pub(crate) hair: Ramp,
    pub(crate) eye: EyeColors,
    pub(crate) cloth: Cloth,
    pub(crate) style: HairStyle,
    pub(crate) bangs: Bangs,
    pub(crate) eyes: EyeShape,
    pub(crate) top: Top,
    pub(crate) sleeves: Sleeves,
    pub(crate) skirt: Skirt,
    pub(crate) legs: Legs,
    pub(crate) shoes: Shoes,
    pub(crate) headwear: Headwear,
    pub(crate) tail: bool,
    pub(crate) wings: bool,
    pub(crate) earrings: bool,
    pub(crate) ahoge: bool,
    /// Heads in the body height, 4.2..=5.8.
    pub(crate) heads: f64,
    /// Side of the swept bangs and of the single ornaments: -1 or 1.
    pub(crate) side: f64,
}

/// Skin colours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Skin {
    pub(crate) base: Color,
    pub(crate) shade: Color,
    pub(crate) deep: Color,
    pub(crate) line: Color,
    pub(crate) blush: Color,
}

/// A material from its line to its shine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ramp {
    pub(crate) base: Color,
    pub(crate) light: Color,
    pub(crate) shine: Color,
    pub(crate) shade: Color,
    pub(crate) deep: Color,
    pub(crate) line: Color,
    /// What the ends fade to; transparent for nothing.
    pub(crate) tip: Color,
}

/// Iris colours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EyeColors {
    pub(crate) dark: Color,
    pub(crate) mid: Color,
    pub(crate) bright: Color,
}

/// Clothes: three materials that go together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cloth {
    pub(crate) main: Ramp,
    pub(crate) second: Ramp,
    pub(crate) accent: Ramp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HairStyle {
    Long,
    Bob,
    Twin,
    Short,
    Pony,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bangs {
    Full,
    Parted,
    Swept,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EyeShape {
    Round,
    Gentle,
    Sharp,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Top {
    Sailor,
    Vest,
    Dress,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sleeves {
    Puff,
    Long,
    Bell,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skirt {
    Pleated,
    Frilled,
    Tiered,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Legs {
    KneeSocks,
    ThighHighs,
    Tights,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shoes {
    Loafers,
    Boots,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Headwear {
    SideRibbon,
    BigRibbon,
    HairBand,
    CatEars,
    Flower,
}

impl Ramp {
    /// A matt material: cloth.
    pub(crate) fn cloth(base: Color) -> Self {
        let [l, c, h] = base.oklch();
        let turn = cool(h);
        let ink = Color::hex(0x2A_20_33);
        if l > 0.85 {
            // White cloth is shaded towards lavender, cream towards rose, not grey.
            let tint = if c < 0.02 { Color::hex(0xB8_B6_E4) } else { Color::hex(0xD8_A8_A8) };
            return Self {
                base,
                light: base.mix(Color::hex(0xFF_FF_FF), 0.5),
                shine: Color::hex(0xFF_FF_FF),
                shade: base.tune(0.94, 1.3, 0.0).mix(tint, 0.34),
                deep: base.tune(0.86, 1.3, 0.0).mix(tint, 0.55),
                line: base.tune(0.38, 1.0, 0.0).mix(ink, 0.6),
                tip: base.alpha(0.0),
            };
        }
        Self {
            base,
            light: base.tune(1.08, 0.97, -0.3 * turn),
            shine: base.tune(1.22, 0.8, -0.5 * turn),
            shade: base.tune(0.82, 1.03, 0.6 * turn),
            deep: base.tune(0.68, 1.0, turn),
            line: base.tune(0.38, 0.9, turn).mix(ink, 0.5),
            tip: base.alpha(0.0),
        }
    }
    /// A glossy material: hair.
    pub(crate) fn hair(base: Color) -> Self {
        let [l, c, h] = base.oklch();
        let turn = cool(h);
        let shine =
            Color::from_oklch(l + (1.0 - l) * 0.52, c * if l < 0.4 { 1.25 } else { 0.72 }, h - 0.5 * turn);
        Self {
            base,
            light: base.tune(if l < 0.45 { 1.16 } else { 1.07 }, 1.0, -0.4 * turn),
            shine,
            shade: base.tune(0.84, 1.06, 0.8 * turn),
            deep: base.tune(0.70, 1.04, 1.2 * turn),
            line: base.tune(0.42, 0.95, 1.4 * turn).mix(Color::hex(0x2B_1D_2E), 0.35),
            tip: base.alpha(0.0),
        }
    }
}

/// Degrees by which a shadow of this hue turns: towards violet, the short way round for the eye (yellow over red).
fn cool(hue: f64) -> f64 {
    let h = hue.rem_euclid(360.0);
    match h {
        _ if h < 120.0 => -(12.0 + h * 0.08),
        _ if h < 290.0 => ((290.0 - h) * 0.5).min(16.0),
        _ => -((h - 290.0) * 0.4).min(14.0),
    }
}

const SKINS: [(u32, u32, u32, u32); 4] = [
    (0xFF_EE_E4, 0xF8_C9_BC, 0xE9_A3_9C, 0x8A_45_42),
    (0xFF_E6_D6, 0xF3_BD_A7, 0xDF_97_88, 0x80_3F_3A),
    (0xF6_CF_AE, 0xDF_A0_80, 0xC5_7C_66, 0x6C_33_2C),
    (0xCD_94_6E, 0xA9_6A_50, 0x87_4E_40, 0x48_22_20),
];

/// Hair, then the eye colours that go with it.
const HAIRS: [(u32, [u32; 3]); 12] = [
    (0xF4_C9_6B, [0x3E_8E_D0, 0x3F_A0_7A, 0x8A_5A_C8]),
    (0x8A_56_3C, [0xC9_7A_2E, 0x4F_9A_5E, 0xB0_4E_5A]),
    (0x3A_36_4C, [0x7A_5A_D0, 0xC2_4A_5A, 0x3F_8A_C8]),
    (0xF2_A0_B8, [0x4A_A8_B8, 0xC8_4A_7E, 0x7A_62_C8]),
    (0x9F_B4_E6, [0x4A_6A_D0, 0x8A_52_C0, 0xD0_9A_3A]),
    (0xE8_E4_F0, [0xC8_45_5A, 0x5A_7A_D8, 0x8A_5A_C8]),
    (0xC8_4A_42, [0x3F_A0_7A, 0xD0_8A_2A, 0x8A_3A_4A]),
    (0x6C_54_A8, [0xD0_9A_3A, 0x4A_A8_C0, 0xC0_52_98]),
    (0x5F_B8_A8, [0xD8_6A_7A, 0xD0_9A_3A, 0x3A_7A_A0]),
    (0xD9_8A_52, [0x4F_9A_5E, 0x8A_52_30, 0x3E_8E_C0]),
    (0x4A_6A_B0, [0x3F_B0_C8, 0xD0_9A_3A, 0x8A_62_D0]),
    (0x2E_2A_2E, [0xB0_3A_4A, 0x8A_5A_3A, 0x4A_7A_A8]),
];

/// Main, second, accent.
const CLOTHES: [[u32; 3]; 10] = [
    [0xFB_FA_FF, 0x38_48_86, 0xD8_45_55],
    [0xFB_FA_FF, 0x4A_45_5C, 0x5A_8F_D8],
    [0x3F_50_7E, 0xF8_F4_F0, 0xE0_B0_4C],
    [0xE9_7E_96, 0xFF_F6_F4, 0x7A_4A_62],
    [0x5E_A0_9A, 0xFB_F8_EE, 0xE0_9A_4A],
    [0x7A_66_B0, 0xF6_F0_FA, 0xE8_B8_5A],
    [0x4A_42_52, 0xF4_EE_F0, 0xC4_44_56],
    [0xF6_EA_D6, 0x7A_50_42, 0x5F_9A_80],
    [0xB4_45_50, 0xFA_F4_EA, 0x3A_3A_52],
    [0x86_B6_E4, 0xFD_FB_FF, 0xF0_C4_5A],
];

impl Design {
    /// Every choice of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        let rng = &mut Rng::new(seed);
        let (hair, eyes) = rng.pick(&HAIRS);
        let eye = Color::hex(rng.pick(&eyes)).tune(rng.range(0.97, 1.04), 1.05, rng.range(-8.0, 8.0));
        let [main, second, accent] = rng.pick(&CLOTHES).map(|c| Ramp::cloth(Color::hex(c)));
        let hair = Color::hex(hair).tune(rng.range(0.97, 1.03), rng.range(0.92, 1.08), rng.range(-7.0, 7.0));
        let headwear = rng.pick(&[
            Headwear::SideRibbon,
            Headwear::BigRibbon,
            Headwear::HairBand,
            Headwear::CatEars,
            Headwear::Flower,
        ]);
        let top = rng.pick(&[Top::Sailor, Top::Vest, Top::Dress]);
        Self {
            skin: skin(rng.pick(&[0, 0, 1, 1, 2, 3])),
            hair: Ramp {
                tip: if rng.chance(0.3) {
                    hair.tune(rng.pick(&[0.86, 1.12]), 1.1, rng.pick(&[-48.0, 42.0])).alpha(0.9)
                } else {
                    hair.alpha(0.0)
                },
                ..Ramp::hair(hair)
            },
            eye: EyeColors {
                dark: eye.tune(0.50, 0.95, 14.0),
                mid: eye,
                bright: eye.tune(1.32, 0.85, -16.0),
            },
            cloth: Cloth { main, second, accent },
            style: rng.pick(&[
                HairStyle::Long,
                HairStyle::Bob,
                HairStyle::Twin,
                HairStyle::Short,
                HairStyle::Pony,
            ]),
            bangs: rng.pick(&[Bangs::Full, Bangs::Parted, Bangs::Swept]),
            eyes: rng.pick(&[EyeShape::Round, EyeShape::Gentle, EyeShape::Sharp]),
            top,
            sleeves: rng.pick(&[Sleeves::Puff, Sleeves::Long, Sleeves::Bell]),
            skirt: rng.pick(&[Skirt::Pleated, Skirt::Pleated, Skirt::Frilled, Skirt::Tiered]),
            legs: rng.pick(&[Legs::KneeSocks, Legs::ThighHighs, Legs::Tights]),
            shoes: rng.pick(&[Shoes::Loafers, Shoes::Boots]),
            headwear,
            tail: headwear == Headwear::CatEars || rng.chance(0.08),
            wings: headwear != Headwear::CatEars && rng.chance(0.2),
            earrings: rng.chance(0.4),
            ahoge: rng.chance(0.6),
            heads: rng.pick(&[4.3, 4.9, 5.2, 5.4, 5.7]) + rng.range(-0.1, 0.1),
            side: rng.pick(&[-1.0, 1.0]),
        }
    }
}

fn skin(index: usize) -> Skin {
    let (base, shade, deep, line) = SKINS[index];
    let base = Color::hex(base);
    Skin {
        base,
        shade: Color::hex(shade),
        deep: Color::hex(deep),
        line: Color::hex(line),
        blush: Color::hex(0xF5_6A_72).mix(base, if index == 3 { 0.35 } else { 0.15 }),
    }
}
