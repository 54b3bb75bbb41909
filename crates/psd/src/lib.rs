//! PSD and PSB bytes to a layer tree, and a small writer for tests and samples.
