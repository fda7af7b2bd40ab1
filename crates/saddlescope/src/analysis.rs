//! What runs say once they are over: functions of trajectories and tables of runs.

pub mod scaling;
