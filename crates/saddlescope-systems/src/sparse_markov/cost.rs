//! What a run costs, estimated before anything is built.

use saddlescope::settings::Settings;

use super::Minimal;

/// Bytes that a run holds at once.
pub(super) fn bytes(system: &Settings) -> f64 {
    let count = |name: &str| system.optional_integer(name).unwrap_or(0) as f64;
    let listed = system.optional_tensor("matrices");
    let heads = system.count("heads") as f64;
    if system.word("model") == "regression" {
        let features = listed.map_or(count("features"), |list| list.shape[0] as f64);
        let rank = match (system.word("coordinates"), listed) {
            ("matrices", Some(list)) => (list.shape[1] * list.shape[2]) as f64,
            ("matrices", None) => count("dimension").powi(2),
            _ => system.optional_numbers("strengths").map_or(features, |list| list.len() as f64),
        };
        let parameters = heads * (rank + count("positions"));
        let solver = if parameters <= 2048.0 { 3.0 * parameters * parameters } else { 0.0 };
        return 8.0 * (40.0 * parameters + solver + 4.0 * rank * count("positions"));
    }
    let d = listed.map_or(count("vocabulary"), |list| list.shape[1] as f64);
    let order = order(system);
    let tokens = order + count("length");
    let width = d + tokens - 1.0;
    let parameters = if system.word("model") == "transformer" {
        let (width, hidden) = (count("width"), count("feedforward"));
        (2.0 * d + tokens) * width + count("blocks") * width * (4.0 * width + 2.0 * hidden + 9.0)
    } else {
        count("layers") * heads * (width * width + d * d)
    };
    let size = if system.word("precision") == "double" { 8.0 } else { 4.0 };
    // Parameters, slopes, two moments, and slopes of some chunks on each thread; then the law, and what is compared with it.
    let threads = std::thread::available_parallelism().map_or(2.0, |n| n.get() as f64);
    let rows = count("test_sequences") * count("length") * d.max(16.0);
    let sequences = count("sequences").max(count("batch")) + count("test_sequences");
    parameters * (8.0 * 6.0 + size * (4.0 + 4.0 * threads))
        + 4.0 * order * d * d * 4.0
        + 4.0 * rows * 4.0
        + 2.0 * sequences * tokens
}

/// `w`, before the chain is built.
fn order(system: &Settings) -> f64 {
    let lags = system
        .optional_lists("groups")
        .map(|groups| groups.iter().flatten().copied().fold(1.0, f64::max));
    let features = system.count("features") as f64;
    let size = system.optional_integer("group_size").unwrap_or(1) as f64;
    let listed = system.optional_integer("order").map(|order| order as f64);
    listed.or(lags).unwrap_or(features * size)
}

/// Roughly how many floating-point operations one gradient of the minimal model takes.
pub(super) fn operations(system: &Settings, minimal: &Minimal) -> f64 {
    let chain = minimal.chain();
    let (d, width, heads) =
        (chain.vocabulary() as f64, minimal.width() as f64, minimal.heads() as f64);
    let (columns, queries) = (minimal.columns() as f64, chain.length() as f64);
    let sequences = match (system.word("loss"), system.optional_integer("sequences")) {
        ("empirical", Some(all)) => (all as f64).min(system.count("batch") as f64),
        _ => system.count("batch") as f64,
    };
    let pairs = columns * queries * 0.6;
    let first = heads * pairs * (6.0 * d + 40.0) + 20.0 * d * queries;
    // Columns of a second layer are dense.
    let second =
        (minimal.layer_count() - 1) as f64 * 6.0 * heads * columns * width * (width + columns);
    sequences * (first + second) + 10.0 * minimal.len() as f64
}
