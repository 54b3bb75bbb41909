//! A farm somewhere else: the client's end.
//!
//! `session` speaks to a coordinator, `events` turns what it says into what the farm of this process would say, `follow`
//! keeps at one build through lost connections and lost states, `plan` asks what a build would do, and `site` is all of that as a place to build at.

pub(crate) mod events;
pub(crate) mod follow;
pub(crate) mod plan;
pub(crate) mod session;
pub(crate) mod site;
