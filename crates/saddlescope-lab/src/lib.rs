//! The laboratory of Saddlescope: experiment files, runs and their folders, and reference cases.

pub mod attribute;
pub mod campaign;
pub mod check;
pub mod compare;
pub mod compose;
pub mod draw;
pub mod experiment;
pub mod fits;
pub mod guard;
pub mod keep;
pub mod ledger;
pub mod log_file;
pub mod markup;
pub mod memory;
pub mod nearest;
pub mod plan;
pub mod registry;
pub mod report;
pub mod run;
pub mod saddles;
pub mod shipped;
pub mod stages;
pub mod staircase;
pub mod store;
pub mod table;
pub mod verify;
