//! Equations are checked along paths of their own: the model written out place by place, sums over classes and tokens,
//! decoders trained entry by entry, the lead by bisection, differences of the objective, quadrature, a plain second solver.
//! Statements about training are measured on flows and descents of the exact loss. Where the print is wrong, both forms
//! are measured.

mod attention;
mod decoder;
mod figures;
mod growth;
mod insights;
mod lead;
mod literal;
mod plain;
mod sampling;
mod setting;
mod snap;
mod spectrum;
mod theorem_one;
mod tools;
mod training;
mod whole;

use self::{literal::*, plain::*, tools::*};
use crate::prelude::*;
use saddlescope_scan_and_snap::{Outputs, Overlaps, Population, Shape, Synthetic};

include!(concat!(env!("OUT_DIR"), "/scan_and_snap.rs"));
