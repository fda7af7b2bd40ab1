//! Our side of `cargo xtask bench`: one row, measured once for every line that comes in.
//!
//! `cargo bench --package saddlescope-systems --bench peers -- ROW INPUTS [--quick]` writes what the peers
//! start from to the file INPUTS, says what it is in one line of JSON, and then answers each line on its
//! standard input with one line of JSON. So both sides can take turns in one run.

mod flows;
mod gd;
mod growth;
mod markov;
mod markov_flow;
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
        ["gd-per-sample", inputs] => gd::per_sample(Path::new(inputs), quick),
        ["gd-d4", inputs] => gd::on_statistics(Path::new(inputs), &gd::D4, quick),
        ["gd-d8", inputs] => gd::on_statistics(Path::new(inputs), &gd::D8, quick),
        ["flow", inputs] => flows::one(Path::new(inputs), quick),
        ["flows-64", inputs] => flows::many(Path::new(inputs), quick),
        ["recall-gd", inputs] => recall::exact(Path::new(inputs), quick),
        ["recall-sampled", inputs] => recall::sampled(Path::new(inputs), quick),
        ["ngram-sgd", inputs] => ngram::sgd(Path::new(inputs), quick),
        ["ngram-seeds", inputs] => ngram::seeds(Path::new(inputs), quick),
        ["scan-sgd", inputs] => scan::sgd(Path::new(inputs), quick),
        ["scan-fig6", inputs] => scan::figure(Path::new(inputs), quick),
        ["markov-adamw", inputs] => markov::adamw(Path::new(inputs), quick),
        ["markov-train", inputs] => markov::train(Path::new(inputs), quick),
        ["markov-flow", inputs] => markov_flow::flows(Path::new(inputs), quick),
        ["transformer-markov", inputs] => {
            transformer::step(Path::new(inputs), &transformer::markov(), 1, quick)
        }
        ["transformer-markov-all", inputs] => {
            transformer::step(Path::new(inputs), &transformer::markov(), 0, quick)
        }
        ["transformer-text", inputs] => {
            transformer::step(Path::new(inputs), &transformer::text(), 1, quick)
        }
        ["transformer-text-all", inputs] => {
            transformer::step(Path::new(inputs), &transformer::text(), 0, quick)
        }
        ["recall-growth"] => recall::growth(quick),
        ["growth"] => growth::all(quick),
        ["growth-memory", what, size] => growth::memory(what, size),
        [] => Ok(()),
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
