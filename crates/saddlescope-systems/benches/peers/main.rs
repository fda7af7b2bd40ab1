//! Our side of `cargo xtask bench`: one row, measured once for every line that comes in.
//!
//! `cargo bench --package saddlescope-systems --bench peers -- ROW INPUTS [--quick]` writes what the peers
//! start from to the file INPUTS, says what it is in one line of JSON, and then answers each line on its
//! standard input with one line of JSON. So both sides can take turns in one run.

mod flows;
mod gd;
mod growth;
mod markov;
mod ngram;
mod recall;
mod scan;
mod side;
mod transformer;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    // `cargo test --benches` asks every bench for a sign of life; rows are for `cargo xtask bench`.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let quick = words.iter().any(|word| word == "--quick");
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|w| *w != "--quick").collect();
    let outcome = match *words {
        [] => Ok(()),
        ["recall-growth"] => growth::recall(quick),
        ["growth"] => growth::all(quick),
        ["growth-memory", what, size] => growth::memory(what, size),
        [row, inputs] => compare(row, Path::new(inputs), quick),
        _ => Err(format!("no such row: {}", words.join(" ")).into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("peers: {error}");
            ExitCode::FAILURE
        }
    }
}

fn compare(row: &str, inputs: &Path, quick: bool) -> side::Outcome<()> {
    let transformer = |setting, threads| transformer::step(inputs, setting, threads, quick);
    match row {
        "gd-per-sample" => gd::per_sample(inputs, quick),
        "gd-d4" => gd::on_statistics(inputs, &gd::D4, quick),
        "gd-d8" => gd::on_statistics(inputs, &gd::D8, quick),
        "flow" => flows::one(inputs, quick),
        "flows-64" => flows::many(inputs, quick),
        "recall-gd" => recall::exact(inputs, quick),
        "recall-sampled" => recall::sampled(inputs, quick),
        "ngram-sgd" => ngram::sgd(inputs, quick),
        "ngram-seeds" => ngram::seeds(inputs, quick),
        "scan-sgd" => scan::sgd(inputs, quick),
        "scan-fig6" => scan::figure(inputs, quick),
        "markov-adamw" => markov::adamw(inputs, quick),
        "markov-train" => markov::train(inputs, quick),
        "markov-flow" => flows::markov(inputs, quick),
        "transformer-markov" => transformer(&transformer::markov(), 1),
        "transformer-markov-all" => transformer(&transformer::markov(), 0),
        "transformer-text" => transformer(&transformer::text(), 1),
        "transformer-text-all" => transformer(&transformer::text(), 0),
        _ => Err(format!("no such row: {row}").into()),
    }
}
