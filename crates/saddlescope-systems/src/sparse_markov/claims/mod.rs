//! What the paper states, each statement checked by number.

use saddlescope::claim::Claim;

/// All claims.
pub static CLAIMS: &[Claim] = &[];
