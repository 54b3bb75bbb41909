//! The version that a model needs.

mod shared;

use moc3::Version;
use moc3::blend::{AlphaBlend, BlendMode, ColorBlend, ExtendedBlend, Flags};
use moc3::model::*;

type Change = fn(&mut Model);

/// What is added to a plain model, and the lowest version that holds it.
const CASES: &[(Change, Version)] = &[
    (|_| {}, Version::V40),
    (|m| m.drawables[0].flags = Flags::new(BlendMode::Additive, true), Version::V40),
    (|m| m.drawables[0].keyforms[0].colors.screen[0] = 0.1, Version::V42),
    (|m| m.parameters[0].kind = ParameterKind::BlendShape, Version::V42),
    (|m| m.drawables[0].blends = shared::fixture::full().drawables[0].blends.clone(), Version::V42),
    (
        |m| {
            m.drawables[0].blends = shared::fixture::full().drawables[0].blends.clone();
            m.drawables[0].blends[0].deltas[0].opacity = 0.1;
        },
        Version::V50,
    ),
    (|m| m.glues[0].blends = shared::fixture::full().glues[0].blends.clone(), Version::V50),
    (|m| m.drawables[0].extended_blend = Some(ExtendedBlend::default()), Version::V40),
    (
        |m| {
            m.drawables[0].extended_blend =
                Some(ExtendedBlend { color: ColorBlend::Hue, alpha: AlphaBlend::Over })
        },
        Version::V53,
    ),
    (|m| m.offscreens = shared::fixture::full().offscreens, Version::V53),
];

#[test]
fn lowest_versions() {
    for (number, (change, expected)) in CASES.iter().enumerate() {
        let mut model = plain();
        change(&mut model);
        assert_eq!(model.lowest_version(), *expected, "case {number}");
        for version in Version::ALL {
            // The plain model warps bilinearly.
            let holds = version >= *expected || version >= Version::V33 && *expected == Version::V40;
            assert_eq!(model.check_version(version).is_ok(), holds, "case {number} as {version}");
        }
        let mut forced = model.clone();
        forced.set_version(Some(Version::V53)).unwrap();
        assert_eq!(forced.version, Version::V53, "case {number}");
        forced.set_version(None).unwrap();
        assert_eq!(forced.version, *expected, "case {number}");
    }
}

#[test]
fn a_version_that_is_too_low_is_refused() {
    let mut model = shared::fixture::full();
    let error = model.set_version(Some(Version::V42)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "offscreens[0]: offscreen drawing needs moc3 version 5.3, but 4.2 is asked for; choose 5.3 or remove it"
    );
    assert_eq!(model.version, Version::V53);
}

#[test]
fn flags_and_blending_have_codes() {
    for (number, color) in ColorBlend::ALL.into_iter().enumerate() {
        for (place, alpha) in AlphaBlend::ALL.into_iter().enumerate() {
            let blend = ExtendedBlend { color, alpha };
            assert_eq!(blend.code(), (number | place << 8) as i32);
            assert_eq!(ExtendedBlend::from_code(blend.code()), Some(blend));
        }
    }
    for unknown in [18, 0x500, -1, 0x10000] {
        assert_eq!(ExtendedBlend::from_code(unknown), None);
    }
    assert_eq!(Flags::default(), Flags(4));
    assert_eq!(Flags::new(BlendMode::Multiplicative, true), Flags(14));
    assert_eq!(Flags(3).blend(), BlendMode::Additive);
}

/// The full model without what later versions brought.
fn plain() -> Model {
    let mut model = shared::fixture::full();
    model.offscreens.clear();
    model.parameters[2].kind = ParameterKind::Normal;
    for deformer in &mut model.deformers {
        match &mut deformer.kind {
            DeformerKind::Warp(warp) => warp.blends.clear(),
            DeformerKind::Rotation(rotation) => rotation.blends.clear(),
        }
    }
    model.drawables.iter_mut().for_each(|drawable| drawable.blends.clear());
    model.glues[0].blends.clear();
    model
}
