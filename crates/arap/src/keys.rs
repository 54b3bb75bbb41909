//! The fewest poses between which straight blending is good enough (ALGORITHMS 4, DOCUMENT_LAYER 9.4).

pub mod grid;

use crate::Error;
use crate::mesh::as_many;

/// Beyond this many samples the longest step is taken each time instead of the best of all ways.
const MAX_EXACT: usize = 600;
/// How much the tolerance is loosened, each time there are too many keys.
const LOOSEN: f64 = 1.25;
/// How often.
const MAX_LOOSENED: u32 = 64;

/// Keys chosen from samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Keys {
    /// Indices of the samples to keep, ascending; the first and the last sample are always kept.
    pub kept: Vec<usize>,
    /// The farthest any vertex of any sample is from its blend, px.
    pub worst: f64,
}

/// Samples along one axis: `values` strictly ascend, `positions` holds as many shapes, all of one length, in px.
#[derive(Clone, Copy, Debug)]
pub struct Axis<'a> {
    /// Parameter values.
    pub values: &'a [f64],
    /// Shape at each value.
    pub positions: &'a [Vec<[f64; 2]>],
}

/// The fewest samples such that blending straight between neighbours keeps every vertex of every sample within
/// `tolerance` px. `pinned` samples (indices) are kept in any case. When that takes more than `most` keys, the tolerance
/// is loosened by quarters until it does not (the pinned and the ends alone are always allowed): see [`Keys::worst`].
///
/// # Errors
/// [`Error::Length`], [`Error::BadIndex`] or [`Error::NotFinite`].
pub fn fewest(axis: Axis<'_>, pinned: &[usize], tolerance: f64, most: usize) -> Result<Keys, Error> {
    axis.check()?;
    let pins = pinned_and_ends(pinned, axis.values.len())?;
    let fits = |from: usize, to: usize, limit: f64| axis.within(from, to, limit);
    let kept = capped(&pins, tolerance, most, &fits);
    let worst = kept.windows(2).map(|w| axis.worst(w[0], w[1])).fold(0.0, f64::max);
    Ok(Keys { kept, worst })
}

/// The pinned samples and both ends, ascending.
fn pinned_and_ends(pinned: &[usize], samples: usize) -> Result<Vec<usize>, Error> {
    if let Some(index) = pinned.iter().position(|p| *p >= samples) {
        return Err(Error::BadIndex { what: "pinned sample", index });
    }
    let mut pins: Vec<usize> = pinned.to_vec();
    pins.extend([0, samples.saturating_sub(1)].into_iter().filter(|i| *i < samples));
    pins.sort_unstable();
    pins.dedup();
    Ok(pins)
}

/// The fewest keys; the tolerance loosened until they are at most `most`.
fn capped(
    pins: &[usize],
    tolerance: f64,
    most: usize,
    fits: &impl Fn(usize, usize, f64) -> bool,
) -> Vec<usize> {
    let mut limit = tolerance.max(1e-9);
    for _ in 0..MAX_LOOSENED {
        let kept = between(pins, &|from, to| fits(from, to, limit));
        if kept.len() <= most {
            return kept;
        }
        limit *= LOOSEN;
    }
    pins.to_vec()
}

/// The fewest keys between pins.
fn between(pins: &[usize], fits: &impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut kept: Vec<usize> = pins.first().copied().into_iter().collect();
    for pair in pins.windows(2) {
        let path = if pair[1] - pair[0] <= MAX_EXACT { shortest } else { longest_steps };
        kept.extend(path(pair[0], pair[1], &fits));
    }
    kept
}

/// The path of fewest feasible steps from `from` to `to`, without `from`; of equals the one with the latest keys.
fn shortest(from: usize, to: usize, fits: &dyn Fn(usize, usize) -> bool) -> Vec<usize> {
    // Steps to `to`, and the next key, for each sample; filled from behind.
    let mut best: Vec<(usize, usize)> = vec![(0, to); to - from + 1];
    for start in (from..to).rev() {
        let mut here = (usize::MAX, to);
        for end in (start + 1..=to).rev() {
            let steps = best[end - from].0 + 1;
            // A neighbour is always within reach.
            if steps < here.0 && (end == start + 1 || fits(start, end)) {
                here = (steps, end);
            }
        }
        best[start - from] = here;
    }
    let mut path = Vec::new();
    let mut at = from;
    while at < to {
        at = best[at - from].1;
        path.push(at);
    }
    path
}

/// The longest feasible step each time.
fn longest_steps(from: usize, to: usize, fits: &dyn Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut path = Vec::new();
    let mut at = from;
    while at < to {
        let mut reach = at + 1;
        while reach < to && fits(at, reach + 1) {
            reach += 1;
        }
        path.push(reach);
        at = reach;
    }
    path
}

impl Axis<'_> {
    fn check(&self) -> Result<(), Error> {
        as_many("samples", self.positions.len(), self.values.len())?;
        if let Some(index) = self.values.windows(2).position(|w| w[0].total_cmp(&w[1]).is_ge()) {
            return Err(Error::NotFinite { what: "value after sample", index });
        }
        for positions in self.positions {
            as_many("vertices of a sample", positions.len(), self.positions[0].len())?;
        }
        Ok(())
    }

    /// The samples between two are within `limit` of the blend; the middle is looked at first.
    fn within(&self, from: usize, to: usize, limit: f64) -> bool {
        let middle = usize::midpoint(from, to);
        let good =
            |i: usize| i <= from || i >= to || self.deviation(from, to, i, limit * limit) <= limit * limit;
        good(middle) && (from + 1..to).all(good)
    }

    fn worst(&self, from: usize, to: usize) -> f64 {
        (from + 1..to).map(|i| self.deviation(from, to, i, f64::INFINITY)).fold(0.0, f64::max).sqrt()
    }

    /// The largest squared distance of sample `i` from the blend of two; stops early above `enough`.
    fn deviation(&self, from: usize, to: usize, i: usize, enough: f64) -> f64 {
        let t = (self.values[i] - self.values[from]) / (self.values[to] - self.values[from]);
        let mut worst = 0.0;
        for ((p, a), b) in self.positions[i].iter().zip(&self.positions[from]).zip(&self.positions[to]) {
            let d = [a[0] + (b[0] - a[0]) * t - p[0], a[1] + (b[1] - a[1]) * t - p[1]];
            worst = f64::max(worst, d[0] * d[0] + d[1] * d[1]);
            if worst > enough {
                return worst;
            }
        }
        worst
    }
}
