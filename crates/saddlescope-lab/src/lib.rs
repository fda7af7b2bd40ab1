//! The laboratory of Saddlescope: experiment files, runs, and reference cases.

pub mod experiment;
pub mod memory;
pub mod nearest;
pub mod plan;
pub mod report;
pub mod run;
pub mod shipped;
pub mod stages;
pub mod table;
pub mod verify;
