//! Semantic tags (CONTEXT 1.2) and sides.

use serde::{Deserialize, Serialize};

macro_rules! tags {
    ($($(#[$doc:meta])* $name:ident = $text:literal in $group:ident),* $(,)?) => {
        /// What a layer shows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Tag {
            $($(#[$doc])* #[serde(rename = $text)] $name,)*
        }
        impl Tag {
            /// All tags.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];
            /// Canonical name, as See-through and the settings spell it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
            /// Body region it belongs to.
            pub const fn group(self) -> Group {
                match self { $(Self::$name => Group::$group,)* }
            }
        }
    };
}

tags! {
    /// Hair behind the head.
    BackHair = "back hair" in Head,
    /// Bangs, side hair, ahoge.
    FrontHair = "front hair" in Head,
    /// Hats, ribbons and ornaments on the head.
    Headwear = "headwear" in Head,
    /// Face skin.
    Face = "face" in Head,
    /// Blush, scars, lower lashes, tears.
    FaceDetail = "facedetail" in Head,
    /// Iris, pupil, highlight.
    Irides = "irides" in Head,
    /// Brow.
    Eyebrow = "eyebrow" in Head,
    /// White of the eye.
    Eyewhite = "eyewhite" in Head,
    /// Upper lashes and lid line.
    Eyelash = "eyelash" in Head,
    /// Art of the closed eye.
    EyeClose = "eye_close" in Head,
    /// Glasses.
    Eyewear = "eyewear" in Head,
    /// Ears.
    Ears = "ears" in Head,
    /// Earrings.
    Earwear = "earwear" in Head,
    /// Nose.
    Nose = "nose" in Head,
    /// Mouth of unknown state.
    Mouth = "mouth" in Head,
    /// Art of the open mouth.
    MouthOpen = "mouth_open" in Head,
    /// Art of the closed mouth.
    MouthClose = "mouth_close" in Head,
    /// Upper teeth.
    ToothT = "tooth-t" in Head,
    /// Lower teeth.
    ToothB = "tooth-b" in Head,
    /// Tongue.
    Tongue = "tongue" in Head,
    /// Neck.
    Neck = "neck" in Body,
    /// Collar, scarf, tie.
    Neckwear = "neckwear" in Body,
    /// Torso and its clothes.
    Topwear = "topwear" in Body,
    /// Arms, hands, sleeves.
    Handwear = "handwear" in Body,
    /// Skirt, trousers.
    Bottomwear = "bottomwear" in Body,
    /// Legs.
    Legwear = "legwear" in Body,
    /// Feet and shoes.
    Footwear = "footwear" in Body,
    /// Tail.
    Tail = "tail" in Extra,
    /// Wings.
    Wings = "wings" in Extra,
    /// Things held or near.
    Objects = "objects" in Extra,
    /// Not recognised; placed by position.
    Unknown = "unknown" in Unknown,
}

/// Body region of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Group {
    /// Moves with the head.
    Head,
    /// Moves with the body.
    Body,
    /// Hangs on the body.
    Extra,
    /// Decided by position.
    Unknown,
}

/// The character's own side: left has the larger canvas x.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Side {
    /// The character's left, on the viewer's right.
    Left,
    /// The character's right, on the viewer's left.
    Right,
}

impl Side {
    /// `L` or `R`.
    pub const fn letter(self) -> char {
        match self {
            Self::Left => 'L',
            Self::Right => 'R',
        }
    }
    /// The opposite side.
    pub const fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}
