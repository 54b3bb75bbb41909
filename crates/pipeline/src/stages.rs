//! The stages, in data order.

pub(crate) mod ingest;

pub(crate) mod rig;
pub(crate) mod skeleton;

pub(crate) mod author;
pub(crate) mod finish;

pub(crate) mod layout;
pub(crate) mod pages;

pub(crate) mod pack;

pub(crate) mod bundle;
pub(crate) mod preview;
