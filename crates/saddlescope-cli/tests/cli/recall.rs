//! Associative recall through the program: reference cases, runs, models that are refused.

use serde_json::json;

use crate::program::{Folder, changed, experiment, run};
use crate::verify::verify_cases;

/// The experiment that each test starts from.
const GOOD: &str = "[system]
name = \"associative-recall\"
order = 3
responses = 2
heads = 2
[start]
beta = [0.3, 0.2]
[dynamics]
kind = \"flow\"
until = 400.0
";

/// What is written instead of what.
type Changes = &'static [(&'static str, &'static str)];

/// A head on a lag that no other head uses never learns: `null` for its crossing, and no place in the order.
#[test]
fn what_is_never_reached_is_null() {
    let zero = [0.0; 4];
    let case = json!({
        "id": "lag 4", "kind": "full_gradient_flow",
        "inputs": {
            "k": 4, "R": 4, "n_heads": 3, "beta0": [0.1, 0.08, 0.06],
            "w0": [zero, zero, [0.0, 0.0, 0.0, 2.0]], "T": 1e6
        },
        "expected": {
            "t_mid_crossings": {"value": [1503.723, 1613.381, null], "rtol": 1e-5},
            "order_heads": {"value": [1, 2], "exact": true},
            "loss_final": {"value": 0.375, "atol": 1e-4}
        }
    });
    let out = verify_cases("associative-recall", &json!([case])).done();
    assert_eq!(out.lines().last(), Some("verify: 3 of 3 values within tolerance"));
}

#[test]
fn wrong_cases_say_what_is_wrong() {
    let forward = |key: &str, value: serde_json::Value| {
        let weights = [[0.0; 8]; 2];
        let mut inputs = json!({
            "k": 2, "R": 2, "f": [0, 1], "q": [1, 0], "beta": [1.0, 1.0],
            "w_lag0_to_lminus1": weights
        });
        inputs[key] = value;
        let expected = json!({ "dp_loss": { "value": 0.5 } });
        let kind = "original_model_forward";
        let case = json!({ "id": "one", "kind": kind, "inputs": inputs, "expected": expected });
        json!([case])
    };
    for (key, value, words) in [
        ("q", json!([1, 1]), "a permutation of 0 to 1"),
        ("q", json!([0, 2]), "whole numbers from 0 to 1"),
        ("f", json!([0]), "2 responses, one per permutation"),
        ("k", json!(1), "from 2 to 16"),
        ("R", json!(1), "at least 2"),
        ("perm_order", json!("random"), "lexicographic"),
        ("beta", json!([1.0, 1.0, 1.0]), "from 1 to the order 2"),
        ("w_lag0_to_lminus1", json!([[0.0], [0.0]]), "2 lists of 8 numbers"),
    ] {
        verify_cases("associative-recall", &forward(key, value)).fails(2, &[words]);
    }
}

#[test]
fn every_model_runs_on_every_loss() {
    let steps = "kind = \"momentum\"\nmomentum = 0.9\nrate = 0.1\nsteps = 20";
    let flow = "kind = \"flow\"\nuntil = 400.0";
    for second in ["strengths", "matrices"] {
        for rest in ["", "window = \"all\"", "last = \"heads\"", "softmax = \"all\""] {
            for objective in ["dot-product", "cross-entropy"] {
                for loss in ["population", "empirical", "online"] {
                    let batch = match loss {
                        "empirical" => "\nsequences = 20",
                        "online" => "\nbatch = 20",
                        _ => "",
                    };
                    let system = format!(
                        "heads = 2\nsecond = \"{second}\"\n{rest}\nobjective = \"{objective}\"\nloss = \"{loss}\"{batch}"
                    );
                    let text = changed(GOOD, &[("heads = 2", &system), (flow, steps)]);
                    let out = run(text).done();
                    assert!(out.contains("step 20"), "{system}: {out}");
                }
            }
        }
    }
}

#[test]
fn what_makes_no_world_is_refused_where_it_stands() {
    let cases: &[(Changes, &[&str])] = &[
        (&[("order = 3", "order = 1")], &["`system.order` is 1", "from 2 to 16", ":3:9"]),
        (&[("order = 3", "order = 17")], &["`system.order` is 17", "from 2 to 16", ":3:9"]),
        (&[("responses = 2", "responses = 1")], &["`system.responses` is 1", "from 2", ":4:13"]),
        (
            &[("heads = 2", "heads = 4")],
            &["heads is 4", "from 1 to the order 3", "looks for the h-th token", ":5:9"],
        ),
        (&[("[0.3, 0.2]", "[0.3]")], &["has 1 entries", "2 heads", ":7:8"]),
        (
            &[("[0.3, 0.2]", "[0.3, 0.2]\nw = [[0.0], [0.0]]")],
            &["shape 2 x 1", "need 2 x 3", ":8:5"],
        ),
        (&[("[0.3, 0.2]", "[0.3, 0.2]\nnoise = 0.1")], &["no matrices Q and K", ":8:9"]),
        (
            &[("order = 3", "order = 4"), ("heads = 2", "heads = 2\nsecond = \"matrices\"")],
            &["maps with queries", "draw sequences instead"],
        ),
        (
            &[("order = 3", "order = 8"), ("heads = 2", "heads = 2\nwindow = \"all\"")],
            &["362888 tokens", "at most 7"],
        ),
        (
            &[("order = 3", "order = 12"), ("heads = 2", "heads = 2\nloss = \"empirical\"")],
            &["12! = 479001600", "at most 10"],
        ),
        (
            &[("order = 3", "order = 7"), ("heads = 2", "heads = 2\nsoftmax = \"all\"")],
            &["`system.order` is 7", "operations", "loss = \"online\""],
        ),
        (
            &[
                ("kind = \"flow\"", "kind = \"reduced\""),
                ("heads = 2", "heads = 2\nsoftmax = \"all\""),
            ],
            &["jump-1", "keep (A0) to (A3)"],
        ),
    ];
    for (pairs, words) in cases {
        run(changed(GOOD, pairs)).fails(2, words);
    }
}

