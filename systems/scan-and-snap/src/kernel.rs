//! The loops that losses on drawn sequences spend their time in.

pub(crate) mod pass;
mod products;

/// Sequences side by side.
pub(crate) const LANES: usize = 16;
