//! The paper's claims, each with its place, its words, and a function that gathers evidence.
//!
//! Equations are checked along paths of their own: the whole model with expectations by quadrature,
//! differences of losses, sampling with standard errors, a plain second solver. Statements about
//! training are measured on flows of the exact loss. Where the print is wrong, both forms are measured.
//!
//! | file | what it holds |
//! |---|---|
//! | `setting` | sections 2, B.3, C: model, moments, context lengths |
//! | `rates` | D.2, E.2: the equations of gradient flow |
//! | `points`, `counting` | 3.1, D.3, E.3: fixed points, and how many functions they are |
//! | `levels` | 3.2, D.4: the loss there |
//! | `saddles` | the curvature there, and escapes |
//! | `ansatz`, `growth`, `times` | 3.2, D.5, D.6: one head, one eigenvector; alignment; how long it takes |
//! | `training`, `ranks`, `figures` | whole runs; the rank of keys and queries; single figures, E.5 |
//! | `regression` | 3.3: what is computed in context |
//! | `conservation` | D.7, E.1, E.6: what stays zero, what is conserved |
//! | `literal`, `tools` | the plain paths that claims are checked along |

mod ansatz;
mod conservation;
mod counting;
mod figures;
mod growth;
mod levels;
mod literal;
mod points;
mod ranks;
mod rates;
mod regression;
mod saddles;
mod setting;
mod times;
mod tools;
mod training;

use self::{literal::*, tools::*};
use crate::prelude::*;
use saddlescope_linear_attention::data::sequences::{Sampler, Sequence};
use saddlescope_linear_attention::theory::{Slots, norms};
use saddlescope_linear_attention::{Basis, Context, Population, Shape, Task, Theory};

include!(concat!(env!("OUT_DIR"), "/linear_attention.rs"));
