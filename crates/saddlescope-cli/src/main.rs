//! The `saddlescope` command: arguments and words for the laboratory, no science.

fn main() {}
