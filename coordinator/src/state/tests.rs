//! The state machine against its invariants, on events nobody would think of; and the rules one by one.

mod fairness;
mod journals;
mod model;
mod rules;
