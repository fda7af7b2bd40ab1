//! Scan and snap: attention finds the tokens that tell classes apart, then freezes.
//!
//! A one-layer transformer predicts the next token of sequences from several classes. Tokens that one class has to
//! itself gain attention, the likelier the faster; tokens that classes share lose it; and once the decoder is sure, all of it
//! slows down to logarithms of time. The paper: "Scan and Snap: Understanding Training Dynamics and Token Composition
//! in 1-layer Transformer" (Tian, Wang, Chen, Du, 2023), number 004 in comments.
//!
//! | file | what it holds |
//! |---|---|
//! | `task` | sequence classes, common and distinct tokens, the authors' synthetic tasks |
//! | `model` | the decoder `Y`, the logits `Z`, heads and residual connection, where they start |
//! | `landscape` | the exact loss of endless sequences (and of one whose tokens are counted) |
//! | `sequences` | the loss on drawn sequences, fresh or stored |
//! | `embedding` | the transformer that `Y` and `Z` stand for, with embeddings and matrices; what is normalised |
//! | `theory` | the decoder's lead `M h`, `gamma`, Theorem 4 |
//! | `overlaps` | what classes have in common: `E`, `E'`, `iota`, `beta` |
//! | `reduced` | the paper's laws in the model's place |
//! | `predictions` | what theory says about a run |
//! | `observables`, `outcomes`, `figures`, `sketch` | what is read off a state and off a run, labels, the task as a picture |
//! | `symmetry` | what can change without changing the function |
//! | `reference` | the reference cases that can be recomputed |
//! | `cost` | memory of a run |
//! | `start` | task, model and start, from settings |
//! | `declaration` | what can be set, declared once |
//! | `problem`, `embedded_problem` | the system, and its problems: in `Y` and `Z`, or with embeddings |
//!
//! Letters: `M` vocabulary, `K` classes, `T` length, `m = psi(n)` query and `n` next token, `P(l|n)` the law of a class, `c_n` its
//! attention, `f_n = c_n/|c_n|`, `alpha` the decoder's answer, `x = M h` the lead of the right logit.

#![allow(missing_docs, reason = "names say it where a comment would only repeat them")]

pub mod cost;
pub mod declaration;
pub mod embedded_problem;
pub mod experiments;
pub mod figures;
pub mod observables;
pub mod outcomes;
pub mod predictions;
pub mod problem;
pub mod sketch;
pub mod start;

pub mod embedding;
pub mod landscape;
pub mod model;
pub mod overlaps;
pub mod reduced;
pub mod reference;
pub mod sequences;
pub mod symmetry;
pub mod task;
pub mod theory;

pub use embedding::{Embedded, Embedding, LateNorm, Normalised, Scales};
pub use landscape::{Population, View};
pub use model::{Outputs, Shape};
pub use overlaps::Overlaps;
pub use problem::ScanAndSnap;
pub use reduced::{Convention, Logits, Modified, TheoremFour};
pub use saddlescope_spec::error::Error;
pub use sequences::{Contexts, Empirical, Fresh, Online, Stored};
pub use task::{Class, ClassSpec, Ids, Synthetic, Task};
pub use theory::Snap;

#[cfg(test)]
pub mod authors_tests;
