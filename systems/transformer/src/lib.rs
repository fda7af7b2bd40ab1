//! The standard transformer that several papers train beside their own models: exact, fast, and with the same bits on any
//! number of cores.
//!
//! Everything is by hand on products of matrices: a chunk of sequences goes forwards through its blocks, is read out and goes
//! back, while its activations are in the cache. See `ARCHITECTURE.md` for where the time goes.
//!
//! | file | what it holds |
//! |---|---|
//! | `settings` | what can be set, declared once |
//! | `model` | what a transformer is made of, how its parameters lie, where they start |
//! | `loss` | the mean cross entropy over a batch |
//! | `data` | where sequences come from: text, its tokens, its windows |
//! | `kernel` | the layers, forwards and back |
//! | `readings` | what a trained model does on other sequences, read off a state and off a run |
//! | `problem` | the system `transformer` |
//! | `cases` | the reference cases that can be recomputed |

#![allow(missing_docs, reason = "names say it where a comment would only repeat them")]

pub mod cases;
pub mod data;
mod kernel;
pub mod loss;
pub mod model;
pub mod problem;
pub mod readings;
pub mod settings;

pub use data::{Fixed, Sequences, text};
pub use kernel::Real;
pub use loss::{Training, TrainingWork};
pub use model::{
    Activation, Architecture, Form, Norm, Positions, Scales, Start, Transformer, checkpoint,
};
pub use problem::OnText;
pub use readings::{Reader, observables};
