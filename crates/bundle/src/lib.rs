//! The delivered folder: model3, cdi3, physics3, motion3 and report documents.
