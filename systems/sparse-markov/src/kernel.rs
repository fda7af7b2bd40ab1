//! The loops that training of the minimal model spends its time in.

mod first;
mod layout;
pub(crate) mod pass;
pub(crate) mod product;
mod second;
pub(crate) mod vectors;
pub(crate) mod width;

pub use width::Number;
