//! The parameters of each job kind: the settings that the job reads, and nothing else.

use plan::JobFailure;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Parameters of `ingest`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IngestParams {
    /// How layers are cleaned.
    pub import: artwork::Settings,
    /// Most bytes of decoded pixels, in MiB; 0 for the reader's default.
    pub max_pixels_mib: u64,
}

impl IngestParams {
    /// The reader's limits.
    pub(crate) fn limits(&self) -> psd::Limits {
        let mut limits = psd::Limits::default();
        if self.max_pixels_mib > 0 {
            limits.max_pixel_bytes = self.max_pixels_mib.saturating_mul(1024 * 1024);
        }
        limits
    }
}

/// Parameters of `rig`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RigParams {
    /// How layers are recognised.
    pub parts: parts::Settings,
    /// How they are rigged.
    pub rig: rig::Settings,
}

/// Parameters of `finish`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FinishParams {
    /// Physics, motions and expressions.
    pub rig: rig::Settings,
}

/// Parameters of `pack-moc3`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackParams {
    /// Runtime the file is for.
    pub runtime: Runtime,
}

/// Runtimes that can be asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Runtime {
    /// The lowest that holds the model.
    #[default]
    #[serde(rename = "auto")]
    Auto,
    /// Cubism 4.0.
    #[serde(rename = "4.0")]
    V4_0,
    /// Cubism 4.2.
    #[serde(rename = "4.2")]
    V4_2,
    /// Cubism 5.0.
    #[serde(rename = "5.0")]
    V5_0,
    /// Cubism 5.3.
    #[serde(rename = "5.3")]
    V5_3,
}

impl From<Runtime> for pack::Runtime {
    fn from(runtime: Runtime) -> Self {
        match runtime {
            Runtime::Auto => Self::Auto,
            Runtime::V4_0 => Self::Forced(moc3::Version::V40),
            Runtime::V4_2 => Self::Forced(moc3::Version::V42),
            Runtime::V5_0 => Self::Forced(moc3::Version::V50),
            Runtime::V5_3 => Self::Forced(moc3::Version::V53),
        }
    }
}

/// Parameters of `bundle`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleParams {
    /// The character's name; files are named by its safe form.
    pub name: String,
    /// Language of display names.
    pub language: bundle::Language,
}

/// Parameters as bytes: JSON, fields in declaration order.
pub fn encode<T: Serialize>(params: &T) -> Vec<u8> {
    serde_json::to_vec(params).unwrap_or_default()
}

/// Reads what [`encode`] wrote.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, JobFailure> {
    serde_json::from_slice(bytes).map_err(|e| {
        JobFailure::deterministic("params-malformed", format!("parameters of another release: {e}"))
    })
}
