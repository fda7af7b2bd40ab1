//! Text of one's own through the program: files, their traces in a run's record, and what is refused.

use std::fs;

use crate::program::{Folder, number, numbers};

/// A transformer that is trained in milliseconds.
const SMALL: &str = "[system]
name = \"transformer\"
length = 4
batch = 3
valid_sequences = 5
width = 8
feedforward = 8
[dynamics]
kind = \"sgd\"
rate = 0.5
steps = 12
[record]
observables = [\"loss\", \"valid\", \"positions\", \"entropy\", \"entropy.*.*\", \"induction\", \"lags.0.1\", \"map.0.0.1\", \"norm.KQ\"]
sampling = \"every\"
stride = 4
";

const TRAIN: &str = " the cat saw the dog and the dog saw the cat \n\n the owl saw nothing \n";
const VALID: &str = " the dog saw the owl \n the cat saw a bird \n";

fn folder() -> Folder {
    let folder = Folder::with("mine.toml", SMALL);
    fs::write(folder.path("train.txt"), TRAIN).unwrap();
    fs::write(folder.path("valid.txt"), VALID).unwrap();
    folder
}

const FILES: &str = "--train train.txt --valid valid.txt";

#[test]
fn a_run_on_ones_own_text_has_its_words() {
    let folder = folder();
    let run = |more: &str| folder.run(format!("run mine.toml --json {more}")).json();
    let own = run(FILES);
    // the, <eos>, saw, cat, dog, and, owl, nothing, <unk>: the last for two words of the validation text.
    assert_eq!(words(&own), 9);
    assert_eq!(words(&run("")), 1475);
    let set = "--set system.train=\"train.txt\" --set system.valid=\"valid.txt\"";
    assert_eq!(run(set)["final"], own["final"]);
    assert_eq!(words(&run(&format!("--set system.vocabulary=4 {FILES}"))), 4);
}

/// The vocabulary of a run, from the number of its parameters: 17 for each word, and 512.
fn words(run: &serde_json::Value) -> usize {
    (numbers(&run["final"]).len() - 512) / 17
}

#[test]
fn what_is_seen_of_attention_adds_up() {
    let folder = folder();
    folder.run(format!("run mine.toml --out run.json {FILES}")).done();
    let columns = &folder.json("run.json")["trajectory"];
    let last = |name: &str| number(columns[name].as_array().unwrap().last().unwrap());
    let entropies = ["entropy.0.0", "entropy.0.1"].map(last);
    assert!((last("entropy") - 0.5 * (entropies[0] + entropies[1])).abs() < 1e-12);
    // Even attention over 1 to 4 tokens, which a few steps hardly change.
    let even = (1..=4).map(|n| f64::from(n).ln()).sum::<f64>() / 4.0;
    assert!((last("entropy") - even).abs() < 0.05, "{} {even}", last("entropy"));
    assert_eq!(columns["step"].as_array().unwrap().len(), 4, "steps 0, 4, 8 and 12");
}

#[test]
fn the_record_of_a_run_knows_its_texts() {
    let folder = folder();
    let run = || folder.run(format!("run mine.toml --out runs {FILES}"));
    run().done();
    let record = folder.read("runs/transformer/mine/run.toml");
    let inputs = record.split_once("[run.inputs]").unwrap().1;
    assert!(inputs.contains("\"system.train\" = \"") && inputs.contains("\"system.valid\" = \""));
    run().shows(&["this run was done before"]);
    fs::write(folder.path("train.txt"), TRAIN.replace("owl", "fox")).unwrap();
    run().fails(1, &["holds another run", "contents of system.train: "]);
    fs::write(folder.path("train.txt"), TRAIN).unwrap();
    run().done();
    folder.run("run mine.toml --out others").done();
    let record = folder.read("others/transformer/mine/run.toml");
    assert!(record.contains("[run.inputs]"), "the shipped text counts, too");
}

#[test]
fn a_kept_run_is_drawn_and_compared_without_its_text() {
    let folder = folder();
    let run = format!("run mine.toml --out runs {FILES}");
    folder.run(&run).done();
    folder.run(run + " --set seed=1 --set name=\"other\"").done();
    let [mine, other] = ["runs/transformer/mine", "runs/transformer/other"];
    let before = folder.read(&format!("{mine}/figure.svg"));
    for file in ["train.txt", "valid.txt", "runs/transformer/mine/figure.svg"] {
        fs::remove_file(folder.path(file)).unwrap();
    }
    folder.run(format!("plot {mine}")).done();
    assert_eq!(folder.read(&format!("{mine}/figure.svg")), before);
    let drawn = folder.run(format!("plot {mine} --columns entropy.0.1,valid")).done();
    assert!(!drawn.contains("not there"), "{drawn}");
    folder.run(format!("stages {mine}")).shows(&["no stages"]);
    let words = ["parameters at the end", "cannot be told: ", "no such file"];
    folder.run(format!("compare {mine} {other}")).shows(&words);
    // What needs the text says so.
    folder.run(format!("saddles {mine}")).fails(2, &["train.txt: there is no such file"]);
}

#[test]
fn files_that_are_no_text_are_named() {
    let folder = folder();
    fs::write(folder.path("latin.txt"), b"one\ntwo caf\xe9s\n").unwrap();
    fs::write(folder.path("empty.txt"), "\n \n").unwrap();
    fs::write(folder.path("short.txt"), "a b\n").unwrap();
    for (train, words) in [
        ("nowhere.txt", &["`system.train` does not fit", "nowhere.txt: there is no such file"][..]),
        ("latin.txt", &["latin.txt is no UTF-8 text: byte 11", "in line 2"]),
        ("empty.txt", &["empty.txt is empty: it has no words"]),
        (
            "short.txt",
            &["short.txt has 3 tokens, expected at least 5 (one sequence: length 4 + 1)"],
        ),
        (".", &["it is a folder, expected a file"]),
    ] {
        let ran = folder.run(format!("run mine.toml --train {train} --valid valid.txt"));
        ran.fails(2, words);
    }
}

#[test]
fn text_goes_to_systems_that_read_it() {
    let folder = folder();
    let fails = |line: &str, words: &str| folder.run(line).fails(2, &[words]);
    let words = "linear-attention reads no text; systems that do: transformer";
    fails(&format!("run linear-attention/fig1 {FILES}"), words);
    fails(&format!("reproduce linear-attention/fig1 {FILES}"), words);
    fails(&format!("reproduce linear-attention {FILES}"), "what is asked for reads no text");
    fails("run mine.toml --train train.txt", "--valid");
    let alone = "run mine.toml --set system.train=\"train.txt\"";
    fails(alone, "`system.train` needs valid beside it");
    let flow = "run mine.toml --set 'dynamics={ kind = \"flow\" }'";
    fails(flow, "`dynamics.kind` is \"flow\", but this loss has no flow");
}
