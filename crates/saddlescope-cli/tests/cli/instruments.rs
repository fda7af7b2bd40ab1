//! `compare`, `attribute`, `invariants` and `run --guard`: words, numbers and refusals.

use serde_json::{Value, json};

use crate::program::{Folder, number};

/// A flow and a descent from one start, kept.
fn two_runs() -> Folder {
    let folder = Folder::new();
    let run = "run linear-attention/fig1 --seeds 1 --set start.kind=aligned --set start.value=0.05";
    folder.run(format!("{run} --out flow")).done();
    let steps = "--set dynamics.kind=gd --set dynamics.rate=0.2 --set dynamics.steps=20000";
    folder.run(format!("{run} --out gd {steps}")).done();
    folder
}

#[test]
fn two_runs_are_laid_side_by_side() {
    let folder = two_runs();
    let (flow, descent) = ("flow/linear-attention/fig1", "gd/linear-attention/fig1");
    let words =
        ["dynamics.kind", "B - A", "clock aligned", "step size", "why B, which is training"];
    folder.run(format!("compare {flow} {descent}")).shows(&words);
    let numbers = folder.run(format!("compare {flow} {descent} --json")).json();
    let jump = &numbers["attribution"]["b"]["jumps"][0];
    // The ladder's flow is the other run.
    let crossing = &numbers["crossings"][0];
    assert!((number(&jump["flow"]) - number(&crossing["a"])).abs() < 1e-3, "{numbers:#}");
    // The run itself notes whole steps, the ladder what lies between them.
    let (whole, between) = (number(&crossing["b"]), number(&jump["training"]));
    assert!(between <= whole && whole - between <= 0.4, "{whole}, {between}");
    let alike = folder.run(format!("compare {flow} {flow} --json --draws 0")).json();
    assert_eq!(alike["settings"], json!([]));
    let distances = alike["distances"].as_array().unwrap();
    assert!(!distances.is_empty());
    assert!(distances.iter().all(|distance| distance["largest"] == 0.0), "{alike:#}");
    assert_eq!(alike["attribution"]["a"], Value::Null);
}

#[test]
fn what_cannot_be_compared_says_why() {
    let folder = Folder::new();
    folder.run("run linear-attention/fig1 --seeds 2 --out runs").done();
    let plan = "runs/linear-attention/fig1";
    folder.run(format!("compare {plan} {plan}")).fails(2, &["several runs", "seed-4", "seed-5"]);
    folder.run(format!("compare absent {plan}")).fails(2, &["absent"]);
}

#[test]
fn attribution_wants_training() {
    let attribute = |set: &str| Folder::new().run(format!("attribute linear-attention/fig1 {set}"));
    let words = ["no run of `linear-attention/fig1` is training", "dynamics.kind=gd"];
    attribute("").fails(2, &words);
    let adam = "--set dynamics.kind=adam --set dynamics.rate=0.01 --set dynamics.steps=10";
    attribute(adam).fails(1, &["no flow time"]);
}

#[test]
fn the_ledger_says_what_breaks_a_quantity() {
    let invariants =
        |more: &str| Folder::new().run(format!("invariants linear-attention/fig1 {more}"));
    let scale = "--set start.scale=0.3";
    let words = ["head.0.key_minus_value", "momentum 0.9", "their length", "grows as step^"];
    invariants(scale).shows(&words);
    let ledger = invariants(&format!("{scale} --json --rate 0.1")).json();
    assert_eq!(ledger["pages"][1]["dynamics"], "GD 0.1");
    invariants("--rate=-1").fails(2, &["--rate is -1"]);
    invariants("--momentum 1").fails(2, &["--momentum is 1"]);
    let minimal = Folder::new().run("invariants sparse-markov/fig1");
    minimal.fails(1, &["declares no conserved quantity"]);
}

#[test]
fn a_guarded_run_says_whether_its_jumps_stand() {
    let folder = Folder::new();
    let run = "run linear-attention/fig1 --seeds 1 --guard";
    folder.run(run).shows(&["guard: all 4 jumps stand"]);
    // Heads that start alike part by rounding.
    let alike = folder.path("alike.toml");
    std::fs::write(
        alike,
        "[system]\nname = \"linear-attention\"\neigenvalues = [0.5, 0.25]\nheads = 2\n\
         [start]\nkind = \"given\"\nvalue = [0.1, 0.1]\n\
         key = [[[0.08, 0.05]], [[0.08, 0.05]]]\nquery = [[[0.07, 0.06]], [[0.07, 0.06]]]\n\
         [dynamics]\nkind = \"flow\"\nuntil = 20000.0\n",
    )
    .unwrap();
    folder.run("run alike.toml --guard").shows(&["seeded by rounding"]);
    // A flow that is given up at the saddle has the same answer.
    let forever = folder.read("alike.toml").replace("until = 20000.0", "max_steps = 2000");
    std::fs::write(folder.path("forever.toml"), forever).unwrap();
    let given_up = folder.run("run forever.toml --guard");
    assert_eq!(given_up.code, 1, "{given_up:?}");
    let rows: Vec<&str> = given_up.out.lines().filter(|line| line.contains("seeded by")).collect();
    assert!(rows.len() == 1 && rows[0].contains(" 2 "), "{}", given_up.out);
    let numbers = folder.run("run alike.toml --guard --json").json();
    assert_eq!(numbers["guard"][0]["jumps"][1]["finding"], "seeded by rounding");
}
