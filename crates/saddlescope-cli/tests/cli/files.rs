//! What `run` prints and writes: tables, JSON, CSV, and files that are not to be lost.

use serde_json::{Value, json};

use crate::program::{Folder, number, numbers};

/// A single run.
const ONE: &str = "linear-attention/fig6";

#[test]
fn shipped_experiments_run() {
    let folder = Folder::new();
    let words = ["fig6: ", "36 parameters", "flow: converged at time", "half way at time"];
    folder.run(format!("run {ONE}")).shows(&words);
    let short = "--set dynamics.steps=50 --seeds 1";
    let words = ["gd: reached its end at time 40, step 50"];
    folder.run(format!("run linear-attention/fig3 {short}")).shows(&words);
    let paper = format!("run {ONE} --size paper --set system.sequences=200 {short}");
    folder.run(paper).shows(&["gd: reached its end at time 2, step 50"]);
}

#[test]
fn rows_are_picked_with_both_ends_and_counted() {
    let folder = Folder::new();
    let rows = |count: &str| {
        let out = folder.run(format!("run {ONE} --rows {count}")).done();
        let table = out.split("\n\n").nth(2).unwrap();
        let noted = table.contains("--rows 0 shows all");
        (table.lines().count() - 1 - usize::from(noted), noted)
    };
    let all = folder.run(format!("run {ONE} --json")).json();
    let all = all["trajectory"]["time"].as_array().unwrap().len();
    assert_eq!(rows("1"), (1, true));
    assert_eq!(rows("5"), (5, true));
    assert_eq!(rows("0"), (all, false));
    assert_eq!(rows("100000"), (all, false));
}

#[test]
fn json_has_all_keys_and_shapes() {
    let folder = Folder::new();
    let set = "--set system.rank=2 --set record.observables=[\"loss\",\"head.*.key\"]";
    let run = folder.run(format!("run {ONE} --json {set}")).json();
    let keys: Vec<&str> = run.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = "label variant varied version simd seconds system name seed hash parameters theory \
                    error phases crossings invariants note stages no_stages outcomes predictions \
                    labels experiment trajectory final";
    assert_eq!(keys.join(" "), expected);
    assert_eq!(run["error"], Value::Null);
    assert_eq!(run["theory"]["plateaus"].as_array().unwrap().len(), 5);
    assert_eq!(run["crossings"].as_array().unwrap().len(), 4);
    assert_eq!(run["final"].as_array().unwrap().len(), 4 * (1 + 2 * 2 * 4));
    assert_eq!(run["invariants"].as_array().unwrap().len(), 4 * (2 + 1));
    let stage = &run["phases"][0];
    assert_eq!((&stage["kind"], &stage["ended"]), (&json!("flow"), &json!("converged")));
    assert!(number(&stage["work"]["steps"]) > 0.0 && number(&stage["time"]) > 0.0);

    let trajectory = run["trajectory"].as_object().unwrap();
    let rows = trajectory["time"].as_array().unwrap().len();
    for (name, width) in [("step", 1), ("loss", 1), ("head.0.key", 8), ("head.3.key", 8)] {
        let series = trajectory[name].as_array().unwrap();
        let found = (series.len(), numbers(&trajectory[name]).len());
        assert_eq!(found, (rows, rows * width), "{name}");
    }
    assert_eq!(trajectory["head.0.key"][0].as_array().unwrap().len(), 2, "rank x dimension");
    assert_eq!(trajectory.len(), 2 + 1 + 4);

    // The experiment inside is a file that runs to the same numbers.
    let again = Folder::with("again.toml", run["experiment"].as_str().unwrap());
    let again = again.run("run again.toml --json").json();
    assert_eq!(again["final"], run["final"]);
    assert_eq!(again["experiment"], run["experiment"]);
}

