//! Stable layer ids: from path and name, safe as a key, a file name and part of a longer id.
//!
//! - Each name is brought to NFC; control characters, path separators and symbols outside a small set become `_`.
//!   A name of dots alone becomes `_`; an empty one `unnamed`. Names join with `/`.
//! - An id that lost characters or is longer than 96 bytes is cut and gets `~` and eight hex digits of the SHA-256
//!   of the original path.
//! - Layers with equal ids are told apart without looking at their order in the stack: by Photoshop's layer id when
//!   all have different ones (`#<id>`), else by place on the canvas (`#2` the second from the left, then from the
//!   top, then by size and digest). The oldest, or the first, keeps the plain id.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;

use crate::{Layer, LayerId, measure::hex};

const LONGEST: usize = 96;

/// The id of a layer that has no namesake.
pub(crate) fn plain(path: &[String], name: &str) -> String {
    let names: Vec<&str> = path.iter().map(String::as_str).chain([name]).collect();
    let mut lossy = false;
    let clean: Vec<String> = names.iter().map(|name| safe_name(name, &mut lossy)).collect();
    let mut id = clean.join("/");
    if lossy || id.len() > LONGEST {
        let mut hasher = Sha256::new();
        for name in names {
            hasher.update((name.len() as u64).to_le_bytes());
            hasher.update(name.as_bytes());
        }
        let digest = hex(&hasher.finalize()[..4]);
        id.truncate(id.floor_char_boundary(LONGEST - 9));
        id.push('~');
        id.push_str(&digest);
    }
    id
}

fn safe_name(name: &str, lossy: &mut bool) -> String {
    let safe: String = name
        .trim()
        .nfc()
        .map(|c| {
            let keep = c.is_alphanumeric() || " -_.!*()[]+&'、。・（）「」【】ー〜々".contains(c);
            *lossy |= !keep;
            if keep { c } else { '_' }
        })
        .collect();
    if safe.is_empty() {
        return "unnamed".into();
    }
    if safe.chars().all(|c| c == '.') {
        *lossy = true;
        return "_".repeat(safe.len());
    }
    safe
}

/// Gives namesakes different ids. `photoshop_ids` go with `layers`.
pub(crate) fn tell_apart(layers: &mut [Layer], photoshop_ids: &[Option<u32>]) {
    let mut namesakes: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, layer) in layers.iter().enumerate() {
        namesakes.entry(layer.id.as_str().to_owned()).or_default().push(index);
    }
    let mut taken: Vec<String> = namesakes.keys().cloned().collect();
    for (id, mut indices) in namesakes {
        if indices.len() < 2 {
            continue;
        }
        let numbers = distinct_numbers(&indices, photoshop_ids);
        match &numbers {
            Some(numbers) => indices.sort_by_key(|i| numbers.get(i)),
            None => indices.sort_by(|&a, &b| place_order(&layers[a], &layers[b])),
        }
        for (rank, &index) in indices.iter().enumerate().skip(1) {
            let number = match &numbers {
                Some(numbers) => u64::from(numbers.get(&index).copied().unwrap_or(0)),
                None => rank as u64 + 1,
            };
            layers[index].id = LayerId::new(free_id(&id, number, &mut taken));
        }
    }
}

fn distinct_numbers(indices: &[usize], photoshop_ids: &[Option<u32>]) -> Option<BTreeMap<usize, u32>> {
    let numbers: BTreeMap<usize, u32> =
        indices.iter().filter_map(|&i| Some((i, (*photoshop_ids.get(i)?)?))).collect();
    let mut values: Vec<u32> = numbers.values().copied().collect();
    values.sort_unstable();
    values.dedup();
    (values.len() == indices.len()).then_some(numbers)
}

fn place_order(a: &Layer, b: &Layer) -> std::cmp::Ordering {
    (a.centroid.x.total_cmp(&b.centroid.x))
        .then(a.centroid.y.total_cmp(&b.centroid.y))
        .then(a.opaque_pixels.cmp(&b.opaque_pixels))
        .then(a.content.cmp(&b.content))
}

fn free_id(id: &str, number: u64, taken: &mut Vec<String>) -> String {
    let mut candidate = format!("{id}#{number}");
    while taken.binary_search(&candidate).is_ok() {
        candidate.push('_');
    }
    if let Err(at) = taken.binary_search(&candidate) {
        taken.insert(at, candidate.clone());
    }
    candidate
}
