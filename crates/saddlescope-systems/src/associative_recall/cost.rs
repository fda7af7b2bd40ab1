//! What a run costs, estimated from its settings before anything is built.

use saddlescope::settings::Settings;

use super::Shape;
use super::matches::Stored;
use super::permanent::Subsets;
use super::task::factorial;
use super::world::{objective, shape};

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
    fn new(system: &Settings) -> Self {
        let (order, heads) = (system.count("order"), system.count("heads") as f64);
        let length = factorial(order + 1) + order as f64;
        let lags = if system.word("window") == "all" { length } else { order as f64 };
        let positions = if system.word("softmax") == "all" { length } else { factorial(order) };
        let width = (heads + 1.0) * (order + system.count("responses")) as f64;
        let matrices = if system.word("second") == "matrices" { 2.0 * width * width } else { 0.0 };
        let parameters = heads * (lags + 1.0) + matrices;
        Self { order: order as f64, heads, lags, positions, width, length, parameters }
    }
}

fn is_simplified(system: &Settings) -> bool {
    system.word("window") == "order"
        && system.word("second") == "strengths"
        && system.word("last") == "solution"
        && system.word("softmax") == "responses"
}

/// Whether every permutation is listed: not for the exact dot-product loss of the simplified model.
pub(super) fn lists(system: &Settings) -> bool {
    let exact = system.word("loss") == "population" && system.word("objective") == "dot-product";
    !(is_simplified(system) && exact)
}

/// Sequences that one gradient looks at.
fn sequences(system: &Settings) -> f64 {
    let permutations = factorial(system.count("order"));
    let count = |key: &str| system.optional_integer(key).unwrap_or(1) as f64;
    match system.word("loss") {
        "online" => count("batch"),
        "empirical" => count("sequences"),
        _ if is_simplified(system) => 1.0,
        _ if system.word("second") == "strengths" => permutations,
        _ => permutations * (system.count("responses") as f64).powf(permutations),
    }
}

/// Roughly how many floating-point operations one gradient takes.
pub(super) fn operations(system: &Settings) -> f64 {
    let sizes = Sizes::new(system);
    let dot_product = system.word("objective") == "dot-product";
    if is_simplified(system) && system.word("loss") == "population" && dot_product {
        let recursion = 6.0 * sizes.heads * 2.0_f64.powf(sizes.order);
        return recursion + sizes.heads * sizes.order * (2.0 * EXPONENTIAL + 12.0);
    }
    if is_simplified(system) && system.word("loss") != "population" {
        return matches(system, &sizes);
    }
    let seen = if sizes.lags > sizes.order { 0.5 * sizes.length } else { sizes.order };
    let one = sizes.positions * (EXPONENTIAL + 8.0 * sizes.heads * seen)
        + if system.word("second") == "matrices" { 12.0 * sizes.width.powi(2) } else { 0.0 }
        + if dot_product { 0.0 } else { POINTS * sizes.positions * EXPONENTIAL };
    sequences(system) * one
}

/// Operations of the simplified model on drawn sequences: a bit for each of them and each permutation, and
/// for the cross entropy a sum over the permutations for each.
fn matches(system: &Settings, sizes: &Sizes) -> f64 {
    let permutations = factorial(system.count("order"));
    let each = if system.word("objective") == "dot-product" { 0.05 } else { 4.0 };
    let fixed = permutations * (EXPONENTIAL + 2.0 * sizes.heads);
    fixed + each * sequences(system) * permutations
}

/// How many numbers a run holds at once. Products of settings may be beyond any integer.
pub(super) fn numbers(system: &Settings) -> f64 {
    let sizes = Sizes::new(system);
    let solver = if sizes.parameters <= 2048.0 { 3.0 * sizes.parameters.powi(2) } else { 0.0 };
    let state = 64.0 * sizes.parameters + solver;
    let dot_product = system.word("objective") == "dot-product";
    if is_simplified(system) && system.word("loss") == "population" && dot_product {
        return state + 3.0 * Subsets::numbers(sizes.order as usize);
    }
    if is_simplified(system) && system.word("loss") != "population" {
        // The data set, and scores and bits of all permutations in each chunk of a wave.
        let count = if system.word("loss") == "empirical" { sequences(system) as usize } else { 0 };
        let bytes = |shape: Shape| Stored::memory(&shape, objective(system), count);
        let stored = shape(system).map_or(0.0, bytes) / 8.0;
        return state + stored + 64.0 * 8.0 * factorial(system.count("order"));
    }
    let chunk = sizes.heads * (2.0 * sizes.lags + 2.0 * sizes.length + sizes.positions)
        + 4.0 * sizes.length
        + sizes.parameters;
    // Chunks of a wave, on many cores.
    state + 64.0 * chunk + sizes.length
}
