//! `verify`: the shipped reference file, changed copies of it, and files that are wrong.

use serde_json::{Value, json};

use crate::bases::{self, texts};
use crate::program::{Folder, Ran, last_line, number, repository};

fn oracle() -> Value {
    std::fs::read_to_string(repository("tests/oracle/linear-attention.json"))
        .unwrap()
        .parse()
        .unwrap()
}

pub(crate) fn verify(file: &Value) -> Ran {
    Folder::with("cases.json", file.to_string()).run("verify cases.json")
}

pub(crate) fn verify_cases(system: &str, cases: &Value) -> Ran {
    verify(&json!({ "system": system, "about": "", "cases": cases }))
}

pub(crate) fn case(kind: &str, inputs: &Value, expected: &Value) -> Value {
    let case = json!({ "id": "one", "kind": kind, "inputs": inputs, "expected": expected });
    json!({ "system": "linear-attention", "about": "", "cases": [case] })
}

/// All values of a system's file are right.
#[track_caller]
fn passes(folder: &str, system: &str, values: usize) {
    let path = repository(&format!("{folder}/{system}.json"));
    let out = Folder::new().run(format!("verify '{}'", path.display())).done();
    let words = format!("verify: {values} of {values} values within tolerance");
    assert_eq!(last_line(&out), words, "{system}");
}

#[test]
fn the_reference_files_pass_in_full() {
    for (system, values) in [
        ("linear-attention", 79),
        ("associative-recall", 50),
        ("ngram-to-induction", 218),
        ("scan-and-snap", 68),
        ("sparse-markov", 50),
        // Its names have parts that depend on the case.
        ("transformer", 886),
    ] {
        passes("tests/oracle", system, values);
    }
}

/// Files of `cases/`, which say what theirs are.
#[test]
fn other_inputs_of_the_same_kinds_are_recomputed() {
    for (system, values) in [
        ("linear-attention", 30),
        ("associative-recall", 3),
        ("ngram-to-induction", 3),
        ("scan-and-snap", 3),
        ("sparse-markov", 5),
    ] {
        passes("crates/saddlescope-cli/tests/cli/cases", system, values);
    }
}

#[test]
fn all_values_are_shown_where_asked_for() {
    let path = repository("tests/oracle/linear-attention.json");
    let all = Folder::new().run(format!("verify --all '{}'", path.display())).done();
    assert_eq!(all.lines().filter(|line| line.contains(" ok ")).count(), 79);
    assert!(!all.contains("DEVIATES"), "{all}");
}

#[test]
fn a_flow_that_rests_for_long_costs_little() {
    let mut file = oracle();
    let cases = file["cases"].as_array_mut().unwrap();
    cases.retain(|case| case["inputs"].get("Tmax").is_some());
    assert_eq!(cases.len(), 3);
    for case in cases {
        case["inputs"]["Tmax"] = json!(1e8);
    }
    let out = verify(&file).done();
    assert_eq!(last_line(&out), "verify: 27 of 27 values within tolerance");
    // An explicit method takes steps of bounded length: millions of them.
    let run = "run linear-attention --set dynamics.until=1e8 --json";
    let steps = number(&Folder::new().run(run).json()["phases"][0]["step"]);
    assert!(steps < 1000.0, "{steps}");
}

