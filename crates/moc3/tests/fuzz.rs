//! Broken bytes: nothing panics, memory stays bounded, what is read can be judged.
//!
//! `RIGFARM_FUZZ_ITERATIONS` sets how many mutants are tried, `RIGFARM_FUZZ_SEED` which ones.

mod shared;

use moc3::evaluate::{Evaluator, Pose};
use moc3::model::Model;
use moc3::{Error, File};

use shared::generate::{Random, model};

#[test]
fn mutants_do_no_harm() {
    let iterations = setting("RIGFARM_FUZZ_ITERATIONS", 2000);
    let mut random = Random::new(setting("RIGFARM_FUZZ_SEED", 1));
    let mut seeds: Vec<Vec<u8>> = (0..24).map(|seed| model(seed).to_bytes().unwrap()).collect();
    seeds.extend(shared::files().into_iter().map(|(_, bytes)| bytes));
    let mut outcomes = [0u64; 4];
    for _ in 0..iterations {
        let seed = &seeds[random.below(seeds.len())];
        let mutant = mutate(seed, &mut random);
        outcomes[run(&mutant)] += 1;
    }
    let [refused, unresolved, broken, evaluated] = outcomes;
    println!("{refused} not read, {unresolved} not resolved, {broken} not evaluated, {evaluated} evaluated");
    if iterations >= 1000 {
        assert!(outcomes.iter().all(|count| *count > 0), "mutants miss a stage: {outcomes:?}");
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// Drives everything that bytes can reach; gives how far they came.
fn run(bytes: &[u8]) -> usize {
    let Ok(file) = File::read(bytes) else { return 0 };
    let written = file.write().unwrap();
    let again = File::read(&written).unwrap();
    // Bit patterns of NaN survive; they only do not compare.
    assert!(again.write().unwrap() == written);
    let Ok(model) = Model::from_file(&file) else { return 1 };
    let faults = model.validate();
    for fault in faults.iter().take(20) {
        assert!(!fault.to_string().is_empty());
    }
    model.lowest_version();
    match model.to_bytes() {
        Ok(bytes) => assert!(Model::from_bytes(&bytes).is_ok()),
        Err(Error::Invalid(faults)) => assert!(!faults.is_empty()),
        Err(_) => {}
    }
    let Ok(evaluator) = Evaluator::new(&model) else { return 2 };
    let mut pose = Pose::rest(&model);
    let mut frame = evaluator.evaluate(&pose);
    for extreme in [f32::NAN, f32::INFINITY, f32::MIN, f32::MAX] {
        pose.parameters.fill(extreme);
        pose.part_opacities.fill(extreme);
        evaluator.evaluate_into(&pose, &mut frame);
    }
    3
}

/// Flips, overwrites, copies and cuts; aims at tables as well as at the header.
fn mutate(seed: &[u8], random: &mut Random) -> Vec<u8> {
    const INTERESTING: [u32; 8] =
        [0, 1, 0xffff_ffff, 0x7fff_ffff, 0x8000_0000, 0x7fc0_0000, 0x7f80_0000, 0x0001_0000];
    let mut bytes = seed.to_vec();
    for _ in 0..1 + random.below(4) {
        let table = 0x7c0.min(bytes.len() - 4);
        let at = match random.below(4) {
            0 => random.below(table),
            1 => table + random.below((bytes.len() - table).min(0x200)),
            _ => table + random.below(bytes.len() - table),
        };
        let word = at / 4 * 4;
        match random.below(6) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.next() as u8,
            2 => bytes[word..word + 4].copy_from_slice(&INTERESTING[random.below(8)].to_le_bytes()),
            3 => bytes[word..word + 4].copy_from_slice(&(random.below(64) as u32).to_le_bytes()),
            4 => {
                let from = random.below(bytes.len() / 4) * 4;
                bytes.copy_within(from..(from + 4).min(seed.len()), word);
            }
            _ => {
                let value = u32::from_le_bytes(bytes[word..word + 4].try_into().unwrap());
                let step = [1, u32::MAX, 64, 256][random.below(4)];
                bytes[word..word + 4].copy_from_slice(&value.wrapping_add(step).to_le_bytes());
            }
        }
    }
    if random.chance(5) {
        bytes.truncate(random.below(bytes.len()) / 64 * 64);
    }
    bytes
}
