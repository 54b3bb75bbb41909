use proptest::prelude::*;

use super::*;
use crate::job::JobKind;

fn sample() -> ActionResult {
    let outputs = BTreeMap::from([
        ("small".to_owned(), b"abc".to_vec()),
        ("big".to_owned(), vec![7; INLINE_LIMIT + 1]),
    ]);
    let page = NodeTemplate::new("page", JobKind::AtlasPage, vec![1, 2])
        .output("recipe", graph::SELF_NODE, "small")
        .outputs("rasters", graph::SELF_NODE, "b");
    let graph = Subgraph::new(vec![page], "page").unwrap();
    ActionResult { log: Some(BlobRef::of(b"log")), ..ActionResult::of(&outputs, Some(graph), 77) }
}

#[test]
fn reads_what_it_wrote() {
    let result = sample();
    assert_eq!(ActionResult::decode(&result.encode()), Ok(result.clone()));
    assert_eq!(result.outputs["small"].inline.as_deref(), Some(&b"abc"[..]));
    assert_eq!(result.stored_blobs().collect::<Vec<_>>(), [BlobRef::of(&vec![7; INLINE_LIMIT + 1])]);
}

#[test]
fn cost_and_log_are_not_compared() {
    let other = ActionResult { cost_us: 1, log: None, ..sample() };
    assert_eq!(other.manifest_digest(), sample().manifest_digest());
    let other = ActionResult { subgraph: None, ..sample() };
    assert_ne!(other.manifest_digest(), sample().manifest_digest());
}

#[test]
fn inline_total_is_bounded() {
    let outputs = (0..100).map(|n| (format!("{n:03}"), vec![n as u8; 1000])).collect();
    let result = ActionResult::of(&outputs, None, 0);
    let inline = result.outputs.values().filter(|output| output.inline.is_some()).count();
    assert_eq!(inline, INLINE_TOTAL / 1000);
    assert!(result.outputs["000"].inline.is_some() && result.outputs["099"].inline.is_none());
}

#[test]
fn refusals() {
    let check = |bytes: &[u8], expected: ResultError| assert_eq!(ActionResult::decode(bytes), Err(expected));
    check(b"", ResultError::NotAResult);
    check(b"xyz\x01", ResultError::NotAResult);
    check(b"rfa\x02rest", ResultError::UnknownSchema(2));
    check(b"rfa\x01", ResultError::Malformed);
    let good = sample().encode();
    check(&good[..good.len() - 1], ResultError::Malformed);
    check(&[&good[..], b"x"].concat(), ResultError::Malformed);

    let mut forged = sample();
    forged.outputs.get_mut("small").unwrap().inline = Some(b"abd".to_vec());
    check(&forged.encode(), ResultError::InlineMismatch("small".into()));
    let mut named = sample();
    let output = named.outputs["small"].clone();
    named.outputs.insert("a\0b".into(), output);
    check(&named.encode(), ResultError::BadName("a\0b".into()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn hostile_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = ActionResult::decode(&bytes);
        let _ = ActionResult::decode(&[&HEADER[..], &bytes].concat());
    }

    #[test]
    fn flipped_bytes_do_no_harm(at in any::<prop::sample::Index>(), bit in 0u8..8) {
        let mut bytes = sample().encode();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        if let Ok(result) = ActionResult::decode(&bytes) {
            prop_assert_eq!(ActionResult::decode(&result.encode()), Ok(result));
        }
    }
}
