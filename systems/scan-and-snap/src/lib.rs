//! Scan and snap: attention finds the tokens that tell classes apart, then freezes.
//!
//! A one-layer transformer predicts the next token of sequences from several classes. Tokens that one class has to
//! itself gain attention, the likelier the faster; tokens that classes share lose it; and once the decoder is sure, all of it
//! slows down to logarithms of time. The paper: "Scan and Snap: Understanding Training Dynamics and Token Composition
//! in 1-layer Transformer" (Tian, Wang, Chen, Du, 2023), number 004 in comments.
//!
//! | file | what it holds |
//! |---|---|
//! | `settings` | what can be set, declared once |
//! | `task` | sequence classes, common and distinct tokens, the authors' synthetic tasks |
//! | `model` | the decoder `Y`, the logits `Z`, heads and residual connection, where they start |
//! | `loss` | the exact loss of endless sequences (and of one whose tokens are counted) |
//! | `data`, `kernel` | the loss on drawn sequences, fresh or stored, and the loops that it spends its time in |
//! | `matrices` | the transformer that `Y` and `Z` stand for, with embeddings and matrices; what is normalised |
//! | `theory` | the decoder's lead `M h`, `gamma`, Theorem 4; what classes have in common: `E`, `E'`, `iota`, `beta` |
//! | `laws` | the paper's laws in the model's place |
//! | `saddles` | symmetries: directions along which nothing changes |
//! | `readings` | what is read off a state and off a run, labels, predictions, the task as a picture |
//! | `problem` | the system, and its problems: in `Y` and `Z`, or with embeddings |
//! | `cases` | the reference cases that can be recomputed |
//!
//! Letters: `M` vocabulary, `K` classes, `T` length, `m = psi(n)` query and `n` next token, `P(l|n)` the law of a class, `c_n` its
//! attention, `f_n = c_n/|c_n|`, `alpha` the decoder's answer, `x = M h` the lead of the right logit.

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

pub use data::{Empirical, Online, Sequences, empirical, online};
pub use laws::{Convention, Logits, Modified, TheoremFour};
pub use loss::{Population, View};
pub use matrices::{Embedded, Embedding, LateNorm, Normalised, Scales};
pub use model::{Outputs, Shape};
pub use problem::ScanAndSnap;
pub use saddlescope_spec::error::Error;
pub use task::{Class, ClassSpec, Ids, Synthetic, Task};
pub use theory::{Overlaps, Snap};
