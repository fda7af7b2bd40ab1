//! Sparse attention on Markov chains: heads compete for the most important past tokens, then share the rest.
//!
//! A chain of order `w` draws its next token from groups of past ones that count differently. Attention learns them one
//! after the other: all heads first turn to the most important group, then one head after the other leaves for the next.
//! The paper: "Incremental Learning of Sparse Attention Patterns in Transformers" (authors withheld), number 000 in
//! comments.
//!
//! | file | what it holds |
//! |---|---|
//! | `settings` | what can be set, declared once |
//! | `task` | groups of lags and their weights, the law of the next token, its exact means; what the regression has to learn |
//! | `model` | the parameters of the regression variant |
//! | `loss` | the regression variant with its exact flow (section 3); as a function of attention itself |
//! | `data` | losses of the minimal model over many sequences |
//! | `matrices` | the minimal model of section 2.4, the transformer of section 2.2, and both with restricted contexts |
//! | `kernel` | the loops that training of the minimal model spends its time in |
//! | `theory` | closed forms of the regression; the best predictor from some lags |
//! | `laws` | coupled heads, Eq. (10), Eq. (11) |
//! | `saddles` | the plateaus as stationary points |
//! | `readings` | what is read off a state and off a run, the ladder, labels, predictions, the task as a picture |
//! | `problem` | the system, and its problems: the regression, and training on sequences |
//! | `cases` | the reference cases that can be recomputed |
//!
//! Letters: `d` vocabulary, `w` order, `T` length or positions, `h` heads, `I(k)` lags of group `k` and `alpha` their weights,
//! `A_k` feature matrices and `m_k` their strengths, `V` values, `s = softmax(q)` attention.

#![allow(missing_docs, reason = "names say it where a comment would only repeat them")]

pub mod cases;
pub mod data;
mod kernel;
pub mod laws;
pub mod loss;
pub mod matrices;
pub mod model;
#[cfg(test)]
mod plain;
pub mod problem;
pub mod readings;
pub mod saddles;
pub mod settings;
pub mod task;
pub mod theory;

pub use data::{BatchSource, Corpus, Sequences};
pub use kernel::Number;
pub use laws::Law;
pub use loss::Simplex;
pub use matrices::SequenceModel;
pub use matrices::full::Full;
pub use matrices::minimal::{Minimal, Reader};
pub use matrices::restricted::{Restricted, Schooling, Windowed};
pub use model::Factorisation;
pub use problem::SparseMarkov;
pub use readings::evaluation::{self, Estimate, Evaluation, Measures, Model, Reference, Want};
pub use saddlescope_spec::error::Error;
pub use task::chain::{self, Chain, Group};
pub use task::{Exact, Predictor, Target};
pub use theory::fitted::Fit;
