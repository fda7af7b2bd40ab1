//! The laboratory of Saddlescope: experiment files, runs, and reference cases.

pub mod experiment;
