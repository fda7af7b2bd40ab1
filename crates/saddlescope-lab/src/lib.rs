//! The laboratory of Saddlescope: experiment files, runs, and reference cases.

pub mod experiment;
pub mod nearest;
pub mod verify;
