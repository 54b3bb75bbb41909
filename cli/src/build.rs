//! One batch: characters to the farm, finished ones to their folders, all of it told.

pub(crate) mod batch;
pub(crate) mod contact;
pub(crate) mod deliverer;
pub(crate) mod interrupt;
pub(crate) mod junit;
pub(crate) mod progress;
pub(crate) mod reporter;
pub(crate) mod row;
pub(crate) mod run;
pub(crate) mod site;
pub(crate) mod tally;
pub(crate) mod watch;
