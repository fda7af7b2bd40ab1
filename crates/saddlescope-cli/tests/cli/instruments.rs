//! `compare`, `attribute`, `invariants` and `run --guard`: words, numbers and refusals.

use serde_json::Value;

use crate::program::Folder;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A flow and a descent from one start, kept.
fn two_runs() -> Folder {
    let folder = Folder::new();
    let start = ["--set", "start.kind=aligned", "--set", "start.value=0.05"];
    let flow = ["run", "linear-attention/fig1", "--seeds", "1", "--out", "flow"];
    folder.run(&[&flow[..], &start].concat()).done();
    let descent = ["run", "linear-attention/fig1", "--seeds", "1", "--out", "gd"];
    let steps = ["dynamics.kind=gd", "dynamics.rate=0.2", "dynamics.steps=20000"];
    let steps = steps.map(|change| ["--set", change]).concat();
    folder.run(&[&descent[..], &start, &steps].concat()).done();
    folder
}

#[test]
fn two_runs_are_laid_side_by_side() {
    let folder = two_runs();
    let (flow, descent) = ("flow/linear-attention/fig1", "gd/linear-attention/fig1");
    let text = folder.run(&["compare", flow, descent]).done();
    for words in
        ["dynamics.kind", "B - A", "clock aligned", "step size", "why B, which is training"]
    {
        assert!(text.contains(words), "`{words}` is missing in\n{text}");
    }
    let numbers = json(&folder.run(&["compare", flow, descent, "--json"]).done());
    let jump = &numbers["attribution"]["b"]["jumps"][0];
    let number = |value: &Value| value.as_f64().unwrap();
    // The ladder's flow is the other run.
    let crossing = &numbers["crossings"][0];
    assert!((number(&jump["flow"]) - number(&crossing["a"])).abs() < 1e-3, "{numbers:#}");
    // The run itself notes whole steps, the ladder what lies between them.
    let (whole, between) = (number(&crossing["b"]), number(&jump["training"]));
    assert!(between <= whole && whole - between <= 0.4, "{whole}, {between}");
    let alike = json(&folder.run(&["compare", flow, flow, "--json", "--draws", "0"]).done());
    assert_eq!(alike["settings"], json("[]"));
    let distances = alike["distances"].as_array().unwrap();
    assert!(!distances.is_empty());
    assert!(distances.iter().all(|distance| distance["largest"] == 0.0), "{alike:#}");
    assert_eq!(alike["attribution"]["a"], Value::Null);
}

#[test]
fn what_cannot_be_compared_says_why() {
    let folder = Folder::new();
    folder.run(&["run", "linear-attention/fig1", "--seeds", "2", "--out", "runs"]).done();
    let plan = "runs/linear-attention/fig1";
    folder.run(&["compare", plan, plan]).fails(2, &["several runs", "seed-4", "seed-5"]);
    folder.run(&["compare", "absent", plan]).fails(2, &["absent"]);
}

#[test]
fn attribution_wants_training() {
    let folder = Folder::new();
    folder
        .run(&["attribute", "linear-attention/fig1"])
        .fails(2, &["no run of `linear-attention/fig1` is training", "dynamics.kind=gd"]);
    let adam = ["dynamics.kind=adam", "dynamics.rate=0.01", "dynamics.steps=10"];
    let adam = adam.map(|change| ["--set", change]).concat();
    let arguments = [&["attribute", "linear-attention/fig1"], &adam[..]].concat();
    folder.run(&arguments).fails(1, &["no flow time"]);
}

#[test]
fn the_ledger_says_what_breaks_a_quantity() {
    let folder = Folder::new();
    let arguments = ["invariants", "linear-attention/fig1", "--set", "start.scale=0.3"];
    let text = folder.run(&arguments).done();
    for words in ["head.0.key_minus_value", "momentum 0.9", "their length", "grows as step^"] {
        assert!(text.contains(words), "`{words}` is missing in\n{text}");
    }
    let ledger = json(&folder.run(&[&arguments[..], &["--json", "--rate", "0.1"]].concat()).done());
    assert_eq!(ledger["pages"][1]["dynamics"], "GD 0.1");
    folder.run(&[&arguments[..], &["--rate=-1"]].concat()).fails(2, &["--rate is -1"]);
    folder.run(&[&arguments[..], &["--momentum", "1"]].concat()).fails(2, &["--momentum is 1"]);
    let full = ["system.attention=full", "system.loss=empirical"];
    let full = full.map(|change| ["--set", change]).concat();
    let until = ["--set", "dynamics.until=5.0", "--set", "record.observables=[\"loss\"]"];
    folder
        .run(&[&arguments[..2], &full[..], &until].concat())
        .fails(1, &["declares no conserved quantity"]);
}

#[test]
fn a_guarded_run_says_whether_its_jumps_stand() {
    let folder = Folder::new();
    let run = ["run", "linear-attention/fig1", "--seeds", "1", "--guard"];
    let text = folder.run(&run).done();
    assert!(text.contains("guard: all 4 jumps stand"), "{text}");
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
    let text = folder.run(&["run", "alike.toml", "--guard"]).done();
    assert!(text.contains("seeded by rounding"), "{text}");
    // A flow that is given up at the saddle has the same answer.
    let forever = folder.read("alike.toml").replace("until = 20000.0", "max_steps = 2000");
    std::fs::write(folder.path("forever.toml"), forever).unwrap();
    let given_up = folder.run(&["run", "forever.toml", "--guard"]);
    assert_eq!(given_up.code, 1, "{given_up:?}");
    let rows: Vec<&str> = given_up.out.lines().filter(|line| line.contains("seeded by")).collect();
    assert!(rows.len() == 1 && rows[0].contains(" 2 "), "{}", given_up.out);
    let numbers = json(&folder.run(&["run", "alike.toml", "--guard", "--json"]).done());
    assert_eq!(numbers["guard"][0]["jumps"][1]["finding"], "seeded by rounding");
}
