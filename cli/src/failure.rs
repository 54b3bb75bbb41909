//! How a command ends.

/// Why a command did not succeed, with its exit status (DESIGN 5).
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// A character failed, an audit failed, something was lost: 1. The text may be empty when all was told.
    Failed(String),
    /// The command line cannot be used: 2.
    Usage(String),
    /// Farm or store unreachable: 3.
    Unreachable(String),
}

impl Failure {
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }
    pub(crate) fn unreachable(message: impl Into<String>) -> Self {
        Self::Unreachable(message.into())
    }
    /// The process's exit status.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::Failed(_) => 1,
            Self::Usage(_) => 2,
            Self::Unreachable(_) => 3,
        }
    }
    /// The text for people.
    pub(crate) fn message(&self) -> &str {
        match self {
            Self::Failed(text) | Self::Usage(text) | Self::Unreachable(text) => text,
        }
    }
}
