//! Checked access to the rows of a file.

use std::ops::Range;

use crate::Error;
use crate::element::Id;

/// A column and its name in the specification, for messages.
#[derive(Clone, Copy)]
pub(super) struct Column<'f, T> {
    pub(super) section: &'static str,
    pub(super) values: &'f [T],
}

/// Names a column of the tables: `col!(tables.part_parent)`.
macro_rules! col {
    ($tables:ident . $field:ident) => {
        $crate::model::cells::Column { section: stringify!($field), values: &$tables.$field }
    };
}
pub(super) use col;

impl<T: Copy> Column<'_, T> {
    /// The entry of a row.
    pub(super) fn at(self, row: usize) -> Result<T, Error> {
        let missing = Error::Row { section: self.section, row, value: row as i64, fault: "is missing" };
        self.values.get(row).copied().ok_or(missing)
    }
}

impl Column<'_, i32> {
    fn error(self, row: usize, value: i32, fault: &'static str) -> Error {
        Error::Row { section: self.section, row, value: value.into(), fault }
    }
    /// An index below `len`.
    pub(super) fn index(self, row: usize, len: usize) -> Result<usize, Error> {
        let value = self.at(row)?;
        let index = usize::try_from(value).ok().filter(|index| *index < len);
        index.ok_or_else(|| self.error(row, value, "points outside its table"))
    }
    /// An index below `len`, or -1 for none.
    pub(super) fn optional(self, row: usize, len: usize) -> Result<Option<usize>, Error> {
        if self.at(row)? == -1 { Ok(None) } else { self.index(row, len).map(Some) }
    }
    /// 0 or 1.
    pub(super) fn flag(self, row: usize) -> Result<bool, Error> {
        match self.at(row)? {
            0 => Ok(false),
            1 => Ok(true),
            value => Err(self.error(row, value, "is neither 0 nor 1")),
        }
    }
    /// A number that is not negative.
    pub(super) fn size(self, row: usize) -> Result<usize, Error> {
        let value = self.at(row)?;
        usize::try_from(value).map_err(|_| self.error(row, value, "is negative"))
    }
    /// `count` entries from the one this row names, below `len`; empty wherever it begins when `count` is 0.
    pub(super) fn begin(self, row: usize, count: usize, len: usize) -> Result<Range<usize>, Error> {
        if count == 0 {
            return Ok(0..0);
        }
        let value = self.at(row)?;
        let error = self.error(row, value, "begins a run that ends outside its table");
        let begin = usize::try_from(value).map_err(|_| error.clone())?;
        let end = begin.checked_add(count).filter(|end| *end <= len);
        end.map(|end| begin..end).ok_or(error)
    }
}

impl Column<'_, Id> {
    /// The text of an id.
    pub(super) fn text(self, row: usize) -> Result<String, Error> {
        let id = self.at(row)?;
        id.text().map(str::to_owned).ok_or(Error::Id { section: self.section, row })
    }
}

/// Bounds what shared rows unfold to.
pub(super) struct Budget {
    left: usize,
    limit: usize,
}

impl Budget {
    /// A model takes at most this many bytes per byte of the file ...
    const FACTOR: usize = 64;
    /// ... and these.
    const BASE: usize = 1 << 20;

    pub(super) fn new(file_size: usize) -> Self {
        let limit = file_size.saturating_mul(Self::FACTOR).saturating_add(Self::BASE);
        Self { left: limit, limit }
    }
    /// Takes `count` values of type `T`.
    pub(super) fn take<T>(&mut self, count: usize) -> Result<(), Error> {
        let bytes = count.saturating_mul(size_of::<T>());
        self.left = self.left.checked_sub(bytes).ok_or(Error::Unfolds { limit: self.limit })?;
        Ok(())
    }
}
