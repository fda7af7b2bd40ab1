//! What a run costs, estimated before anything is built.

use crate::Outputs;
use crate::settings::{Average, Parametrisation, System};

/// How many numbers a run holds at once, before the task is built.
pub(crate) fn numbers(system: &System) -> f64 {
    let (tokens, queries, classes) = match &system.probabilities {
        Some(table) => (table.shape[1] as f64, table.shape[0] as f64, table.shape[0] as f64),
        None => {
            let [each, queries] = [system.next_per_query, system.queries].map(|n| n as f64);
            let highest = |psi: &[f64]| 1.0 + psi.iter().copied().fold(0.0, f64::max);
            let listed = |psi: &Vec<f64>| (highest(psi), psi.len() as f64);
            let (queries, classes) = system.psi.as_ref().map_or((queries, queries * each), listed);
            let own = system.distinct_weights.as_ref().map_or(system.distinct, Vec::len) as f64;
            (system.common as f64 + classes * own, queries, classes)
        }
    };
    let vocabulary = (system.vocabulary.unwrap_or(0) as f64).max(tokens + queries + classes);
    let columns = if system.outputs == Outputs::Used { classes + 1.0 } else { vocabulary };
    let (heads, d) = (system.heads as f64, system.dimension as f64);
    let pairwise = (tokens + queries) * columns + heads * queries * tokens;
    let (parameters, inner) = match system.model {
        Parametrisation::Embedding => {
            (vocabulary * d + (2.0 * heads + 1.0) * d * d, 2.0 * pairwise)
        }
        Parametrisation::Pairwise => (pairwise, 0.0),
    };
    let solver = if parameters <= 2048.0 { 3.0 * parameters * parameters } else { 0.0 };
    let sampled = if system.loss == Average::Population { 0.0 } else { 2e6 };
    40.0 * parameters + inner + solver + sampled
}
