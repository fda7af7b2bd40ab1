//! What a run costs, estimated before anything is built.

use saddlescope::settings::Settings;

use super::Shape;

/// Sequences that one gradient looks at; none where the loss is exact.
fn sequences(system: &Settings) -> f64 {
    let count = |key: &str| system.optional_integer(key).unwrap_or(1) as f64;
    match system.word("loss") {
        "online" => count("batch"),
        "empirical" => count("sequences"),
        _ => 0.0,
    }
}

/// Roughly how many floating-point operations one gradient takes.
pub(super) fn operations(system: &Settings, shape: &Shape) -> f64 {
    let supports = shape.task().classes().iter().map(|class| class.support.len() as f64);
    let tokens: f64 = supports.sum();
    let classes = shape.task().classes().len() as f64;
    // Logits, slopes of Y and what comes back through Y, then the softmax.
    let each = (6.0 * tokens / classes + 30.0) * shape.columns() as f64;
    each * sequences(system).max(classes) + shape.len() as f64
}

/// The same with embeddings: products there, and twice as many back.
pub(super) fn embedding_operations(system: &Settings, shape: &Shape) -> f64 {
    let (d, m) = (system.count("dimension") as f64, shape.task().vocabulary() as f64);
    let (inputs, queries) = (shape.inputs().len() as f64, shape.task().queries().len() as f64);
    let decoder = inputs * d * (d + m);
    let logits = (inputs + queries) * d * d + inputs * queries * d;
    6.0 * (decoder + shape.head_count() as f64 * logits) + operations(system, shape)
}

/// How many numbers a run holds at once, before the task is built.
pub(super) fn numbers(system: &Settings) -> f64 {
    let count = |name: &str| system.optional_integer(name).unwrap_or(0) as f64;
    let (tokens, queries, classes) = match system.optional_tensor("probabilities") {
        Some(table) => (table.shape[1] as f64, table.shape[0] as f64, table.shape[0] as f64),
        None => {
            let psi = system.optional_numbers("psi");
            let listed = psi.map(|psi| psi.len() as f64);
            let highest = psi.map(|psi| 1.0 + psi.iter().copied().fold(0.0, f64::max));
            let classes = listed.unwrap_or(count("queries") * count("next_per_query"));
            let own = system
                .optional_numbers("distinct_weights")
                .map_or(count("distinct"), |list| list.len() as f64);
            (count("common") + classes * own, highest.unwrap_or(count("queries")), classes)
        }
    };
    let vocabulary = count("vocabulary").max(tokens + queries + classes);
    let columns = if system.word("outputs") == "used" { classes + 1.0 } else { vocabulary };
    let heads = system.count("heads") as f64;
    let pairwise = (tokens + queries) * columns + heads * queries * tokens;
    let d = system.optional_integer("dimension").unwrap_or(0) as f64;
    let (parameters, inner) = if system.word("model") == "embedding" {
        (vocabulary * d + (2.0 * heads + 1.0) * d * d, 2.0 * pairwise)
    } else {
        (pairwise, 0.0)
    };
    let solver = if parameters <= 2048.0 { 3.0 * parameters * parameters } else { 0.0 };
    let sampled = if sequences(system) > 0.0 { 2e6 } else { 0.0 };
    40.0 * parameters + inner + solver + sampled
}
