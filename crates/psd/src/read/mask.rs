//! The mask part of a layer record.

use geom::IntRect;

use super::cursor::Cursor;
use crate::Error;

/// A layer's mask as its record describes it.
pub(crate) struct MaskRecord {
    pub(crate) rect: IntRect,
    /// Value outside `rect`.
    pub(crate) outside: u8,
    pub(crate) flags: MaskFlags,
    /// The user's own mask when `flags.rendered` made the other one from it and a vector mask.
    pub(crate) real: Option<(IntRect, u8, MaskFlags)>,
    /// How much the user's mask hides: 255 is all.
    pub(crate) density: u8,
    /// How much the vector mask hides: 255 is all.
    pub(crate) vector_density: u8,
    /// A soft edge is asked for.
    pub(crate) feathered: bool,
}

/// The flag byte of a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MaskFlags(u8);

impl MaskFlags {
    /// Marked as placed relative to its layer.
    pub(crate) fn relative(self) -> bool {
        self.0 & 1 != 0
    }
    /// Switched off.
    pub(crate) fn disabled(self) -> bool {
        self.0 & 2 != 0
    }
    /// Made from other data, a vector mask as a rule.
    pub(crate) fn rendered(self) -> bool {
        self.0 & 8 != 0
    }
    fn has_parameters(self) -> bool {
        self.0 & 16 != 0
    }
}

impl MaskRecord {
    /// `None` when the layer has no mask. 20 bytes, or 36 and more with the real user mask.
    pub(crate) fn read(mut cursor: Cursor) -> Result<Option<Self>, Error> {
        if cursor.left() == 0 {
            return Ok(None);
        }
        let size = cursor.left();
        let rect = rect(&mut cursor)?;
        let (outside, flags) = (cursor.u8()?, MaskFlags(cursor.u8()?));
        let mut real = None;
        if size >= 36 {
            let (flags, outside) = (MaskFlags(cursor.u8()?), cursor.u8()?);
            real = Some((self::rect(&mut cursor)?, outside, flags));
        }
        let mut record =
            Self { rect, outside, flags, real, density: 255, vector_density: 255, feathered: false };
        if flags.has_parameters() {
            record.parameters(&mut cursor);
        }
        Ok(Some(record))
    }

    /// Densities (a byte) and feathers (a double) of the user's mask and the vector mask; what is missing is passed
    /// over.
    fn parameters(&mut self, cursor: &mut Cursor) {
        let present = cursor.u8().unwrap_or(0);
        let has = |bit: u8| present >> bit & 1 != 0;
        let feathered = |cursor: &mut Cursor, has: bool| {
            has && cursor.array().is_ok_and(|feather| f64::from_be_bytes(feather) != 0.0)
        };
        if has(0) {
            self.density = cursor.u8().unwrap_or(255);
        }
        self.feathered |= feathered(cursor, has(1));
        if has(2) {
            self.vector_density = cursor.u8().unwrap_or(255);
        }
        self.feathered |= feathered(cursor, has(3));
    }

    /// The density that holds for all of channel -2; `None` when it mixes two masks of different ones.
    pub(crate) fn common_density(&self) -> Option<u8> {
        if !self.flags.rendered() {
            return Some(self.density);
        }
        (self.density == 255 || self.density == self.vector_density).then_some(self.vector_density)
    }
}

fn rect(cursor: &mut Cursor) -> Result<IntRect, Error> {
    let (top, left, bottom, right) = (cursor.i32()?, cursor.i32()?, cursor.i32()?, cursor.i32()?);
    Ok(IntRect::new(left, top, right.max(left), bottom.max(top)))
}
