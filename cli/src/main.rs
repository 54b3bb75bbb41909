//! The rigfarm command line.

fn main() {}
