//! What is read off a state and off a run: observables, outcomes, labels, predictions, laws of scaling.

pub(crate) mod labels;
pub(crate) mod observables;
pub(crate) mod outcomes;
pub(crate) mod predictions;
pub(crate) mod quantities;
