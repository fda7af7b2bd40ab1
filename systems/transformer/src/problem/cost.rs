//! What a run costs, estimated before anything is built.

use crate::kernel::wide;
use crate::settings::{Design, Precision, Task};

/// Bytes that a run holds at once.
pub(crate) fn bytes(task: &Task, design: &Design) -> f64 {
    let (text, vocabulary) = sizes(task);
    let [d, f, blocks] = [design.width, design.feedforward, design.blocks].map(|n| n as f64);
    let [length, batch, heads] = [task.length, task.batch, task.heads].map(|n| n as f64);
    let tables = if design.tied { 1.0 } else { 2.0 };
    let parameters = tables * vocabulary * d + blocks * (4.0 * d * d + 2.0 * d * f);
    let size = if task.precision == Precision::Double { 8.0 } else { 4.0 };
    let rows = (batch * length).min(4096.0).max(length);
    let seen = length * heads;
    let activations = rows * (blocks * (12.0 * d + 3.0 * f + 2.0 * seen) + vocabulary);
    let maps = task.maps as f64 * blocks * heads * length.powi(2);
    // Parameters, slopes and moments as numbers of the run and of the model; slopes on each of eight lanes where tables are
    // short; readers of validation sequences, in double precision.
    let lanes = if vocabulary > wide::FROM as f64 { 2.0 } else { 8.0 };
    parameters * (8.0 * 8.0 + size * (4.0 + lanes))
        + activations * (size + 8.0)
        + 8.0 * maps
        + 3.0 * text
}

/// Bytes of the texts, and about how many words there are.
fn sizes(task: &Task) -> (f64, f64) {
    let length = |path: &Option<String>| {
        std::fs::metadata(path.as_ref()?).ok().map(|file| file.len() as f64)
    };
    let limit = task.vocabulary.map_or(f64::INFINITY, |limit| limit as f64);
    let Some(train) = length(&task.train) else { return (7e5, limit.min(1500.0)) };
    // Heaps' law with a generous exponent: 33,278 words of 2.1 million in WikiText-2.
    let words = (train / 5.0).powf(0.75).max(100.0);
    (train + length(&task.valid).unwrap_or(0.0), limit.min(words))
}
