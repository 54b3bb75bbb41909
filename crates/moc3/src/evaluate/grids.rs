//! Parameters, brackets on axes, corners of grids (MOC3_FORMAT 7.1-7.3).

use crate::model::{AxisTable, Colors, Model};
use crate::validate::values::tolerance;

/// The distinct axes and grids of a model.
#[derive(Clone, Debug)]
pub(super) struct Grids {
    axes: Vec<GridAxis>,
    /// Axis and stride, per grid.
    grids: Vec<Vec<(usize, usize)>>,
    /// Grid of each part.
    pub(super) parts: Vec<usize>,
    /// Grid of each deformer.
    pub(super) deformers: Vec<usize>,
    /// Grid of each drawable.
    pub(super) drawables: Vec<usize>,
    /// Grid of each glue.
    pub(super) glues: Vec<usize>,
}

#[derive(Clone, Debug)]
struct GridAxis {
    parameter: usize,
    keys: Vec<f64>,
    tolerance: f64,
}

/// Where the parameters stand on each grid.
#[derive(Clone, Debug, Default)]
pub(super) struct GridStates {
    axes: Vec<Option<Bracket>>,
    corners: Vec<Corner>,
    /// Corners of each grid; `None` when a parameter is out of range.
    grids: Vec<Option<std::ops::Range<usize>>>,
}

/// A keyform and its share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    pub(super) row: usize,
    pub(super) weight: f64,
}

/// A place between key `index` and the next.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bracket {
    index: usize,
    fraction: f64,
}

impl Grids {
    pub(super) fn new(model: &Model) -> Self {
        let table = AxisTable::new(model);
        let axis = |(parameter, keys): &(usize, &[f32])| GridAxis {
            parameter: *parameter,
            keys: keys.iter().map(|key| f64::from(*key)).collect(),
            tolerance: tolerance(model.parameters[*parameter].decimals),
        };
        let axes: Vec<GridAxis> = table.bindings.iter().map(axis).collect();
        let strides = |grid: &Vec<usize>| {
            let mut stride = 1;
            let next = |axis: &usize| {
                let own = stride;
                stride *= axes[*axis].keys.len();
                (*axis, own)
            };
            grid.iter().map(next).collect()
        };
        let grids = table.grids.iter().map(strides).collect();
        Self {
            axes,
            grids,
            parts: table.parts,
            deformers: table.deformers,
            drawables: table.drawables,
            glues: table.glues,
        }
    }

    /// Brackets all axes and lists the corners of all grids.
    pub(super) fn evaluate(&self, values: &[f64], states: &mut GridStates) {
        states.axes.clear();
        states
            .axes
            .extend(self.axes.iter().map(|axis| bracket(values[axis.parameter], &axis.keys, axis.tolerance)));
        states.corners.clear();
        states.grids.clear();
        for grid in &self.grids {
            let run = states.add_corners(grid);
            states.grids.push(run);
        }
    }
}

impl GridStates {
    /// The corners of a grid; `None` when a parameter is out of range, which hides the object.
    pub(super) fn corners(&self, grid: usize) -> Option<&[Corner]> {
        self.grids[grid].clone().map(|run| &self.corners[run])
    }

    fn add_corners(&mut self, grid: &[(usize, usize)]) -> Option<std::ops::Range<usize>> {
        if grid.iter().any(|(axis, _)| self.axes[*axis].is_none()) {
            return None;
        }
        let begin = self.corners.len();
        self.corners.push(Corner { row: 0, weight: 1.0 });
        for (axis, stride) in grid {
            let Bracket { index, fraction } = self.axes[*axis]?;
            let end = self.corners.len();
            for at in begin..end {
                let Corner { row, weight } = self.corners[at];
                let row = row + index * stride;
                if fraction > 0.0 {
                    self.corners[at] = Corner { row, weight: weight * (1.0 - fraction) };
                    self.corners.push(Corner { row: row + stride, weight: weight * fraction });
                } else {
                    self.corners[at].row = row;
                }
            }
        }
        Some(begin..self.corners.len())
    }
}

/// Interpolates one number.
pub(super) fn scalar<K>(corners: &[Corner], keyforms: &[K], value: impl Fn(&K) -> f32) -> f64 {
    corners.iter().map(|corner| corner.weight * f64::from(value(&keyforms[corner.row]))).sum()
}

