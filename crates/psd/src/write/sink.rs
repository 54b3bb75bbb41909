//! Big-endian bytes, growing.

/// A section being written.
pub(crate) struct Sink {
    out: Vec<u8>,
    psb: bool,
}

impl Sink {
    /// An empty one; `psb` makes its lengths wide.
    pub(crate) fn new(psb: bool) -> Self {
        Self { out: Vec::new(), psb }
    }

    pub(crate) fn len(&self) -> usize {
        self.out.len()
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    pub(crate) fn u16(&mut self, value: u16) {
        self.bytes(&value.to_be_bytes());
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.bytes(&value.to_be_bytes());
    }

    pub(crate) fn i32(&mut self, value: i32) {
        self.bytes(&value.to_be_bytes());
    }

    /// Four bytes, or eight in a PSB.
    pub(crate) fn length(&mut self, value: u64) {
        if self.psb {
            self.bytes(&value.to_be_bytes());
        } else {
            self.u32(value as u32);
        }
    }

    /// Code unit count and UTF-16.
    pub(crate) fn unicode(&mut self, text: &str) {
        let units: Vec<u16> = text.encode_utf16().collect();
        self.u32(units.len() as u32);
        for unit in units {
            self.u16(unit);
        }
    }

    /// Zeros up to a multiple of `to`.
    pub(crate) fn pad(&mut self, to: usize) {
        while !self.out.len().is_multiple_of(to) {
            self.out.push(0);
        }
    }
}
