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
    /// Density or feather of the mask is not the default.
    pub(crate) adjusted: bool,
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
        let adjusted = flags.has_parameters() && adjusted(&mut cursor);
        Ok(Some(Self { rect, outside, flags, real, adjusted }))
    }
}

fn rect(cursor: &mut Cursor) -> Result<IntRect, Error> {
    let (top, left, bottom, right) = (cursor.i32()?, cursor.i32()?, cursor.i32()?, cursor.i32()?);
    Ok(IntRect::new(left, top, right.max(left), bottom.max(top)))
}

/// Densities (a byte, default 255) and feathers (a double, default 0) that are present and not the default.
fn adjusted(cursor: &mut Cursor) -> bool {
    let Ok(present) = cursor.u8() else { return false };
    (0..4).filter(|bit| present >> bit & 1 != 0).any(|bit| {
        if bit % 2 == 0 {
            cursor.u8().is_ok_and(|density| density != 255)
        } else {
            cursor.array::<8>().is_ok_and(|feather| f64::from_be_bytes(feather) != 0.0)
        }
    })
}
