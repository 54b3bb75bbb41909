//! The graph template of one character: which nodes a character consists of before any job has run (DESIGN 4).
//!
//! The template only names kinds, versions, parameters and references; what a job finds in the art (limbs, bodies,
//! pages) arrives later as a [`crate::Subgraph`] in that job's result.
