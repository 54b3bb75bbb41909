//! The bytes of blobs: postcard values behind a schema tag, and raw rasters.

use plan::JobFailure;
use raster::Rgba;
use serde::{Serialize, de::DeserializeOwned};

/// First bytes of every value blob; the last is the schema version of the values below.
const TAG: &[u8; 4] = b"rfv\x01";
/// First bytes of every raster blob.
const RASTER_TAG: &[u8; 4] = b"rfr\x01";

/// A value as blob bytes: tag, then postcard (fields in order, floats by bits, no maps without order).
pub(crate) fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, JobFailure> {
    postcard::to_extend(value, TAG.to_vec()).map_err(|e| {
        JobFailure::deterministic("value-not-encoded", format!("a value cannot be encoded: {e}"))
    })
}

/// Reads what [`encode`] wrote.
pub(crate) fn decode<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<T, JobFailure> {
    let malformed = |why: &str| {
        JobFailure::deterministic(
            "input-malformed",
            format!("input {name} is not a value of this release: {why}"),
        )
    };
    let body = bytes.strip_prefix(TAG).ok_or_else(|| malformed("other tag"))?;
    postcard::from_bytes(body).map_err(|e| malformed(&e.to_string()))
}

/// A raster as blob bytes: tag, width, height (u32 little-endian), then straight RGBA rows.
pub(crate) fn encode_raster(image: &Rgba) -> Vec<u8> {
    let mut out = Vec::with_capacity(12 + image.pixels().len());
    out.extend_from_slice(RASTER_TAG);
    out.extend_from_slice(&image.width().to_le_bytes());
    out.extend_from_slice(&image.height().to_le_bytes());
    out.extend_from_slice(image.pixels());
    out
}

/// Reads what [`encode_raster`] wrote.
pub(crate) fn decode_raster(name: &str, bytes: &[u8]) -> Result<Rgba, JobFailure> {
    let malformed = || JobFailure::deterministic("input-malformed", format!("input {name} is not a raster"));
    let body = bytes.strip_prefix(RASTER_TAG).ok_or_else(malformed)?;
    let (width, body) = body.split_first_chunk::<4>().ok_or_else(malformed)?;
    let (height, pixels) = body.split_first_chunk::<4>().ok_or_else(malformed)?;
    let (width, height) = (u32::from_le_bytes(*width), u32::from_le_bytes(*height));
    Rgba::from_pixels(width, height, pixels.to_vec()).ok_or_else(malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_rasters_come_back() {
        let bytes = encode(&("a", 1.5f64)).unwrap();
        assert_eq!(decode::<(String, f64)>("x", &bytes).unwrap(), ("a".to_owned(), 1.5));
        let image = Rgba::from_pixels(2, 1, vec![1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        assert_eq!(decode_raster("x", &encode_raster(&image)).unwrap(), image);
    }

    #[test]
    fn foreign_bytes_are_typed_failures() {
        for bytes in [&b""[..], b"rfv", b"rfr\x01", b"rfr\x01\xff\xff\xff\xff\xff\xff\xff\xff", b"rfv\x01"] {
            assert_eq!(decode_raster("x", bytes).unwrap_err().code, "input-malformed");
            assert_eq!(decode::<(String, f64)>("x", bytes).unwrap_err().code, "input-malformed");
        }
    }
}
