//! Why settings are refused.

/// Settings that cannot be used; every message names the source and the key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Not TOML.
    #[error("{origin}: {message}")]
    Syntax {
        /// File or flag.
        origin: String,
        /// The parser's words.
        message: String,
    },
    /// No stage knows the key.
    #[error("{origin}: unknown setting `{key}`{}", hint(.nearest))]
    Unknown {
        /// File or flag.
        origin: String,
        /// Dotted key.
        key: String,
        /// The nearest known key, if any is near.
        nearest: Option<String>,
    },
    /// A value of the wrong kind or out of range.
    #[error("{origin}: {message}")]
    Value {
        /// File or flag.
        origin: String,
        /// What is wrong, naming the key.
        message: String,
    },
    /// No warning has the code.
    #[error("{origin}: there is no warning code {code:?}{}", code_hint(.nearest))]
    Code {
        /// File or flag.
        origin: String,
        /// As given.
        code: String,
        /// The nearest known code, if any is near.
        nearest: Option<String>,
    },
}

fn code_hint(nearest: &Option<String>) -> String {
    if nearest.is_some() {
        hint(nearest)
    } else {
        format!("; those there are: {}", bundle::codes::CODES.join(" "))
    }
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |n| format!(": did you mean `{n}`?"))
}
