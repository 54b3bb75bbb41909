//! Keys of several coupled axes: a grid of poses.

use crate::Error;
use crate::keys::{LOOSEN, MAX_LOOSENED, between, pinned_and_ends};
use crate::mesh::{as_many, at_most};

/// How much each axis's tolerance is tightened when the axes' errors add up to too much.
const TIGHTEN: f64 = 0.8;
/// More axes are refused.
const MAX_AXES: usize = 8;

/// Samples on the product of several axes' values.
#[derive(Clone, Copy, Debug)]
pub struct Grid<'a> {
    /// Of each axis the parameter values, strictly ascending.
    pub values: &'a [Vec<f64>],
    /// A shape at each combination, the first axis running fastest; all of one length, in px.
    pub positions: &'a [Vec<[f64; 2]>],
}

/// Keys of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct GridKeys {
    /// Of each axis the indices of the values to keep, ascending; the first and the last are always kept.
    pub kept: Vec<Vec<usize>>,
    /// The farthest any vertex of any sample is from the blend of its cell's corners, px.
    pub worst: f64,
}

impl GridKeys {
    /// Combinations of kept values.
    pub fn cells(&self) -> usize {
        self.kept.iter().map(Vec::len).product()
    }
}

/// Few values of each axis such that blending (linear in each axis) between kept combinations keeps every vertex of
/// every sample within `tolerance` px. Each axis has the fewest keys for its own part; the parts are made smaller until
/// the sum is within. `pinned` names values of each axis that are kept in any case. With more than `most` combinations
/// the densest axis is thinned first: see [`GridKeys::worst`].
///
/// # Errors
/// [`Error::Length`], [`Error::BadIndex`], [`Error::NotFinite`] or [`Error::TooLarge`].
pub fn fewest(grid: Grid<'_>, pinned: &[Vec<usize>], tolerance: f64, most: usize) -> Result<GridKeys, Error> {
    grid.check()?;
    as_many("lists of pinned values", pinned.len(), grid.values.len())?;
    let pins = grid.values.iter().zip(pinned).map(|(values, pinned)| pinned_and_ends(pinned, values.len()));
    let pins: Vec<Vec<usize>> = pins.collect::<Result<_, _>>()?;
    let axes = grid.values.len();
    let keys = |axis: usize, limit: f64| between(&pins[axis], &|from, to| grid.within(axis, from, to, limit));
    let mut limits = vec![tolerance.max(1e-9); axes];
    let mut kept: Vec<Vec<usize>> = (0..axes).map(|axis| keys(axis, limits[axis])).collect();
    let least = tolerance.max(1e-9) / axes.max(1) as f64;
    let mut worst = grid.worst(&kept);
    while worst > tolerance && limits.iter().any(|l| *l > least) {
        limits.iter_mut().for_each(|l| *l = (*l * TIGHTEN).max(least));
        kept = (0..axes).map(|axis| keys(axis, limits[axis])).collect();
        worst = grid.worst(&kept);
    }
    for _ in 0..MAX_LOOSENED * axes as u32 {
        let thinnable = |axis: &usize| kept[*axis].len() > pins[*axis].len();
        let densest =
            (0..axes).filter(thinnable).max_by_key(|axis| (kept[*axis].len(), std::cmp::Reverse(*axis)));
        let Some(axis) = densest.filter(|_| kept.iter().map(Vec::len).product::<usize>() > most) else {
            break;
        };
        limits[axis] *= LOOSEN;
        kept[axis] = keys(axis, limits[axis]);
    }
    Ok(GridKeys { worst: grid.worst(&kept), kept })
}

impl Grid<'_> {
    fn check(&self) -> Result<(), Error> {
        at_most("axes", self.values.len(), MAX_AXES)?;
        for values in self.values {
            if let Some(index) = values.windows(2).position(|w| w[0].total_cmp(&w[1]).is_ge()) {
                return Err(Error::NotFinite { what: "value after sample", index });
            }
        }
        let product = self.values.iter().try_fold(1usize, |p, v| p.checked_mul(v.len()));
        as_many("samples of the grid", self.positions.len(), product.unwrap_or(usize::MAX))?;
        for positions in self.positions {
            as_many("vertices of a sample", positions.len(), self.positions[0].len())?;
        }
        Ok(())
    }

    /// How far apart samples of neighbouring values of an axis are.
    fn stride(&self, axis: usize) -> usize {
        self.values[..axis].iter().map(Vec::len).product()
    }

    /// Along one axis, the samples between two values are within `limit` of the blend, at all values of the others.
    fn within(&self, axis: usize, from: usize, to: usize, limit: f64) -> bool {
        let (stride, values) = (self.stride(axis), &self.values[axis]);
        let block = stride * values.len();
        let good = |i: usize| {
            let t = (values[i] - values[from]) / (values[to] - values[from]);
            (0..self.positions.len()).filter(|sample| sample % block < stride).all(|start| {
                let at = |value: usize| &self.positions[start + value * stride];
                let blend =
                    at(from).iter().zip(at(to)).map(|(a, b)| [0, 1].map(|k| a[k] + (b[k] - a[k]) * t));
                blend.zip(at(i)).all(|(a, b)| square(a, *b) <= limit * limit)
            })
        };
        let middle = usize::midpoint(from, to);
        (middle == from || good(middle)) && (from + 1..to).all(good)
    }

    /// The longest way from any sample to its blend.
    fn worst(&self, kept: &[Vec<usize>]) -> f64 {
        (0..self.positions.len()).map(|sample| self.deviation(kept, sample)).fold(0.0, f64::max).sqrt()
    }

    /// The longest squared way from a sample to the blend of the kept combinations around it.
    fn deviation(&self, kept: &[Vec<usize>], sample: usize) -> f64 {
        // Corners as (sample, share).
        let mut corners = vec![(0, 1.0)];
        for (axis, values) in self.values.iter().enumerate() {
            let index = sample / self.stride(axis) % values.len();
            let upper = kept[axis].partition_point(|k| *k < index).min(kept[axis].len() - 1);
            let (low, high) = (kept[axis][upper.saturating_sub(1)], kept[axis][upper]);
            let t =
                if low == high { 1.0 } else { (values[index] - values[low]) / (values[high] - values[low]) };
            let stride = self.stride(axis);
            corners = corners
                .into_iter()
                .flat_map(|(at, share)| {
                    [(at + low * stride, share * (1.0 - t)), (at + high * stride, share * t)]
                })
                .filter(|(_, share)| *share != 0.0)
                .collect();
        }
        let blend = |v: usize| {
            [0, 1].map(|k| corners.iter().map(|(at, share)| share * self.positions[*at][v][k]).sum::<f64>())
        };
        self.positions[sample].iter().enumerate().map(|(v, p)| square(blend(v), *p)).fold(0.0, f64::max)
    }
}

fn square(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])
}
