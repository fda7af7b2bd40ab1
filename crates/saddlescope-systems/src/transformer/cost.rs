//! What a run costs, estimated before anything is built.

use saddlescope::settings::Settings;

use super::wide;

/// Bytes that a run holds at once.
pub(super) fn bytes(system: &Settings) -> f64 {
    let count = |name: &str| system.count(name) as f64;
    let (text, vocabulary) = sizes(system);
    let (d, f, blocks) = (count("width"), count("feedforward"), count("blocks"));
    let tables = if system.switch("tied") { 1.0 } else { 2.0 };
    let parameters = tables * vocabulary * d + blocks * (4.0 * d * d + 2.0 * d * f);
    let size = if system.word("precision") == "double" { 8.0 } else { 4.0 };
    let rows = (count("batch") * count("length")).min(4096.0).max(count("length"));
    let seen = count("length").max(1.0) * count("heads");
    let activations = rows * (blocks * (12.0 * d + 3.0 * f + 2.0 * seen) + vocabulary);
    let maps = count("maps") * blocks * count("heads") * count("length").powi(2);
    // Parameters, slopes and moments as numbers of the run and of the model; slopes on each of eight lanes where tables are
    // short; readers of validation sequences, in double precision.
    let lanes = if vocabulary > wide::FROM as f64 { 2.0 } else { 8.0 };
    parameters * (8.0 * 8.0 + size * (4.0 + lanes))
        + activations * (size + 8.0)
        + 8.0 * maps
        + 3.0 * text
}

/// Bytes of the texts, and about how many words there are.
fn sizes(system: &Settings) -> (f64, f64) {
    let length = |name: &str| {
        let path = system.optional_word(name)?;
        std::fs::metadata(path).ok().map(|file| file.len() as f64)
    };
    let limit = system.optional_integer("vocabulary").map_or(f64::INFINITY, |limit| limit as f64);
    let Some(train) = length("train") else { return (7e5, limit.min(1500.0)) };
    // Heaps' law with a generous exponent: 33,278 words of 2.1 million in WikiText-2.
    let words = (train / 5.0).powf(0.75).max(100.0);
    (train + length("valid").unwrap_or(0.0), limit.min(words))
}
