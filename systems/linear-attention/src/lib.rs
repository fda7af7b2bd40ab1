//! Linear attention that learns linear regression in context, one principal component after the other.
//!
//! A sequence `x_1, y_1, ..., x_N, y_N, x_q` asks for `y_q`, where `y = w . x` with a task vector `w` of
//! its own. The prediction is `beta^T Theta x_q`, with `beta` the mean of `y_n x_n` and
//! `Theta = sum_i v_i sum_r k_ir q_ir^T` over heads `i` and ranks `r`; heads may have one matrix in place of the product. The
//! paper: "Training Dynamics of In-Context Learning in Linear Attention" (Zhang, Singh, Latham, Saxe), number 003 in comments.
//!
//! | file | what it holds |
//! |---|---|
//! | `settings` | what can be set, declared once |
//! | `task` | the law of the data: covariance, eigenvectors, context length |
//! | `model` | the parameters: heads, their layout, where they start |
//! | `loss` | the exact expectation of the loss |
//! | `data` | drawn sequences (`sequences`); a finite data set as sufficient statistics (`empirical`); fresh batches and mini-batches (`online`); softmax attention (`softmax`) |
//! | `matrices` | all weights that can reach the prediction, with the blocks that the paper sets to zero; what they see of data, in closed form or drawn (`moments`) |
//! | `kernel` | the inner loops, for fixed and any dimension |
//! | `theory` | levels, fixed points, conserved quantities; in-context regression (`regression`) |
//! | `laws` | one head that learns one eigenvector: a law in one variable (`scalar`); all heads at once: these laws side by side; one law for heads with a matrix each (`merged`); every jump of a random start, at any rank (`staged`) |
//! | `saddles` | the fixed points `M(S)`; which heads, pairs and signs can be exchanged |
//! | `readings` | labels, predictions, and how times depend on settings, as theory has it |
//! | `problem` | the system: from settings to a problem that runs; its memory |
//! | `cases` | the reference cases that can be recomputed |
//!
//! Letters: `D` dimension of tokens, `N` pairs in the context, `H` heads, `R` rank of keys and queries,
//! `P` sequences.

#![allow(missing_docs, reason = "names say it where a comment would only repeat them")]

pub mod cases;
pub mod data;
pub mod kernel;
pub mod laws;
pub mod loss;
pub mod matrices;
pub mod model;
pub mod problem;
pub(crate) mod readings;
pub mod saddles;
pub mod settings;
pub mod task;
pub mod theory;

pub use data::empirical::Empirical;
pub use laws::ScalarLaws;
pub use laws::merged::MergedLaw;
pub use laws::scalar::ScalarLaw;
pub use laws::staged::StagedLaws;
pub use loss::Population;
pub use model::{Head, Shape};
pub use problem::LinearAttention;
pub use saddles::Saddles;
pub use saddlescope_spec::error::Error;
pub use task::{Basis, Context, Sample, Task};
pub use theory::Theory;
