//! What the paper states, each statement checked by number.

mod school;
mod training;

use saddlescope::claim::Claim;

/// All claims.
pub static CLAIMS: &[Claim] = &[
    training::COMPETITION,
    training::SPECIALISE,
    training::KEEPS,
    training::LADDER,
    training::PREDICTOR,
    training::STUCK,
    training::SLOWER,
    training::DECAY,
    training::SCHEDULE,
    training::ALPHA,
    training::SGD,
    training::DATA,
];
