//! Random damage to good files. `RIGFARM_FUZZ_ITERATIONS` says how often (default 1000); the seeds are fixed, so a
//! failure is found again.

mod sample;

use psd::{Layer, LayerKind, Limits};
use sample::{Noise, all_options, everything};

const LIMITS: Limits =
    Limits { max_side: 300_000, max_layers: 16_384, max_depth: 64, max_pixel_bytes: 1 << 22 };

#[test]
fn damaged_files_give_errors_or_documents() {
    let iterations =
        std::env::var("RIGFARM_FUZZ_ITERATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(1000u64);
    let seeds: Vec<Vec<u8>> =
        all_options().iter().map(|options| psd::write(&everything(24), options).unwrap()).collect();
    let (mut read, mut refused) = (0, 0);
    for iteration in 0..iterations {
        let mut noise = Noise((iteration + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut bytes = seeds[noise.below(seeds.len())].clone();
        for _ in 0..=noise.below(4) {
            damage(&mut bytes, &mut noise);
        }
        match psd::read(&bytes, &LIMITS) {
            Ok(document) => {
                check(&document.layers);
                read += 1;
            }
            Err(_) => refused += 1,
        }
    }
    println!("{read} read, {refused} refused");
    assert!(iterations < 500 || (read > 0 && refused > 0));
}

fn check(layers: &[Layer]) {
    for layer in layers {
        match &layer.kind {
            LayerKind::Group(children) => check(children),
            LayerKind::Pixels(own) => {
                assert_eq!((own.rect.width(), own.rect.height()), (own.image.width(), own.image.height()));
            }
            LayerKind::Effect(_) => {}
        }
        if let Some(mask) = &layer.mask {
            assert_eq!((mask.rect.width(), mask.rect.height()), (mask.alpha.width(), mask.alpha.height()));
        }
    }
}

fn damage(bytes: &mut Vec<u8>, noise: &mut Noise) {
    if bytes.is_empty() {
        return;
    }
    // Half of the damage hits the front, where the structure is.
    let reach = if noise.below(2) == 0 { bytes.len() } else { bytes.len().min(1500) };
    let at = noise.below(reach);
    match noise.below(7) {
        0 => bytes[at] ^= 1 << noise.below(8),
        1 => bytes[at] = noise.next() as u8,
        2 => bytes.truncate(at),
        3 => {
            let extreme = [0u32, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff, 0x7fff, 300_000];
            let value = extreme[noise.below(extreme.len())].to_be_bytes();
            let end = (at + 4).min(bytes.len());
            bytes[at..end].copy_from_slice(&value[..end - at]);
        }
        4 => {
            let end = (at + noise.below(64)).min(bytes.len());
            bytes.drain(at..end);
        }
        5 => {
            let end = (at + noise.below(64)).min(bytes.len());
            let copy = bytes[at..end].to_vec();
            let to = noise.below(bytes.len());
            bytes.splice(to..to, copy);
        }
        _ => {
            let end = (at + noise.below(64)).min(bytes.len());
            bytes[at..end].fill(noise.next() as u8);
        }
    }
}
