//! What can go wrong.

/// Why there is no skeleton, or no bake.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// A limb without bones, or with too many.
    #[error("limb {limb} has {bones} bones, it must have 1..={}", crate::bake::MOST_BONES)]
    Bones {
        /// The limb.
        limb: String,
        /// Its bones.
        bones: usize,
    },
    /// A bone's number is not finite, or its range does not hold 0.
    #[error("bone {bone}: its place must be finite and its range must hold 0")]
    Number {
        /// The bone.
        bone: String,
    },
    /// Bones of a limb are not in order from the root to the tip.
    #[error("bone {bone} begins before the joint of its parent ends")]
    Order {
        /// The bone.
        bone: String,
    },
    /// A mesh is malformed.
    #[error("mesh {drawable} has triangles without vertices, or vertices that are not finite")]
    Mesh {
        /// The drawable.
        drawable: String,
    },
    /// The tolerance is no length.
    #[error("limb {limb}: tolerance {value} must be above 0")]
    Tolerance {
        /// The limb.
        limb: String,
        /// Value given.
        value: f64,
    },
}
