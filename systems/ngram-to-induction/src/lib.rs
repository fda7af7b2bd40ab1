//! From n-gram to induction head: a token of the recent past is learned at once, recall after a plateau.
//!
//! The target has two halves: a 4-gram, the token `x_{L-2}`, and an in-context 2-gram, the tokens that followed
//! tokens like the last one. A two-layer transformer with six parameters learns the first by distance, the second
//! by comparison. The paper: "How Transformers Get Rich: Training Dynamics Analysis" (authors withheld), number 002 in
//! comments.
//!
//! | file | what it holds |
//! |---|---|
//! | `task` | tokens, target, the proportion of its halves |
//! | `model` | the six parameters, which of them a model has, where they start |
//! | `geometric` | sums behind a softmax over distances |
//! | `gram` | the loss of the 4-gram, exact |
//! | `induction` | the loss of the induction head with the simplified attention, exact |
//! | `softmax` | the same with the true softmax, by quadrature |
//! | `landscape` | both halves together |
//! | `sequences` | the same model on drawn sequences, fresh or stored |
//! | `transformer` | the two-layer transformer with matrices that the six parameters sit in |
//! | `theory` | the plateau, how it is left, how learning ends |
//! | `phases` | Stage I, and when the phases of Stage II begin and end, on exact flows |
//! | `reduced` | the paper's four variables, and one where `h` follows at once |
//! | `saddles` | the places where learning rests |
//! | `predictions`, `scalings` | what theory says about a run, and about many |
//! | `observables`, `outcomes`, `figures` | what is read off a state and off a run, labels |
//! | `symmetry` | what can change without changing the function |
//! | `reference` | the reference cases that can be recomputed |
//! | `cost` | memory of a run, from its settings |
//! | `start` | where parameters start, from settings |
//! | `declaration` | what can be set, declared once |
//! | `problem` | the system behind that declaration, and the problem that its settings make |
//! | `matrices` | that of the transformer with matrices |
//!
//! Letters: `L` length, `s` places `2..L-1`, `x_s` tokens, `y_s` what the first layer hands on, `p~` its slope; `p`, `g`
//! slope and value of head 1; `w_Q`, `w_K`, `h` query, key and value of head 2, `a = w_Q w_K`; stars mark the target.

#![allow(missing_docs, reason = "names say it where a comment would only repeat them")]

pub mod cost;
pub mod declaration;
pub mod experiments;
pub mod figures;
pub mod matrices;
pub mod observables;
pub mod outcomes;
pub mod predictions;
pub mod problem;
pub mod scalings;
pub mod start;

pub mod geometric;
pub mod gram;
pub mod induction;
pub mod landscape;
pub mod model;
pub mod phases;
pub mod reduced;
pub mod reference;
pub mod saddles;
pub mod sequences;
pub mod softmax;
pub mod symmetry;
pub mod task;
pub mod theory;
pub mod transformer;

pub use landscape::{Partial, Population};
pub use model::{Coupling, First, Parts, Shape, Start};
pub use problem::NgramToInduction;
pub use reduced::{Balanced, Slaved};
pub use saddlescope_spec::error::Error;
pub use sequences::{Empirical, Online, Samples};
pub use softmax::Table;
pub use task::{Attention, Reduction, Task, Tokens};
pub use theory::{Escape, Plateau};
pub use transformer::Matrices;
