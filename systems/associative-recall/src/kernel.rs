//! Sums over all permutations: by a recursion over subsets, and for order four in registers.

pub mod four;
pub mod permanent;
