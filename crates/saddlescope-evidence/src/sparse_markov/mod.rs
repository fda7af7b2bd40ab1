//! Equations are checked along paths of their own: attention itself as the state with `Pi` written out, all sign matrices and
//! all sequences listed, differences, a plain second solver. Statements about the dynamics are measured on flows of the exact
//! loss and of the paper's smaller systems. Where the print is wrong, both forms are measured.

mod ablation;
mod beginning;
mod construction;
mod cooperation;
mod coupled;
mod expansion;
mod full;
mod ladder;
mod literal;
mod offshoot;
mod proposition;
mod saddles;
mod simulation;
mod task;
mod theorem_one;
mod theorem_three;
mod theorem_two;
mod tools;
mod training;
mod variant;

use self::{literal::*, tools::*};
use crate::prelude::*;
use saddlescope::numeric::decompose;
use saddlescope_sparse_markov::chain::{TEST, TRAINING};
use saddlescope_sparse_markov::evaluation::{Evaluation, Model, Reference, Want};
use saddlescope_sparse_markov::{Chain, Exact, Factorisation, Fit, Group, Law, Target};
use saddlescope_transformer::Architecture;

include!(concat!(env!("OUT_DIR"), "/sparse_markov.rs"));

/// What takes seconds of training, and has seeds of its own.
pub(crate) const TRAINED: &[&[saddlescope_spec::claim::Entry]] = &[IN_FULL, IN_TRAINING];
