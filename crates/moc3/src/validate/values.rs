//! Numbers.

use super::Faults;
use crate::path::Path;

/// A number that must be finite.
pub(super) fn finite(faults: &mut Faults, path: &Path, what: &str, value: f32) {
    if !value.is_finite() {
        faults.error(path.with(what), describe(value));
    }
}

/// Numbers that must be finite, each with its name.
pub(super) fn all_finite(faults: &mut Faults, path: &Path, prefix: &str, values: &[(&str, f32)]) {
    for (what, value) in values {
        finite(faults, path, &format!("{prefix}{what}"), *value);
    }
}

/// Points that must be finite; names the first one that is not and counts the others.
pub(super) fn finite_points(faults: &mut Faults, path: &Path, what: &str, points: &[[f32; 2]]) {
    // Without an early way out inside a chunk this is a vectorised scan.
    let sound = |chunk: &[f32]| chunk.iter().fold(true, |sound, value| sound & value.is_finite());
    let values = points.as_flattened();
    if values.chunks(256).all(sound) {
        return;
    }
    let bad = |value: &&f32| !value.is_finite();
    let Some(first) = values.iter().position(|value| bad(&value)) else { return };
    let others = values.iter().filter(bad).count() - 1;
    let axis = if first % 2 == 0 { "x" } else { "y" };
    let more = if others == 0 { String::new() } else { format!(", and {others} more of this list") };
    faults.error(path.with(&format!("{what}[{}].{axis}", first / 2)), describe(values[first]) + &more);
}

/// Keys that must be finite and strictly ascending.
pub(super) fn ascending(faults: &mut Faults, path: &Path, what: &str, keys: impl Iterator<Item = f32>) {
    let mut before = None;
    for (place, key) in keys.enumerate() {
        finite(faults, path, &format!("{what}[{place}]"), key);
        match before {
            Some(before) if key == before => {
                faults.error(path.with(&format!("{what}[{place}]")), format!("repeats the key {key}"));
            }
            Some(before) if key < before => {
                let message = format!("is {key}, less than {before} before it");
                faults.error(path.with(&format!("{what}[{place}]")), message);
            }
            _ => {}
        }
        before = Some(key);
    }
}

fn describe(value: f32) -> String {
    if value.is_nan() { "is NaN".into() } else { "is infinite".into() }
}

/// How far a key reaches: 0.1 to the power of the parameter's decimals (MOC3_FORMAT 7.2).
pub(crate) fn tolerance(decimals: u32) -> f64 {
    (0..decimals.min(400)).fold(1.0, |tolerance, _| tolerance * 0.1)
}
