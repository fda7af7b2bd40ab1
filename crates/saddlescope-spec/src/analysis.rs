//! Instruments that run a system's problem again: under other conditions, or with other rounding.

pub mod attribution;
pub mod guard;
pub mod invariants;
