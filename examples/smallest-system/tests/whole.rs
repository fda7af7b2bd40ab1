//! The real program on the smallest system: flow, training, stages and saddles.

use std::process::Command;

/// What the program prints, as JSON.
fn run(arguments: &[&str]) -> serde_json::Value {
    let output =
        Command::new(env!("CARGO_BIN_EXE_smallest-system")).args(arguments).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// With equal weights, `w' = w^(n-1) (1 - w^n)`: for `n = 3` a plateau of length `1/w(0)` before one transition.
#[test]
fn every_instrument_works_on_it() {
    let flow = run(&["run", "product", "--set", "dynamics.until=200.0", "--json"]);
    let text = flow.to_string();
    assert!(text.contains("\"loss\""), "{text}");
    let train = ["--set", "dynamics.kind=\"gd\"", "--set", "dynamics.rate=0.1"];
    let train = [&["run", "product", "--json"][..], &train, &["--set", "dynamics.steps=2000"]];
    assert!(run(&train.concat()).to_string().contains("\"loss\""));
    let saddles = run(&["saddles", "product", "--set", "dynamics.until=200.0", "--json"]);
    let kinds = saddles.to_string();
    assert!(kinds.contains("degenerate"), "the origin is a degenerate saddle: {kinds}");
}

/// What CONTRIBUTING shows is this program, and it is small.
#[test]
fn contributing_shows_it() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let text = std::fs::read_to_string(format!("{root}/CONTRIBUTING.md")).unwrap();
    let program = include_str!("../src/main.rs");
    assert!(text.contains(program), "CONTRIBUTING.md shows another program");
    let lines = program.lines().filter(|line| !line.trim().is_empty()).count();
    assert!(lines <= 45, "{lines} lines");
}
