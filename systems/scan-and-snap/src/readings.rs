//! What is read off a state and off a run, how figures label it, and what theory says beside it.

pub mod labels;
pub mod observables;
pub mod outcomes;
pub mod predictions;
pub(crate) mod quantities;
