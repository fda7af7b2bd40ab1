//! What trajectories and landscapes are asked after a run.

pub mod saddle;
