//! Numbers below the science: precisions, random streams, elementary functions, SIMD levels.

pub mod elementary;
pub mod random;
pub mod scalar;
pub mod simd;
