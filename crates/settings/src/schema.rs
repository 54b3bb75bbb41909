//! Every setting there is.

use std::collections::BTreeMap;

use canonical::Canonical;
use pipeline::params::{self, BundleParams, FinishParams, IngestParams, PackParams, RigParams, Runtime};
use plan::character::Params;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::Error;

/// All settings of a character; every key is optional.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Reading the art.
    pub import: Import,
    /// How fine meshes are.
    pub mesh: rig::MeshSettings,
    /// How the character moves.
    pub rig: Rig,
    /// Bones of limbs.
    pub skeleton: skeleton::Settings,
    /// Pendulums.
    pub physics: Physics,
    /// Motions and expressions.
    pub motions: Motions,
    /// Texture pages.
    pub atlas: atlas::Settings,
    /// What is written.
    pub export: Export,
    /// Thresholds that fail a build.
    pub checks: Checks,
    /// Overrides by layer name, path or id; `*` and `?` match as in file names.
    pub layers: BTreeMap<String, LayerOverride>,
}

/// Reading the art.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Import {
    /// Pixels with at least this alpha count for boxes and components, 1..=255.
    pub alpha_threshold: u8,
    /// What becomes of clipping layers.
    pub clipping: artwork::Clipping,
    /// What becomes of stray islands.
    pub islands: artwork::Islands,
    /// How far beyond the canvas pixels are kept, as a share of its sides.
    pub margin: f64,
    /// Most decoded pixels in MiB; 0 for the default, 1024. Building needs about four times as much.
    pub max_pixels_mib: u64,
    /// Splits eyes, lashes, whites, irises, brows and ears drawn in one layer.
    pub split_face: bool,
    /// Splits arms, legs, feet and wings drawn in one layer when they clearly are two.
    pub split_limbs: bool,
    /// Degrees of the head's drawn tilt; absent for the estimate.
    pub head_tilt: Option<f64>,
}

impl Default for Import {
    fn default() -> Self {
        let (art, parts) = (artwork::Settings::default(), parts::Settings::default());
        Self {
            alpha_threshold: art.alpha_threshold,
            clipping: art.clipping,
            islands: art.islands,
            margin: art.margin,
            max_pixels_mib: 0,
            split_face: parts.split_face,
            split_limbs: parts.split_limbs,
            head_tilt: None,
        }
    }
}

/// How the character moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rig {
    /// `natural` or `classic`.
    pub profile: rig::Profile,
    /// How far the head turns, 0..=1.5.
    pub head_strength: f64,
    /// How far the body turns, 0..=4.
    pub body_strength: f64,
    /// How far hair, tails, skirts and other hanging things swing, 0..=2.
    pub sway_strength: f64,
    /// Eyes.
    pub eyes: rig::EyeSettings,
    /// Mouth.
    pub mouth: rig::MouthSettings,
    /// What becomes of hidden layers.
    pub hidden: rig::HiddenLayers,
    /// `switch` (a parameter) or `pose` (parts and motions) shows one of several alternatives.
    pub alternatives: rig::Alternatives,
    /// Keeps solid backgrounds.
    pub background: bool,
}

impl Default for Rig {
    fn default() -> Self {
        let rig = rig::Settings::default();
        Self {
            profile: rig.profile,
            head_strength: rig.head_strength,
            body_strength: rig.body_strength,
            sway_strength: rig.sway_strength,
            eyes: rig.eyes,
            mouth: rig.mouth,
            hidden: rig.hidden,
            alternatives: rig.alternatives,
            background: rig.background,
        }
    }
}

/// Pendulums.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Physics {
    /// Writes physics.
    pub enabled: bool,
}

impl Default for Physics {
    fn default() -> Self {
        Self { enabled: true }
    }
}

/// Motions and expressions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Motions {
    /// Writes the standard motions.
    pub enabled: bool,
    /// Writes expressions for alternatives.
    pub expressions: bool,
}

impl Default for Motions {
    fn default() -> Self {
        Self { enabled: true, expressions: true }
    }
}

/// What is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Export {
    /// `auto`, `4.0`, `4.2`, `5.0` or `5.3`.
    pub runtime: Runtime,
    /// Language of display names: `en`, `ja`, `zh` or `ko`.
    pub language: bundle::Language,
}

