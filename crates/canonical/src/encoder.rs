//! The growing bytes of one value.

use crate::{Canonical, Error};

/// Collects the bytes of one value.
///
/// A fault (NaN) does not stop the encoding; the first one is kept with its path and comes out of
/// [`finish`](Encoder::finish).
#[derive(Debug, Default)]
pub struct Encoder {
    bytes: Vec<u8>,
    path: Vec<&'static str>,
    fault: Option<Error>,
}

impl Encoder {
    /// Nothing written yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The bytes written.
    ///
    /// # Errors
    /// The first fault met.
    pub fn finish(self) -> Result<Vec<u8>, Error> {
        match self.fault {
            None => Ok(self.bytes),
            Some(fault) => Err(fault),
        }
    }

    /// A struct: its type name and what `write` puts as fields.
    pub fn structure(&mut self, name: &'static str, write: impl FnOnce(&mut Fields<'_>)) {
        self.tag(b'S');
        self.text(name);
        self.fields(name, write);
    }

    /// A variant of an enum: type name, variant name and what `write` puts as fields.
    pub fn variant(
        &mut self,
        name: &'static str,
        variant: &'static str,
        write: impl FnOnce(&mut Fields<'_>),
    ) {
        self.tag(b'E');
        self.text(name);
        self.text(variant);
        self.fields(name, write);
    }

    /// An ordered list, item by item.
    pub fn list<T: Canonical>(&mut self, items: &[T]) {
        self.tag(b'l');
        self.length(items.len());
        items.iter().for_each(|item| item.encode(self));
    }

    /// A byte string, as a list of `u8`.
    pub fn byte_string(&mut self, bytes: &[u8]) {
        self.packed(b'u', 1, bytes.len());
        self.raw(bytes);
    }

    pub(crate) fn tag(&mut self, tag: u8) {
        self.bytes.push(tag);
    }

    pub(crate) fn length(&mut self, len: usize) {
        self.raw(&(len as u64).to_le_bytes());
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn packed(&mut self, kind: u8, width: u8, count: usize) {
        self.raw(&[b'p', kind, width]);
        self.length(count);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.length(text.len());
        self.raw(text.as_bytes());
    }

    pub(crate) fn not_a_number(&mut self) {
        if self.fault.is_none() {
            let path = if self.path.is_empty() { "value".to_owned() } else { self.path.join(".") };
            self.fault = Some(Error::NotANumber { path });
        }
    }

    fn fields(&mut self, name: &'static str, write: impl FnOnce(&mut Fields<'_>)) {
        // Only the outermost type is named in a path: `MeshSettings.outline.step`.
        let named = self.path.is_empty();
        if named {
            self.path.push(name);
        }
        let count_at = self.reserve();
        let mut fields = Fields { out: self, count: 0, last: None };
        write(&mut fields);
        let count = fields.count;
        self.patch(count_at, count);
        if named {
            self.path.pop();
        }
    }

    fn reserve(&mut self) -> usize {
        let at = self.bytes.len();
        self.length(0);
        at
    }

    fn patch(&mut self, at: usize, value: u64) {
        self.bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }
}

/// The fields of one struct or variant.
#[derive(Debug)]
pub struct Fields<'a> {
    out: &'a mut Encoder,
    count: u64,
    last: Option<&'static str>,
}

impl Fields<'_> {
    /// Appends a field. Names must come in strictly ascending byte order (checked in debug builds): the derive
    /// sees to it.
    pub fn field<T: Canonical + ?Sized>(&mut self, name: &'static str, value: &T) {
        debug_assert!(self.last < Some(name), "field {name} out of order");
        self.last = Some(name);
        self.count += 1;
        self.out.text(name);
        let len_at = self.out.reserve();
        self.out.path.push(name);
        value.encode(self.out);
        self.out.path.pop();
        let len = self.out.bytes.len() - len_at - 8;
        self.out.patch(len_at, len as u64);
    }
}
