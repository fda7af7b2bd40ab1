//! Numbers below the science: precisions, slopes, random streams, elementary functions, SIMD levels.

pub mod decompose;
pub mod dual;
pub mod elementary;
pub mod packed;
pub mod permutation;
pub mod random;
pub mod root;
pub mod scalar;
pub mod simd;
pub mod vector;
