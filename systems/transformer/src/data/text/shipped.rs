//! The corpus inside the program: chronicles of an archipelago that does not exist (see `corpus/README.md`).

/// What it is trained on.
pub(crate) const TRAIN: &str = include_str!("../../../corpus/train.txt");

/// What it is validated on.
pub(crate) const VALID: &str = include_str!("../../../corpus/valid.txt");
