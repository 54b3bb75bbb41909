//! Tagged blocks: signature, four-letter key, length, data, sometimes padding.

use super::cursor::Cursor;

/// One tagged block.
pub(crate) struct Block<'a> {
    pub(crate) key: [u8; 4],
    pub(crate) body: Cursor<'a>,
}

/// Walks over tagged blocks. Whether lengths count the padding differs between programs and between odd and even
/// lengths, so up to three bytes before a signature are skipped. Ends at whatever is not a block.
pub(crate) struct Blocks<'a> {
    cursor: Cursor<'a>,
    psb: bool,
}

impl<'a> Blocks<'a> {
    pub(crate) fn new(cursor: Cursor<'a>, psb: bool) -> Self {
        Self { cursor, psb }
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Block<'a>;

    fn next(&mut self) -> Option<Block<'a>> {
        let padding =
            (0..4).find(|&ahead| matches!(self.cursor.peek(ahead).get(..4), Some(b"8BIM" | b"8B64")))?;
        self.cursor.skip(padding);
        let signature: [u8; 4] = self.cursor.array().ok()?;
        let key: [u8; 4] = self.cursor.array().ok()?;
        let wide = self.psb && (signature == *b"8B64" || has_wide_length(&key));
        let length = self.cursor.length(wide).ok()?;
        let body = self.cursor.section(length, "a tagged block").ok()?;
        Some(Block { key, body })
    }
}

/// Keys whose length has eight bytes in a PSB, signature or not.
fn has_wide_length(key: &[u8; 4]) -> bool {
    matches!(
        key,
        b"LMsk"
            | b"Lr16"
            | b"Lr32"
            | b"Layr"
            | b"Mt16"
            | b"Mt32"
            | b"Mtrn"
            | b"Alph"
            | b"FMsk"
            | b"lnk2"
            | b"lnk3"
            | b"lnkE"
            | b"FEid"
            | b"FXid"
            | b"FELS"
            | b"PxSD"
            | b"cinf"
            | b"extd"
            | b"extn"
            | b"pths"
            | b"artd"
    )
}