#[test]
fn a_value_that_is_slightly_off_is_found_and_named() {
    for (case, name, pointer) in [
        (0, "L_m", "/value/2"),
        (4, "kdot", "/value/0/0/1"),
        (5, "loss_at_times", "/value/3"),
        (8, "t_half_drop", "/value"),
        (10, "y_hat_q", "/value"),
    ] {
        let mut file = oracle();
        let expected = &mut file["cases"][case]["expected"][name];
        let size = expected["value"].pointer(&pointer["/value".len()..]).unwrap().as_f64().unwrap();
        let [rtol, atol] = ["rtol", "atol"].map(|key| expected[key].as_f64().unwrap());
        *expected.pointer_mut(pointer).unwrap() = json!(size + 3.0 * (atol + rtol * size.abs()));
        let ran = verify(&file);
        assert_eq!((ran.code, ran.err.as_str()), (1, ""), "{name}: {}", ran.out);
        assert_eq!(last_line(&ran.out), "verify: 78 of 79 values within tolerance");
        let id = file["cases"][case]["id"].as_str().unwrap();
        let line = ran.out.lines().find(|line| line.contains("DEVIATES")).unwrap();
        assert!(line.starts_with(id) && line.contains(&format!(" {name} ")), "{line}");
        assert!(line.contains("off by") && line.contains("tolerance"), "{line}");
    }
}

#[test]
fn every_name_of_a_case_can_stand_alone() {
    let file = oracle();
    for case in file["cases"].as_array().unwrap() {
        let expected = case["expected"].as_object().unwrap();
        let alone = |(name, value): (&String, &Value)| {
            let mut case = case.clone();
            case["id"] = json!(name);
            case["expected"] = json!({ name.as_str(): value });
            case
        };
        // Flows to late times are worth one run, not one per name.
        let names = if case["kind"] == "gradient_flow" { 3 } else { expected.len() };
        let cases: Vec<Value> = expected.iter().take(names).map(alone).collect();
        let out = verify(&json!({ "system": "linear-attention", "cases": cases })).done();
        assert_eq!(last_line(&out), format!("verify: {names} of {names} values within tolerance"));
    }
}

#[test]
fn several_files_are_counted_together() {
    let good = case(
        "static_fixed_points",
        &json!({ "eigenvalues": [1.0], "N": 1 }),
        &json!({ "a_d": { "value": [3], "rtol": 1e-14 } }),
    );
    let mut bad = good.clone();
    bad["cases"][0]["expected"]["a_d"]["value"] = json!([4]);
    let folder = Folder::with("good.json", good.to_string());
    std::fs::write(folder.path("bad.json"), bad.to_string()).unwrap();
    let ran = folder.run("verify good.json bad.json");
    assert_eq!(ran.code, 1);
    assert_eq!(last_line(&ran.out), "verify: 1 of 2 values within tolerance");
}

#[test]
fn files_that_are_wrong_are_refused_with_the_place() {
    let good = || {
        case(
            "static_fixed_points",
            &json!({ "eigenvalues": [1.0], "N": 3 }),
            &json!({ "L_m": { "value": [1] } }),
        )
    };
    for wrong in bases::read("reference-file")["wrong"].as_array().unwrap() {
        let mut file = good();
        *file.pointer_mut(wrong[0].as_str().unwrap()).unwrap() = wrong[1].clone();
        verify(&file).fails(2, &[vec!["cases.json: "], texts(&wrong[2])].concat());
    }
    assert_eq!(verify(&good()).code, 1, "the unchanged file is one that can be used");
}

#[test]
fn a_case_that_is_wrong_does_not_hide_the_others() {
    let mut file = oracle();
    file["cases"][0]["inputs"].as_object_mut().unwrap().remove("eigenvalues");
    let ran = verify(&file);
    ran.fails(2, &["case `C-P1 Fig1`: input `eigenvalues` is missing"]);
    assert_eq!(last_line(&ran.out), "verify: 75 of 79 values within tolerance");
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = Folder::with("broken.json", "{\n \"system\": \"linear-attention\",\n ]");
    std::fs::create_dir(folder.path("folder")).unwrap();
    let fails = |name: &str, words: &[&str]| folder.run(format!("verify {name}")).fails(2, words);
    fails("broken.json", &["broken.json is not JSON", "line 3 column 2"]);
    fails("absent.json", &["cannot read absent.json: there is no such file"]);
    fails("folder", &["cannot read folder: it is a folder"]);
    folder.run("verify").fails(2, &["<FILE>"]);
}
