//! Differences within a row, as ZIP-with-prediction stores them. Samples are big-endian.

/// Undoes the differences, row by row.
pub(crate) fn undo(data: &mut [u8], width: usize, depth: u16) {
    let row_bytes = width * usize::from(depth) / 8;
    if row_bytes == 0 {
        return;
    }
    let mut spare = vec![0; if depth == 32 { row_bytes } else { 0 }];
    for row in data.chunks_exact_mut(row_bytes) {
        match depth {
            16 => sum_words(row),
            32 => {
                sum_bytes(row);
                spare.copy_from_slice(row);
                let (a, rest) = spare.split_at(width);
                let (b, rest) = rest.split_at(width);
                let (c, d) = rest.split_at(width);
                for (i, sample) in row.chunks_exact_mut(4).enumerate() {
                    sample.copy_from_slice(&[a[i], b[i], c[i], d[i]]);
                }
            }
            _ => sum_bytes(row),
        }
    }
}

/// Replaces samples by differences, row by row.
pub(crate) fn apply(data: &mut [u8], width: usize, depth: u16) {
    let row_bytes = width * usize::from(depth) / 8;
    if row_bytes == 0 {
        return;
    }
    for row in data.chunks_exact_mut(row_bytes) {
        match depth {
            16 => {
                for i in (1..width).rev() {
                    let now = u16::from_be_bytes([row[2 * i], row[2 * i + 1]]);
                    let before = u16::from_be_bytes([row[2 * i - 2], row[2 * i - 1]]);
                    row[2 * i..2 * i + 2].copy_from_slice(&now.wrapping_sub(before).to_be_bytes());
                }
            }
            32 => {
                let samples = row.to_vec();
                for (i, sample) in samples.chunks_exact(4).enumerate() {
                    for (plane, &byte) in sample.iter().enumerate() {
                        row[plane * width + i] = byte;
                    }
                }
                differ_bytes(row);
            }
            _ => differ_bytes(row),
        }
    }
}

fn sum_bytes(row: &mut [u8]) {
    let mut sum = 0u8;
    for byte in row {
        sum = sum.wrapping_add(*byte);
        *byte = sum;
    }
}

fn sum_words(row: &mut [u8]) {
    let mut sum = 0u16;
    for word in row.chunks_exact_mut(2) {
        sum = sum.wrapping_add(u16::from_be_bytes([word[0], word[1]]));
        word.copy_from_slice(&sum.to_be_bytes());
    }
}

fn differ_bytes(row: &mut [u8]) {
    for i in (1..row.len()).rev() {
        row[i] = row[i].wrapping_sub(row[i - 1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_carry_into_their_high_byte() {
        let mut data = [0x00, 0xff, 0x00, 0x02, 0xff, 0xff];
        undo(&mut data, 3, 16);
        assert_eq!(data, [0x00, 0xff, 0x01, 0x01, 0x01, 0x00]);
    }

    #[test]
    fn floats_are_stored_byte_plane_by_byte_plane() {
        let mut data = [1, 1, 1, 1, 1, 1, 1, 1];
        undo(&mut data, 2, 32);
        assert_eq!(data, [1, 3, 5, 7, 2, 4, 6, 8]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn undo_is_the_inverse(
            width in 1usize..20,
            depth in prop_oneof![Just(8u16), Just(16), Just(32)],
            seed in prop::collection::vec(any::<u8>(), 240),
        ) {
            let row_bytes = width * usize::from(depth) / 8;
            let data = &seed[..row_bytes * (240 / row_bytes)];
            let mut changed = data.to_vec();
            apply(&mut changed, width, depth);
            undo(&mut changed, width, depth);
            prop_assert_eq!(&changed[..], data);
        }
    }
}
