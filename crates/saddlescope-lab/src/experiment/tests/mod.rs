//! Tests of experiment files, on a made-up system.

mod fuzz;
mod messages;
pub(crate) mod toy;
mod whole;
