//! What a user may tune. Lengths are canvas pixels of a canvas whose long side is 2048, unless said otherwise.

use std::collections::BTreeMap;

use canonical::Canonical;
use serde::{Deserialize, Serialize};

/// Settings of the rig; every key is optional.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Canonical)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Which set of rules shapes the rig.
    pub profile: Profile,
    /// How far the head turns; 1 is the default, 0..=1.5 is offered, clamped to 2 (classic: 4).
    pub head_strength: f64,
    /// How far the body turns; 1 is the default, clamped to 0..=4.
    pub body_strength: f64,
    /// How far hair and what hangs swings; 1 is the default, 0 keeps all but bangs and back hair rigid, 0..=2.
    pub sway_strength: f64,
    /// How fine meshes are.
    pub mesh: MeshSettings,
    /// Eyes.
    pub eyes: EyeSettings,
    /// Mouth.
    pub mouth: MouthSettings,
    /// What becomes of layers that are hidden in the art.
    pub hidden: HiddenLayers,
    /// What shows one of several alternatives (arms, eyes, clothes).
    pub alternatives: Alternatives,
    /// Keeps solid backgrounds.
    pub background: bool,
    /// Writes physics groups.
    pub physics: bool,
    /// Writes the standard motions.
    pub motions: bool,
    /// Writes expressions for alternatives.
    pub expressions: bool,
    /// Overrides by layer name, path (`folder/name`) or stable id.
    pub layers: BTreeMap<String, LayerSettings>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            profile: Profile::Natural,
            head_strength: 1.0,
            body_strength: 1.0,
            sway_strength: 1.0,
            mesh: MeshSettings::default(),
            eyes: EyeSettings::default(),
            mouth: MouthSettings::default(),
            hidden: HiddenLayers::Switch,
            alternatives: Alternatives::Switch,
            background: false,
            physics: true,
            motions: true,
            expressions: true,
            layers: BTreeMap::new(),
        }
    }
}

/// What [`finish`](crate::finish) reads of the [`Settings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Canonical)]
pub struct FinishSettings {
    /// Which set of rules shapes the rig.
    pub profile: Profile,
    /// Writes physics groups.
    pub physics: bool,
    /// Writes the standard motions.
    pub motions: bool,
}

impl Default for FinishSettings {
    fn default() -> Self {
        Settings::default().finish()
    }
}

/// Which set of rules shapes the rig.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Canonical)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// RIG.md as mended by practice on real art.
    Natural,
    /// RIG.md to the letter.
    Classic,
}

/// How fine meshes are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Canonical)]
#[serde(default, deny_unknown_fields)]
pub struct MeshSettings {
    /// Distance of interior vertices, 6..=256.
    pub spacing: f64,
    /// Factor on the spacing of face and hair.
    pub face_factor: f64,
    /// Factor on the spacing of small features (nose, irises, brows).
    pub feature_factor: f64,
    /// Coverage beyond visible pixels, in pixels of the art, 1..=64.
    pub margin: f64,
}

impl Default for MeshSettings {
    fn default() -> Self {
        Self { spacing: 36.0, face_factor: 0.7, feature_factor: 0.5, margin: 2.0 }
    }
}

/// Eyes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Canonical)]
#[serde(default, deny_unknown_fields)]
pub struct EyeSettings {
    /// Parts a lash layer into lid line, crease and lower lash.
    pub split_lashes: bool,
    /// Clips irises with a mask of their own that leaves the drawn picture untouched.
    pub mask: bool,
    /// Draws a lid line for eyes that have neither lashes nor closed art.
    pub lid_line: bool,
}

impl Default for EyeSettings {
    fn default() -> Self {
        Self { split_lashes: true, mask: true, lid_line: true }
    }
}

/// Mouth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Canonical)]
#[serde(default, deny_unknown_fields)]
pub struct MouthSettings {
    /// Paints an inside for mouths that are drawn closed only.
    pub interior: bool,
    /// How far the chin follows the mouth, as a share of the face height.
    pub jaw: f64,
}

impl Default for MouthSettings {
    fn default() -> Self {
        Self { interior: true, jaw: 0.012 }
    }
}

/// What becomes of layers that are hidden in the art.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Canonical)]
#[serde(rename_all = "lowercase")]
pub enum HiddenLayers {
    /// They become switches and expressions.
    Switch,
    /// They are left out, except closed eyes and other mouths.
    Drop,
}

/// What shows one of several alternatives that exclude one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Canonical)]
#[serde(rename_all = "lowercase")]
pub enum Alternatives {
    /// A parameter, set by expressions: every viewer and tracker can do that.
    Switch,
    /// Parts of a pose file, shown by motions and faded by the runtime.
    Pose,
}

/// Overrides for one layer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Canonical)]
#[serde(default, deny_unknown_fields)]
pub struct LayerSettings {
    /// Mesh spacing.
    pub spacing: Option<f64>,
    /// Texture density multiplier.
    pub density: Option<f64>,
    /// Keeps its texture size when pages overflow.
    pub lock: bool,
    /// Fixed place in the atlas: page, x, y.
    pub pin: Option<(u32, u32, u32)>,
}

impl Settings {
    /// Overrides of a member: by stable id, then path, then name, then the longest key with `*` or `?` that matches one
    /// of them.
    pub(crate) fn layer(&self, member: &parts::Member) -> LayerSettings {
        let mut path = member.path.clone();
        path.push(member.name.clone());
        let path = path.join("/");
        let texts = [member.id.as_str(), member.layer.as_str(), path.as_str(), member.name.as_str()];
        let exact = texts.iter().find_map(|key| self.layers.get(*key));
        let glob = || {
            let globs = self.layers.iter().filter(|(key, _)| key.contains(['*', '?']));
            let matching = globs.filter(|(key, _)| texts.iter().any(|text| parts::glob_matches(key, text)));
            matching.max_by_key(|(key, _)| key.len()).map(|(_, settings)| settings)
        };
        exact.or_else(glob).cloned().unwrap_or_default()
    }

    /// What is read when the rig is finished.
    pub fn finish(&self) -> FinishSettings {
        FinishSettings { profile: self.profile, physics: self.physics, motions: self.motions }
    }

    /// Mended rules.
    pub(crate) fn natural(&self) -> bool {
        self.profile == Profile::Natural
    }
}
