//! The regression variant, in which the flow is exact: attention by position alone, squared error, one answer. 000, section 3.
//!
//! The loss is that of a factorisation: `L = |G - P|^2/2` with `P = sum_k V_k (x) s_k`, `s_k = softmax(q_k)`, and
//! `G = sum_j m_j V_j (x) s_j` (Proposition 1). In an orthonormal basis of the span of the `V_j` all matrices are vectors of
//! few coordinates, and what `V_k` has outside of it only decays: so the same code is the reduced form (as many coordinates
//! as features) and the full one (`d^2` of them).
//!
//! | file | what it holds |
//! |---|---|
//! | `target` | `G`: strengths, directions, positions; the levels of the plateaus |
//! | `landscape` | the exact loss, its slopes and its Hessian products |
//! | `simplex` | the same loss as a function of `s` itself, where the plateaus are stationary points |
//! | `laws` | coupled heads, Eq. (10), Eq. (11) |
//! | `saddles` | the plateaus as stationary points |
//! | `theory` | approach `t^(-1/2)`, local expansion, the conserved quantity of Eq. (11) |

pub mod landscape;
pub mod laws;
pub mod saddles;
pub mod simplex;
pub mod target;
pub mod theory;

pub use landscape::Factorisation;
pub use laws::{Cooperative, Coupled, TwoScale};
pub use simplex::Simplex;
pub use target::Target;
