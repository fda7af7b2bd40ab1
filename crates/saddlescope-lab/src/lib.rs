//! The laboratory of Saddlescope: experiment files, runs and their folders, and reference cases.

// An application: names say what most items are.
#![allow(missing_docs)]

pub mod attribute;
pub mod campaign;
pub mod check;
pub mod checkpoints;
pub mod compare;
pub mod compose;
pub mod declaration;
pub mod error;
pub mod experiment;
pub mod facts;
pub mod fits;
pub mod frame;
pub mod guard;
pub mod keep;
pub mod ledger;
pub mod log_file;
pub mod memory;
pub mod nearest;
pub mod observables;
pub mod outcomes;
pub mod phases;
pub mod plan;
mod prelude;
pub mod registry;
pub mod report;
pub mod run;
pub mod saddles;
pub mod stages;
pub mod store;
pub mod sweep;
pub mod table;
pub mod verify;

#[cfg(test)]
mod tests {
    mod format_1;
    mod instruments;
    mod killed;
}
