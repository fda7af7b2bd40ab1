//! The paper's claims, each with its place, its words, and a function that gathers evidence.
//!
//! Equations are checked along paths of their own: the model written out place by place, sums over classes and tokens,
//! decoders trained entry by entry, the lead by bisection, differences of the objective, quadrature, a plain second solver.
//! Statements about training are measured on flows and descents of the exact loss. Where the print is wrong, both forms
//! are measured.
//!
//! | file | what it holds |
//! |---|---|
//! | `setting`, `proofs` | section 3, Table 1, appendices C and H: gradients, long sequences |
//! | `decoder`, `modification` | section 4 and D.2: the decoder, its modified update, Remark 1 |
//! | `theorem_one` | Theorem 1 and Lemma 5 |
//! | `lead`, `two_stages` | D.3: Lemmas 6 and 7 with Remark 2, Lemmas 8 and 9 with Remark 3 |
//! | `sampling`, `count` | D.4: Lemmas 10 and 11, Lemma 12, Theorem 5 and Corollary 1 |
//! | `spectrum`, `weights` | D.5: Lemmas 13 to 17 and the last lines, Eqs. (82) to (89) |
//! | `attention`, `fates` | Lemma 4; Theorem 2 and Corollary 2: which tokens gain and lose |
//! | `growth`, `scanning` | Theorem 3: how distinct tokens grow; what section 5 makes of it |
//! | `snap`, `branches` | Theorem 4 and appendix F: the law of the common token; its two branches |
//! | `insights`, `late` | what follows from it, and late times |
//! | `whole`, `residual` | the same in the joint flow, a second head; a residual connection |
//! | `figures` | Figs. 1 to 3, 8, 9 |
//! | `training`, `text`, `medium` | section 8 and appendix G: Figs. 4, 5; Figs. 7, 10; Figs. 6, 11, 12 |
//! | `literal`, `plain`, `tools` | the plain paths that claims are checked along |

mod attention;
mod branches;
mod count;
mod decoder;
mod fates;
mod figures;
mod growth;
mod insights;
mod late;
mod lead;
mod literal;
mod medium;
mod modification;
mod plain;
mod proofs;
mod residual;
mod sampling;
mod scanning;
mod setting;
mod snap;
mod spectrum;
mod text;
mod theorem_one;
mod tools;
mod training;
mod two_stages;
mod weights;
mod whole;

use self::{literal::*, plain::*, tools::*};
use crate::prelude::*;
use saddlescope_scan_and_snap::{Outputs, Overlaps, Population, Shape, Synthetic};

include!(concat!(env!("OUT_DIR"), "/scan_and_snap.rs"));