/// Interpolates positions into `out`, replacing it.
pub(super) fn points<'k>(
    corners: &[Corner],
    positions: impl Fn(usize) -> &'k [[f32; 2]],
    out: &mut Vec<[f64; 2]>,
) {
    out.clear();
    let Some((first, rest)) = corners.split_first() else { return };
    let weight = first.weight;
    out.extend(positions(first.row).iter().map(|point| point.map(|value| weight * f64::from(value))));
    for corner in rest {
        add_points(positions(corner.row), corner.weight, out);
    }
}

/// Adds weighted positions.
pub(super) fn add_points(positions: &[[f32; 2]], weight: f64, out: &mut [[f64; 2]]) {
    for (sum, value) in out.as_flattened_mut().iter_mut().zip(positions.as_flattened()) {
        *sum += weight * f64::from(*value);
    }
}

/// Colours while they are computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct ColorSum {
    pub(super) multiply: [f64; 3],
    pub(super) screen: [f64; 3],
}

impl Default for ColorSum {
    /// Changes nothing.
    fn default() -> Self {
        Self { multiply: [1.0; 3], screen: [0.0; 3] }
    }
}

impl ColorSum {
    /// Interpolates colours.
    pub(super) fn interpolate<K>(corners: &[Corner], keyforms: &[K], colors: impl Fn(&K) -> Colors) -> Self {
        let mut sum = Self { multiply: [0.0; 3], screen: [0.0; 3] };
        corners.iter().for_each(|corner| sum.add(colors(&keyforms[corner.row]), corner.weight));
        sum
    }
    /// Adds weighted colours.
    pub(super) fn add(&mut self, colors: Colors, weight: f64) {
        for channel in 0..3 {
            self.multiply[channel] += weight * f64::from(colors.multiply[channel]);
            self.screen[channel] += weight * f64::from(colors.screen[channel]);
        }
    }
    /// Channels limited to 0..=1.
    pub(super) fn clamped(self) -> Self {
        let clamp = |channels: [f64; 3]| channels.map(|value| value.clamp(0.0, 1.0));
        Self { multiply: clamp(self.multiply), screen: clamp(self.screen) }
    }
    /// Under the colours of a parent (MOC3_FORMAT 7.8).
    pub(super) fn under(self, parent: Self) -> Self {
        let pair = |a: [f64; 3], b: [f64; 3], combine: fn(f64, f64) -> f64| {
            [combine(a[0], b[0]), combine(a[1], b[1]), combine(a[2], b[2])]
        };
        Self {
            multiply: pair(self.multiply, parent.multiply, |a, b| a * b),
            screen: pair(self.screen, parent.screen, |a, b| a + b - a * b),
        }
    }
}

/// The values that drive the model: clamped, or wrapped into `[min, max)`.
pub(super) fn effective_values(model: &Model, values: &[f32], out: &mut Vec<f64>) {
    out.clear();
    for (place, parameter) in model.parameters.iter().enumerate() {
        let given = values.get(place).copied().filter(|value| !value.is_nan());
        let value = f64::from(given.unwrap_or(parameter.default));
        let (min, max) = (f64::from(parameter.minimum), f64::from(parameter.maximum));
        out.push(if parameter.repeat { wrap(value, min, max) } else { value.max(min).min(max) });
    }
}

fn wrap(value: f64, min: f64, max: f64) -> f64 {
    let inside = value >= min && value < max;
    let wrapped = if inside { value } else { min + (value - min).rem_euclid(max - min) };
    // Endless values and empty ranges have no place.
    if wrapped.is_finite() { wrapped } else { min }
}

/// Where `value` stands on ascending keys; `None` outside of them.
fn bracket(value: f64, keys: &[f64], tolerance: f64) -> Option<Bracket> {
    let (Some(first), Some(last)) = (keys.first(), keys.last()) else {
        return Some(Bracket { index: 0, fraction: 0.0 });
    };
    let at = |index| Some(Bracket { index, fraction: 0.0 });
    if keys.len() == 1 {
        let inside = first - tolerance < value && value < first + tolerance;
        return if inside { at(0) } else { None };
    }
    if value < first - tolerance || value >= last + tolerance {
        return None;
    }
    if value < first + tolerance {
        return at(0);
    }
    let upper = (1..keys.len()).find(|key| value < keys[*key] + tolerance)?;
    if value > keys[upper] - tolerance {
        return at(upper);
    }
    let span = keys[upper] - keys[upper - 1];
    let fraction = if span < 1.5 * tolerance { 0.0 } else { (value - keys[upper - 1]) / span };
    Some(Bracket { index: upper - 1, fraction })
}
