//! The paper's claims, each with its place, its words, and a function that gathers evidence.
//!
//! Equations are checked along paths of their own: the model written out place by place, with all boolean sequences
//! listed or Gaussian tokens under quadrature, and differences of that loss. Statements about training are measured on
//! flows of the exact loss, tied where the paper's formulas are. Where the print is wrong, both forms are measured.
//!
//! | file | what it holds |
//! |---|---|
//! | `setting` | sections 2, 3.1 and C.1: the target, the transformer, its parameters |
//! | `stage_one` | Lemma 2 and C.2: the first layer |
//! | `saddles` | section 3.2: fixed points, the plateau, time scales and proportions |
//! | `theorem`, `plateau` | Theorem 4 and C.4: the four phases, when they begin and end |
//! | `figures`, `text`, `high_dimension` | Figs. 1 to 4 |
//! | `gram`, `gram_times`, `lyapunov`, `decay` | C.2 and C.3.1: the 4-gram's head, line by line |
//! | `head`, `trend`, `rise`, `growth`, `convergence` | C.3.2: the induction head, line by line |
//! | `lemmas` | appendix D |
//! | `literal`, `tools` | the plain paths that claims are checked along |

mod convergence;
mod decay;
mod figures;
mod gram;
mod gram_times;
mod growth;
mod head;
mod high_dimension;
mod lemmas;
mod literal;
mod lyapunov;
mod plateau;
mod rise;
mod saddles;
mod setting;
mod stage_one;
mod text;
mod theorem;
mod tools;
mod trend;

use self::{literal::*, tools::*};
use crate::prelude::*;
use saddlescope_ngram_to_induction::loss::softmax::Quadrature;
use saddlescope_ngram_to_induction::theory::phases::Induction;
use saddlescope_ngram_to_induction::theory::{Plateau, final_rates};
use saddlescope_ngram_to_induction::{
    Attention, Coupling, First, Parts, Population, Reduction, Shape, Task, Tokens,
};

include!(concat!(env!("OUT_DIR"), "/ngram_to_induction.rs"));
