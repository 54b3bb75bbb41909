//! The parameters of each job kind: the settings that the job reads, and nothing else.

use canonical::Canonical;
use plan::JobFailure;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

/// Parameters of `ingest`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Canonical)]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Canonical)]
pub struct RigParams {
    /// How layers are recognised.
    pub parts: parts::Settings,
    /// How they are rigged.
    pub rig: rig::Settings,
    /// How bones are found.
    pub skeleton: skeleton::Settings,
}

/// Parameters of `finish`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Canonical)]
pub struct FinishParams {
    /// Physics and motions.
    pub finish: rig::FinishSettings,
}

/// Parameters of `pack-moc3`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Canonical)]
pub struct PackParams {
    /// Runtime the file is for.
    pub runtime: Runtime,
}

/// Runtimes that can be asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Canonical)]
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

/// Parameters of `preview`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Canonical)]
pub struct PreviewParams {
    /// Longer side of a cell of the pose sheets in pixels.
    pub cell: u32,
    /// Longer side of the animation in pixels.
    pub idle_side: u32,
    /// Frames a second of the animation, 1..=60.
    pub frames_per_second: u16,
}

impl Default for PreviewParams {
    fn default() -> Self {
        Self { cell: 320, idle_side: 360, frames_per_second: 12 }
    }
}

/// Parameters of `bundle`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Canonical)]
pub struct BundleParams {
    /// The character's name; files are named by its safe form.
    pub name: String,
    /// Language of display names.
    pub language: bundle::Language,
}

/// Parameters as bytes: JSON, fields in declaration order. Equal parameters give equal bytes: -0.0 is written as 0.0.
///
/// # Errors
/// `params-not-encoded` when a float is NaN, naming it: nothing would equal such parameters.
pub fn encode<T: Canonical + Serialize>(params: &T) -> Result<Vec<u8>, JobFailure> {
    let refuse = |e: String| JobFailure::deterministic("params-not-encoded", e);
    canonical::bytes(params).map_err(|e| refuse(e.to_string()))?;
    let mut value = serde_json::to_value(params).map_err(|e| refuse(e.to_string()))?;
    write_one_zero(&mut value);
    serde_json::to_vec(&value).map_err(|e| refuse(e.to_string()))
}

fn write_one_zero(value: &mut Value) {
    match value {
        Value::Number(number) if number.as_f64() == Some(0.0) && number.is_f64() => *value = Value::from(0.0),
        Value::Array(items) => items.iter_mut().for_each(write_one_zero),
        Value::Object(fields) => fields.values_mut().for_each(write_one_zero),
        _ => {}
    }
}

/// Reads what [`encode`] wrote.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, JobFailure> {
    serde_json::from_slice(bytes).map_err(|e| {
        JobFailure::deterministic("params-malformed", format!("parameters of another release: {e}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(jaw: f64, tilt: Option<f64>) -> RigParams {
        let mut params = RigParams::default();
        params.rig.mouth.jaw = jaw;
        params.parts.head_tilt = tilt;
        params
    }

    #[test]
    fn what_is_encoded_comes_back() {
        for given in [params(0.0, None), params(1e-300, Some(-0.1)), params(0.1 + 0.2, Some(0.0))] {
            assert_eq!(decode::<RigParams>(&encode(&given).unwrap()).unwrap(), given);
        }
        assert_eq!(decode::<RigParams>(b"{").unwrap_err().code, "params-malformed");
    }

    #[test]
    fn equal_parameters_have_equal_bytes() {
        assert_eq!(encode(&params(-0.0, Some(-0.0))), encode(&params(0.0, Some(0.0))));
        assert_ne!(encode(&params(0.0, Some(0.0))), encode(&params(0.0, None)));
    }

    #[test]
    fn nan_is_refused_by_name() {
        for (given, path) in [
            (params(f64::NAN, None), "RigParams.rig.mouth.jaw"),
            (params(0.0, Some(f64::NAN)), "RigParams.parts.head_tilt"),
        ] {
            let failure = encode(&given).unwrap_err();
            assert_eq!(failure.code, "params-not-encoded");
            assert!(failure.message.starts_with(path), "{failure}");
        }
    }
}
