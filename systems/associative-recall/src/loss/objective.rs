//! What is made small: how far the answer is from the response that the query asks for.

use std::fmt;

/// The loss of one sequence whose response is found with probability `p`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Objective {
    /// `1 - p`. 001, section 2.3.
    #[default]
    DotProduct,
    /// `-ln p`. 001, appendix A.3.
    CrossEntropy,
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::DotProduct => "dot product",
            Self::CrossEntropy => "cross entropy",
        })
    }
}
