//! Tests of experiment files, on a made-up system.

mod fuzz;
mod messages;
mod toy;
mod whole;