#[test]
fn csv_and_json_files_hold_the_same_numbers() {
    let folder = Folder::new();
    let out = folder.run(format!("run {ONE} --out one.csv")).done();
    assert!(out.ends_with("written to one.csv\n"), "{out}");
    let printed = folder.run(format!("run {ONE} --json --out one.json")).json();
    let written = folder.json("one.json");
    assert_eq!(written["trajectory"], printed["trajectory"]);
    assert_eq!(folder.names(), ["one.csv", "one.json"], "nothing else is left behind");

    let csv = folder.read("one.csv");
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let headings = lines.next().unwrap();
    let names: Vec<&str> =
        written["trajectory"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(headings, names);
    for (row, cells) in lines.enumerate() {
        for (name, cell) in headings.iter().zip(cells) {
            let cell: f64 = cell.parse().unwrap();
            assert_eq!(cell.to_bits(), number(&written["trajectory"][name][row]).to_bits());
        }
    }
}

#[test]
fn files_are_not_written_over_unless_forced() {
    let folder = Folder::with("kept.csv", "precious");
    folder.run(format!("run {ONE} --out kept.csv")).fails(2, &["--out kept.csv", "--force"]);
    assert_eq!(folder.read("kept.csv"), "precious");
    folder.run(format!("run {ONE} --out kept.csv --force")).done();
    assert!(folder.read("kept.csv").starts_with("time,step,loss\n"));
}

#[test]
fn places_that_cannot_be_written_to_are_found_before_computing() {
    let folder = Folder::with(
        "endless.toml",
        "[system]\nname = \"linear-attention\"\n[dynamics]\nkind = \"gd\"\nrate = 1e-9\n\
         steps = 1000000000000\n",
    );
    std::fs::create_dir(folder.path("folder.csv")).unwrap();
    for (out, words) in [
        ("absent/x.csv", "cannot write to absent/x.csv: there is no such folder"),
        ("endless.toml/x.csv", "cannot write to endless.toml/x.csv"),
        ("folder.csv", "--out folder.csv: this is a folder"),
        ("endless.toml", "expected a folder, or a file that ends in .csv or .json"),
    ] {
        // It would never end if it computed first.
        folder.run(format!("run endless.toml --out {out} --force")).fails(2, &[words]);
    }
    assert_eq!(folder.names(), ["endless.toml", "folder.csv"]);
}

#[test]
fn a_run_that_blows_up_keeps_what_it_recorded_under_another_name() {
    let text = "[system]\nname = \"linear-attention\"\n[start]\nscale = 0.5\n\
                [dynamics]\nkind = \"gd\"\nrate = 50\nsteps = 1000\n";
    let folder = Folder::with("up.toml", text);
    let ran = folder.run("run up.toml --out up.csv");
    ran.fails(1, &["training blew up at step", "largest parameter head."]);
    ran.fails(1, &["a smaller rate may help"]);
    ran.fails(1, &["the run failed; what it had recorded is in up.failed.csv"]);
    assert!(ran.out.contains("gradient.norm") && !ran.out.contains("written to"), "{}", ran.out);
    assert!(folder.read("up.failed.csv").lines().count() > 2);
    // What stood under the asked name stays, even where it might have been written over.
    std::fs::write(folder.path("up.json"), "precious").unwrap();
    let ran = folder.run("run up.toml --json --out up.json --force");
    ran.fails(1, &["the run failed; what it had recorded is in up.failed.json"]);
    assert_eq!(folder.read("up.json"), "precious");
    let written = folder.json("up.failed.json");
    assert!(written["error"].as_str().unwrap().contains("blew up"));
    assert_eq!(folder.names(), ["up.failed.csv", "up.failed.json", "up.json", "up.toml"]);

    let ran = folder.run("run up.toml --json");
    ran.fails(1, &["blew up"]);
    let run: Value = ran.out.parse().unwrap();
    assert!(run["error"].as_str().unwrap().contains("blew up"));
    assert!(run["trajectory"]["time"].as_array().unwrap().len() > 1);
    assert_eq!((&run["final"], &run["phases"]), (&Value::Null, &json!([])));
}

#[test]
fn too_many_steps_fail_with_the_way_out() {
    let ran = Folder::new().run(format!("run {ONE} --set dynamics.max_steps=3"));
    ran.fails(1, &["has taken 3 steps", "raise max_steps"]);
}
