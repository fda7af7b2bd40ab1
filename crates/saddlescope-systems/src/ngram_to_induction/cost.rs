//! What a run costs, estimated from its settings before anything is built.

use saddlescope::settings::Settings;

/// Operations of an exponential, a logarithm or a root.
const EXPONENTIAL: f64 = 30.0;

/// Sequences that one gradient looks at; none where the loss is an expectation.
fn sequences(system: &Settings) -> f64 {
    let count = |key: &str| system.optional_integer(key).unwrap_or(1) as f64;
    match system.word("loss") {
        "online" => count("batch"),
        "empirical" => count("sequences"),
        _ => 0.0,
    }
}

/// Roughly how many floating-point operations one gradient takes.
pub(super) fn operations(system: &Settings) -> f64 {
    let (length, dimension) = (system.count("length") as f64, system.count("dimension") as f64);
    let sampled = sequences(system);
    if sampled > 0.0 && system.word("model") == "matrices" {
        // Scores of all pairs in the first layer.
        let width = 2.0 * dimension;
        return sampled * length * (6.0 * width * width + length * (EXPONENTIAL + 6.0 * width));
    }
    if sampled > 0.0 {
        return sampled * length * (2.0 * EXPONENTIAL + 40.0 * dimension);
    }
    let places = match (system.word("first"), system.word("tokens")) {
        ("trained", "boolean") => 0.5 * length * length,
        ("trained", _) => length,
        _ => 1.0,
    };
    2.0 * length.min(1e3) + places * dimension * 10.0 * EXPONENTIAL
}

/// How many numbers a run holds at once.
pub(super) fn numbers(system: &Settings) -> f64 {
    let (length, dimension) = (system.count("length") as f64, system.count("dimension") as f64);
    let parameters = match system.word("model") {
        "matrices" => 9.0 * (2.0 * dimension).powi(2) + 3.0,
        _ => 2.0 * dimension + 4.0,
    };
    let solver = if parameters <= 2048.0 { 3.0 * parameters * parameters } else { 0.0 };
    let trained = if system.word("first") == "trained" { 24.0 * length } else { 0.0 };
    let chunks = if sequences(system) > 0.0 { 64.0 * 256.0 * length * dimension } else { 0.0 };
    // Data sets are drawn again at each step, not kept.
    64.0 * parameters + solver + trained + chunks
}
