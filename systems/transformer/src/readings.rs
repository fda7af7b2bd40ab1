//! What a transformer does on sequences, read off a state and off a run, and how figures call it.

mod attention;
pub mod labels;
pub mod observables;
pub mod quantities;
pub mod reader;
pub(crate) mod watch;

pub use reader::Reader;
