//! N-gram to induction head through the program: reference cases, runs, models that are refused.

use serde_json::json;

use crate::program::{Folder, changed, experiment, run};
use crate::verify::verify_cases;

/// The experiment that each test starts from.
const GOOD: &str = "[system]
name = \"ngram-to-induction\"
length = 12
w_star = 0.3
[start]
scale = 0.1
[dynamics]
kind = \"flow\"
until = 50.0
";

/// What is written instead of what.
type Changes = &'static [(&'static str, &'static str)];

/// Query and key apart, and a start that never learns: values of an independent solver, and `null`.
#[test]
fn other_inputs_of_the_same_kinds_are_recomputed() {
    let inputs = json!({
        "alpha_star": 1.0, "w_star": 0.5, "L": 20, "coupling": "untied", "tokens": "boolean",
        "w_Q0": 0.0, "w_K0": 0.0, "h0": 0.01, "times": [30.0]
    });
    let case = json!({
        "id": "at rest", "kind": "induction_flow", "inputs": inputs,
        "expected": {
            "T_w_half": {"value": null}, "T_III_plateaudef": {"value": null},
            "w_Q_at_times": {"value": [0.0], "exact": true}
        }
    });
    let out = verify_cases("ngram-to-induction", &json!([case])).done();
    assert_eq!(out.lines().last(), Some("verify: 3 of 3 values within tolerance"));
}

#[test]
fn wrong_cases_say_what_is_wrong() {
    for (key, value, words) in [
        ("L", json!(3), "at least 4"),
        ("L", json!(4.5), "a whole number"),
        ("w_star", json!(0.8), "softmax attention and boolean tokens"),
        ("alpha_star", json!(-1.0), "above 0"),
        ("coupling", json!("loose"), "\"untied\" or \"tied\""),
        ("tokens", json!("ternary"), "\"gaussian\" or \"boolean\""),
    ] {
        let mut inputs = json!({
            "alpha_star": 1.0, "w_star": 0.3, "L": 20, "coupling": "tied", "tokens": "gaussian",
            "w_Q0": 0.1, "w_K0": 0.1, "h0": 0.1
        });
        inputs[key] = value;
        let expected = json!({ "h_plateau": { "value": 0.5 } });
        let case = json!({ "id": "one", "kind": "induction_flow", "inputs": inputs, "expected": expected });
        verify_cases("ngram-to-induction", &json!([case])).fails(2, &[words]);
    }
}

#[test]
fn every_model_runs_on_every_loss() {
    let steps = "kind = \"momentum\"\nmomentum = 0.9\nrate = 0.1\nsteps = 20";
    let flow = "kind = \"flow\"\nuntil = 50.0";
    for tokens in ["gaussian", "boolean"] {
        for attention in ["exponential", "softmax"] {
            for (first, dimension) in [("previous", 1), ("trained", 1), ("trained", 3)] {
                for (coupling, parts) in
                    [("untied", "both"), ("tied", "induction"), ("tied", "4-gram")]
                {
                    for loss in
                        ["population", "empirical\"\nsequences = \"20", "online\"\nbatch = \"20"]
                    {
                        let exact = loss == "population";
                        let sampled = first == "trained" && parts != "4-gram";
                        if exact && attention == "softmax" && sampled {
                            continue;
                        }
                        let system = format!(
                            "w_star = 0.3\ntokens = \"{tokens}\"\nattention = \"{attention}\"\nfirst = \"{first}\"\n\
                             dimension = {dimension}\ncoupling = \"{coupling}\"\nparts = \"{parts}\"\nloss = \"{loss}\""
                        )
                        .replace("= \"20\"", "= 20");
                        let text = changed(GOOD, &[("w_star = 0.3", &system), (flow, steps)]);
                        let out = run(text).done();
                        assert!(out.contains("step 20"), "{system}: {out}");
                    }
                }
            }
        }
    }
}

/// The transformer around the six parameters, disturbed, on a data set and on fresh batches.
#[test]
fn matrices_are_trained() {
    let steps = "kind = \"momentum\"\nmomentum = 0.9\nrate = 0.1\nsteps = 5\n[record]\nobservables = [\"loss\", \"off_surface\", \"p_tilde\"]";
    for loss in ["empirical\"\nsequences = 20", "online\"\nbatch = 20"] {
        let system = format!(
            "w_star = 0.3\nmodel = \"matrices\"\nattention = \"softmax\"\nfirst = \"trained\"\nloss = \"{loss}"
        );
        let pairs = [
            ("w_star = 0.3", system.as_str()),
            ("scale = 0.1", "scale = 0.1\nnoise = 0.01"),
            ("kind = \"flow\"\nuntil = 50.0", steps),
        ];
        let out = run(changed(GOOD, &pairs)).done();
        assert!(out.contains("39 parameters") && out.contains("off_surface"), "{out}");
    }
}

