//! Cholesky factors within the envelope of a symmetric matrix.

use crate::Error;
use crate::mesh::at_most;

/// More entries are refused (128 MiB).
const MAX_ENTRIES: usize = 1 << 24;
/// A pivot below this part of its diagonal entry counts as none.
const LEAST_PIVOT: f64 = 1e-13;

/// The factor `L` of `A = L L^T`, rows from their first entry to just before the diagonal; reciprocals of the diagonal.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    /// Column of each row's first entry.
    pub(crate) first: Vec<usize>,
    /// Where each row begins in `rows`; one more at the end.
    pub(crate) start: Vec<usize>,
    /// Entries left of the diagonal, row after row.
    pub(crate) rows: Vec<f64>,
    /// `1 / L[i][i]`.
    pub(crate) reciprocal: Vec<f64>,
}

/// A symmetric matrix: its diagonal, and the entries left of it by row as (column, value), ascending.
pub(crate) struct Symmetric {
    pub(crate) diagonal: Vec<f64>,
    pub(crate) lower: Vec<Vec<(usize, f64)>>,
}

/// Factors a positive definite matrix.
///
/// # Errors
/// [`Error::TooLarge`], or [`Error::Singular`] with the *row* that has no pivot.
pub(crate) fn factor(matrix: &Symmetric) -> Result<Factor, Error> {
    let n = matrix.diagonal.len();
    let first: Vec<usize> =
        (0..n).map(|i| matrix.lower[i].first().map_or(i, |(column, _)| (*column).min(i))).collect();
    let mut start = Vec::with_capacity(n + 1);
    let mut entries = 0;
    for (i, column) in first.iter().enumerate() {
        start.push(entries);
        entries += i - column;
    }
    start.push(entries);
    at_most("entries of the matrix", entries, MAX_ENTRIES)?;
    let mut factor = Factor { first, start, rows: vec![0.0; entries], reciprocal: vec![0.0; n] };
    for i in 0..n {
        factor.eliminate(matrix, i)?;
    }
    Ok(factor)
}

impl Factor {
    fn eliminate(&mut self, matrix: &Symmetric, i: usize) -> Result<(), Error> {
        let (first, begin) = (self.first[i], self.start[i]);
        let (done, rest) = self.rows.split_at_mut(begin);
        let row = &mut rest[..i - first];
        for &(column, value) in &matrix.lower[i] {
            row[column - first] = value;
        }
        for column in first..i {
            let other = &done[self.start[column]..self.start[column + 1]];
            let from = first.max(self.first[column]);
            let left = &row[from - first..column - first];
            let right = &other[from - self.first[column]..];
            let dot: f64 = left.iter().zip(right).map(|(a, b)| a * b).sum();
            row[column - first] = (row[column - first] - dot) * self.reciprocal[column];
        }
        let square: f64 = row.iter().map(|a| a * a).sum();
        let pivot = matrix.diagonal[i] - square;
        // Also refuses a pivot that is not a number.
        if !(pivot > LEAST_PIVOT * matrix.diagonal[i] && pivot > f64::MIN_POSITIVE) {
            return Err(Error::Singular { vertex: i });
        }
        self.reciprocal[i] = 1.0 / pivot.sqrt();
        Ok(())
    }

    /// Solves in place for several right-hand sides: `L` lanes each.
    pub(crate) fn solve<const L: usize>(&self, sides: &mut [[f64; L]]) {
        for i in 0..self.reciprocal.len() {
            let (done, rest) = sides.split_at_mut(i);
            let mut value = rest[0];
            let row = &self.rows[self.start[i]..self.start[i + 1]];
            for (entry, known) in row.iter().zip(&done[self.first[i]..]) {
                for (v, k) in value.iter_mut().zip(known) {
                    *v -= entry * k;
                }
            }
            rest[0] = value.map(|v| v * self.reciprocal[i]);
        }
        for i in (0..self.reciprocal.len()).rev() {
            let (done, rest) = sides.split_at_mut(i);
            let value = rest[0].map(|v| v * self.reciprocal[i]);
            rest[0] = value;
            let row = &self.rows[self.start[i]..self.start[i + 1]];
            for (entry, other) in row.iter().zip(&mut done[self.first[i]..]) {
                for (o, v) in other.iter_mut().zip(&value) {
                    *o -= entry * v;
                }
            }
        }
    }
}
