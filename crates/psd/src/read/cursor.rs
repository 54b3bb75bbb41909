//! A bounds-checked walk over big-endian bytes.

use crate::Error;

/// A position in one section of the file.
#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    data: &'a [u8],
    at: usize,
    /// Offset of `data` in the file.
    base: u64,
    what: &'static str,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(data: &'a [u8], what: &'static str) -> Self {
        Self { data, at: 0, base: 0, what }
    }

    /// Bytes not read yet.
    pub(crate) fn left(&self) -> usize {
        self.data.len() - self.at
    }

    /// Offset of the next byte in the file.
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// The next `count` bytes.
    pub(crate) fn take(&mut self, count: u64) -> Result<&'a [u8], Error> {
        if count > self.left() as u64 {
            return Err(Error::Truncated {
                what: self.what,
                offset: self.offset(),
                needed: count,
                left: self.left() as u64,
            });
        }
        let from = self.at;
        self.at += count as usize;
        Ok(&self.data[from..self.at])
    }

    /// The next `count` bytes as a section of their own.
    pub(crate) fn section(&mut self, count: u64, what: &'static str) -> Result<Cursor<'a>, Error> {
        let base = self.offset();
        Ok(Cursor { data: self.take(count)?, at: 0, base, what })
    }

    /// Everything not read yet.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        let rest = &self.data[self.at..];
        self.at = self.data.len();
        rest
    }

    /// The bytes `ahead` of the position, without moving; empty past the end.
    pub(crate) fn peek(&self, ahead: usize) -> &'a [u8] {
        self.data.get(self.at.saturating_add(ahead)..).unwrap_or_default()
    }

    /// Moves on, at most to the end.
    pub(crate) fn skip(&mut self, count: usize) {
        self.at = self.at.saturating_add(count).min(self.data.len());
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N as u64)?);
        Ok(out)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Error> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Error> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub(crate) fn i16(&mut self) -> Result<i16, Error> {
        Ok(i16::from_be_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Error> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    pub(crate) fn i32(&mut self) -> Result<i32, Error> {
        Ok(i32::from_be_bytes(self.array()?))
    }

    /// A length: four bytes, or eight when `wide` (PSB).
    pub(crate) fn length(&mut self, wide: bool) -> Result<u64, Error> {
        if wide { Ok(u64::from_be_bytes(self.array()?)) } else { Ok(u64::from(self.u32()?)) }
    }
}
