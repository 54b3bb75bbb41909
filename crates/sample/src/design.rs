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
    /// Heads in the body height, 4.4..=6.1.
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
        let [l, ..] = base.oklch();
        let (shade, turn) = if l > 0.85 { (0.88, 0.0) } else { (0.80, 8.0) };
        // White cloth is shaded towards lavender, not grey.
        let cool = |c: Color, t: f64| if l > 0.85 { c.mix(Color::hex(0xA9_A8_D8), t) } else { c };
        Self {
            base,
            light: base.tune(1.07, 0.95, -4.0),
            shine: base.tune(1.18, 0.75, -8.0),
            shade: cool(base.tune(shade, 1.02, turn), 0.22),
            deep: cool(base.tune(shade * 0.86, 1.0, turn * 1.8), 0.34),
            line: base
                .tune(0.36, 0.9, turn * 2.0)
                .mix(Color::hex(0x2A_20_33), if l > 0.7 { 0.45 } else { 0.55 }),
        }
    }
    /// A glossy material: hair.
    pub(crate) fn hair(base: Color) -> Self {
        let [l, ..] = base.oklch();
        let dark = l < 0.45;
        Self {
            base,
            light: base.tune(if dark { 1.22 } else { 1.09 }, 1.0, -7.0),
            shine: base.tune(if dark { 1.75 } else { 1.24 }, if dark { 0.9 } else { 0.55 }, -14.0),
            shade: base.tune(0.82, 1.06, 12.0),
            deep: base.tune(0.66, 1.05, 20.0),
            line: base.tune(0.40, 0.95, 22.0).mix(Color::hex(0x2B_1D_2E), 0.35),
        }
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
            hair: Ramp::hair(hair),
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
            skirt: rng.pick(&[Skirt::Pleated, Skirt::Frilled]),
            legs: rng.pick(&[Legs::KneeSocks, Legs::ThighHighs, Legs::Tights]),
            shoes: rng.pick(&[Shoes::Loafers, Shoes::Boots]),
            headwear,
            tail: headwear == Headwear::CatEars || rng.chance(0.08),
            wings: headwear != Headwear::CatEars && rng.chance(0.2),
            earrings: rng.chance(0.4),
            ahoge: rng.chance(0.6),
            heads: rng.pick(&[4.5, 5.2, 5.5, 5.7, 6.0]) + rng.range(-0.1, 0.1),
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
