//! What a run costs, estimated from its settings before anything is built.

use saddlescope::settings::Settings;

use super::softmax::LANES;
use super::{full, online, softmax};

/// Operations of a random normal number, of an exponential, and of what comes with each.
const NORMAL: f64 = 30.0;
const EXPONENTIAL: f64 = 30.0;

/// Roughly how many floating-point operations one gradient takes.
pub(super) fn operations(system: &Settings) -> f64 {
    let d = system.numbers("eigenvalues").len() as f64;
    let [heads, rank, context] = ["heads", "rank", "context"].map(|key| system.count(key) as f64);
    let [sequences, batch] =
        ["sequences", "batch"].map(|key| system.optional_integer(key).unwrap_or(0) as f64);
    let problems = if system.word("lengths") == "varying" { context } else { 1.0 };
    // Theta from the heads, and its slope back to them.
    let compose = 8.0 * heads * rank * d * d;
    let problem = 4.0 * d * d;
    match (system.word("attention"), system.word("loss")) {
        ("softmax", _) => {
            let head = context * (8.0 * d + EXPONENTIAL) + 8.0 * rank * d;
            sequences * heads * head
        }
        ("full", _) => sequences * heads * (6.0 * (d + 1.0).powi(2) + 8.0 * rank * (d + 1.0)),
        (_, "empirical") => compose + 2.0 * d.powi(4),
        (_, "minibatch") => compose + batch * problems * problem,
        (_, "online") => {
            let draw = context * d * (NORMAL + 2.0 * d + 4.0);
            compose + batch * (draw + problems * problem)
        }
        _ => compose + 4.0 * d.powi(3),
    }
}

/// How many numbers a run holds at once. Products of settings may be beyond any integer.
pub(super) fn numbers(system: &Settings) -> f64 {
    let d = system.numbers("eigenvalues").len() as f64;
    let [heads, rank, context] = ["heads", "rank", "context"].map(|key| system.count(key) as f64);
    let [sequences, batch] =
        ["sequences", "batch"].map(|key| system.optional_integer(key).unwrap_or(0) as f64);
    let (lanes, attention) = (LANES as f64, system.word("attention"));
    let chunks = |items: f64, size: usize| (items / size as f64).ceil();
    let problems = if system.word("lengths") == "varying" { context } else { 1.0 };
    let sequence = (context + 1.0) * (d + 1.0) + d;
    let parameters = match attention {
        "full" => heads * (d + 1.0 + rank * (2.0 * d + 1.0)),
        _ => heads * (1.0 + 2.0 * rank * d),
    };
    let matrices = 3.0 * d * d + 2.0 * d;
    // What is stored, what is evaluated side by side, and the scratch of each besides its gradient.
    let (data, chunks, scratch) = match (attention, system.word("loss")) {
        ("softmax", _) => {
            let group = context + 1.0 + heads * (rank + 1.0 + d) + d + parameters;
            let groups = (sequences / lanes).ceil();
            (groups * lanes * (sequence + 1.0), chunks(sequences, softmax::CHUNK), lanes * group)
        }
        ("full", _) => {
            let scratch = (heads + 1.0) * (d + 1.0) + heads * rank;
            let moments = (d + 1.0) * (d + 1.0) + d + 1.0;
            (sequences * moments, chunks(sequences, full::CHUNK), scratch)
        }
        (_, "empirical") => (66.0 * d.powi(4), 0.0, 0.0),
        (_, "minibatch") => {
            let triples = sequences * problems * (2.0 * d + 1.0);
            (triples, chunks(batch, online::STORED_CHUNK), matrices + 3.0 * d + 2.0 + parameters)
        }
        (_, "online") => (0.0, chunks(batch, online::CHUNK), sequence + matrices + parameters),
        _ => (0.0, 0.0, 0.0),
    };
    // Data is drawn one sequence per thread.
    let drawn = if system.word("loss") == "population" { 0.0 } else { 64.0 * sequence };
    // Matrices of the landscape, and a solver's Jacobian with its factors.
    let solver = if parameters <= 2048.0 { 3.0 * parameters * parameters } else { 0.0 };
    let chunks = chunks * (scratch + parameters);
    data + chunks + drawn + 12.0 * d * d + 64.0 * parameters + solver
}
