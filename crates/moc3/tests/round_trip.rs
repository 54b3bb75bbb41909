//! Random models: written, read, evaluated.

mod shared;

use moc3::Version;
use moc3::evaluate::{Evaluator, Frame};
use moc3::model::Model;
use moc3::validate::Severity;
use proptest::prelude::{ProptestConfig, any, proptest};
use proptest::prop_assert;

use shared::generate::{Random, model, pose};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn models_survive_writing(seed in any::<u64>()) {
        let model = model(seed);
        let bytes = model.to_bytes().unwrap();
        let again = Model::from_bytes(&bytes).unwrap();
        prop_assert!(again == model, "seed {seed} differs: {again:#?}\nfrom {model:#?}");
        prop_assert!(again.to_bytes().unwrap() == bytes);
    }

    #[test]
    fn poses_are_finite(seed in any::<u64>()) {
        let model = model(seed);
        let mut random = Random::new(seed);
        let evaluator = Evaluator::new(&model).unwrap();
        let mut used = Frame::default();
        for _ in 0..4 {
            let pose = pose(&model, &mut random);
            evaluator.evaluate_into(&pose, &mut used);
            let fresh = evaluator.evaluate(&pose);
            prop_assert!(used.drawables == fresh.drawables && used.offscreens == fresh.offscreens);
            for drawable in &fresh.drawables {
                let numbers = drawable.positions.as_flattened().iter().chain(&drawable.multiply).chain(&drawable.screen);
                prop_assert!(numbers.chain([&drawable.opacity]).all(|value| value.is_finite()));
            }
            check_render_order(&model, &fresh);
        }
    }

    #[test]
    fn newer_versions_play_the_same(seed in any::<u64>()) {
        let old = model(seed);
        let mut new = old.clone();
        new.version = Version::V53;
        // 4.2 may hold what it does not play.
        if old.check_version(old.version).is_ok() {
            let pose = pose(&old, &mut Random::new(seed));
            let (old, new) = (Evaluator::new(&old).unwrap().evaluate(&pose), Evaluator::new(&new).unwrap().evaluate(&pose));
            prop_assert!(old.drawables == new.drawables);
        }
    }
}

#[test]
fn generated_models_have_no_errors() {
    for seed in 0..200 {
        let model = model(seed);
        let mut faults = model.validate();
        faults.retain(|fault| fault.severity == Severity::Error);
        assert!(faults.is_empty(), "seed {seed}: {faults:#?}");
    }
}

/// Bytes that caches know: when this changes, so must the version of the job that writes them.
#[test]
fn bytes_are_golden() {
    let fnv = |bytes: &[u8]| {
        bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
        })
    };
    assert_eq!(fnv(&shared::fixture::full().to_bytes().unwrap()), 0xd9f3_c1c4_f409_a1b4, "the full model");
    let all: Vec<u8> = (0..50).flat_map(|seed| model(seed).to_bytes().unwrap()).collect();
    assert_eq!(fnv(&all), 0xdc2a_794f_45b3_1155, "generated models");
}

/// Every slot of the render order is taken once.
fn check_render_order(model: &Model, frame: &Frame) {
    let mut slots: Vec<i32> = frame.drawables.iter().map(|drawable| drawable.render_order).collect();
    slots.extend(frame.offscreens.iter().map(|offscreen| offscreen.render_order));
    slots.sort_unstable();
    let expected: Vec<i32> = (0..slots.len() as i32).collect();
    assert_eq!(slots, expected, "{:?}", model.groups);
}
