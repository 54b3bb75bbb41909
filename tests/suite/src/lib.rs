//! End-to-end suites on the built binary.
