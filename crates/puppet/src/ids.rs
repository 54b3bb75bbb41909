//! Ids: one newtype per kind of object.

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// From its text.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }
            /// Its text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    };
}

id!(
    /// A parameter's id, e.g. `ParamAngleX`.
    ParameterId
);
id!(
    /// A part's id, e.g. `PartHead`.
    PartId
);
id!(
    /// A deformer's id, e.g. `DeformFaceNinePose`.
    DeformerId
);
id!(
    /// A drawable's id, e.g. `ArtMeshEyewhiteL`.
    DrawableId
);
id!(
    /// A glue's id.
    GlueId
);
id!(
    /// A texture tile's id: the layer (or derived picture) whose pixels it shows.
    TileId
);
