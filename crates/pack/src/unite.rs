//! One grid out of several with different axes.

use puppet::{Axis, Grid};

/// The axes of all grids: in order of first appearance, keys united.
pub(crate) fn axes<'a>(grids: impl IntoIterator<Item = &'a [Axis]>) -> Vec<Axis> {
    let mut united: Vec<Axis> = Vec::new();
    for axis in grids.into_iter().flatten() {
        match united.iter_mut().find(|a| a.parameter == axis.parameter) {
            None => united.push(axis.clone()),
            Some(known) => {
                known.keys.extend(&axis.keys);
                known.keys.sort_by(f64::total_cmp);
                known.keys.dedup();
            }
        }
    }
    united
}

/// A way to blend two values linearly.
pub(crate) trait Blend: Clone {
    fn blend(&self, other: &Self, t: f64) -> Self;
}

impl Blend for f64 {
    fn blend(&self, other: &Self, t: f64) -> Self {
        self + (other - self) * t
    }
}

impl Blend for [f64; 3] {
    fn blend(&self, other: &Self, t: f64) -> Self {
        std::array::from_fn(|i| self[i].blend(&other[i], t))
    }
}

impl Blend for Vec<geom::Point> {
    fn blend(&self, other: &Self, t: f64) -> Self {
        self.iter().zip(other).map(|(a, b)| a.lerp(*b, t)).collect()
    }
}

impl Blend for puppet::RotationForm {
    fn blend(&self, other: &Self, t: f64) -> Self {
        Self {
            pivot: self.pivot.lerp(other.pivot, t),
            angle: self.angle.blend(&other.angle, t),
            scale: self.scale.blend(&other.scale, t),
            ..*self
        }
    }
}

/// The grid's value at every cell of `axes`, which must hold all of the grid's axes. Exact at the grid's own keys and,
/// since a runtime blends multilinearly, everywhere between.
pub(crate) fn expand<T: Blend>(grid: &Grid<T>, axes: &[Axis]) -> Vec<T> {
    if grid.axes == axes {
        return grid.cells.clone();
    }
    let target = Grid { axes: axes.to_vec(), cells: Vec::<()>::new() };
    (0..target.expected_cells())
        .map(|cell| {
            let keys = target.keys_of(cell);
            let at = |axis: &Axis| axes.iter().position(|a| a.parameter == axis.parameter).map(|i| keys[i]);
            sample(grid, &grid.axes.iter().map(|a| at(a).unwrap_or(a.keys[0])).collect::<Vec<_>>())
        })
        .collect()
}

/// Multilinear value at some parameter values, clamped to the key range.
fn sample<T: Blend>(grid: &Grid<T>, values: &[f64]) -> T {
    let mut shares: Vec<(usize, f64, usize)> = Vec::new();
    let mut stride = 1;
    for (axis, &value) in grid.axes.iter().zip(values) {
        let upper = axis.keys.partition_point(|&k| k <= value).clamp(1, axis.keys.len().max(2) - 1);
        let lower = upper - 1;
        let span = axis.keys.get(upper).map_or(0.0, |k| k - axis.keys[lower]);
        let share = if span > 0.0 { ((value - axis.keys[lower]) / span).clamp(0.0, 1.0) } else { 0.0 };
        shares.push((lower, share, stride));
        stride *= axis.keys.len();
    }
    let base = shares.iter().map(|(lower, _, stride)| lower * stride).sum();
    blend_corner(grid, base, &shares)
}

fn blend_corner<T: Blend>(grid: &Grid<T>, base: usize, shares: &[(usize, f64, usize)]) -> T {
    let Some((&(_, share, stride), rest)) = shares.split_last() else { return grid.cells[base].clone() };
    if share == 0.0 {
        return blend_corner(grid, base, rest);
    }
    if share == 1.0 {
        return blend_corner(grid, base + stride, rest);
    }
    blend_corner(grid, base, rest).blend(&blend_corner(grid, base + stride, rest), share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn united_axes_keep_values_at_and_between_keys() {
        let a = Grid::build(vec![Axis::new("X", [-1.0, 0.0, 1.0])], |k| k[0] * 10.0);
        let b = Grid::build(vec![Axis::new("Y", [0.0, 1.0]), Axis::new("X", [-1.0, 0.5, 1.0])], |k| {
            k[0] * 100.0 + k[1]
        });
        let axes = axes([a.axes.as_slice(), b.axes.as_slice()]);
        assert_eq!(axes, [Axis::new("X", [-1.0, 0.0, 0.5, 1.0]), Axis::new("Y", [0.0, 1.0])]);
        assert_eq!(expand(&a, &axes), [-10.0, 0.0, 5.0, 10.0, -10.0, 0.0, 5.0, 10.0]);
        let wide = expand(&b, &axes);
        assert_eq!(wide[..4], [-1.0, 0.0, 0.5, 1.0]);
        assert_eq!(wide[4..], [99.0, 100.0, 100.5, 101.0]);
    }

    #[test]
    fn a_constant_fills_every_cell() {
        assert_eq!(expand(&Grid::constant(3.0), &[Axis::new("X", [0.0, 1.0])]), [3.0, 3.0]);
    }
}
