//! The laboratory of Saddlescope: experiment files, runs, and reference cases.

pub mod check;
pub mod experiment;
pub mod markup;
pub mod memory;
pub mod nearest;
pub mod report;
pub mod run;
pub mod shipped;
pub mod stages;
pub mod table;
pub mod verify;
