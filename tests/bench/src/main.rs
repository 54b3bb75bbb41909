//! rigfarm-bench: measured figures beside a reference of the same run.

fn main() {}
