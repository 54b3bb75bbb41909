//! Layer names.

use encoding_rs::{MACINTOSH, SHIFT_JIS};

/// Longest name kept, in UTF-16 units; Photoshop ends at 255.
const LONGEST: usize = 1024;

/// A `luni` body: a count and that many UTF-16 units, without the zeros some programs add.
pub(crate) fn unicode(body: &[u8]) -> Option<String> {
    let (count, units) = body.split_first_chunk::<4>()?;
    let count = (u32::from_be_bytes(*count) as usize).min(units.len() / 2).min(LONGEST);
    let units: Vec<u16> =
        units.chunks_exact(2).take(count).map(|unit| u16::from_be_bytes([unit[0], unit[1]])).collect();
    Some(String::from_utf16_lossy(&units).trim_end_matches('\0').into())
}

/// A Pascal name, whose encoding the file does not tell: ASCII, UTF-8, Shift-JIS or MacRoman, whatever fits first.
pub(crate) fn pascal(bytes: &[u8]) -> String {
    if let Ok(text) = str::from_utf8(bytes) {
        return text.trim_end_matches('\0').into();
    }
    if let Some(text) = SHIFT_JIS.decode_without_bom_handling_and_without_replacement(bytes)
        && looks_japanese(&text)
    {
        return text.into();
    }
    MACINTOSH.decode_without_bom_handling(bytes).0.into()
}

/// At least as many kana and kanji as Latin letters: accented MacRoman words also decode as Shift-JIS now and then.
fn looks_japanese(text: &str) -> bool {
    let wide = text.chars().filter(|&c| c >= '\u{3000}' && !('\u{ff61}'..='\u{ff9f}').contains(&c)).count();
    let latin = text.chars().filter(char::is_ascii_alphabetic).count();
    wide > 0 && wide >= latin
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], want: &str) {
        assert_eq!(pascal(bytes), want);
    }

    #[test]
    fn pascal_names_are_guessed() {
        check(b"", "");
        check(b"front hair", "front hair");
        check("瞳".as_bytes(), "瞳");
        check(&[0x91, 0x4f, 0x94, 0xaf], "前髪");
        check(&[0x83, 0x8c, 0x83, 0x43, 0x83, 0x84, 0x81, 0x5b, b' ', b'1', b'1'], "レイヤー 11");
        check(b"Caf\x8e", "Café");
        check(b"\x83bauche", "Ébauche");
        check(b"a\x00", "a");
    }

    #[test]
    fn unicode_names_end_at_their_count_or_the_block() {
        assert_eq!(unicode(&[0, 0, 0, 2, 0x52, 0x4d, 0, 0]).as_deref(), Some("前"));
        assert_eq!(unicode(&[0xff, 0xff, 0xff, 0xff, 0, b'a', 0]).as_deref(), Some("a"));
        assert_eq!(unicode(&[0, 0, 0, 1, 0xd8, 0]).as_deref(), Some("\u{fffd}"));
        assert_eq!(unicode(&[0, 0, 0]), None);
    }
}
