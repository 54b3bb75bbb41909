//! What can go wrong.

/// Why there is no mesh. The caller adds the layer's name.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// No pixel has alpha > 0: there is nothing to draw, so skip the layer.
    #[error("the layer has no pixel with alpha above 0")]
    Empty,
    /// A setting is not finite or outside its range.
    #[error("mesh setting `{name}` is {value}, it must be {expected}")]
    Setting {
        /// Key as written in the settings.
        name: &'static str,
        /// What it was.
        value: f64,
        /// What is accepted.
        expected: &'static str,
    },
}

/// `value` when it is finite and within `low..=high`.
pub(crate) fn within(
    name: &'static str,
    value: f64,
    low: f64,
    high: f64,
    expected: &'static str,
) -> Result<f64, Error> {
    if value.is_finite() && value >= low && value <= high {
        return Ok(value);
    }
    Err(Error::Setting { name, value, expected })
}
