//! Blobs and action results in a folder or an object store, verified on read and write.
//!
//! A [`Store`] keeps two kinds of things: *blobs*, named by the SHA-256 and length of their bytes, and *action
//! results*, named by a job key, each an opaque payload with the list of blobs it names. What is read is what was
//! written, or an error: bytes are hashed on every read, and those that do not fit their name go to a quarantine.
//! A result is a hit only while all its blobs are there.
//!
//! Over a local place a store can have a remote one ([`Store::with_remote`]): read through, written behind. Trouble
//! with it never fails a build; it is told in the [`Notice`]s.
//!
//! [`Folder`] is the same store in a folder without async, for the many small lookups of a warm build.
//!
//! This crate alone among the libraries touches the file system, the network and the clock.

mod address;
mod envelope;
mod error;
mod folder;
mod layout;
mod maintain;
mod notices;
mod objects;
mod options;
mod place;
#[cfg(feature = "reapi")]
pub mod reapi;
mod remote;
mod store;
#[cfg(feature = "testing")]
pub mod testing;

pub use envelope::Action;
pub use error::Error;
pub use folder::{Folder, Swept};
pub use maintain::{Amount, Collected, GcOptions, Stats, Verified};
pub use notices::{Notice, Trouble};
pub use options::Options;
pub use store::Store;
