//! How drawables mix with what lies behind them.
//!
//! The three modes of all versions, and those of version 5.3: a colour formula (named as in the W3C's Compositing and
//! Blending, there of straight colours) and a rule for coverage (as in OpenGL's advanced blend equations). Measured
//! against the official renderer, which agrees with these to a rounding.

use moc3::blend::{AlphaBlend, BlendMode, ColorBlend};
use moc3::model::Drawable;

/// What a drawable does to the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blend {
    /// Source over.
    Normal,
    /// Adds light where something is.
    Additive,
    /// Darkens what is there.
    Multiplicative,
    /// A mode of version 5.3.
    Extended(ColorBlend, AlphaBlend),
}

impl Blend {
    pub(crate) fn of(drawable: &Drawable) -> Self {
        let classic = |mode: BlendMode| match mode {
            BlendMode::Normal => Self::Normal,
            BlendMode::Additive => Self::Additive,
            BlendMode::Multiplicative => Self::Multiplicative,
        };
        match drawable.extended_blend.map(|blend| (blend.color, blend.alpha)) {
            None => classic(drawable.flags.blend()),
            Some((ColorBlend::AddCompatible, _)) => Self::Additive,
            Some((ColorBlend::MultiplyCompatible, _)) => Self::Multiplicative,
            Some((ColorBlend::Normal, AlphaBlend::Over)) => Self::Normal,
            Some((color, alpha)) => Self::Extended(color, alpha),
        }
    }
}

/// Source over, premultiplied.
#[inline(always)]
pub(crate) fn normal(there: &mut [f32; 4], color: [f32; 4]) {
    let keep = 1.0 - color[3];
    for c in 0..4 {
        there[c] = color[c] + there[c] * keep;
    }
}

/// Premultiplied light on top; coverage stays.
#[inline(always)]
pub(crate) fn additive(there: &mut [f32; 4], color: [f32; 4]) {
    for c in 0..3 {
        there[c] = (there[c] + color[c]).min(1.0);
    }
}

/// What is there times a premultiplied colour; coverage stays.
#[inline(always)]
pub(crate) fn multiplicative(there: &mut [f32; 4], color: [f32; 4]) {
    let keep = 1.0 - color[3];
    for c in 0..3 {
        there[c] *= color[c] + keep;
    }
}

/// A premultiplied colour by a mode of version 5.3.
pub(crate) fn extended(there: &mut [f32; 4], color: [f32; 4], mode: ColorBlend, coverage: AlphaBlend) {
    let (behind, above) = (straight(*there), straight(color));
    let (d, s) = (there[3], color[3]);
    // Shares of the pixel that both, the drawable alone and the rest alone cover.
    let (both, alone, rest) = match coverage {
        AlphaBlend::Over | AlphaBlend::Atop | AlphaBlend::Out => (s * d, s * (1.0 - d), d * (1.0 - s)),
        AlphaBlend::ConjointOver => (s.min(d), (s - d).max(0.0), (d - s).max(0.0)),
        AlphaBlend::DisjointOver => ((s + d - 1.0).max(0.0), s.min(1.0 - d), d.min(1.0 - s)),
    };
    let (both, alone) = match coverage {
        AlphaBlend::Atop => (both, 0.0),
        AlphaBlend::Out => (0.0, 0.0),
        _ => (both, alone),
    };
    let mixed = mix(mode, behind, above);
    for c in 0..3 {
        there[c] = (mixed[c] * both + above[c] * alone + behind[c] * rest).clamp(0.0, 1.0);
    }
    there[3] = both + alone + rest;
}

fn straight([r, g, b, a]: [f32; 4]) -> [f32; 3] {
    if a > 0.0 { [r / a, g / a, b / a] } else { [0.0; 3] }
}

/// The colour where a drawable `s` lies over `d`, both straight.
fn mix(mode: ColorBlend, d: [f32; 3], s: [f32; 3]) -> [f32; 3] {
    match mode {
        ColorBlend::Hue => with_luminosity(with_saturation(s, saturation(d)), luminosity(d)),
        ColorBlend::Color => with_luminosity(s, luminosity(d)),
        _ => std::array::from_fn(|c| channel(mode, d[c], s[c])),
    }
}

fn channel(mode: ColorBlend, d: f32, s: f32) -> f32 {
    let hard_light = |d: f32, s: f32| {
        if s < 0.5 { 2.0 * d * s } else { 1.0 - 2.0 * (1.0 - d) * (1.0 - s) }
    };
    match mode {
        ColorBlend::Normal | ColorBlend::Hue | ColorBlend::Color => s,
        ColorBlend::AddCompatible | ColorBlend::Add => (d + s).min(1.0),
        ColorBlend::AddGlow => d + s,
        ColorBlend::Darken => d.min(s),
        ColorBlend::MultiplyCompatible | ColorBlend::Multiply => d * s,
        ColorBlend::ColorBurn if d >= 1.0 => 1.0,
        ColorBlend::ColorBurn if s <= 0.0 => 0.0,
        ColorBlend::ColorBurn => 1.0 - ((1.0 - d) / s).min(1.0),
        ColorBlend::LinearBurn => (d + s - 1.0).max(0.0),
        ColorBlend::Lighten => d.max(s),
        ColorBlend::Screen => d + s - d * s,
        ColorBlend::ColorDodge if d <= 0.0 => 0.0,
        ColorBlend::ColorDodge if s >= 1.0 => 1.0,
        ColorBlend::ColorDodge => (d / (1.0 - s)).min(1.0),
        ColorBlend::Overlay => hard_light(s, d),
        ColorBlend::SoftLight => soft_light(d, s),
        ColorBlend::HardLight => hard_light(d, s),
        ColorBlend::LinearLight => (d + 2.0 * s - 1.0).clamp(0.0, 1.0),
    }
}

fn soft_light(d: f32, s: f32) -> f32 {
    if s <= 0.5 {
        return d - (1.0 - 2.0 * s) * d * (1.0 - d);
    }
    let lifted = if d <= 0.25 { ((16.0 * d - 12.0) * d + 4.0) * d } else { d.sqrt() };
    d + (2.0 * s - 1.0) * (lifted - d)
}

fn luminosity([r, g, b]: [f32; 3]) -> f32 {
    0.3 * r + 0.59 * g + 0.11 * b
}

fn extremes([r, g, b]: [f32; 3]) -> (f32, f32) {
    (r.min(g).min(b), r.max(g).max(b))
}

fn saturation(color: [f32; 3]) -> f32 {
    let (least, most) = extremes(color);
    most - least
}

fn with_saturation(color: [f32; 3], wanted: f32) -> [f32; 3] {
    let (least, most) = extremes(color);
    if most <= least {
        return [0.0; 3];
    }
    color.map(|v| (v - least) * wanted / (most - least))
}

/// Moved to a luminosity, then drawn towards grey until it is a colour.
fn with_luminosity(color: [f32; 3], wanted: f32) -> [f32; 3] {
    let shift = wanted - luminosity(color);
    let moved = color.map(|v| v + shift);
    let grey = luminosity(moved);
    let (least, most) = extremes(moved);
    let mut out = moved;
    if least < 0.0 && grey > least {
        out = out.map(|v| grey + (v - grey) * grey / (grey - least));
    }
    if most > 1.0 && most > grey {
        out = out.map(|v| grey + (v - grey) * (1.0 - grey) / (most - grey));
    }
    out
}
