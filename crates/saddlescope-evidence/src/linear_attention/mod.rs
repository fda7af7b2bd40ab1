//! Equations are checked along paths of their own: the whole model with expectations by quadrature,
//! differences of losses, sampling with standard errors, a plain second solver. Statements about
//! training are measured on flows of the exact loss. Where the print is wrong, both forms are measured.

mod conservation;
mod levels;
mod literal;
mod points;
mod rates;
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
