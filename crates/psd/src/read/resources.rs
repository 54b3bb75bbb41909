//! Image resources: the few that matter here. Damage in them is not an error, pixels do not depend on it.

use super::cursor::Cursor;

/// What is taken from the image resources.
#[derive(Default)]
pub(crate) struct Resources {
    /// A colour profile (1039) that does not call itself sRGB.
    pub(crate) foreign_profile: bool,
    /// The palette entry that is transparent (1047).
    pub(crate) transparent_index: Option<u8>,
    /// Ids of the alpha channels (1053); 0 marks transparency, others are saved selections.
    pub(crate) alpha_ids: Vec<u32>,
    /// Something that is no resource ended the list early.
    pub(crate) damaged: bool,
}

impl Resources {
    pub(crate) fn read(mut cursor: Cursor) -> Self {
        let mut out = Self::default();
        while let Some((id, data)) = next(&mut cursor) {
            match id {
                1039 => out.foreign_profile = !names_srgb(data),
                1047 => out.transparent_index = data.get(1).copied().filter(|_| data[0] == 0),
                1053 => {
                    let ids = data.chunks_exact(4).take(56);
                    out.alpha_ids = ids.map(|c| u32::from_be_bytes([c[0], c[1], c[2], c[3]])).collect();
                }
                _ => {}
            }
        }
        out.damaged = cursor.left() > 0;
        out
    }
}

/// Moves on only past a whole resource.
fn next<'a>(at: &mut Cursor<'a>) -> Option<(u16, &'a [u8])> {
    let mut cursor = at.clone();
    let signature: [u8; 4] = cursor.array().ok()?;
    if !matches!(&signature, b"8BIM" | b"MeSa" | b"PHUT" | b"AgHg" | b"DCSR") {
        return None;
    }
    let id = cursor.u16().ok()?;
    let name = u64::from(cursor.u8().ok()?);
    cursor.take(name + u64::from(name % 2 == 0)).ok()?;
    let length = u64::from(cursor.u32().ok()?);
    let data = cursor.take(length).ok()?;
    cursor.skip((length % 2) as usize);
    *at = cursor;
    Some((id, data))
}

/// "sRGB" as bytes or as UTF-16, as profile descriptions have it.
fn names_srgb(profile: &[u8]) -> bool {
    profile.windows(4).any(|w| w == b"sRGB") || profile.windows(7).any(|w| w == b"s\0R\0G\0B")
}
