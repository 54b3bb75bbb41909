//! Colour rows of a file (MOC3_FORMAT 6.11).

use super::Colors;
use crate::Version;
use crate::schema::Tables;

/// Colour rows in the order of their keyforms.
#[derive(Default)]
pub(super) struct ColorRows(Vec<Colors>);

impl ColorRows {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
    /// Appends a row; gives its number.
    pub(super) fn add(&mut self, colors: Colors) -> i32 {
        self.0.push(colors);
        i32::try_from(self.0.len() - 1).unwrap_or(i32::MAX)
    }
    /// Fills the colour columns, when the version has them.
    pub(super) fn store(&self, version: Version, tables: &mut Tables) {
        if version < Version::V42 {
            return;
        }
        let column = |channel: fn(&Colors) -> f32| self.0.iter().map(channel).collect();
        tables.mul_r = column(|colors| colors.multiply[0]);
        tables.mul_g = column(|colors| colors.multiply[1]);
        tables.mul_b = column(|colors| colors.multiply[2]);
        tables.scr_r = column(|colors| colors.screen[0]);
        tables.scr_g = column(|colors| colors.screen[1]);
        tables.scr_b = column(|colors| colors.screen[2]);
    }
}

/// The multiply colour of one row and the screen colour of another; `None` outside the tables.
pub(super) fn row(tables: &Tables, multiply: usize, screen: usize) -> Option<Colors> {
    let at = |column: &[f32], row: usize| column.get(row).copied();
    Some(Colors {
        multiply: [at(&tables.mul_r, multiply)?, at(&tables.mul_g, multiply)?, at(&tables.mul_b, multiply)?],
        screen: [at(&tables.scr_r, screen)?, at(&tables.scr_g, screen)?, at(&tables.scr_b, screen)?],
    })
}
