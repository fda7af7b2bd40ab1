//! Analysis: functions of trajectories and landscapes, from what was seen to what it means.

pub mod stages;
