//! Where things are: `cas/<aa>/<sha256>`, `ac/<aa>/<job key>`, `quar/<aa>/<sha256 or key>` (FARM 8.2), in a
//! folder as in a bucket, so that one can be copied to the other.

use std::time::SystemTime;

use canonical::Digest;

/// One of the three shelves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shelf {
    Blobs,
    Actions,
    Quarantine,
}

impl Shelf {
    pub(crate) const ALL: [Self; 3] = [Self::Blobs, Self::Actions, Self::Quarantine];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Blobs => "cas",
            Self::Actions => "ac",
            Self::Quarantine => "quar",
        }
    }

    /// The relative path of an entry, with `/` between its steps.
    pub(crate) fn path(self, name: &Digest) -> String {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut path = String::with_capacity(8 + 64);
        path.push_str(self.name());
        path.push('/');
        let mut digit = |value: u8| path.push(char::from(HEX[usize::from(value)]));
        digit(name.as_bytes()[0] >> 4);
        digit(name.as_bytes()[0] & 15);
        path.push('/');
        for byte in name.as_bytes() {
            path.push(char::from(HEX[usize::from(byte >> 4)]));
            path.push(char::from(HEX[usize::from(byte & 15)]));
        }
        path
    }
}

/// Something on a shelf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Digest of a blob, or job key.
    pub(crate) name: Digest,
    /// Bytes at rest.
    pub(crate) len: u64,
    /// When it was last written or, in a folder, used.
    pub(crate) used: SystemTime,
    /// What stands in its place is no file or longer than any entry, which is damage.
    pub(crate) is_foreign: bool,
}
