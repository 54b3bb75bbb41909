//! Blend modes: reduction to what runtimes know, and the mixing functions for merging clipped shading.

use psd::Blend;

use crate::BlendMode;

/// A mode reduced, with what a rigger should be told about it.
pub(crate) struct Reduced {
    pub(crate) mode: BlendMode,
    /// `None`: exact.
    pub(crate) loss: Option<&'static str>,
}

/// RIG 1.2, and beyond it: modes that lighten over black become additive rather than normal, which would show a
/// black box; those that darken under white become multiply.
pub(crate) fn reduce(blend: Blend) -> Reduced {
    let (mode, loss) = match blend {
        Blend::PassThrough | Blend::Normal => (BlendMode::Normal, None),
        Blend::LinearDodge => (BlendMode::Additive, None),
        Blend::Multiply => (BlendMode::Multiply, None),
        Blend::LinearLight | Blend::Screen | Blend::ColorDodge => (BlendMode::Additive, Some("additive")),
        Blend::LinearBurn | Blend::ColorBurn | Blend::Darken | Blend::DarkerColor => {
            (BlendMode::Multiply, Some("multiply"))
        }
        _ => (BlendMode::Normal, Some("normal")),
    };
    Reduced { mode, loss }
}

/// Mixes a source colour over a backdrop, both straight 0..=1 (W3C compositing level 1, sections 9 and 10).
pub(crate) fn mix(blend: Blend, backdrop: [f64; 3], source: [f64; 3]) -> [f64; 3] {
    match blend {
        Blend::Hue => set_luminosity(set_saturation(source, saturation(backdrop)), luminosity(backdrop)),
        Blend::Saturation => {
            set_luminosity(set_saturation(backdrop, saturation(source)), luminosity(backdrop))
        }
        Blend::Color => set_luminosity(source, luminosity(backdrop)),
        Blend::Luminosity => set_luminosity(backdrop, luminosity(source)),
        Blend::DarkerColor if luminosity(source) > luminosity(backdrop) => backdrop,
        Blend::LighterColor if luminosity(source) < luminosity(backdrop) => backdrop,
        _ => std::array::from_fn(|i| mix_channel(blend, backdrop[i], source[i]).clamp(0.0, 1.0)),
    }
}

fn mix_channel(blend: Blend, b: f64, s: f64) -> f64 {
    match blend {
        Blend::Darken => b.min(s),
        Blend::Multiply => b * s,
        Blend::ColorBurn => color_burn(b, s),
        Blend::LinearBurn => b + s - 1.0,
        Blend::Lighten => b.max(s),
        Blend::Screen => b + s - b * s,
        Blend::ColorDodge => color_dodge(b, s),
        Blend::LinearDodge => b + s,
        Blend::Overlay => hard_light(s, b),
        Blend::HardLight => hard_light(b, s),
        Blend::SoftLight => soft_light(b, s),
        Blend::VividLight if s <= 0.5 => color_burn(b, 2.0 * s),
        Blend::VividLight => color_dodge(b, 2.0 * s - 1.0),
        Blend::LinearLight => b + 2.0 * s - 1.0,
        Blend::PinLight if s <= 0.5 => b.min(2.0 * s),
        Blend::PinLight => b.max(2.0 * s - 1.0),
        Blend::HardMix => f64::from(b + s >= 1.0),
        Blend::Difference => (b - s).abs(),
        Blend::Exclusion => b + s - 2.0 * b * s,
        Blend::Subtract => b - s,
        Blend::Divide if s <= 0.0 => 1.0,
        Blend::Divide => b / s,
        _ => s,
    }
}

fn hard_light(b: f64, s: f64) -> f64 {
    if s <= 0.5 { b * 2.0 * s } else { b + (2.0 * s - 1.0) - b * (2.0 * s - 1.0) }
}

fn soft_light(b: f64, s: f64) -> f64 {
    if s <= 0.5 {
        return b - (1.0 - 2.0 * s) * b * (1.0 - b);
    }
    let d = if b <= 0.25 { ((16.0 * b - 12.0) * b + 4.0) * b } else { b.sqrt() };
    b + (2.0 * s - 1.0) * (d - b)
}

fn color_dodge(b: f64, s: f64) -> f64 {
    if b <= 0.0 {
        0.0
    } else if s >= 1.0 {
        1.0
    } else {
        (b / (1.0 - s)).min(1.0)
    }
}

fn color_burn(b: f64, s: f64) -> f64 {
    if b >= 1.0 {
        1.0
    } else if s <= 0.0 {
        0.0
    } else {
        1.0 - ((1.0 - b) / s).min(1.0)
    }
}

fn luminosity([r, g, b]: [f64; 3]) -> f64 {
    0.3 * r + 0.59 * g + 0.11 * b
}

fn saturation([r, g, b]: [f64; 3]) -> f64 {
    r.max(g).max(b) - r.min(g).min(b)
}

fn set_luminosity(color: [f64; 3], target: f64) -> [f64; 3] {
    let shift = target - luminosity(color);
    let color = color.map(|c| c + shift);
    let l = luminosity(color);
    let low = color[0].min(color[1]).min(color[2]);
    let high = color[0].max(color[1]).max(color[2]);
    color.map(|c| {
        let c = if low < 0.0 { l + (c - l) * l / (l - low) } else { c };
        if high > 1.0 { l + (c - l) * (1.0 - l) / (high - l) } else { c }
    })
}

fn set_saturation(color: [f64; 3], target: f64) -> [f64; 3] {
    let low = color[0].min(color[1]).min(color[2]);
    let range = saturation(color);
    color.map(|c| if range > 0.0 { (c - low) * target / range } else { 0.0 })
}
