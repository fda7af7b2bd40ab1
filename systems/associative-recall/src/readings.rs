//! What is read off a run and said about it: observables, labels, outcomes, predictions and their curves, laws of scaling, the task as a picture.

pub(crate) mod curves;
pub(crate) mod labels;
pub(crate) mod observables;
pub(crate) mod outcomes;
pub(crate) mod predictions;
pub(crate) mod quantities;
