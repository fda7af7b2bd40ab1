//! In-context associative recall: heads learn to match the query's tokens, one after the other.
//!
//! A sequence lists all permutations of `k` tokens, each with a response of its own, and ends with a query
//! whose response is asked for. Head `h` of the first layer attends to one lag; the second layer scores a
//! response by how many of the query's tokens stand at the lags of the heads. The paper: "Incremental
//! Learning in Transformers for In-Context Associative Recall" (authors withheld), number 001 in comments.
//!
//! | file | what it holds |
//! |---|---|
//! | `task` | the permutations, the responses, the sequences |
//! | `model` | the parameters, where they start, which simplifications a model keeps |
//! | `permanent` | sums over all permutations by a recursion over subsets |
//! | `four` | the same for order four, in registers |
//! | `landscape` | the exact expectation of the simplified model's loss |
//! | `objective` | the two losses of a prediction |
//! | `expectation` | means over all maps of responses |
//! | `transformer` | the transformer of section 2.2 on one sequence, with any of the simplifications |
//! | `sequences` | its loss over all queries, all maps, a data set or fresh batches |
//! | `matches` | the simplified model on fresh batches and finite data sets |
//! | `theory` | plateaus, the conserved quantity of a jump |
//! | `stitching` | when jumps come, one after the other |
//! | `reduced` | the law of one jump |
//! | `saddles` | the plateaus as places in the landscape |
//! | `predictions`, `scalings` | what theory says about a run, and about many |
//! | `outcomes`, `sketch`, `figures` | what a run came to in a word, the task as a picture, labels |
//! | `symmetry` | what can change without changing the function |
//! | `reference` | the reference cases that can be recomputed |
//! | `cost` | memory and operations of a run, from its settings |
//! | `start` | where parameters start, from settings |
//! | `declaration` | what can be set, declared once |
//! | `problem` | the system behind that declaration, and the problem that its settings make |
//!
//! Letters: `k` order of the task, `R` responses, `h` heads, `i` lags (1 is the token before the response),
//! `M[h, i]` score of a match at lag `i`, `q` the query, `m` tokens matched. Heads are counted from 0 in
//! code and from 1 in the paper.

#![allow(missing_docs, reason = "names say it where a comment would only repeat them")]

pub mod cost;
pub mod declaration;
pub mod experiments;
pub mod figures;
pub mod four;
pub mod outcomes;
pub mod predictions;
pub mod problem;
pub mod scalings;
pub mod sketch;
pub mod start;

pub mod expectation;
pub mod landscape;
pub mod matches;
pub mod model;
pub mod objective;
pub mod permanent;
pub mod reduced;
pub mod reference;
pub mod saddles;
pub mod sequences;
pub mod stitching;
pub mod symmetry;
pub mod task;
pub mod theory;
pub mod transformer;

pub use landscape::Population;
pub use matches::{Finite, Online};
pub use model::{Head, Shape, Simplified};
pub use objective::Objective;
pub use problem::AssociativeRecall;
pub use reduced::{FirstJump, JumpLaw};
pub use saddlescope_spec::error::Error;
pub use sequences::{Corpus, Sequences};
pub use task::Task;
pub use transformer::Transformer;
