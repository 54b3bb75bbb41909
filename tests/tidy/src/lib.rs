//! Checks on the tree itself: layer order, sizes, wording. They are the tests of this crate.
