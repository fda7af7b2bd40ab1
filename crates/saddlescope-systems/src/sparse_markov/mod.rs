//! Sparse attention on Markov chains: heads compete for the most important past tokens, then share the rest.
//!
//! A chain of order `w` draws its next token from groups of past ones that count differently. Attention learns them one
//! after the other: all heads first turn to the most important group, then one head after the other leaves for the next.
//! The paper: "Incremental Learning of Sparse Attention Patterns in Transformers" (authors withheld), number 000 in
//! comments.

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
//! | `claims` | what the paper states, each statement checked by number |
//! | `reference` | the reference cases that can be recomputed |
//! | `cost`, `start`, `declaration` | memory and operations; task, model and start from settings; what can be set |
//! | `world`, `regression_world`, `minimal_world`, `transformer_world` | the system behind that declaration, ready to run, in each model |
//!
//! Letters: `d` vocabulary, `w` order, `T` length or positions, `h` heads, `I(k)` lags of group `k` and `alpha` their weights,
//! `A_k` feature matrices and `m_k` their strengths, `V` values, `s = softmax(q)` attention.

mod cost;
mod declaration;
mod labels;
mod minimal_observables;
mod minimal_world;
mod predictions;
mod regression_observables;
mod regression_world;
mod sketch;
mod start;
mod transformer_world;
mod world;

pub mod chain;
pub mod claims;
pub mod evaluation;
pub mod exact;
pub mod fitted;
pub mod full;
pub mod minimal;
pub mod predictor;
pub mod reference;
pub mod regression;
pub mod restricted;

pub use crate::error::Error;
pub use chain::{Chain, Group};
pub use evaluation::{Estimate, Evaluation, Measures, Model, Reference, Want};
pub use exact::Exact;
pub use fitted::{Fit, Fitted};
pub use full::{Full, FullModel};
pub use minimal::{Minimal, Reader};
pub use predictor::Predictor;
pub use regression::{Factorisation, Target};
pub use restricted::{Restricted, Schooling, Trained, Training, Windowed};
pub use world::SparseMarkov;
