//! Codes of warnings, as people type them.

use bundle::codes::CODES;

use crate::Error;
use crate::nearest::nearest;

/// The warning code that is meant: spaces around it and upper case do not matter. `origin` is the file or flag it stands in.
///
/// # Errors
/// [`Error::Code`] with the nearest known code, when no warning has it.
pub fn warning_code(origin: &str, given: &str) -> Result<&'static str, Error> {
    let meant = given.trim().to_ascii_lowercase();
    CODES.iter().find(|known| **known == meant).copied().ok_or_else(|| Error::Code {
        origin: origin.to_owned(),
        code: given.to_owned(),
        nearest: nearest(&meant, CODES.iter().copied()).map(str::to_owned),
    })
}
