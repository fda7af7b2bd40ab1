//! Instruments: what trajectories and landscapes say about how a model learns.

pub mod levels;
pub mod saddle;
pub mod scaling;
pub mod sharpness;
pub mod stages;
