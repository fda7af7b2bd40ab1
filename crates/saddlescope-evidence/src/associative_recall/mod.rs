//! The paper's claims, each with its place, its words, and a function that gathers evidence.
//!
//! Equations are checked along paths of their own: every map and query listed and the model written out token by token
//! (orders 2 and 3), differences of that loss, the exact loss for larger orders, a plain second solver. Statements
//! about training are measured on flows of the exact loss. Where the print is wrong, both forms are measured.
//!
//! | file | what it holds |
//! |---|---|
//! | `setting`, `construction` | sections 2 and A.2: the task, the transformer, its solution |
//! | `losses` | A.3: dot product and cross entropy |
//! | `stages`, `figures` | section 3, A.4, Figs. 1 and 4: levels, stages, order |
//! | `theorem`, `timescales` | Theorem 3.1 and what follows from it |
//! | `proof`, `lemmas`, `expectations`, `first_layer` | B.1, C and D, line by line |
//! | `jumps`, `jump_proof`, `stitching` | A.6, B.2: later jumps, and how they follow one another |
//! | `relaxations` | A.2, A.6: what each simplification changes |
//! | `start`, `laws` | what we add: the landscape at the start, when a law like (d) exists |
//! | `literal`, `tools` | the plain paths that claims are checked along |

mod construction;
mod expectations;
mod figures;
mod first_layer;
mod jump_proof;
mod jumps;
mod laws;
mod lemmas;
mod literal;
mod losses;
mod proof;
mod relaxations;
mod setting;
mod stages;
mod start;
mod stitching;
mod theorem;
mod timescales;
mod tools;

use self::{literal::*, tools::*};
use crate::prelude::*;
use saddlescope_associative_recall::laws::FirstJump;
use saddlescope_associative_recall::task::factorial;
use saddlescope_associative_recall::theory::stitching::Escape;
use saddlescope_associative_recall::theory::{mid_levels, plateaus, potential};
use saddlescope_associative_recall::{Population, Shape, Task};

include!(concat!(env!("OUT_DIR"), "/associative_recall.rs"));
