//! Alternatives, hidden layers and art that is not what it should be.

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use artwork::Variant;
use common::{Figure, cast};
use parts::{Cast, Tag};
use puppet::ExpressionBlend;
use puppet::evaluate::evaluate;
use raster::Rgba;
use rig::{Direct, Error, HiddenLayers, Profile, Rigged, Settings, rig};

fn try_rig(cast: &Cast, images: &[Arc<Rgba>], settings: &Settings) -> Result<Rigged, Error> {
    rig(cast, images, settings, &Direct)
}

fn opacity(rigged: &Rigged, id: &str, values: &[(&str, f64)]) -> f64 {
    let values: BTreeMap<&str, f64> = values.iter().copied().collect();
    let index = rigged.puppet.drawables.iter().position(|d| d.id.as_str() == id).expect(id);
    evaluate(&rigged.puppet, |p| values.get(p.as_str()).copied())[index].opacity
}

/// A hidden layer becomes a switch with an expression; dropped, it is gone.
#[test]
fn hidden_layers() {
    let (mut cast, images) = cast(Figure::default());
    let nose = cast.members.iter().position(|m| m.tag == Tag::Nose).expect("nose");
    cast.members[nose].visible = false;
    let rigged = try_rig(&cast, &images, &Settings::default()).expect("rig");
    assert_eq!(puppet::validate::validate(&rigged.puppet), []);
    let id = "ParamSwitchNose";
    assert_eq!(opacity(&rigged, "ArtMeshNose", &[]), 0.0);
    assert_eq!(opacity(&rigged, "ArtMeshNose", &[(id, 1.0)]), 1.0);
    assert_eq!(rigged.became[nose].switch, Some((id.into(), 1)));
    let value = &rigged.puppet.expressions[0].values[0];
    assert_eq!((value.parameter.as_str(), value.value, value.blend), (id, 1.0, ExpressionBlend::Overwrite));
    let dropped = Settings { hidden: HiddenLayers::Drop, ..Settings::default() };
    let rigged = try_rig(&cast, &images, &dropped).expect("rig");
    assert!(rigged.became[nose].drawables.is_empty());
    assert!(rigged.puppet.expressions.is_empty());
}

/// Of alternatives one shows at a time.
#[test]
fn alternatives() {
    let (mut cast, mut images) = cast(Figure::default());
    let brow = cast.members.iter().position(|m| m.tag == Tag::Topwear).expect("topwear");
    let variant = |name: &str| Some(Variant { set: vec!["clothes".to_owned()], name: name.to_owned() });
    cast.members[brow].variant = variant("day");
    let mut other = cast.members[brow].clone();
    other.id = "topwear night".to_owned();
    other.variant = variant("night");
    other.visible = false;
    cast.members.insert(brow + 1, other);
    images.insert(brow + 1, images[brow].clone());
    let rigged = try_rig(&cast, &images, &Settings::default()).expect("rig");
    for (value, day, night) in [(0.0, 1.0, 0.0), (1.0, 0.0, 1.0)] {
        let at = [("ParamSwitchClothes", value)];
        assert_eq!(opacity(&rigged, "ArtMeshTopwear", &at), day);
        assert_eq!(opacity(&rigged, "ArtMeshTopwear2", &at), night);
    }
    assert_eq!(rigged.puppet.expressions[0].name, "clothes night");
}

/// Any subset of layers builds and is valid: no eyes, one eye, no mouth, a lone nose, a lone lash.
#[test]
fn subsets() {
    let (full, pictures) = cast(Figure { eye_close: true, ..Figure::default() });
    for profile in [Profile::Natural, Profile::Classic] {
        let settings = Settings { profile, ..Settings::default() };
        for keep in 0..full.members.len() {
            for alone in [false, true] {
                let chosen: Vec<usize> = (0..full.members.len()).filter(|&i| (i == keep) == alone).collect();
                let mut cast = full.clone();
                cast.members = chosen.iter().map(|&i| full.members[i].clone()).collect();
                let images: Vec<_> = chosen.iter().map(|&i| pictures[i].clone()).collect();
                let rigged = try_rig(&cast, &images, &settings).expect("rig");
                assert_eq!(puppet::validate::validate(&rigged.puppet), [], "{keep} {alone}");
                assert!(!rigged.puppet.drawables.is_empty());
            }
        }
    }
}

/// Every tag on every layer: names lie.
#[test]
fn wrong_names() {
    let (full, images) = cast(Figure::default());
    for &tag in Tag::ALL {
        let mut cast = full.clone();
        for m in &mut cast.members {
            (m.tag, m.side) = (tag, None);
        }
        let rigged = try_rig(&cast, &images, &Settings::default()).expect("rig");
        assert_eq!(puppet::validate::validate(&rigged.puppet), [], "{tag:?}");
    }
}

/// Pixels of a single dot, and none at all.
#[test]
fn tiny() {
    let (mut cast, mut images) = cast(Figure::default());
    for (m, image) in cast.members.iter_mut().zip(&mut images) {
        let mut dot = Rgba::new(1, 1);
        dot.set(0, 0, [9, 9, 9, 255]);
        *image = Arc::new(dot);
        m.rect.right = m.rect.left + 1;
        m.rect.bottom = m.rect.top + 1;
        m.bounds = m.rect.to_rect();
        m.opaque_pixels = 1;
    }
    let rigged = try_rig(&cast, &images, &Settings::default()).expect("rig");
    assert_eq!(puppet::validate::validate(&rigged.puppet), []);
    for m in &mut cast.members {
        m.opaque_pixels = 0;
    }
    assert_eq!(try_rig(&cast, &images, &Settings::default()), Err(Error::Empty));
    assert!(matches!(try_rig(&cast, &images[1..], &Settings::default()), Err(Error::Images { .. })));
}

#[test]
fn settings_are_checked() {
    let (cast, images) = cast(Figure::default());
    for strength in [f64::NAN, -1.0, 9.0] {
        let settings = Settings { head_strength: strength, ..Settings::default() };
        assert!(matches!(
            try_rig(&cast, &images, &settings),
            Err(Error::Setting { key: "head_strength", .. })
        ));
    }
}
