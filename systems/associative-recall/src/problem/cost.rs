//! What a run costs, estimated from its settings before anything is built.

use saddlescope_spec::settings::Located;

use crate::data::matches::Stored;
use crate::kernel::permanent::Subsets;
use crate::problem::shape;
use crate::settings::{Average, System};
use crate::task::factorial;
use crate::{Objective, Shape, Simplified};

/// Operations of an exponential.
const EXPONENTIAL: f64 = 30.0;
/// Points of the integral behind a mean cross entropy.
const POINTS: f64 = 60.0;

/// Numbers that a model of these settings has and sees.
struct Sizes {
    order: f64,
    heads: f64,
    lags: f64,
    positions: f64,
    width: f64,
    length: f64,
    parameters: f64,
}

impl Sizes {
    fn new(system: &System) -> Self {
        let (order, heads, kept) = (system.order, system.heads as f64, system.simplified());
        let length = factorial(order + 1) + order as f64;
        let lags = if kept.window { order as f64 } else { length };
        let positions = if kept.responses { factorial(order) } else { length };
        let width = (heads + 1.0) * (order + system.responses) as f64;
        let matrices = if kept.strengths { 0.0 } else { 2.0 * width * width };
        let parameters = heads * (lags + 1.0) + matrices;
        Self { order: order as f64, heads, lags, positions, width, length, parameters }
    }
}

fn is_simplified(system: &System) -> bool {
    system.simplified() == Simplified::ALL
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

/// Roughly how many floating-point operations one gradient takes.
pub(crate) fn operations(system: &System) -> f64 {
    let sizes = Sizes::new(system);
    if !lists(system) {
        let recursion = 6.0 * sizes.heads * 2.0_f64.powf(sizes.order);
        return recursion + sizes.heads * sizes.order * (2.0 * EXPONENTIAL + 12.0);
    }
    if is_simplified(system) && system.loss != Average::Population {
        return matches(system, &sizes);
    }
    let seen = if sizes.lags > sizes.order { 0.5 * sizes.length } else { sizes.order };
    let one = sizes.positions * (EXPONENTIAL + 8.0 * sizes.heads * seen)
        + if system.simplified().strengths { 0.0 } else { 12.0 * sizes.width.powi(2) }
        + match system.objective {
            Objective::DotProduct => 0.0,
            Objective::CrossEntropy => POINTS * sizes.positions * EXPONENTIAL,
        };
    sequences(system) * one
}

/// Operations of the simplified model on drawn sequences: a bit for each of them and each permutation, and
/// for the cross entropy a sum over the permutations for each.
fn matches(system: &System, sizes: &Sizes) -> f64 {
    let permutations = factorial(system.order);
    let each = if system.objective == Objective::DotProduct { 0.05 } else { 4.0 };
    let fixed = permutations * (EXPONENTIAL + 2.0 * sizes.heads);
    fixed + each * sequences(system) * permutations
}

/// How many numbers a run holds at once. Products of settings may be beyond any integer.
pub(crate) fn numbers(system: &Located<System>) -> f64 {
    let sizes = Sizes::new(system);
    let solver = if sizes.parameters <= 2048.0 { 3.0 * sizes.parameters.powi(2) } else { 0.0 };
    let state = 64.0 * sizes.parameters + solver;
    if !lists(system) {
        return state + 3.0 * Subsets::numbers(sizes.order as usize);
    }
    if is_simplified(system) && system.loss != Average::Population {
        // The data set, and scores and bits of all permutations in each chunk of a wave.
        let count = if system.loss == Average::Empirical { system.sequences } else { 0 };
        let bytes = |shape: Shape| Stored::memory(&shape, system.objective, count);
        let stored = shape(system).map_or(0.0, bytes) / 8.0;
        return state + stored + 64.0 * 8.0 * factorial(system.order);
    }
    let chunk = sizes.heads * (2.0 * sizes.lags + 2.0 * sizes.length + sizes.positions)
        + 4.0 * sizes.length
        + sizes.parameters;
    // Chunks of a wave, on many cores.
    state + 64.0 * chunk + sizes.length
}
