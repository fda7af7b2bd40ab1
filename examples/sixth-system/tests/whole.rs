//! The program with one more system: every instrument works on a system that Saddlescope does not know.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn program(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sixth-system")).args(arguments).output().unwrap()
}

fn printed(arguments: &[&str]) -> String {
    let output = program(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(arguments)).unwrap()
}

/// `(tau/2s) ln((1/(1 - part) - 1) (s - a)/a)`, on paper.
fn learning_time(s: f64, a: f64, part: f64) -> f64 {
    ((part / (1.0 - part)) * (s - a) / a).ln() / (2.0 * s)
}

#[test]
fn it_is_listed_explained_and_cited() {
    let list = printed(&["list"]);
    assert!(list.contains("linear-network/modes") && list.contains("linear-attention/fig1"));
    assert!(printed(&["schema", "linear-network"]).contains("singular_values"));
    assert!(printed(&["cite", "linear-network"]).contains("Ganguli"));
}

#[test]
fn claims_hold_and_reference_cases_agree() {
    assert!(printed(&["check", "linear-network"]).contains("holds"));
    let text = printed(&["verify", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracle.json")]);
    assert!(text.ends_with("verify: 2 of 2 values within tolerance\n"), "{text}");
}

/// From one mode, the loss is half way down when `(s - a)^2 = s^2/2`.
#[test]
fn a_flow_jumps_when_the_closed_form_says() {
    let run = json(&[
        "run",
        "linear-network/modes",
        "--json",
        "--set",
        "system.singular_values=[2.0]",
        "--set",
        "system.hidden=1",
        "--set",
        "start.strength=1e-4",
    ]);
    let runs = run["runs"].as_array().unwrap();
    let predicted = learning_time(2.0, 1e-4, 1.0 - 0.5_f64.sqrt());
    for run in &runs[..2] {
        let time = run["crossings"][0]["time"].as_f64().unwrap();
        assert!((time - predicted).abs() < 1e-7, "{time}, but {predicted}");
    }
}

#[test]
fn attribution_finds_the_step_size_and_an_exact_theory() {
    let all = json(&["attribute", "linear-network/modes", "--json"]);
    let jump = &all[0]["jumps"][0];
    let share = |cause: &str| {
        let shares = jump["shares"].as_array().unwrap();
        shares.iter().find(|s| s["cause"] == cause).unwrap()["shift"].as_f64().unwrap()
    };
    assert!(share("theory").abs() < 1e-6, "{jump}");
    assert!(share("step size") > 1e-3, "{jump}");
    assert!((jump["step_size_order"].as_f64().unwrap() - 1.0).abs() < 0.1, "{jump}");
}

#[test]
fn times_grow_with_the_logarithm_of_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    printed(&["reproduce", "linear-network/time-against-scale", "--out", out]);
    let place = folder.path().join("linear-network/time-against-scale");
    let fit = ["fit", place.to_str().unwrap(), "--x", "start.strength", "--y", "crossing.1"];
    let text = printed(&[&fit[..], &["--law", "log"]].concat());
    // b = -1/(2 s) with s = 2.
    assert!(text.contains("-0.25"), "{text}");
}

#[test]
fn stages_say_what_was_learned() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let flow = ["--set", "start.strength=1e-9", "--seeds", "1", "--out", out];
    let text = printed(&[&["run", "linear-network/modes"], &flow[..]].concat());
    let place = folder.path().join("linear-network/modes");
    let stages = printed(&["stages", place.to_str().unwrap()]);
    assert!(stages.contains("learned"), "{text}{stages}");
}

#[test]
fn the_ledger_is_kept() {
    let ledger = json(&["invariants", "linear-network/time-against-scale", "--json"]);
    let worst = |page: usize| {
        let entries = ledger["pages"][page]["invariants"].as_array().unwrap();
        entries.iter().map(|entry| entry["largest"].as_f64().unwrap()).fold(0.0, f64::max)
    };
    assert!(worst(0) < 1e-9, "{ledger}");
}

#[test]
fn runs_are_kept_compared_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    printed(&["reproduce", "linear-network/modes", "--out", out]);
    let place = folder.path().join("linear-network/modes");
    for file in ["figure.svg", "figure.png", "figure.pdf", "claims.json"] {
        assert!(place.join(file).exists(), "{file}");
    }
    let runs = place.join("runs");
    let run = |part: &str| {
        let names = std::fs::read_dir(&runs).unwrap().map(|entry| entry.unwrap().path());
        let fits = |path: &std::path::PathBuf| path.to_string_lossy().contains(part);
        names.into_iter().find(fits).unwrap().display().to_string()
    };
    let text = printed(&["compare", &run("flow"), &run("gd")]);
    assert!(text.contains("step size"), "{text}");
    assert!(Path::new(&run("flow")).join("stages.json").exists());
}

#[test]
fn saddles_have_certificates_and_a_graph() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    printed(&["reproduce", "linear-network/saddle-graph", "--out", out]);
    assert!(folder.path().join("linear-network/saddle-graph/figure.svg").exists());
    // At zero weights every hidden unit has a way down for every singular value.
    let certificates = printed(&["saddles", "linear-network/saddle-graph", "--all"]);
    assert!(certificates.contains("non-degenerate"), "{certificates}");
}

/// Aligned modes are learned in the order of their singular values.
#[test]
fn outcomes_are_columns_that_figures_place_and_colour_runs_by() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("runs").display().to_string();
    let file = folder.path().join("mine.toml").display().to_string();
    let figure = |colour: &str| {
        let text = format!(
            "[system]\nname = 'linear-network'\nsingular_values = [3.0, 2.0]\nhidden = 2\n\
             [start]\nkind = 'aligned'\nstrength = 1e-4\n[dynamics]\nkind = 'flow'\nuntil = 12.0\n\
             [record]\nobservables = ['loss', 'learned.*']\n[[figure.panel]]\nkind = 'map'\n\
             x = 'end.time'\ny = 'modes.learned'\ncolour = '{colour}'\n\
             [[figure.panel]]\nkind = 'tokens'\n"
        );
        std::fs::write(&file, text).unwrap();
    };
    figure("order");
    let only = json(&["run", &file, "--json"]);
    assert_eq!(only["outcomes"], serde_json::json!({ "modes.learned": 2.0, "order": "1-2" }));
    assert!(printed(&["run", &file]).contains("came to: modes.learned = 2, order = 1-2\n"));
    // The second time, runs that are done are read.
    for _ in 0..2 {
        let vary = "start.strength=1e-4,1e-3";
        let many = json(&["run", &file, "--json", "--vary", vary, "--out", &out]);
        for row in many["table"].as_array().unwrap() {
            assert_eq!(
                (row["modes.learned"].as_f64(), row["order"].as_str()),
                (Some(2.0), Some("1-2"))
            );
        }
    }
    let table = std::fs::read_to_string(Path::new(&out).join("linear-network/mine/table.csv"));
    assert!(table.unwrap().contains("modes.learned,order"));
    let drawn = std::fs::read_to_string(Path::new(&out).join("linear-network/mine/figure.svg"));
    assert!(drawn.unwrap().contains("1-2"));
    figure("ordre");
    let error = String::from_utf8(program(&["run", &file]).stderr).unwrap();
    assert!(error.contains("did you mean `order`?"), "{error}");
}

#[test]
fn bad_input_is_named() {
    let output =
        program(&["run", "linear-network/modes", "--set", "system.singular_values=[1.0, 2.0]"]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("falling order"), "{error}");
}
