//! The layers of a transformer on the rows of a chunk, forwards and back.

mod activation;
mod attention;
mod block;
mod dropout;
pub(crate) mod lane;
mod norm;
pub(crate) mod product;
pub(crate) mod readout;
pub(crate) mod rows;
pub(crate) mod slopes;
pub(crate) mod weights;
pub(crate) mod wide;

pub use product::Real;
