//! Words on pictures, in small capitals of 5 x 7 dots.

use raster::Rgba;

/// Dots from one letter to the next.
const ADVANCE: usize = 6;
/// Dots in height.
const HEIGHT: usize = 7;

/// Letters by rows from the top; the highest of five bits is the left dot.
#[rustfmt::skip]
const GLYPHS: &[(char, [u8; HEIGHT])] = &[
    ('A', [0b01110, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001]),
    ('B', [0b11110, 0b10001, 0b10001, 0b11110, 0b10001, 0b10001, 0b11110]),
    ('C', [0b01110, 0b10001, 0b10000, 0b10000, 0b10000, 0b10001, 0b01110]),
    ('D', [0b11100, 0b10010, 0b10001, 0b10001, 0b10001, 0b10010, 0b11100]),
    ('E', [0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b11111]),
    ('F', [0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b10000]),
    ('G', [0b01110, 0b10001, 0b10000, 0b10011, 0b10001, 0b10001, 0b01111]),
    ('H', [0b10001, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001]),
    ('I', [0b01110, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110]),
    ('J', [0b00111, 0b00010, 0b00010, 0b00010, 0b00010, 0b10010, 0b01100]),
    ('K', [0b10001, 0b10010, 0b10100, 0b11000, 0b10100, 0b10010, 0b10001]),
    ('L', [0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b11111]),
    ('M', [0b10001, 0b11011, 0b10101, 0b10101, 0b10001, 0b10001, 0b10001]),
    ('N', [0b10001, 0b11001, 0b10101, 0b10101, 0b10011, 0b10001, 0b10001]),
    ('O', [0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110]),
    ('P', [0b11110, 0b10001, 0b10001, 0b11110, 0b10000, 0b10000, 0b10000]),
    ('Q', [0b01110, 0b10001, 0b10001, 0b10001, 0b10101, 0b10010, 0b01101]),
    ('R', [0b11110, 0b10001, 0b10001, 0b11110, 0b10100, 0b10010, 0b10001]),
    ('S', [0b01111, 0b10000, 0b10000, 0b01110, 0b00001, 0b00001, 0b11110]),
    ('T', [0b11111, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100]),
    ('U', [0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110]),
    ('V', [0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01010, 0b00100]),
    ('W', [0b10001, 0b10001, 0b10001, 0b10101, 0b10101, 0b11011, 0b10001]),
    ('X', [0b10001, 0b10001, 0b01010, 0b00100, 0b01010, 0b10001, 0b10001]),
    ('Y', [0b10001, 0b10001, 0b01010, 0b00100, 0b00100, 0b00100, 0b00100]),
    ('Z', [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b10000, 0b11111]),
    ('0', [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110]),
    ('1', [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110]),
    ('2', [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111]),
    ('3', [0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110]),
    ('4', [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010]),
    ('5', [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110]),
    ('6', [0b01110, 0b10000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110]),
    ('7', [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000]),
    ('8', [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110]),
    ('9', [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00001, 0b01110]),
    (' ', [0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b00000]),
    ('_', [0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b11111]),
    ('-', [0b00000, 0b00000, 0b00000, 0b11111, 0b00000, 0b00000, 0b00000]),
    ('+', [0b00000, 0b00100, 0b00100, 0b11111, 0b00100, 0b00100, 0b00000]),
    ('.', [0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b01100, 0b01100]),
    (',', [0b00000, 0b00000, 0b00000, 0b00000, 0b01100, 0b00100, 0b01000]),
    (':', [0b00000, 0b01100, 0b01100, 0b00000, 0b01100, 0b01100, 0b00000]),
    ('/', [0b00001, 0b00001, 0b00010, 0b00100, 0b01000, 0b10000, 0b10000]),
    ('(', [0b00010, 0b00100, 0b01000, 0b01000, 0b01000, 0b00100, 0b00010]),
    (')', [0b01000, 0b00100, 0b00010, 0b00010, 0b00010, 0b00100, 0b01000]),
    ('=', [0b00000, 0b00000, 0b11111, 0b00000, 0b11111, 0b00000, 0b00000]),
    ('%', [0b11001, 0b11010, 0b00010, 0b00100, 0b01000, 0b01011, 0b10011]),
    ('#', [0b01010, 0b01010, 0b11111, 0b01010, 0b11111, 0b01010, 0b01010]),
];
/// Stands for letters that are not among them.
const UNKNOWN: [u8; HEIGHT] = [0b11111, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b11111];

/// How large a label is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lettering {
    /// Pixels of a dot's side.
    dot: usize,
}

impl Lettering {
    /// Fit to be read on a cell of some width in pixels.
    pub(crate) fn for_cell(width: u32) -> Self {
        Self { dot: (width as usize / 160).clamp(1, 4) }
    }
    /// Height of the strip that holds a label, in pixels.
    pub(crate) fn strip(self) -> usize {
        (HEIGHT + 5) * self.dot
    }
    /// Draws a word into the strip at a place of the picture; what is wider than `width` is cut off.
    pub(crate) fn draw(
        self,
        picture: &mut Rgba,
        (x, y): (usize, usize),
        width: usize,
        word: &str,
        ink: [u8; 3],
    ) {
        let color = [ink[0], ink[1], ink[2], 255];
        let (left, top) = (x + 3 * self.dot, y + 3 * self.dot);
        for (place, letter) in word.chars().enumerate() {
            let start = left + place * ADVANCE * self.dot;
            if start + ADVANCE * self.dot > x + width {
                return;
            }
            for (row, bits) in glyph(letter).into_iter().enumerate() {
                for column in (0..5).filter(|column| bits >> (4 - column) & 1 == 1) {
                    self.dot(picture, start + column * self.dot, top + row * self.dot, color);
                }
            }
        }
    }
    fn dot(self, picture: &mut Rgba, x: usize, y: usize, color: [u8; 4]) {
        for dy in 0..self.dot {
            for dx in 0..self.dot {
                picture.set((x + dx) as i64, (y + dy) as i64, color);
            }
        }
    }
}

fn glyph(letter: char) -> [u8; HEIGHT] {
    let letter = letter.to_ascii_uppercase();
    GLYPHS.iter().find(|(known, _)| *known == letter).map_or(UNKNOWN, |(_, rows)| *rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_differ_and_have_their_place() {
        let distinct: std::collections::BTreeSet<_> = GLYPHS.iter().map(|(_, rows)| rows).collect();
        assert_eq!(distinct.len(), GLYPHS.len());
        assert!(GLYPHS.iter().all(|(_, rows)| rows.iter().all(|bits| *bits < 32)));
        let lettering = Lettering::for_cell(320);
        let mut picture = Rgba::new(40, 30);
        lettering.draw(&mut picture, (0, 0), 40, "il\u{732b}xxxx", [1, 2, 3]);
        let found = picture.opaque_bounds(255).unwrap();
        assert_eq!((found.left, found.top, found.bottom), (8, 6, 20));
        assert!(found.right <= 40);
    }
}
