//! Numbers below the science: precisions, random streams, elementary functions, SIMD levels.

pub mod random;
pub mod scalar;
