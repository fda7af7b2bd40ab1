//! From n-gram to induction head: a token of the recent past is learned at once, recall after a plateau.
//!
//! The target has two halves: a 4-gram, the token `x_{L-2}`, and an in-context 2-gram, the tokens that followed
//! tokens like the last one. A two-layer transformer with six parameters learns the first by distance, the second
//! by comparison. The paper: "How Transformers Get Rich: Training Dynamics Analysis" (authors withheld), number 002 in
//! comments.
//!
//! | file | what it holds |
//! |---|---|
//! | `settings` | what can be set, declared once |
//! | `task` | tokens, target, the proportion of its halves |
//! | `model` | the six parameters, which of them a model has, where they start |
//! | `loss` | the exact loss of both halves: the 4-gram (`gram`), the induction head with the simplified attention (`induction`) and with the true softmax, by quadrature (`softmax`); sums behind a softmax over distances (`geometric`) |
//! | `data` | the same model on drawn sequences, fresh or stored |
//! | `matrices` | the two-layer transformer with matrices that the six parameters sit in |
//! | `theory` | the plateau, how it is left, how learning ends; Stage I, and when the phases of Stage II begin and end (`phases`) |
//! | `laws` | the paper's four variables, and one where `h` follows at once |
//! | `saddles` | the places where learning rests; what can change without changing the function |
//! | `readings` | observables, outcomes, labels, predictions, laws of scaling |
//! | `problem` | the system: from settings to a problem that runs; its memory |
//! | `cases` | the reference cases that can be recomputed |
//!
//! Letters: `L` length, `s` places `2..L-1`, `x_s` tokens, `y_s` what the first layer hands on, `p~` its slope; `p`, `g`
//! slope and value of head 1; `w_Q`, `w_K`, `h` query, key and value of head 2, `a = w_Q w_K`; stars mark the target.

#![allow(missing_docs, reason = "names say it where a comment would only repeat them")]

pub mod cases;
pub mod data;
pub mod laws;
pub mod loss;
pub mod matrices;
pub mod model;
#[cfg(test)]
mod plain;
pub mod problem;
pub(crate) mod readings;
pub mod saddles;
pub mod settings;
pub mod task;
pub mod theory;

pub use data::{Empirical, Online, Samples};
pub use laws::Law;
pub use loss::softmax::Table;
pub use loss::{Partial, Population};
pub use matrices::Matrices;
pub use model::Shape;
pub use problem::NgramToInduction;
pub use saddlescope_spec::error::Error;
pub use settings::{Attention, Coupling, First, Parts, Reduction, Tokens};
pub use task::Task;
pub use theory::{Escape, Plateau};
