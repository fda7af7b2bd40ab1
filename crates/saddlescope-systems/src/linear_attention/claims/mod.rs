//! The paper's claims, each with its place, its words, and a function that gathers evidence.
//!
//! Evidence comes from paths that do not share code with what they check: the whole model with
//! expectations by quadrature, differences of losses, Monte Carlo with standard errors, second
//! solvers. Where the print is wrong, both forms are measured.
//!
//! | file | what it holds |
//! |---|---|
//! | `setting` | sections 2, B.3, C: model, moments, context lengths |
//! | `rates` | D.2, E.2: the equations of gradient flow |
//! | `points` | 3.1, D.3, D.4, E.3: fixed points and the loss there |
//! | `counting` | 3.1: how many fixed functions there are |
//! | `saddles` | curvature at the fixed points, and escapes |
//! | `ansatz` | 3.2, D.5, D.6: one head, one eigenvector, and times |
//! | `training` | whole runs and figures |
//! | `regression` | 3.3: what is computed in context |
//! | `conservation` | D.7, E.1, E.6: what stays zero, what is conserved |
//! | `literal`, `matrix`, `tools` | the plain paths that claims are checked along |

mod ansatz;
mod conservation;
mod counting;
mod literal;
mod matrix;
mod points;
mod rates;
mod regression;
mod saddles;
mod setting;
mod tools;
mod training;

use saddlescope::claim::Claim;

/// All claims, in the order of the paper: its sections, then its appendices.
pub const CLAIMS: &[Claim] = &[
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
    training::VISITS,
    saddles::UNSTABLE,
    saddles::ZERO,
    training::LEVELS,
    training::REST,
    training::CROSSINGS,
    ansatz::SQUARE_LAW,
    training::LATER,
    points::LIMIT,
    points::DROP,
    ansatz::EQ_6_SIGN,
    ansatz::ALIGNED,
    regression::EQ_8,
    regression::LIMIT,
    points::GLOBAL_MINIMUM,
    training::DIVIDES,
    saddles::RANK_INDEX,
    training::FIG_2,
    training::FIG_2_PLATEAUS,
    training::SOFTMAX,
    training::LARGER,
    training::LAZY,
    setting::EQ_9,
    setting::EQ_10,
    setting::EQ_11,
    setting::EQ_12,
    training::FIG_5,
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
    points::EQ_29,
    points::EQ_30,
    points::EQ_30_NEXT,
    ansatz::EQ_31,
    ansatz::EQ_33,
    ansatz::PLATEAU_1,
    ansatz::EQ_36,
    ansatz::EQ_37_INTEGRAND,
    ansatz::EQ_37,
    ansatz::EQ_38,
    ansatz::EQ_38_RANDOM,
    training::SCALING,
    ansatz::NUMBERING,
    ansatz::EQ_40,
    ansatz::EQ_41,
    ansatz::EQ_42,
    ansatz::EQ_43,
    ansatz::EQ_43_RANDOM,
    training::SPREAD,
    conservation::EQ_44,
    conservation::ZERO_BLOCKS,
    rates::EQ_45,
    points::EQ_49,
    saddles::ESCAPE,
    training::VALUES,
    training::FIG_7,
    training::PAIR,
    training::SOLELY,
    training::FIG_9,
    conservation::EQ_50,
    conservation::EQ_51,
];
