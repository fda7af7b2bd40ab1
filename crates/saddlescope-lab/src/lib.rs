//! The laboratory of Saddlescope: experiment files, runs and their folders, and reference cases.

pub mod campaign;
pub mod check;
pub mod compose;
pub mod draw;
pub mod experiment;
pub mod keep;
pub mod log_file;
pub mod markup;
pub mod memory;
pub mod nearest;
pub mod plan;
pub mod report;
pub mod run;
pub mod shipped;
pub mod stages;
pub mod staircase;
pub mod store;
pub mod table;
pub mod verify;
