//! A sixth system: a two-layer linear network that learns a linear map, one singular value after the other.
//!
//! `y = W2 W1 x` learns `y = S x` from white inputs `x`, with `S = diag(s_1, ..., s_D)` and `H` hidden
//! units. From balanced weights on the singular vectors, each product `a_d` of input and output weight
//! follows a logistic law of its own, so every learning time is known in closed form. The paper: Saxe,
//! McClelland, Ganguli, "Exact solutions to the nonlinear dynamics of learning in deep linear neural
//! networks" (2014).
//!
//! | file | what it holds |
//! |---|---|
//! | `loss` | the exact loss, its gradient and its Hessian products |
//! | `theory` | plateaus, the logistic law and its times |
//! | `laws` | all modes at once, as a reduced theory |
//! | `saddles` | the stationary points, and the symmetry that moves along them |
//! | `claims.md`, `claims` | what the paper states, and the evidence |
//! | `settings` | what can be set, declared once |
//! | `problem` | the system: from settings to a problem that runs |

mod claims;
mod laws;
mod loss;
mod problem;
mod saddles;
mod settings;
mod theory;

pub use laws::ModeLaws;
pub use loss::TwoLayers;
pub use problem::LinearNetwork;
pub use theory::Mode;

use saddlescope_cli::Addition;
use saddlescope_spec::claim::{Paper, Source};

const PAPER: Paper = Paper {
    statements: Source {
        system: "linear-network",
        file: "src/claims.md",
        text: include_str!("claims.md"),
    },
    evidence: &[claims::EVIDENCE],
};

/// What this crate adds to Saddlescope.
pub const ADDITION: Addition = Addition { systems: &[&LinearNetwork], papers: &[PAPER] };
