//! Linear attention that learns linear regression in context, one principal component after the other.
//!
//! A sequence `x_1, y_1, ..., x_N, y_N, x_q` asks for `y_q`, where `y = w . x` with a task vector `w` of
//! its own. The prediction is `beta^T Theta x_q`, with `beta` the mean of `y_n x_n` and
//! `Theta = sum_i v_i sum_r k_ir q_ir^T` over heads `i` and ranks `r`. The paper: "Training Dynamics of
//! In-Context Learning in Linear Attention" (Zhang, Singh, Latham, Saxe), number 003 in comments.
//!
//! | file | what it holds |
//! |---|---|
//! | `task` | the law of the data: covariance, eigenvectors, context length |
//! | `sample` | sequences drawn from that law |
//! | `model` | the parameters: heads, their layout, where they start |
//! | `kernel` | the inner loops, for fixed and any dimension |
//! | `landscape` | the exact expectation of the loss |
//! | `empirical` | a finite data set, as sufficient statistics |
//! | `online` | fresh batches, and mini-batches of a data set |
//! | `softmax` | the same heads with softmax attention |
//! | `full` | all weights that can reach the prediction, with the blocks that the paper sets to zero |
//! | `theory` | levels, fixed points, conserved quantities, in-context regression |
//! | `symmetry` | which heads, pairs and signs can be exchanged |
//! | `reduced` | one head that learns one eigenvector: a law in one variable |
//! | `saddles` | the fixed points `M(S)`, and the symmetries of the weights |
//! | `laws` | all heads at once: these laws side by side |
//! | `escape` | how long a small start of any rank stays at zero |
//! | `scalings` | how times depend on settings, as theory has it |
//! | `reference` | the reference cases that can be recomputed |
//! | `cost` | memory of a run, from its settings |
//! | `declaration` | what can be set, declared once |
//! | `problem` | the system behind that declaration, and its problem |
//!
//! Letters: `D` dimension of tokens, `N` pairs in the context, `H` heads, `R` rank of keys and queries,
//! `P` sequences.

#![allow(missing_docs, reason = "names say it where a comment would only repeat them")]

pub mod cost;
pub mod declaration;
pub mod escape;
pub mod experiments;
pub mod figures;
pub mod kernel;
pub mod predictions;
pub mod problem;
pub mod scalings;

pub mod empirical;
pub mod full;
pub mod landscape;
pub mod laws;
pub mod model;
pub mod online;
pub mod reduced;
pub mod reference;
pub mod saddles;
pub mod sample;
pub mod softmax;
pub mod symmetry;
pub mod task;
pub mod theory;

pub use empirical::Empirical;
pub use landscape::Population;
pub use laws::ScalarLaws;
pub use model::{Head, Shape};
pub use problem::LinearAttention;
pub use reduced::{ScalarLaw, StageLaw};
pub use saddles::Saddles;
pub use saddlescope_spec::error::Error;
pub use task::{Basis, Context, Task};
pub use theory::Theory;
