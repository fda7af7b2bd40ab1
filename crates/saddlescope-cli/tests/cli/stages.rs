//! `stages`: plateaus and jumps of logs, of runs, and over seeds.

use crate::program::{Folder, assert_near, number};

/// A log with one jump, from 1 to 0.25 at step 300.
fn log() -> String {
    let mut text = "step,lr,train_loss\n".to_owned();
    for step in 0..1000_i32 {
        let way = 1.0 / (1.0 + (f64::from(300 - step) / 3.0).exp());
        text += &format!("{step},0.1,{}\n", 1.0 - 0.75 * way);
    }
    text
}

#[test]
fn a_log_of_anybody_has_stages() {
    let folder = Folder::with("log.csv", log());
    let words = ["`train_loss` over `step`, 1000 rows", "0.2500", "300."];
    folder.run("stages log.csv").shows(&words);
    let json = folder.run("stages log.csv --json").json();
    let jumps = json[0]["transitions"].as_array().unwrap();
    assert_eq!(jumps.len(), 1);
    assert_near(&[number(&jumps[0]["time"])], &[300.0], 0.2 / 300.0);
    assert!(jumps[0]["exact"].is_null());
    // A jump that is three quarters of the range is too small for one who wants more.
    let out = folder.run("stages log.csv --least-stay 1e9").done();
    assert!(!out.contains("300."), "{out}");
}

#[test]
fn what_is_wrong_with_a_log_is_said() {
    let folder = Folder::with("log.csv", log());
    let words = ["no column `train_los`", "did you mean `train_loss`?", "step, lr, train_loss"];
    folder.run("stages log.csv --loss train_los").fails(2, &words);
    folder.run("stages nowhere.csv").fails(2, &["cannot read nowhere.csv"]);
    folder.run("stages log.csv --least-drop 2").fails(2, &["--least-drop is 2"]);
    std::fs::write(folder.path("short.csv"), "step,loss\n1,2\n2,1\n").unwrap();
    folder.run("stages short.csv").fails(2, &["2 rows is too short"]);
    folder.run("stages .").fails(2, &["holds no runs"]);
}

/// A file of the laboratory's tests, which other people's libraries have written.
fn fixture(name: &str) -> String {
    format!("{}/../saddlescope-lab/tests/logs/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn logs_of_other_libraries_have_stages() {
    let folder = Folder::new();
    for (name, words) in [
        ("trainer_state.json", "`loss` over `step`, 60 rows"),
        ("parquet/pandas.parquet", "`loss` over `step`, 60 rows"),
        ("torch", "(the run was started again: 10 records"),
        ("tensorboardX/events.out.tfevents.1700000000.example", "`loss` over `step`, 60 rows"),
        ("checkpoints/checkpoints.toml", "layers.1.weight 8"),
    ] {
        let stages = |more: &str| folder.run(format!("stages '{}' {more}", fixture(name)));
        stages("").shows(&[words, "0.2500"]);
        let time = number(&stages("--json").json()[0]["transitions"][0]["time"]);
        assert!((time - 20.0).abs() < 0.3, "{name}: {time}");
    }
    // The flag's older name goes on working.
    let path = fixture("tensors/events.out.tfevents.1700000000.example");
    let words = ["seconds since the first event"];
    folder.run(format!("stages '{path}' --time wall_time --value double")).shows(&words);
    let words = ["which tag says what the loss was?", "--loss"];
    folder.run(format!("stages '{path}'")).fails(2, &words);
    let words = ["name one of the folders", "torch"];
    folder.run(format!("stages '{}'", fixture(""))).fails(2, &words);
}

#[test]
fn runs_have_stages_one_by_one_and_over_seeds() {
    let folder = Folder::new();
    let run = "run linear-attention/fig1 --seeds 3 --out runs";
    folder.run(run).shows(&["stages found in the loss, over seeds"]);
    let plan = "runs/linear-attention/fig1";
    let words = ["1 to 2", "3 of 3", "learned.0 100 %", "head.#2.value "];
    folder.run(format!("stages {plan}")).shows(&words);
    let one = format!("{plan}/runs/seed-4");
    folder.run(format!("stages {one}")).shows(&["581.9367 (exact)", "learned.3"]);
    let kept = folder.json(&format!("{one}/stages.json"));
    assert_eq!(kept["stages"]["transitions"].as_array().unwrap().len(), 4);
    let table = folder.read(&format!("{plan}/table.csv"));
    assert!(table.lines().next().unwrap().contains("stage.4.time"), "{table}");
    let parquet = format!("{one}/trajectory/part-0000.parquet");
    folder.run(format!("stages {parquet} --time time")).shows(&["`loss` over `time`"]);
    folder.run(format!("stages {plan} --time step")).fails(2, &["is a folder"]);
}
