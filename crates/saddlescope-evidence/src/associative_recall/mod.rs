//! Equations are checked along paths of their own: every map and query listed and the model written out token by token
//! (orders 2 and 3), differences of that loss, the exact loss for larger orders, a plain second solver. Statements
//! about training are measured on flows of the exact loss. Where the print is wrong, both forms are measured.

mod added;
mod expectations;
mod jumps;
mod lemmas;
mod literal;
mod losses;
mod proof;
mod relaxations;
mod setting;
mod stages;
mod theorem;
mod timescales;
mod tools;

use self::{literal::*, tools::*};
use crate::prelude::*;
use saddlescope_associative_recall::laws::FirstJump;
use saddlescope_associative_recall::task::factorial;
use saddlescope_associative_recall::theory::stitching::Escape;
use saddlescope_associative_recall::theory::{mid_levels, plateaus, potential};
use saddlescope_associative_recall::{Matches, Objective, Population, Shape, Task};

include!(concat!(env!("OUT_DIR"), "/associative_recall.rs"));
