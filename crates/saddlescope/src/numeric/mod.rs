//! Numbers below the science: precisions, slopes, random streams, elementary functions, SIMD levels.

pub mod dual;
pub mod elementary;
pub mod lanes;
pub mod random;
pub mod root;
pub mod scalar;
pub mod simd;
