//! The byte rules, held by golden digests and by properties.
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use canonical::{BlobRef, Canonical, Digest, Error, bytes, key};
use proptest::prelude::*;

#[derive(Canonical)]
struct Outline {
    step: f64,
    corners: Vec<(i32, i32)>,
    label: Option<String>,
}

mod moved {
    /// `Outline` with its fields in another order.
    #[derive(canonical::Canonical)]
    pub(super) struct Outline {
        pub(super) label: Option<&'static str>,
        pub(super) corners: [(i32, i32); 1],
        pub(super) step: f64,
    }

    /// `Outline` after a rename that keeps the old names.
    #[derive(canonical::Canonical)]
    #[canonical(name = "Outline")]
    pub(super) struct Contour {
        #[canonical(name = "corners")]
        pub(super) vertices: Vec<(i32, i32)>,
        #[canonical(name = "label")]
        pub(super) title: Option<String>,
        pub(super) step: f64,
    }
}

mod grown {
    /// `Outline` with one more field.
    #[derive(canonical::Canonical)]
    pub(super) struct Outline {
        pub(super) step: f64,
        pub(super) corners: Vec<(i32, i32)>,
        pub(super) label: Option<String>,
        pub(super) tolerance: Option<f64>,
    }
}

#[derive(Canonical)]
enum Shape {
    Empty,
    Round(f32),
    Boxed { width: u16, height: u16 },
}

#[derive(Canonical)]
struct Wrapper<T>(T);

fn outline() -> Outline {
    Outline { step: 0.5, corners: vec![(1, -2)], label: None }
}

/// The name, and the first 16 hex digits of the key in the domain `test/1`.
fn check(name: &str, value: &dyn Canonical, expected: &str) {
    let actual = key("test/1", value).unwrap().to_hex();
    assert_eq!(
        &actual[..16],
        expected,
        "{name}: these bytes are in every cache; bump versions if they must change"
    );
}

#[test]
fn golden_digests() {
    let map = BTreeMap::from([("b", 1_u8), ("a", 2)]);
    check("unit", &(), "f025610efdae47ae");
    check("false", &false, "6f9ea77af1ed5199");
    check("u8", &7_u8, "db1a08e91f6bd529");
    check("u64", &7_u64, "590417d08aa99ef9");
    check("usize", &7_usize, "590417d08aa99ef9");
    check("i32", &-7_i32, "e69b7750ce5889d1");
    check("f32", &0.1_f32, "e8fd5758e2622d00");
    check("f64", &0.1_f64, "8821f8464150d1ae");
    check("char", &'é', "d1bc009d017fac18");
    check("str", &"é", "d8e3098c62766e5f");
    check("bytes", &vec![1_u8, 2, 3], "d447d86afd927e88");
    check("floats", &[0.0_f64, 1.5], "df6cfa973c146d8b");
    check("strings", &["a", "b"], "4f6391f958041670");
    check("tuple", &(1_u8, "a"), "0f5f051ad87e85fe");
    check("set", &BTreeSet::from([2_u32, 1]), "c560d5626eb4bb10");
    check("map", &map, "a82ce84683751dee");
    check("none", &None::<u8>, "a4f91099c114feda");
    check("some", &Some(0_u8), "69e76d54c0fcc01e");
    check("digest", &Digest::of(b""), "ea882aa386a75ac9");
    check("blob", &BlobRef::of(b"abc"), "2d1f1eca3164626d");
    check("struct", &outline(), "82ab450aeac48fc0");
    check("unit variant", &Shape::Empty, "6960b51dedbc1343");
    check("tuple variant", &Shape::Round(1.0), "441d4ebce71b1e49");
    check("struct variant", &Shape::Boxed { width: 1, height: 2 }, "399757771b0cdfbe");
    check("generic", &Wrapper("x"), "c1084136c40dfbb6");
}

#[test]
fn the_documented_bytes() {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
    let mut expected = [&b"E"[..], &text("Shape"), &text("Boxed"), &2_u64.to_le_bytes()].concat();
    for (name, value) in [("height", 2), ("width", 1)] {
        expected.extend(text(name));
        expected.extend(4_u64.to_le_bytes());
        expected.extend([b'u', 2, value, 0]);
    }
    assert_eq!(bytes(&Shape::Boxed { width: 1, height: 2 }).unwrap(), expected);
    assert_eq!(
        bytes(&[true, false]).unwrap(),
        [b"pb\x01".as_slice(), &2_u64.to_le_bytes(), &[1, 0]].concat()
    );
}

#[test]
fn order_and_kept_names_do_not_matter() {
    let expected = bytes(&outline()).unwrap();
    assert_eq!(bytes(&moved::Outline { label: None, corners: [(1, -2)], step: 0.5 }).unwrap(), expected);
    let renamed = moved::Contour { vertices: vec![(1, -2)], title: None, step: 0.5 };
    assert_eq!(bytes(&renamed).unwrap(), expected);
}

