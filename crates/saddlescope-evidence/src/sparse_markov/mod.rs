//! The paper's claims, each with its place, its words, and a function that gathers evidence.
//!
//! Equations are checked along paths of their own: attention itself as the state with `Pi` written out, all sign matrices and
//! all sequences listed, differences, a plain second solver. Statements about the dynamics are measured on flows of the exact
//! loss and of the paper's smaller systems. Where the print is wrong, both forms are measured.
//!
//! | file | what it holds |
//! |---|---|
//! | `task`, `ladder`, `tables` | sections 2.1 and 2.2, tables, B.2 and B.7: the chain, its groups, predictors from some of them |
//! | `construction` | section 2.3: attention that solves the task |
//! | `ablation` | section 2.4 in the flow: how alike heads start, how unequal features are |
//! | `variant`, `proposition`, `attention` | section 3.1: assumptions, tensors, Proposition 1, Eq. (6) |
//! | `coupled`, `order`, `theorem_one` | section 3.2: Theorem 1, its order (7), and its proof |
//! | `theorem_two`, `beginning` | Theorem 2; Remark 1 and appendix E |
//! | `cooperation`, `theorem_three` | section 3.3: Eqs. (9) and (10); Theorem 3 |
//! | `lemma_one` | Lemma 1 and Eq. (11) |
//! | `offshoot`, `fixed_line`, `expansion` | Theorems 4 and 5; where Eq. (11) rests; D.1, line by line |
//! | `lemmas` | Lemmas 2 and 3 |
//! | `saddles` | the plateaus as saddles |
//! | `simulation` | B.4 and Fig. 10 |
//! | `training`, `minimal_runs` | sections 2.2 to 2.5 and appendix B with small minimal models |
//! | `full`, `full_runs` | the same sections with small full transformers |
//! | `literal`, `tools` | the plain paths that claims are checked along, and what they share |

mod ablation;
mod attention;
mod beginning;
mod construction;
mod cooperation;
mod coupled;
mod expansion;
mod fixed_line;
mod full;
mod full_runs;
mod ladder;
mod lemma_one;
mod lemmas;
mod literal;
mod minimal_runs;
mod offshoot;
mod order;
mod proposition;
mod saddles;
mod simulation;
mod tables;
mod task;
mod theorem_one;
mod theorem_three;
mod theorem_two;
mod tools;
mod training;
mod variant;

use self::{literal::*, tools::*};
use crate::prelude::*;
use saddlescope_sparse_markov::Law;
use saddlescope_sparse_markov::chain::{TEST, TRAINING};
use saddlescope_sparse_markov::evaluation::{Evaluation, Model, Reference, Want};
use saddlescope_sparse_markov::{Chain, Exact, Factorisation, Fit, Group, Target};
use saddlescope_transformer::Architecture;

include!(concat!(env!("OUT_DIR"), "/sparse_markov.rs"));

/// What takes seconds of training, and has seeds of its own.
pub(crate) const TRAINED: &[&[saddlescope_spec::claim::Entry]] = &[IN_FULL, IN_TRAINING];
