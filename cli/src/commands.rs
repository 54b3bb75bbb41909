//! One file per command.

pub(crate) mod build;
pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod demo;
pub(crate) mod diff;
pub(crate) mod inspect;
pub(crate) mod plan;
pub(crate) mod render;
pub(crate) mod sample;
