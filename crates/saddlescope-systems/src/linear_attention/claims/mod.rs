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
//! | `literal`, `matrix`, `tools` | the plain paths that claims are checked along |

mod ansatz;
mod conservation;
mod counting;
mod figures;
mod growth;
mod levels;
mod literal;
mod matrix;
mod points;
mod ranks;
mod rates;
mod regression;
mod saddles;
mod setting;
mod times;
mod tools;
mod training;

use saddlescope::claim::Claim;

/// All claims, in the order of the paper: its sections, then its appendices.
// No constant: its closures would be compiled anew in every crate that asks for them.
pub static CLAIMS: &[Claim] = &[
    setting::EQ_2,
    conservation::ZERO_BLOCKS_DATA,
    conservation::NOT_NEEDED,
    points::EQ_3,
    points::C3_ALL,
    counting::ENOUGH,
    counting::FEW,
    counting::REPEATED,
    saddles::INDEX,
    saddles::SHARED,
    saddles::SYMMETRY,
    training::VISITS,
    saddles::UNSTABLE,
    saddles::ZERO,
    training::LEVELS,
    training::REST,
    training::CROSSINGS,
    times::SQUARE_LAW,
    training::LATER,
    levels::LIMIT,
    levels::DROP,
    ansatz::EQ_6_SIGN,
    ansatz::ALIGNED,
    regression::EQ_8,
    regression::LIMIT,
    levels::GLOBAL_MINIMUM,
    ranks::DIVIDES,
    saddles::RANK_INDEX,
    saddles::SLOT_INDEX,
    figures::FIG_2,
    ranks::FIG_2_PLATEAUS,
    figures::SOFTMAX,
    training::LARGER,
    figures::LAZY,
    setting::EQ_9,
    setting::EQ_10,
    setting::EQ_11,
    setting::EQ_12,
    figures::FIG_5,
    setting::EQ_14,
    setting::EQ_16_LINE_2,
    setting::EQ_16,
    setting::EQ_21,
    rates::EQ_22,
    rates::EQ_23,
    rates::EQ_24A,
    rates::EQ_24B,
    rates::EQ_24C,
    points::EQ_26,
    levels::EQ_29,
    levels::EQ_30,
    levels::EQ_30_NEXT,
    growth::EQ_31,
    growth::EQ_33,
    growth::PLATEAU_1,
    ansatz::EQ_36,
    times::EQ_37_INTEGRAND,
    times::EQ_37,
    times::EQ_38,
    times::EQ_38_RANDOM,
    training::SCALING,
    ansatz::NUMBERING,
    growth::EQ_40,
    ansatz::EQ_41,
    ansatz::EQ_42,
    times::EQ_43,
    times::EQ_43_RANDOM,
    training::SPREAD,
    conservation::EQ_44,
    conservation::ZERO_BLOCKS,
    rates::EQ_45,
    points::EQ_49,
    saddles::ESCAPE,
    ranks::VALUES,
    figures::FIG_7,
    figures::PAIR,
    figures::SOLELY,
    figures::FIG_9,
    conservation::EQ_50,
    conservation::EQ_51,
];
