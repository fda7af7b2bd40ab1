//! What is read off a state and off a run, how figures call it, and what theory says beside it.

pub mod figures;
pub mod observables;
pub mod outcomes;
pub mod predictions;
