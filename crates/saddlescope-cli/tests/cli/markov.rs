//! Sparse attention on Markov chains through the program: reference cases, runs, certificates.

use serde_json::json;

use crate::bases::base;
use crate::program::{Folder, changed, run};
use crate::verify::verify_cases;

/// Other numbers of heads, features and positions; lags that overlap; a case that asks for part of what there is.
#[test]
fn other_inputs_of_the_same_kinds_are_recomputed() {
    let flow = json!({
        "m": [2.0], "h": 1, "T": 1, "pos_0based": [0], "V0_coeff": [[0.0]], "s0": [[1.0]], "Tmax": 1.0, "times": [1.0]
    });
    // One head, one position: V = 2 (1 - e^-t).
    let left = 2.0 * (-2.0_f64).exp();
    let chain = json!({
        "A_star": [[[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]], "I_lags_1based": [[1, 2], [2, 3]],
        "alpha": [[0.5, 0.5], [0.3, 0.7]], "d": 2, "w": 3, "T": 2
    });
    let cases = json!([
        { "id": "flow", "kind": "full_flow_B4", "inputs": flow, "expected": {
            "loss_at_times": { "value": [left], "rtol": 1e-9 },
            "plateau_levels": { "value": [2.0, 0.0], "rtol": 1e-12 },
            "t_mid_crossings": { "value": [0.5 * 2.0_f64.ln()], "rtol": 1e-9 },
        }},
        { "id": "even", "kind": "markov_exact_entropy_excess", "inputs": chain, "expected": {
            "entropy_per_token_nats": { "value": 2.0_f64.ln(), "rtol": 1e-12 },
            "excess_loss_of_A_1_to_i": { "value": [0.0, 0.0], "atol": 1e-12 },
        }},
    ]);
    let out = verify_cases("sparse-markov", &cases).done();
    assert_eq!(out.lines().last(), Some("verify: 5 of 5 values within tolerance"));
}

#[test]
fn the_regression_runs_with_matrices_and_under_its_laws() {
    let regression = base("sparse-markov-regression");
    let done = |from: &str, to: &str| drop(run(changed(&regression, &[(from, to)])).done());
    done(
        "positions = 5",
        "positions = 5\nmatrices = [[[2.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.5, 0.0]]]",
    );
    done("kind = \"uniform\"", "kind = \"offshoot\"");
    for theory in ["coupled", "cooperative", "two-scale"] {
        done("kind = \"flow\"", &format!("kind = \"reduced\"\ntheory = \"{theory}\""));
    }
}

#[test]
fn certificates_are_in_other_coordinates_and_say_so() {
    let folder = Folder::with("mine.toml", base("sparse-markov-regression"));
    let out = folder.run(&["saddles", "mine.toml", "--all"]).done();
    assert!(out.contains("Certified in (V, s)"), "{out}");
    // After one of two features with two heads: (h - n)(F - n) = 1 way down.
    let row = out.lines().find(|line| line.starts_with("M({1}) ")).unwrap();
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(&words[3..5], ["non-degenerate", "1"], "{row}");
}

/// Each loss and form of the model takes the 12 steps of its base; the flow needs all sequences at once.
#[test]
fn both_trained_models_run_on_every_loss() {
    let more = |lines: &str| format!("batch = 20\n{lines}");
    let window = more("window = 1\ncontexts = [1, 2]\ncontext_steps = 5");
    let contexts = more("contexts = [1, 2]\ncontext_steps = 5");
    let parts = more("norm = \"none\"\nencoding = \"alibi\"\ntied = true");
    let normal = "\"normal\"\nfactors = { \"blocks.*.attn.W_Q\" = 0.0 }";
    let minimal = [
        ("batch = 20", more("layers = 2")),
        ("batch = 20", window),
        ("kind = \"adamw\"", "kind = \"momentum\"".to_owned()),
    ];
    let transformer = [
        ("batch = 20", more("blocks = 2")),
        ("batch = 20", contexts),
        ("batch = 20", parts),
        ("\"layers\"", normal.to_owned()),
        ("\"test\"", "\"sharpness\"".to_owned()),
    ];
    let rule = "kind = \"adamw\"\nrate = 0.01\nsteps = 12\nclip = 1.0";
    for (name, own, schedule, whole, flow) in [
        ("minimal", &minimal[..], "\nschedule = \"plateau\"", "", "until = 2.0"),
        ("transformer", &transformer, "", "\ndropout = 0", "until = 1.0"),
    ] {
        let good = base(&format!("sparse-markov-{name}"));
        let online = ("sequences = 60\n", "loss = \"online\"\n".to_owned());
        let double = ("batch = 20", more("precision = \"double\""));
        for (from, to) in [online, double].iter().chain(own) {
            let out = run(changed(&good, &[(from, to)])).done();
            assert!(out.contains("step 12"), "{to}: {out}");
        }
        let all = format!("batch = 60\nprecision = \"double\"{whole}");
        let flow = format!("kind = \"flow\"\n{flow}");
        let rule = format!("{rule}{schedule}");
        run(changed(&good, &[("batch = 20", &all), (&rule, &flow)])).done();
    }
}

/// A rate at which training blows up ends the run with what went wrong, not with columns of NaN.
#[test]
fn a_transformer_that_diverges_says_so() {
    let text = changed(
        &base("sparse-markov-transformer"),
        &[("kind = \"adamw\"\nrate = 0.01", "kind = \"sgd\"\nrate = 1e30"), ("clip = 1.0\n", "")],
    );
    run(text).fails(1, &["loss"]);
}
