//! What callers can do something about.

/// Why a mesh cannot be solved, skinned or refined.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// A coordinate, angle, weight or penalty is not a finite number (or is beyond 1e7 px, or negative where it
    /// cannot be).
    #[error("{what} {index} is not a usable number")]
    NotFinite {
        /// What was read: "vertex", "guide vertex", "penalty", "bone", "angle"...
        what: &'static str,
        /// Its index.
        index: usize,
    },
    /// An index points beyond what it indexes, or a triangle names a vertex twice.
    #[error("{what} {index} names something that is not there, or one thing twice")]
    BadIndex {
        /// What was read.
        what: &'static str,
        /// Its index.
        index: usize,
    },
    /// A list has another length than the mesh or the skeleton asks for.
    #[error("{what}: {found} given, {wanted} wanted")]
    Length {
        /// What was given.
        what: &'static str,
        /// How many.
        found: usize,
        /// How many there should be.
        wanted: usize,
    },
    /// The mesh or the skeleton is larger than memory should be spent on.
    #[error("{what}: {found} is more than the {limit} that can be handled")]
    TooLarge {
        /// What is large.
        what: &'static str,
        /// How large.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// The matrix has no usable pivot, even with a raised guide penalty.
    #[error("the mesh cannot be solved: no pivot at vertex {vertex}; give it a guide penalty above zero")]
    Singular {
        /// The vertex.
        vertex: usize,
    },
    /// A bone's head and tail coincide (less than 1e-3 px apart).
    #[error("bone {bone} has no length: move its tail away from its head")]
    ZeroLength {
        /// The bone.
        bone: usize,
    },
    /// A bone is its own ancestor.
    #[error("bone {bone} is its own ancestor")]
    Cycle {
        /// The bone.
        bone: usize,
    },
}
