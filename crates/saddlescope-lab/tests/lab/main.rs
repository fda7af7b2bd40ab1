//! The laboratory from outside: one binary, which links once.

mod format_1;
mod instruments;
mod killed;
