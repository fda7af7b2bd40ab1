//! What a run costs, estimated from its settings before anything is built.

use crate::data::matches::Matches;
use crate::kernel::permanent::Subsets;
use crate::settings::{Average, System, Words};
use crate::task::factorial;
use crate::{Objective, Shape, Simplified};

/// Operations of an exponential.
const EXPONENTIAL: f64 = 30.0;
/// Points of the integral behind a mean cross entropy.
const POINTS: f64 = 60.0;

fn is_simplified(system: &System) -> bool {
    system.simplified() == Simplified::ALL
        && matches!(system.context, Words::Complete | Words::Shuffled)
}

/// Whether every permutation is listed: not for the exact dot-product loss of the simplified model.
pub(crate) fn lists(system: &System) -> bool {
    let exact = system.loss == Average::Population && system.objective == Objective::DotProduct;
    !(is_simplified(system) && exact)
}

/// Sequences that one gradient looks at.
fn sequences(system: &System) -> f64 {
    let permutations = factorial(system.order);
    match system.loss {
        Average::Online => system.batch as f64,
        Average::Empirical => system.sequences as f64,
        Average::Population if is_simplified(system) => 1.0,
        Average::Population if system.simplified().strengths => permutations,
        Average::Population => permutations * (system.responses as f64).powf(permutations),
    }
}

/// Positions that compete in the softmax of a sequence.
fn positions(shape: &Shape) -> f64 {
    if shape.simplified.responses { shape.task.entries() } else { shape.task.length() }
}

/// Roughly how many floating-point operations one gradient takes.
pub(crate) fn operations(system: &System, shape: &Shape) -> f64 {
    let (order, heads) = (system.order as f64, system.heads as f64);
    if !lists(system) {
        let recursion = 6.0 * heads * 2.0_f64.powf(order);
        return recursion + heads * order * (2.0 * EXPONENTIAL + 12.0);
    }
    if is_simplified(system) && system.loss != Average::Population {
        return matches(system);
    }
    let seen = if shape.simplified.window { order } else { 0.5 * shape.task.length() };
    let positions = positions(shape);
    let one = positions * (EXPONENTIAL + 8.0 * heads * seen)
        + if shape.simplified.strengths { 0.0 } else { 12.0 * (shape.width() as f64).powi(2) }
        + match system.objective {
            Objective::DotProduct => 0.0,
            Objective::CrossEntropy => POINTS * positions * EXPONENTIAL,
        };
    sequences(system) * one
}

/// Operations of the simplified model on drawn sequences: a bit for each of them and each permutation, and
/// for the cross entropy a sum over the permutations for each.
fn matches(system: &System) -> f64 {
    let permutations = factorial(system.order);
    let each = if system.objective == Objective::DotProduct { 0.05 } else { 4.0 };
    let fixed = permutations * (EXPONENTIAL + 2.0 * system.heads as f64);
    fixed + each * sequences(system) * permutations
}

/// How many numbers a run holds at once.
pub(crate) fn numbers(system: &System, shape: &Shape) -> f64 {
    let parameters = shape.parameters() as f64;
    let solver = if parameters <= 2048.0 { 3.0 * parameters.powi(2) } else { 0.0 };
    let state = 64.0 * parameters + solver;
    if !lists(system) {
        return state + 3.0 * Subsets::numbers(system.order);
    }
    if is_simplified(system) && system.loss != Average::Population {
        // The data set, and scores and bits of all permutations in each chunk of a wave.
        let count = if system.loss == Average::Empirical { system.sequences } else { 0 };
        let stored = Matches::memory(shape, system.objective, count) / 8.0;
        return state + stored + 64.0 * 8.0 * factorial(system.order);
    }
    let (length, lags) = (shape.task.length(), shape.lags() as f64);
    let chunk = system.heads as f64 * (2.0 * lags + 2.0 * length + positions(shape))
        + 4.0 * length
        + parameters;
    // Chunks of a wave, on many cores.
    state + 64.0 * chunk + length
}
