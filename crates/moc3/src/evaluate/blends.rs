//! Weights of blend shapes (MOC3_FORMAT 7.11).

use crate::Version;
use crate::model::{Blend, Limit};

/// Blend shapes move everything since 5.0; only positions in 4.2.
pub(super) fn moves_all(version: Version) -> bool {
    version >= Version::V50
}

/// Calls `add` with every delta that counts at these parameter values, and its weight.
pub(super) fn each_delta<K>(blends: &[Blend<K>], values: &[f64], mut add: impl FnMut(&K, f64)) {
    for blend in blends {
        let (index, fraction) = bracket(values[blend.parameter], &blend.keys);
        let limit = limit(&blend.limits, values);
        for (key, share) in [(index, 1.0 - fraction), (index + 1, fraction)] {
            let weight = share * limit;
            if let Some(delta) = blend.deltas.get(key).filter(|_| key != blend.base && weight != 0.0) {
                add(delta, weight);
            }
        }
    }
}

/// The smallest of the limits; 1 without any.
fn limit(limits: &[Limit], values: &[f64]) -> f64 {
    let weight = |limit: &Limit| {
        let keys: Vec<f32> = limit.points.iter().map(|point| point.value).collect();
        let (index, fraction) = bracket(values[limit.parameter], &keys);
        let at = |index: usize| limit.points.get(index).map_or(0.0, |point| f64::from(point.weight));
        if fraction == 0.0 { at(index) } else { at(index) * (1.0 - fraction) + at(index + 1) * fraction }
    };
    limits.iter().map(weight).reduce(f64::min).unwrap_or(1.0)
}

/// Key below and the way to the next, without tolerance, saturating at both ends.
fn bracket(value: f64, keys: &[f32]) -> (usize, f64) {
    let key = |index: usize| f64::from(keys[index]);
    match (1..keys.len()).find(|upper| value < key(*upper)) {
        None => (keys.len().saturating_sub(1), 0.0),
        Some(upper) => {
            let (low, high) = (key(upper - 1), key(upper));
            (upper - 1, if value > low && high > low { (value - low) / (high - low) } else { 0.0 })
        }
    }
}
