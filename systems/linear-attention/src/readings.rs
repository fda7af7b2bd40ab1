//! What is read off a run and said about it: labels, predictions, laws of scaling.

pub(crate) mod labels;
pub(crate) mod nearest;
pub(crate) mod observables;
pub(crate) mod outcomes;
pub(crate) mod predictions;
pub(crate) mod quantities;
pub(crate) mod scalings;
