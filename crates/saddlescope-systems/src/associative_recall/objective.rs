//! The two losses of a prediction.

/// What training makes small. 001, section 2.3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// `1 - p[f(q)]`, which the paper analyses.
    DotProduct,
    /// `-ln p[f(q)]`.
    CrossEntropy,
}
