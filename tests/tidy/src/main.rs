//! Checks on the tree itself: layer order, sizes, wording.

fn main() {}