#[test]
fn a_new_field_that_is_none_is_seen() {
    let grown = grown::Outline { step: 0.5, corners: vec![(1, -2)], label: None, tolerance: None };
    assert_ne!(bytes(&grown).unwrap(), bytes(&outline()).unwrap());
}

#[test]
fn containers_of_one_content_agree() {
    let expected = bytes(&vec![1_u8, 2, 3]).unwrap();
    let mut turned = VecDeque::from([3_u8, 9, 1, 2]);
    turned.rotate_left(2);
    assert_eq!(turned.pop_back(), Some(9));
    assert_eq!(bytes(&turned).unwrap(), expected);
    assert_eq!(bytes(&[1_u8, 2, 3]).unwrap(), expected);
    assert_eq!(bytes(&Box::new([1_u8, 2, 3])).unwrap(), expected);
    assert_eq!(bytes(&Cow::Borrowed("a")).unwrap(), bytes("a").unwrap());
    assert_eq!(bytes(&"a".to_owned()).unwrap(), bytes(&&"a").unwrap());
}

#[test]
fn floats_have_one_zero_and_no_nan() {
    assert_eq!(bytes(&-0.0_f64).unwrap(), bytes(&0.0_f64).unwrap());
    assert_eq!(bytes(&[-0.0_f32]).unwrap(), bytes(&[0.0_f32]).unwrap());
    assert!(bytes(&f64::NEG_INFINITY).is_ok());
    assert_eq!(bytes(&f32::NAN), Err(Error::NotANumber { path: "value".into() }));
    let bad = Wrapper(Outline { step: f64::NAN, ..outline() });
    assert_eq!(key("k", &bad), Err(Error::NotANumber { path: "Wrapper.0.step".into() }));
}

#[test]
fn domains_part_keys() {
    assert_ne!(key("a", "b").unwrap(), key("b", "b").unwrap());
    assert_ne!(key("a", "bc").unwrap(), key("ab", "c").unwrap());
}

/// Values of every shape, over domains so small that equal and nearly equal ones are common.
#[derive(Clone, Debug, PartialEq, Canonical)]
enum Tree {
    Leaf,
    Flag(bool),
    Small(u8),
    Wide(u32),
    Real(f64),
    Text(String),
    Raw(Vec<u8>),
    Maybe(Option<Box<Tree>>),
    List(Vec<Tree>),
    Pair(Box<(Tree, Tree)>),
    Named { first: String, second: String },
    Map(BTreeMap<String, Tree>),
}

fn tree() -> impl Strategy<Value = Tree> {
    let text = prop::sample::select(vec!["", "a", "b", "aa", "s\u{1}"]).prop_map(str::to_owned);
    let leaf = prop_oneof![
        Just(Tree::Leaf),
        any::<bool>().prop_map(Tree::Flag),
        (0_u8..2).prop_map(Tree::Small),
        (0_u32..2).prop_map(Tree::Wide),
        prop::sample::select(vec![0.0, 1.0, f64::INFINITY]).prop_map(Tree::Real),
        text.clone().prop_map(Tree::Text),
        prop::collection::vec(0_u8..2, 0..2).prop_map(Tree::Raw),
        (text.clone(), text.clone()).prop_map(|(first, second)| Tree::Named { first, second }),
    ];
    leaf.prop_recursive(2, 6, 2, move |inner| {
        prop_oneof![
            prop::option::of(inner.clone().prop_map(Box::new)).prop_map(Tree::Maybe),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Tree::List),
            (inner.clone(), inner.clone()).prop_map(|pair| Tree::Pair(Box::new(pair))),
            prop::collection::btree_map(text.clone(), inner, 0..2).prop_map(Tree::Map),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Also for whole heaps at once: all pairs of 24 values.
    #[test]
    fn different_values_have_different_bytes(trees in prop::collection::vec(tree(), 24)) {
        let encoded: Vec<_> = trees.iter().map(|tree| bytes(tree).unwrap()).collect();
        for (a, a_bytes) in trees.iter().zip(&encoded) {
            for (b, b_bytes) in trees.iter().zip(&encoded) {
                prop_assert_eq!(a == b, a_bytes == b_bytes, "{:?} / {:?}", a, b);
                // No encoding is the beginning of another one, so values can follow each other unseparated.
                prop_assert!(a == b || !a_bytes.starts_with(b_bytes), "{:?} begins with {:?}", a, b);
            }
        }
    }

    #[test]
    fn floats_differ_unless_equal(a in prop::num::f64::ANY, b in prop::num::f64::ANY) {
        prop_assert_eq!(a == b, bytes(&a).is_ok() && bytes(&a) == bytes(&b));
        prop_assert_eq!(bytes(&a).is_err(), a.is_nan());
    }

    #[test]
    fn hex_round_trips(raw in any::<[u8; 32]>()) {
        let digest = Digest::from_bytes(raw);
        prop_assert_eq!(Digest::from_hex(&digest.to_hex()), Some(digest));
        prop_assert_eq!(Digest::from_hex(&digest.to_hex()[1..]), None);
    }
}
