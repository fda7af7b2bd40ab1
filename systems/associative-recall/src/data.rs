//! Drawn data: the simplified model on bits of matches, the whole transformer on sequences.

pub mod matches;
pub mod sequences;