#[test]
fn the_start_is_degenerate_and_the_plateaus_lie_at_infinity() {
    let text = changed(GOOD, &[("until = 400.0", "until = 4000.0")]);
    let out = Folder::with("mine.toml", text).run(&["saddles", "mine.toml", "--all"]).done();
    let line = |start: &str| out.lines().find(|line| line.starts_with(start)).unwrap_or_default();
    assert!(line("start").contains("degenerate of order 3"), "{out}");
    assert!(line("M({})").contains("degenerate of order 3"), "{out}");
    for place in ["M({1})", "M({2})", "M({1,2})", "end"] {
        assert!(line(place).contains("at infinity"), "{place}: {out}");
    }
}

#[test]
fn a_run_says_in_which_order_heads_were_learned() {
    let text =
        changed(GOOD, &[("[0.3, 0.2]", "[0.02, 0.3]"), ("until = 400.0", "until = 40000.0")]);
    let text = format!("{text}[record]\nobservables = [\"loss\", \"head.*.beta\"]\n");
    let run = experiment(&text, &[]);
    assert_eq!(run["outcomes"]["order"], "2-1", "{run}");
}

/// A step of momentum is as long in flow time as a plain one of rate/(1 - momentum), so the shift that is put
/// down to the step size is that of plain descent at that rate; what is left is the rule's.
#[test]
fn attribution_sets_momentum_beside_plain_steps_of_the_same_time() {
    let flow = "kind = \"flow\"\nuntil = 400.0";
    let explained = |dynamics: &str| {
        let text = changed(GOOD, &[(flow, dynamics)]);
        let folder = Folder::with("mine.toml", text);
        let found = folder.run(&["attribute", "mine.toml", "--json"]).json();
        let jump = &found[0]["jumps"][0];
        let shift = |cause: &str| {
            let shares = jump["shares"].as_array().unwrap();
            let share = shares.iter().find(|share| share["cause"] == cause)?;
            share["shift"].as_f64()
        };
        let late = jump["training"].as_f64().unwrap() - jump["flow"].as_f64().unwrap();
        (shift("step size").unwrap(), shift("rule"), late)
    };
    let momentum = explained("kind = \"momentum\"\nmomentum = 0.9\nrate = 0.05\nsteps = 800");
    let plain = explained("kind = \"gd\"\nrate = 0.5\nsteps = 800");
    assert!((momentum.0 - plain.0).abs() < 1e-6 && plain.1.is_none(), "{momentum:?} {plain:?}");
    assert!((plain.0 - plain.2).abs() < 1e-6, "{plain:?}");
    let rule = momentum.1.unwrap();
    assert!(rule > 1.0 && (momentum.0 + rule - momentum.2).abs() < 1e-6, "{momentum:?}");
}

/// 001, Theorem 3.1(d): while one head moves, the flow keeps its law, and descent breaks it by its steps' length.
#[test]
fn the_law_of_a_lonely_head_is_kept_by_the_flow_and_not_by_descent() {
    let text = changed(GOOD, &[("heads = 2", "heads = 1"), ("[0.3, 0.2]", "[0.3]")]);
    let folder = Folder::with("mine.toml", text);
    let books = folder.run(&["invariants", "mine.toml", "--json"]).json();
    let law = |page: usize| {
        let entries = books["pages"][page]["invariants"].as_array().unwrap();
        let of = |name: &str| entries.iter().find(|entry| entry["name"] == name).unwrap();
        let largest = |name: &str| of(name)["largest"].as_f64().unwrap();
        (largest("head.0.f_minus_quarter_beta_squared"), largest("head.0.sum_w"))
    };
    let (flow, descent) = (law(0), law(1));
    assert!(flow.0 < 1e-9 && flow.1 < 1e-12, "{flow:?}");
    assert!(descent.0 > 1e-6 && descent.1 < 1e-10, "{descent:?}");
    // Two heads that move together have no such law.
    let out = Folder::with("mine.toml", GOOD).run(&["invariants", "mine.toml"]).done();
    assert!(out.contains("head.1.sum_w") && !out.contains("quarter"), "{out}");
}
