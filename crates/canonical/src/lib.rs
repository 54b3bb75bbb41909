//! SHA-256 digests and the byte rules from which every key is made.
//!
//! A value that enters a job key or a memo key implements [`Canonical`]. Its encoding is a function of the value
//! alone: no address, no hash-map order, no machine width, no locale. Two values of one type have the same
//! encoding only if they are equal, and encodings of different shapes never coincide, because every value begins
//! with a tag and everything of variable size is preceded by its length.
//!
//! # Byte rules
//! All integers below are little-endian; `len`, `count` are u64.
//!
//! | value | bytes |
//! |---|---|
//! | `bool` | `b`, `00` or `01` |
//! | `u8 … u128`, `i8 … i128` | `u` or `i`, width in bytes (one byte), the integer; `usize`/`isize` are written as 64 bit |
//! | `f32`, `f64` | `f`, width, the raw bits; -0.0 is written as +0.0; NaN is an error; infinities are fine |
//! | `char` | `c`, u32 |
//! | `str`, `String`, `Cow<str>` | `s`, len, UTF-8 |
//! | list, array of numbers or `bool` | `p`, kind (`u i f b`), width, count, the numbers packed |
//! | other list, array (`Vec`, slice, `VecDeque`) | `l`, count, the items |
//! | tuple, `()` | `t`, count, the items |
//! | `BTreeSet` | `e`, count, the items ascending |
//! | `BTreeMap` | `m`, count, key then value, keys ascending |
//! | `None` / `Some(v)` | `n` / `o`, v |
//! | [`Digest`] | `d`, its 32 bytes |
//! | struct | `S`, len + type name, fields |
//! | enum | `E`, len + type name, len + variant name, fields |
//! | fields | count, then for each in ascending order of name: len + name, len + value |
//! | `&T`, `Box`, `Rc`, `Arc` | as `T` |
//!
//! Consequences worth knowing:
//! - Moving fields or variants about changes nothing; renaming a type, field or variant does, unless the old name
//!   is kept with `#[canonical(name = "old")]`.
//! - Adding a field changes every encoding, even when the new field is `None`: old results are never mistaken for
//!   results that knew of the field.
//! - Changing a width (`u32` to `u64`) changes the encoding.
//! - `HashMap`, `HashSet`, paths and times have no encoding on purpose.

extern crate self as canonical;

mod digest;
mod encoder;
mod values;

pub use canonical_derive::Canonical;
pub use digest::{BlobRef, Digest};
pub use encoder::{Encoder, Fields};

/// A value with exactly one byte form (rules in the [crate documentation](crate)).
///
/// Derive it for structs and enums; the derive sorts the fields by name.
pub trait Canonical {
    /// Appends the value's bytes.
    fn encode(&self, out: &mut Encoder);

    /// Appends a list of such values. Numbers pack theirs; there is no other reason to override it.
    fn encode_list(items: &[Self], out: &mut Encoder)
    where
        Self: Sized,
    {
        out.list(items);
    }
}

/// Why a value has no canonical form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A float is NaN, which has many bit patterns and equals nothing, so no key can stand for it.
    #[error("{path} is not a number (NaN) and cannot enter a key: give it a finite value")]
    NotANumber {
        /// Type and fields down to the float, as `MeshSettings.outline.step`; `value` for a bare float.
        path: String,
    },
}

/// The canonical bytes of a value.
///
/// # Errors
/// [`Error::NotANumber`] when a float inside is NaN.
pub fn bytes<T: Canonical + ?Sized>(value: &T) -> Result<Vec<u8>, Error> {
    let mut out = Encoder::new();
    value.encode(&mut out);
    out.finish()
}

/// The SHA-256 over a domain (`s`, len, UTF-8) followed by the canonical bytes of a value.
///
/// The domain says what the key is for, with a version where the meaning may change, as `job/3`: equal values in
/// different domains have different keys.
///
/// # Errors
/// [`Error::NotANumber`] when a float inside is NaN.
pub fn key<T: Canonical + ?Sized>(domain: &str, value: &T) -> Result<Digest, Error> {
    let mut out = Encoder::new();
    domain.encode(&mut out);
    value.encode(&mut out);
    Ok(Digest::of(&out.finish()?))
}
