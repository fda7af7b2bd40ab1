//! In-context associative recall: heads learn to match the query's tokens, one after the other.
//!
//! A sequence lists all permutations of `k` tokens, each with a response of its own, and ends with a query
//! whose response is asked for. Head `h` of the first layer attends to one lag; the second layer scores a
//! response by how many of the query's tokens stand at the lags of the heads. The paper: "Incremental
//! Learning in Transformers for In-Context Associative Recall" (authors withheld), number 001 in comments.
//!
//! | file | what it holds |
//! |---|---|
//! | `settings` | what can be set, declared once |
//! | `task` | the permutations, the responses, the sequences |
//! | `model` | the parameters, where they start, which simplifications a model keeps |
//! | `loss` | the exact expectation of the simplified model's loss; means over all maps of responses (`expectation`) |
//! | `data` | the simplified model on fresh batches and finite data sets (`matches`); the transformer over all queries, all maps, a data set or fresh batches (`sequences`) |
//! | `matrices` | the transformer of section 2.2 on one sequence, with any of the simplifications |
//! | `kernel` | sums over all permutations by a recursion over subsets (`permanent`); the same for order four, in registers (`four`) |
//! | `theory` | plateaus, the conserved quantity of a jump; when jumps come, one after the other (`stitching`); growth long after (`late`) |
//! | `laws` | the law of one jump |
//! | `saddles` | the plateaus as places in the landscape; what can change without changing the function |
//! | `readings` | observables, labels, outcomes, predictions and their curves, laws of scaling, the task as a picture |
//! | `problem` | the system: from settings to a problem that runs; its memory |
//! | `cases` | the reference cases that can be recomputed |
//!
//! Letters: `k` order of the task, `R` responses, `h` heads, `i` lags (1 is the token before the response),
//! `M[h, i]` score of a match at lag `i`, `q` the query, `m` tokens matched. Heads are counted from 0 in
//! code and from 1 in the paper.

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

pub use data::matches::{Matches, Sampled};
pub use data::sequences::{Corpus, Sequences};
pub use laws::{FirstJump, JumpLaw};
pub use loss::Population;
pub use matrices::Transformer;
pub use model::{Head, Shape, Simplified};
pub use problem::AssociativeRecall;
pub use saddlescope_spec::error::Error;
pub use settings::Objective;
pub use task::Task;