#[test]
fn what_makes_no_world_is_refused_where_it_stands() {
    let cases: &[(Changes, &[&str])] = &[
        (&[("length = 12", "length = 3")], &["`system.length` is 3", "from 4", ":3:10"]),
        (
            &[("w_star = 0.3", "w_star = 0.75")],
            &[
                "`system.w_star` is 0.75",
                "below 0.7071",
                "softmax attention and boolean tokens",
                ":4:10",
            ],
        ),
        (&[("w_star = 0.3", "w_star = -1.0")], &["`system.w_star` is -1", ":4:10"]),
        (&[("scale = 0.1", "scale = -0.1")], &["`start.scale` is -0.1", ":6:9"]),
        (&[("scale = 0.1", "scale = 0.1\nnoise = 0.1")], &["no matrices to disturb", ":7:9"]),
        (
            &[("scale = 0.1", "kind = \"given\"\nw_q = [0.1, 0.2]")],
            &["has 2 entries", "1 coordinates", ":7:7"],
        ),
        (
            &[
                ("scale = 0.1", "kind = \"given\"\nw_k = 0.2"),
                ("w_star = 0.3", "w_star = 0.3\ncoupling = \"tied\""),
            ],
            &["differs from w_q", "coupling = \"untied\""],
        ),
        (
            &[("w_star = 0.3", "w_star = 0.3\nattention = \"softmax\"\nfirst = \"trained\"")],
            &["`system.first` is \"trained\"", "loss = \"empirical\""],
        ),
        (
            &[("w_star = 0.3", "w_star = 0.3\nattention = \"softmax\"\ndimension = 2")],
            &["`system.dimension` is 2", "in one dimension only"],
        ),
        (
            &[("w_star = 0.3", "w_star = 0.3\nmodel = \"matrices\"")],
            &["`system.attention` is \"exponential\"", "softmax"],
        ),
        (
            &[(
                "w_star = 0.3",
                "w_star = 0.3\nmodel = \"matrices\"\nattention = \"softmax\"\nfirst = \"trained\"",
            )],
            &["`system.loss` is \"population\"", "no exact loss"],
        ),
        (
            &[
                ("w_star = 0.3", "w_star = 0.3\nfirst = \"trained\""),
                ("kind = \"flow\"", "kind = \"reduced\""),
            ],
            &["balanced", "Stage II"],
        ),
    ];
    for (changes, words) in cases {
        run(changed(GOOD, changes)).fails(2, words);
    }
}

/// Beyond the closed form's range the run stops, and says where the other forms have no such limit.
#[test]
fn scores_that_leave_the_closed_form_stop_the_run_with_the_reason() {
    let text = changed(GOOD, &[("scale = 0.1", "kind = \"given\"\nw_q = 0.8\nw_k = 0.8")]);
    run(text)
        .fails(1, &["w_q w_k is 0.64", "2 |w_q w_k| < 1", "softmax attention and boolean tokens"]);
}

/// The paper's times in the table of runs are those of the reference values, as far as rows allow.
#[test]
fn times_are_read_off_the_rows() {
    let text = changed(
        GOOD,
        &[
            ("length = 12", "length = 40"),
            ("w_star = 0.3", "w_star = 0.49"),
            ("scale = 0.1", "scale = 0.01"),
            (
                "until = 50.0",
                "until = 4000.0\n[record]\nsampling = \"log\"\npoints = 1500\nobservables = [\"loss\", \"loss.*\", \"g\", \"h\", \"strength\"]",
            ),
        ],
    );
    let out = experiment(&text, &[]);
    for (name, expected) in [
        ("T_1g", 9.866_375),
        ("T_I", 205.459_34),
        ("T_1h", 133.423_1),
        ("T_II", 171.307_2),
        ("T_III", 2574.505),
        ("left_at_T_I", 0.071_68),
    ] {
        let found = out["outcomes"][name].as_f64().unwrap();
        assert!((found / expected - 1.0).abs() < 1e-3, "{name}: {found} {expected}");
    }
}

/// The plateau of the induction head alone is an ordinary saddle, left at the rate of theory.
#[test]
fn the_plateau_is_an_ordinary_saddle() {
    let text = changed(
        GOOD,
        &[
            ("w_star = 0.3", "w_star = 0.49\nparts = \"induction\""),
            ("scale = 0.1", "scale = 0.001"),
            ("until = 50.0", "until = \"converged\""),
        ],
    );
    let out = Folder::with("mine.toml", text).run(&["saddles", "mine.toml"]).done();
    assert!(out.contains("non-degenerate"), "{out}");
}
