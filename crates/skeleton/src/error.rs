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
    /// More bones in the settings than are read.
    #[error("skeleton.bones has {bones} bones, at most {} are read", crate::settings::MOST_GIVEN)]
    TooMany {
        /// Bones given.
        bones: usize,
    },
    /// A name that ids cannot hold.
    #[error("bone {bone:?}: its name must be 1..=40 ASCII letters, digits or _")]
    Name {
        /// The bone.
        bone: String,
    },
    /// A name that is there twice.
    #[error("two bones are named {bone}")]
    Twice {
        /// The bone.
        bone: String,
    },
    /// Head and tail in one place.
    #[error("bone {bone} has no length: its head and tail must be at least a pixel apart")]
    Length {
        /// The bone.
        bone: String,
    },
    /// A parent that is not there.
    #[error("bone {bone}: its parent {parent} is not there")]
    Parent {
        /// The bone.
        bone: String,
        /// Its parent.
        parent: String,
    },
    /// Parents that lead in a circle.
    #[error("bone {bone} is its own ancestor: one bone of a limb must have no parent")]
    Cycle {
        /// The bone.
        bone: String,
    },
    /// A bone with two children.
    #[error("bone {bone} carries {child} beside another bone: begin a limb of its own, without parent")]
    Fork {
        /// The bone.
        bone: String,
        /// Its second child.
        child: String,
    },
    /// A layer that is not there.
    #[error("bone {bone} binds {layer:?}, which is no visible layer")]
    Unknown {
        /// The bone.
        bone: String,
        /// The layer.
        layer: String,
    },
    /// A bone far from what it moves.
    #[error("bone {bone} lies outside of {layer:?}, which it binds: head and tail are canvas pixels")]
    Outside {
        /// The bone.
        bone: String,
        /// The layer.
        layer: String,
    },
    /// A limb that moves nothing.
    #[error("bone {bone} and its children bind no layer")]
    Nothing {
        /// The first bone of the limb.
        bone: String,
    },
}
