//! Job kinds, versions, keys and graph templates. No pixels.
//!
//! Read in this order: [`job`] (what one pure function call is), [`action`] (how it is named), [`graph`] (where jobs stand in
//! a build), [`result`] (what a finished job leaves in the cache), [`execute`] (how jobs are run), [`character`]
//! (the graph of one character).

pub mod action;
pub mod character;
pub mod execute;
pub mod graph;
pub mod job;
pub mod result;

pub use execute::{Executor, FailureClass, JobFailure, Memo, NoMemo, Outcome};
pub use graph::{Graph, GraphError, Input, NodeTemplate, SELF_NODE, Subgraph};
pub use job::{Job, JobKey, JobKind};
pub use result::{ActionResult, OutputRef, ResultError};
