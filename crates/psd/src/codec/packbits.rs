//! PackBits: a count byte, then that many bytes as they are (0..=127: one to 128) or one byte to repeat
//! (129..=255: 128 to two times). 128 means nothing.

use crate::ChannelFault;

/// Short runs and literals are moved as one block of this size; see [`unpack_row`].
pub(crate) const BLOCK: usize = 16;

/// Unpacks one row of `width` bytes into the front of `target`. Bytes of `target` behind the row, at most [`BLOCK`],
/// may be overwritten; having them there is what makes this fast. What follows the row in `packed` is ignored.
pub(crate) fn unpack_row(packed: &[u8], target: &mut [u8], width: usize) -> Result<(), ChannelFault> {
    let (mut from, mut to) = (0, 0);
    while to < width {
        let Some(&head) = packed.get(from) else { return Err(ChannelFault::Row) };
        from += 1;
        if head < 128 {
            let count = usize::from(head) + 1;
            copy(packed, from, target, to, count)?;
            from += count;
            to += count;
        } else if head > 128 {
            let count = 257 - usize::from(head);
            let Some(&value) = packed.get(from) else { return Err(ChannelFault::Row) };
            repeat(value, target, to, count)?;
            from += 1;
            to += count;
        }
    }
    if to == width { Ok(()) } else { Err(ChannelFault::Row) }
}

#[inline(always)]
fn copy(packed: &[u8], from: usize, target: &mut [u8], to: usize, count: usize) -> Result<(), ChannelFault> {
    if count <= BLOCK
        && let Some(source) = packed.get(from..from + BLOCK)
        && let Some(block) = target.get_mut(to..to + BLOCK)
    {
        block.copy_from_slice(source);
        return Ok(());
    }
    let source = packed.get(from..from + count).ok_or(ChannelFault::Row)?;
    target.get_mut(to..to + count).ok_or(ChannelFault::Row)?.copy_from_slice(source);
    Ok(())
}

#[inline(always)]
fn repeat(value: u8, target: &mut [u8], to: usize, count: usize) -> Result<(), ChannelFault> {
    if count <= BLOCK
        && let Some(block) = target.get_mut(to..to + BLOCK)
    {
        block.copy_from_slice(&[value; BLOCK]);
        return Ok(());
    }
    target.get_mut(to..to + count).ok_or(ChannelFault::Row)?.fill(value);
    Ok(())
}

/// Appends the packed form of one row. Two equal bytes become a run only where no literal is open.
pub(crate) fn pack_row(row: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while at < row.len() {
        let run = run_length(&row[at..]);
        if run >= 2 {
            out.extend([(257 - run) as u8, row[at]]);
            at += run;
            continue;
        }
        let mut end = at + 1;
        while end < row.len() && end - at < 128 && run_length(&row[end..]) < 3 {
            end += 1;
        }
        out.push((end - at - 1) as u8);
        out.extend_from_slice(&row[at..end]);
        at = end;
    }
}

/// How often the first byte repeats, at most 128.
fn run_length(bytes: &[u8]) -> usize {
    bytes.iter().take(128).take_while(|&&b| b == bytes[0]).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(packed: &[u8], width: usize, slack: usize, want: Result<&[u8], ChannelFault>) {
        let mut target = vec![9; width + slack];
        let got = unpack_row(packed, &mut target, width).map(|()| &target[..width]);
        assert_eq!(got, want, "{packed:?} to {width}");
    }

    #[test]
    fn rows_unpack() {
        for slack in [0, BLOCK] {
            check(&[], 0, slack, Ok(&[]));
            check(&[2, 1, 2, 3, 254, 7], 6, slack, Ok(&[1, 2, 3, 7, 7, 7]));
            check(&[128, 0, 5, 128], 1, slack, Ok(&[5]));
            check(&[0, 5, 0, 6], 1, slack, Ok(&[5]));
            check(&[0, 5], 2, slack, Err(ChannelFault::Row));
            check(&[3, 1, 2], 4, slack, Err(ChannelFault::Row));
            check(&[254], 3, slack, Err(ChannelFault::Row));
            check(&[254, 1], 2, slack, Err(ChannelFault::Row));
            check(&[129, 1], 20, slack, Err(ChannelFault::Row));
            check(&[1, 1, 2], 1, slack, Err(ChannelFault::Row));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn what_is_packed_unpacks(row in prop::collection::vec(prop_oneof![Just(0u8), Just(255), any::<u8>()], 0..700)) {
            let mut packed = Vec::new();
            pack_row(&row, &mut packed);
            prop_assert!(packed.len() <= row.len() + row.len().div_ceil(128));
            check(&packed, row.len(), BLOCK, Ok(&row));
            check(&packed, row.len(), 0, Ok(&row));
        }
    }
}
