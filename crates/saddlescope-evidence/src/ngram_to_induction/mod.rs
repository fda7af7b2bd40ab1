//! Equations are checked along paths of their own: the model written out place by place, with all boolean sequences
//! listed or Gaussian tokens under quadrature, and differences of that loss. Statements about training are measured on
//! flows of the exact loss, tied where the paper's formulas are. Where the print is wrong, both forms are measured.

mod convergence;
mod figures;
mod gram;
mod gram_times;
mod head;
mod high_dimension;
mod lemmas;
mod literal;
mod lyapunov;
mod rise;
mod saddles;
mod setting;
mod stage_one;
mod theorem;
mod tools;

use self::{literal::*, tools::*};
use crate::prelude::*;
use saddlescope_ngram_to_induction::loss::softmax::Quadrature;
use saddlescope_ngram_to_induction::theory::phases::Induction;
use saddlescope_ngram_to_induction::theory::{Plateau, final_rates};
use saddlescope_ngram_to_induction::{
    Attention, Coupling, First, Parts, Population, Reduction, Shape, Task, Tokens,
};

include!(concat!(env!("OUT_DIR"), "/ngram_to_induction.rs"));
