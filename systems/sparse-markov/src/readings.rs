//! What is read off a state and off a run, how figures call it, and what theory says beside it.

pub mod evaluation;
pub mod labels;
pub mod predictions;
pub(crate) mod quantities;
pub mod regression;
pub mod sequences;
