//! What is read off a run and said about it: labels, outcomes, predictions, laws of scaling, the task as a picture.

pub(crate) mod labels;
pub(crate) mod outcomes;
pub(crate) mod predictions;
pub(crate) mod quantities;
