//! The corpus inside the program: chronicles of an archipelago that does not exist (see `corpus/README.md`).

/// What it is trained on.
pub(super) const TRAIN: &str = include_str!("../../corpus/train.txt");

/// What it is validated on.
pub(super) const VALID: &str = include_str!("../../corpus/valid.txt");