/// Thresholds that fail a build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Checks {
    /// A failed audit fails the character.
    pub audits: bool,
    /// Most triangles that may turn over in the audited poses.
    pub max_flips: u64,
    /// Warning codes that fail the character, as `--fail-on` does.
    pub fail_on: Vec<String>,
}

impl Default for Checks {
    fn default() -> Self {
        Self { audits: true, max_flips: 0, fail_on: Vec::new() }
    }
}

/// Overrides of one layer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LayerOverride {
    /// What it shows, e.g. `front hair`.
    pub tag: Option<String>,
    /// `left`, `right` (the character's own) or `none`.
    pub side: Option<String>,
    /// What it moves with: `head` or `body`.
    pub parent: Option<String>,
    /// Shown at rest.
    pub visible: Option<bool>,
    /// Split into left and right, or not.
    pub split: Option<bool>,
    /// Mesh spacing.
    pub spacing: Option<f64>,
    /// Texture density multiplier.
    pub density: Option<f64>,
    /// Keeps its texture size when pages overflow.
    pub lock: Option<bool>,
    /// Fixed place in the atlas: page, x, y.
    pub pin: Option<(u32, u32, u32)>,
}

impl Settings {
    /// Every known key; a table with the single key `*` takes any name.
    pub(crate) fn schema() -> Table {
        let layer = LayerOverride {
            tag: Some(String::new()),
            side: Some(String::new()),
            parent: Some(String::new()),
            visible: Some(true),
            split: Some(true),
            spacing: Some(1.0),
            density: Some(1.0),
            lock: Some(true),
            pin: Some((0, 0, 0)),
        };
        let full = Self {
            import: Import { head_tilt: Some(0.0), ..Import::default() },
            skeleton: skeleton::Settings {
                ranges: BTreeMap::from([("*".to_owned(), (0.0, 0.0))]),
                ..skeleton::Settings::default()
            },
            layers: BTreeMap::from([("*".to_owned(), layer)]),
            ..Self::default()
        };
        match Value::try_from(&full) {
            Ok(Value::Table(table)) => table,
            _ => Table::new(),
        }
    }

    /// Ranges that kinds cannot say.
    pub(crate) fn validate(&self) -> Result<(), String> {
        let within = |key: &str, value: f64, low: f64, high: f64| {
            if (low..=high).contains(&value) {
                return Ok(());
            }
            // `{:?}` writes large and small numbers with exponents.
            Err(format!("{key} is {value:?}, it must be within {low}..={high}"))
        };
        within("import.margin", self.import.margin, 0.0, 4.0)?;
        within("import.alpha_threshold", f64::from(self.import.alpha_threshold), 1.0, 255.0)?;
        within("import.head_tilt", self.import.head_tilt.unwrap_or(0.0), -45.0, 45.0)?;
        within("rig.head_strength", self.rig.head_strength, 0.0, 1.5)?;
        within("rig.body_strength", self.rig.body_strength, 0.0, 4.0)?;
        within("rig.sway_strength", self.rig.sway_strength, 0.0, 2.0)?;
        within("mesh.spacing", self.mesh.spacing, 6.0, 256.0)?;
        within("mesh.margin", self.mesh.margin, 1.0, 64.0)?;
        within("mesh.face_factor", self.mesh.face_factor, 0.05, 20.0)?;
        within("mesh.feature_factor", self.mesh.feature_factor, 0.05, 20.0)?;
        within("rig.mouth.jaw", self.rig.mouth.jaw, 0.0, 0.2)?;
        within("skeleton.tolerance", self.skeleton.tolerance, 0.25, 16.0)?;
        for (parameter, &(low, high)) in &self.skeleton.ranges {
            within(&format!("skeleton.ranges.{parameter}[0]"), low, -180.0, 0.0)?;
            within(&format!("skeleton.ranges.{parameter}[1]"), high, 0.0, 180.0)?;
        }
        within("atlas.page_size", f64::from(self.atlas.page_size), 256.0, 16384.0)?;
        within("atlas.padding", f64::from(self.atlas.padding), 0.0, 32.0)?;
        within("atlas.max_pages", f64::from(self.atlas.max_pages), 1.0, 1024.0)?;
        for (name, layer) in &self.layers {
            within(&format!("layers.\"{name}\".density"), layer.density.unwrap_or(1.0), 0.01, 16.0)?;
            within(&format!("layers.\"{name}\".spacing"), layer.spacing.unwrap_or(16.0), 2.0, 4096.0)?;
            let word = |key: &str, value: &Option<String>, known: &[&str]| match value {
                Some(v) if !known.contains(&v.as_str()) => {
                    Err(format!("layers.\"{name}\".{key} is {v:?}, it must be one of {}", known.join(", ")))
                }
                _ => Ok(()),
            };
            word("side", &layer.side, &["left", "right", "none"])?;
            word("parent", &layer.parent, &["head", "body"])?;
        }
        Ok(())
    }

