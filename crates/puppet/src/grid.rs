//! Keyform grids.

use serde::{Deserialize, Serialize};

use crate::ParameterId;

/// One axis of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// The driving parameter.
    pub parameter: ParameterId,
    /// Key values, strictly ascending, at least one; they span the parameter's range.
    pub keys: Vec<f64>,
}

impl Axis {
    /// From its parts.
    pub fn new(parameter: impl Into<ParameterId>, keys: impl Into<Vec<f64>>) -> Self {
        Self { parameter: parameter.into(), keys: keys.into() }
    }
}

/// Values on the cartesian product of the axes' keys. Between keys a runtime interpolates multilinearly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grid<T> {
    /// The axes; empty for a constant.
    pub axes: Vec<Axis>,
    /// One value per cell, the FIRST axis varying fastest (MOC3_FORMAT 6.1); a constant has one cell.
    pub cells: Vec<T>,
}

impl<T> Grid<T> {
    /// The same value everywhere.
    pub fn constant(value: T) -> Self {
        Self { axes: Vec::new(), cells: vec![value] }
    }
    /// Builds every cell from its key values (one per axis, in axis order).
    pub fn build(axes: Vec<Axis>, mut cell: impl FnMut(&[f64]) -> T) -> Self {
        let count = axes.iter().map(|a| a.keys.len()).product();
        let cells = (0..count).map(|i| cell(&key_values(&axes, i))).collect();
        Self { axes, cells }
    }
    /// Number of cells that the axes ask for.
    pub fn expected_cells(&self) -> usize {
        self.axes.iter().map(|a| a.keys.len()).product()
    }
    /// The key values of cell `index`, one per axis.
    pub fn keys_of(&self, index: usize) -> Vec<f64> {
        key_values(&self.axes, index)
    }
    /// The value does not change.
    pub fn is_constant(&self) -> bool {
        self.axes.is_empty()
    }
    /// Same axes, other values.
    pub fn map<U>(&self, f: impl FnMut(&T) -> U) -> Grid<U> {
        Grid { axes: self.axes.clone(), cells: self.cells.iter().map(f).collect() }
    }
    /// The cell whose keys are nearest to the given parameter values: exact when they are key values.
    pub fn nearest(&self, value_of: impl Fn(&ParameterId) -> f64) -> Option<&T> {
        let (mut index, mut stride) = (0, 1);
        for axis in &self.axes {
            let v = value_of(&axis.parameter);
            let best = (0..axis.keys.len())
                .min_by(|&a, &b| (axis.keys[a] - v).abs().total_cmp(&(axis.keys[b] - v).abs()))?;
            index += best * stride;
            stride *= axis.keys.len();
        }
        self.cells.get(index)
    }
}

fn key_values(axes: &[Axis], mut index: usize) -> Vec<f64> {
    axes.iter()
        .map(|a| {
            let n = a.keys.len().max(1);
            let v = a.keys[index % n];
            index /= n;
            v
        })
        .collect()
}
