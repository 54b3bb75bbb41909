//! How an action result is wrapped at rest.
//!
//! ```text
//! "RFAC"  u32 version  [32] SHA-256 of all that follows  [32] job key
//! u64 number of references, each: [32] digest, u64 length
//! u64 payload length, payload
//! ```
//! Integers are little-endian. The references stand outside the payload so that completeness checks and garbage
//! collection need not know what a result means; the key stands inside so that a misplaced file is noticed.

use bytes::Bytes;
use canonical::{BlobRef, Digest};

const MAGIC: &[u8; 4] = b"RFAC";
const VERSION: u32 = 1;
const HEAD: usize = 4 + 4 + 32;

/// A job's result as the store sees it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Action {
    /// What the caller wants back: its own encoding of the result, small outputs inline.
    pub payload: Bytes,
    /// Every blob the result names. A lookup is a hit only while all of them are there.
    pub refs: Vec<BlobRef>,
}

/// The bytes at rest.
pub(crate) fn seal(key: &Digest, action: &Action) -> Bytes {
    let mut out = Vec::with_capacity(HEAD + 32 + 16 + action.refs.len() * 40 + action.payload.len());
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(&[0; 32]);
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(&(action.refs.len() as u64).to_le_bytes());
    for blob in &action.refs {
        out.extend_from_slice(blob.digest.as_bytes());
        out.extend_from_slice(&blob.len.to_le_bytes());
    }
    out.extend_from_slice(&(action.payload.len() as u64).to_le_bytes());
    out.extend_from_slice(&action.payload);
    let checksum = Digest::of(&out[HEAD..]);
    out[8..HEAD].copy_from_slice(checksum.as_bytes());
    out.into()
}

/// The result in bytes at rest; `None` if they are damaged, of another version, or another key's.
pub(crate) fn open(key: &Digest, bytes: &Bytes) -> Option<Action> {
    let mut rest = Reader(bytes.as_ref());
    if rest.take(4)? != MAGIC || rest.take(4)? != VERSION.to_le_bytes() {
        return None;
    }
    let checksum = rest.digest()?;
    if Digest::of(rest.0) != checksum || rest.digest()? != *key {
        return None;
    }
    let count = rest.number()?;
    if count > (rest.0.len() / 40) as u64 {
        return None;
    }
    let refs = (0..count)
        .map(|_| Some(BlobRef { digest: rest.digest()?, len: rest.number()? }))
        .collect::<Option<Vec<_>>>()?;
    let len = rest.number()?;
    (len == rest.0.len() as u64).then(|| Action { payload: bytes.slice_ref(rest.0), refs })
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(count)?;
        self.0 = tail;
        Some(head)
    }

    fn digest(&mut self) -> Option<Digest> {
        Some(Digest::from_bytes(self.take(32)?.try_into().ok()?))
    }

    fn number(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn action() -> Action {
        Action { payload: Bytes::from_static(b"result"), refs: vec![BlobRef::of(b"a"), BlobRef::of(b"bc")] }
    }

    #[test]
    fn every_damaged_byte_and_every_cut_is_noticed() {
        let key = Digest::of(b"key");
        let sealed = seal(&key, &action());
        assert_eq!(open(&key, &sealed), Some(action()));
        assert_eq!(open(&Digest::of(b"other"), &sealed), None);
        for at in 0..sealed.len() {
            let mut damaged = sealed.to_vec();
            damaged[at] ^= 1;
            assert_eq!(open(&key, &damaged.into()), None, "byte {at}");
            assert_eq!(open(&key, &sealed.slice(..at)), None, "cut at {at}");
        }
    }

    #[test]
    fn the_bytes_at_rest_are_a_promise() {
        let sealed = seal(&Digest::of(b"key"), &action());
        assert_eq!(
            &Digest::of(&sealed).to_hex()[..16],
            "cafb3b1b8fe8b989",
            "a new layout needs a new VERSION"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        /// Even with a right checksum nothing panics or allocates beyond the input.
        #[test]
        fn any_body_is_survived(body in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut bytes = [MAGIC.as_slice(), &VERSION.to_le_bytes(), Digest::of(&body).as_bytes()].concat();
            bytes.extend(&body);
            if let Some(key) = body.get(..32) {
                open(&Digest::from_bytes(key.try_into().unwrap()), &bytes.into());
            }
        }
    }
}
