//! The paper's claims, each with its place, its words, and a function that gathers evidence.
//!
//! Evidence comes from paths that do not share code with what they check: the whole model with
//! expectations by quadrature, differences of losses, Monte Carlo with standard errors, second
//! solvers. Where the print is wrong, both forms are measured.

mod literal;
mod rates;
mod setting;
mod tools;

use saddlescope::claim::Claim;

/// All claims, in the order of the paper.
pub const CLAIMS: &[Claim] = &[
    setting::EQ_2,
    setting::EQ_9,
    setting::EQ_10,
    setting::EQ_11,
    setting::EQ_12,
    setting::EQ_14,
    setting::EQ_16_LINE_2,
    setting::EQ_16,
    setting::EQ_21,
    rates::EQ_22,
    rates::EQ_23,
    rates::EQ_24A,
    rates::EQ_24B,
    rates::EQ_24C,
    rates::EQ_45,
];
