//! Sparse attention on Markov chains: heads compete for the most important past tokens, then share the rest.
//!
//! A chain of order `w` draws its next token from groups of past ones that count differently. Attention learns them one
//! after the other: all heads first turn to the most important group, then one head after the other leaves for the next.
//! The paper: "Incremental Learning of Sparse Attention Patterns in Transformers" (authors withheld), number 000 in
//! comments.

#![allow(missing_docs, reason = "names say it where a comment would only repeat them")]

//!
//! | file | what it holds |
//! |---|---|
//! | `chain`, `predictor`, `exact` | the task: groups of lags and their weights, the law of the next token, its exact means |
//! | `regression` | the variant with an exact flow: landscape, laws, closed forms, saddles (section 3) |
//! | `minimal` | the model of section 2.4: heads over one-hot columns, cross entropy |
//! | `full` | the transformer of section 2.2 on the same sequences |
//! | `fitted`, `restricted`, `evaluation` | what a model is compared with: the best predictor from some lags, restricted contexts, the ladder |
//! | `regression_observables`, `minimal_observables`, `labels`, `sketch` | what is read off a state and off a run, labels, the task as a picture |
//! | `predictions` | what theory says about a run |
//! | `reference` | the reference cases that can be recomputed |
//! | `cost`, `start`, `declaration` | memory; task, model and start from settings; what can be set |
//! | `problem`, `regression_problem`, `training_problem` | the system, and its problems: the regression, and training on sequences |
//!
//! Letters: `d` vocabulary, `w` order, `T` length or positions, `h` heads, `I(k)` lags of group `k` and `alpha` their weights,
//! `A_k` feature matrices and `m_k` their strengths, `V` values, `s = softmax(q)` attention.

pub mod cost;
pub mod declaration;
pub mod experiments;
pub mod labels;
pub mod minimal_observables;
pub mod predictions;
pub mod problem;
pub mod regression_observables;
pub mod regression_problem;
pub mod sketch;
pub mod start;
pub mod training_problem;

pub mod chain;
pub mod evaluation;
pub mod exact;
pub mod fitted;
pub mod full;
pub mod minimal;
pub mod predictor;
pub mod reference;
pub mod regression;
pub mod restricted;

pub use chain::{Chain, Group};
pub use evaluation::{Estimate, Evaluation, Measures, Model, Reference, Want};
pub use exact::Exact;
pub use fitted::{Fit, Fitted};
pub use full::{Full, FullModel};
pub use minimal::{Minimal, Reader};
pub use predictor::Predictor;
pub use problem::SparseMarkov;
pub use regression::{Factorisation, Target};
pub use restricted::{Restricted, Schooling, Trained, Windowed};
pub use saddlescope_spec::error::Error;
