//! Scan and snap through the program: reference cases, runs, laws.

use serde_json::json;

use crate::bases::base;
use crate::program::{Folder, changed, run};
use crate::verify::verify_cases;

fn good() -> String {
    base("scan-and-snap")
}

/// A query of their own for each class, Adam, and a decoder that moves as Theorem 1 needs it: all kinds know other inputs.
#[test]
fn other_inputs_of_the_same_kinds_are_recomputed() {
    let training = json!({
        "num_common": 2, "unnormalised_common": 1.0, "unnormalised_distinct": [0.5, 1.0], "M": 12, "K": 2,
        "eta_Y": 0.1, "eta_Z": 0.1, "iterations": 3, "momentum": null, "optimizer": "adam",
        "query_of_class": [8, 8], "next_of_class": [9, 10], "record_iterations": [0]
    });
    let flow = json!({
        "K": 3, "M": 50, "unnormalised_common": 1.0, "unnormalised_distinct": [1.0, 2.0], "eta_Y": 1.0, "eta_Z": 0.1,
        "single_query": false, "dynamics": "modified", "times": [0.0]
    });
    let first = 12f64.ln();
    let cases = json!([
        { "id": "adam", "kind": "population_training", "inputs": training, "expected": {
            "loss_at_iterations": { "value": [first], "rtol": 1e-12 },
        }},
        { "id": "modified", "kind": "joint_flow", "inputs": flow, "expected": {
            "z_common_at_times": { "value": [0.0], "exact": true },
            "c_common_at_times": { "value": [0.25], "rtol": 1e-12 },
        }},
    ]);
    let out = verify_cases("scan-and-snap", &cases).done();
    assert_eq!(out.lines().last(), Some("verify: 3 of 3 values within tolerance"));
}

#[test]
fn every_model_runs_on_every_loss() {
    let steps = "kind = \"momentum\"\nmomentum = 0.9\nrate = 0.5\nsteps = 20\nrates = { y = 2.0 }";
    for loss in [
        "population\"",
        "empirical\"\nsequences = 40\nlength = 30",
        "online\"\nbatch = 16\nlength = 30",
    ] {
        for model in ["heads = 1", "heads = 2", "residual = true", "outputs = \"used\""] {
            let system = format!("next_per_query = 2\n{model}\nloss = \"{loss}");
            let text = changed(
                &good(),
                &[
                    ("next_per_query = 2", &system),
                    ("kind = \"zero\"", "kind = \"zero\"\nnoise = 0.1"),
                    ("kind = \"flow\"\nuntil = 20.0", steps),
                ],
            );
            let out = run(text).done();
            assert!(out.contains("step 20"), "{system}: {out}");
        }
    }
}

/// Each law of the paper runs in the model's place.
#[test]
fn theories_run_where_they_apply() {
    for theory in ["mean", "sum", "sum-as-printed", "modified", "theorem-4"] {
        let dynamics = format!("kind = \"reduced\"\ntheory = \"{theory}\"\nuntil = 20.0");
        let one = ("next_per_query = 2", "next_per_query = 2\ncommon = 1");
        let text = changed(&good(), &[("kind = \"flow\"\nuntil = 20.0", &dynamics), one]);
        run(text).done();
        let text = changed(
            &good(),
            &[
                ("kind = \"flow\"\nuntil = 20.0", &dynamics),
                ("next_per_query = 2", "next_per_query = 2\nheads = 2"),
            ],
        );
        run(text).fails(2, &["heads is 2, expected 1"]);
    }
}

/// A column that stands for many outputs is none for Adam; "converged" is an end that a loss without minimum comes to.
#[test]
fn what_would_be_wrong_is_refused_and_ends_are_near() {
    let adam = "kind = \"adam\"\nrate = 0.1\nsteps = 5";
    let text = changed(
        &good(),
        &[
            ("next_per_query = 2", "next_per_query = 2\noutputs = \"used\""),
            ("kind = \"flow\"\nuntil = 20.0", adam),
        ],
    );
    run(text).fails(1, &["outputs", "Adam"]);
    let text = changed(&good(), &[("until = 20.0", "until = \"converged\"")]);
    let out = run(text).done();
    assert!(out.contains("converged"), "{out}");
    let dynamics = "kind = \"reduced\"\ntheory = \"mean\"\nuntil = 20.0";
    let text = changed(
        &good(),
        &[("kind = \"zero\"", "kind = \"uniform\""), ("kind = \"flow\"\nuntil = 20.0", dynamics)],
    );
    run(text).fails(2, &["start with Y = 0"]);
}

/// Rows of Y and Z keep their sums under flow and under Adam's sign-like steps they do not.
#[test]
fn the_ledger_knows_row_sums() {
    let out = Folder::with("mine.toml", good()).run(&["invariants", "mine.toml"]).done();
    assert!(out.contains("sum.y.0") && out.contains("sum.z.30"), "{out}");
}
