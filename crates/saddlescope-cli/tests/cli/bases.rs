//! Experiments that tests start from, each in a file of `bases/` with wrong changes to it and what the program says of them.

use serde_json::{Value, json};

use crate::program::{changed, repository, run};
use crate::verify::verify_cases;

const NAMES: [&str; 7] = [
    "linear-attention",
    "associative-recall",
    "ngram-to-induction",
    "scan-and-snap",
    "sparse-markov-regression",
    "sparse-markov-minimal",
    "sparse-markov-transformer",
];

pub(crate) fn read(name: &str) -> Value {
    let path = repository("crates/saddlescope-cli/tests/cli/bases").join(format!("{name}.toml"));
    let file: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    json!(file)
}

pub(crate) fn base(name: &str) -> String {
    read(name)["experiment"].as_str().unwrap().to_owned()
}

pub(crate) fn texts(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

#[test]
fn experiments_run_and_wrong_changes_are_refused_where_they_stand() {
    for name in NAMES {
        let base = base(name);
        run(&base).done();
        for case in read(name)["refused"].as_array().unwrap() {
            let (words, pairs) = case.as_array().unwrap().split_last().unwrap();
            let pairs = pairs.iter().map(|pair| {
                let pair = texts(pair);
                assert_eq!(base.matches(pair[0]).count(), 1, "{name}: {pair:?}");
                (pair[0], pair[1])
            });
            run(changed(&base, &pairs.collect::<Vec<_>>())).fails(2, &texts(words));
        }
    }
}

#[test]
fn every_model_runs_on_every_loss() {
    for name in &NAMES[1..4] {
        let (base, file) = (base(name), read(name));
        let lists = |field: &str| file["runs"][field].as_array().unwrap().iter().map(texts);
        let behind = file["runs"]["behind"].as_str().unwrap();
        let ways = lists("ways").fold(vec![behind.to_owned()], |all, lines| {
            let lines = &lines;
            all.iter()
                .flat_map(|way| lines.iter().map(move |line| format!("{way}\n{line}")))
                .collect()
        });
        let cannot = |way: &String| {
            lists("without").any(|words| words.iter().all(|word| way.contains(word)))
        };
        for way in ways.iter().filter(|way| !cannot(way)) {
            let changes = lists("changes").map(|pair| (pair[0], pair[1]));
            let pairs: Vec<_> = changes.chain([(behind, way.as_str())]).collect();
            run(changed(&base, &pairs)).shows(&["step 20"]);
        }
    }
}

#[test]
fn wrong_inputs_of_reference_cases_are_refused() {
    for name in &NAMES[1..4] {
        let case = &read(name)["case"];
        for wrong in case["wrong"].as_array().unwrap() {
            let mut inputs = case["inputs"].clone();
            inputs[wrong[0].as_str().unwrap()] = wrong[1].clone();
            let expected = json!({ case["value"].as_str().unwrap(): { "value": 0.5 } });
            let case = json!({ "id": "one", "kind": case["kind"], "inputs": inputs, "expected": expected });
            verify_cases(name, &json!([case])).fails(2, &[wrong[2].as_str().unwrap()]);
        }
    }
}
