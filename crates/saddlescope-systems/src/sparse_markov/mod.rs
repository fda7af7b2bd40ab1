//! Sparse attention on Markov chains: heads compete for the most important past tokens, then share the rest.
//!
//! A chain of order `w` draws its next token from groups of past ones that count differently. Attention learns them one
//! after the other: all heads first turn to the most important group, then one head after the other leaves for the next.
//! The paper: "Incremental Learning of Sparse Attention Patterns in Transformers" (authors withheld), number 000 in
//! comments.

pub mod chain;
pub mod evaluation;
pub mod exact;
pub mod fitted;
pub mod minimal;
pub mod predictor;
pub mod regression;
pub mod restricted;

pub use crate::error::Error;
pub use chain::{Chain, Group};
pub use evaluation::{Estimate, Evaluation, Measures, Model, Reference, Want};
pub use exact::Exact;
pub use fitted::{Fit, Fitted};
pub use minimal::{Minimal, Reader};
pub use predictor::Predictor;
pub use regression::{Factorisation, Target};
pub use restricted::{Restricted, Schooling, Trained, Training};
