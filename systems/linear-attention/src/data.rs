//! Drawn data: sequences, finite data sets, fresh batches.

pub mod empirical;
pub mod online;
pub mod sequences;
pub mod softmax;
