//! Tests of experiment files, on a made-up system.

pub(crate) mod toy;
mod whole;