    /// The jobs' parameters for a character of this name.
    ///
    /// # Errors
    /// [`Error::Value`] for a number that is none; [`load`](crate::load) lets none through.
    pub fn params(&self, name: &str) -> Result<Params, Error> {
        let rig = self.rig_settings();
        let finish = encode(&FinishParams { finish: rig.finish() })?;
        Ok(Params {
            ingest: encode(&IngestParams {
                import: self.artwork(),
                max_pixels_mib: self.import.max_pixels_mib,
            })?,
            rig: encode(&RigParams { parts: self.parts(), rig, skeleton: self.skeleton() })?,
            finish,
            atlas_layout: encode(&self.atlas)?,
            pack_moc3: encode(&PackParams { runtime: self.export.runtime })?,
            bundle: encode(&BundleParams { name: name.to_owned(), language: self.export.language })?,
            preview: None,
        })
    }

    fn artwork(&self) -> artwork::Settings {
        artwork::Settings {
            alpha_threshold: self.import.alpha_threshold,
            clipping: self.import.clipping,
            islands: self.import.islands,
            margin: self.import.margin,
        }
    }

    fn parts(&self) -> parts::Settings {
        let classic = self.rig.profile == rig::Profile::Classic;
        let defaults = parts::Settings::default();
        let over = |l: &LayerOverride| parts::LayerOverride {
            tag: l.tag.clone(),
            side: l.side.clone(),
            parent: l.parent.clone(),
            visible: l.visible,
            split: l.split,
        };
        parts::Settings {
            alpha_threshold: self.import.alpha_threshold,
            split_face: self.import.split_face,
            split_limbs: self.import.split_limbs,
            head_tilt: self.import.head_tilt,
            eye_expand: if classic { 0.18 } else { defaults.eye_expand },
            head_expand: if classic { 0.025 } else { defaults.head_expand },
            layers: self.layers.iter().map(|(name, l)| (name.clone(), over(l))).collect(),
            ..defaults
        }
    }

    /// Classic rigs have no bones.
    fn skeleton(&self) -> skeleton::Settings {
        let natural = self.rig.profile == rig::Profile::Natural;
        skeleton::Settings { enabled: self.skeleton.enabled && natural, ..self.skeleton.clone() }
    }

    fn rig_settings(&self) -> rig::Settings {
        let over = |l: &LayerOverride| rig::LayerSettings {
            spacing: l.spacing,
            density: l.density,
            lock: l.lock.unwrap_or(false),
            pin: l.pin,
        };
        rig::Settings {
            profile: self.rig.profile,
            head_strength: self.rig.head_strength,
            body_strength: self.rig.body_strength,
            sway_strength: self.rig.sway_strength,
            mesh: self.mesh.clone(),
            eyes: self.rig.eyes.clone(),
            mouth: self.rig.mouth.clone(),
            hidden: self.rig.hidden,
            alternatives: self.rig.alternatives,
            background: self.rig.background,
            physics: self.physics.enabled,
            motions: self.motions.enabled,
            expressions: self.motions.expressions,
            layers: self.layers.iter().map(|(name, l)| (name.clone(), over(l))).collect(),
        }
    }
}

fn encode<T: Canonical + Serialize>(params: &T) -> Result<Vec<u8>, Error> {
    let wrong = |message| Error::Value { origin: "settings".to_owned(), message };
    params::encode(params).map_err(|failure| wrong(failure.message))
}
