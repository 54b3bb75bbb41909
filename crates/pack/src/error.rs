//! Why a puppet cannot be packed.

/// A puppet that no moc3 file can hold.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The puppet is inconsistent; every fault with its path.
    #[error("the puppet has {} faults, the first: {}: {}", .0.len(), .0[0].path, .0[0].message)]
    Puppet(Vec<puppet::validate::Fault>),
    /// A reference that validation does not cover.
    #[error("{path}: {id} is not there")]
    Missing {
        /// The object that refers.
        path: String,
        /// What it refers to.
        id: String,
    },
    /// A drawable has more vertices than 16-bit indices reach.
    #[error("{0} has more than 65535 vertices: raise its mesh spacing")]
    TooManyVertices(String),
    /// The model was refused by the format.
    #[error("the model cannot be written: {0}")]
    Format(#[from] moc3::Error),
}
