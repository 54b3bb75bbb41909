//! The TOML settings, checked and merged, as the stages' own settings.
