//! The moc3 format: read, write, validate and evaluate. Usable alone.
