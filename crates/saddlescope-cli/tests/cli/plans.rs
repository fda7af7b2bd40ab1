//! Many runs from one file: seeds, varied settings, arms, sizes, and one that fails.

use serde_json::Value;

use crate::program::{Folder, number, run};

const SYSTEM: &str = "[system]\nname = \"linear-attention\"\n";

fn table(folder: &Folder, args: &str) -> Vec<Value> {
    let run = folder.run(format!("run mine.toml --json {args}")).json();
    run["table"].as_array().unwrap().clone()
}

#[test]
fn seeds_and_varied_settings_multiply() {
    let folder = Folder::with("mine.toml", SYSTEM);
    let vary = "--vary system.rank=1,2 --vary start.scale=0.05..0.2:log2";
    let rows = table(&folder, &format!("--seeds 2 {vary}"));
    assert_eq!(rows.len(), 8);
    let first: Vec<f64> = rows.iter().map(|row| number(&row["crossing.1"])).collect();
    for pair in rows.chunks(2) {
        assert_eq!((&pair[0]["seed"], &pair[1]["seed"]), (&0.into(), &1.into()));
        assert_ne!(pair[0]["crossing.1"], pair[1]["crossing.1"]);
    }
    // A start four times as large escapes about four times as fast.
    let ratio = first[0] / first[2];
    assert!((3.5..4.5).contains(&ratio), "{ratio}");
    folder.run("run mine.toml --seeds 3").shows(&["3 runs (seeds 0 to 2)", "crossing.4"]);
}

#[test]
fn a_member_is_the_run_that_stands_alone() {
    let folder = Folder::with("mine.toml", SYSTEM);
    let alone = folder.run("run mine.toml --json --set seed=5").json();
    let together = folder.run("run mine.toml --json --seeds 4..6").json();
    assert_eq!(together["runs"][1]["final"], alone["final"]);
    assert_eq!(together["runs"][1]["trajectory"], alone["trajectory"]);
}

#[test]
fn arms_run_side_by_side_on_one_clock() {
    let text = format!(
        "{SYSTEM}[start]\nkind = \"aligned\"\nvalue = 0.05\n[[arm]]\nname = \"flow\"\n[[arm]]\nname = \"law\"\n\
         dynamics = {{ kind = \"reduced\" }}\n[[arm]]\nname = \"GD\"\n\
         dynamics = {{ kind = \"gd\", rate = 0.05, steps = 20000 }}\n"
    );
    let rows = table(&Folder::with("mine.toml", text), "");
    let times: Vec<f64> = rows.iter().map(|row| number(&row["crossing.2"])).collect();
    assert!((times[1] / times[0] - 1.0).abs() < 1e-6, "the law is exact here: {times:?}");
    assert!((times[2] / times[0] - 1.0).abs() < 0.01, "GD is near: {times:?}");
}

#[test]
fn a_run_that_fails_does_not_stop_the_others() {
    let text = format!(
        "{SYSTEM}[start]\nscale = 0.5\n[dynamics]\nkind = \"gd\"\nsteps = 500\n[vary]\n\
         dynamics.rate = [0.01, 50.0, 0.02]\n"
    );
    let folder = Folder::with("mine.toml", text);
    let ran = folder.run("run mine.toml");
    ran.fails(1, &["1 of 3 runs failed:", "rate-50", "blew up at step"]);
    assert_eq!(ran.out.lines().filter(|line| line.contains("  end  ")).count(), 2, "{}", ran.out);
    // The reason is kept, in the table and with the run.
    for again in [false, true] {
        let ran = folder.run("run mine.toml --out kept");
        ran.fails(1, &["1 of 3 runs failed:", "blew up at step"]);
        let table = folder.read("kept/linear-attention/mine/table.csv");
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines[0].contains(",reason,") && lines[2].contains("blew up at step"), "{table}");
        assert!(!lines[1].contains("blew up"), "{table}");
        assert_eq!(ran.out.contains("2 were done before"), again, "{}", ran.out);
    }
}

#[test]
fn what_no_member_can_do_is_wrong_input() {
    let folder = Folder::with("mine.toml", format!("{SYSTEM}[record]\nobservables = [\"los\"]\n"));
    for seeds in ["1", "3"] {
        let ran = folder.run(format!("run mine.toml --seeds {seeds}"));
        ran.fails(2, &["`record.observables` names `los`", "did you mean `loss`?"]);
    }
    for (panel, words) in [
        ("only = [\"arm = flow\"]", "runs differ in seed"),
        ("facet = \"system.rank\"", "runs differ in seed"),
        ("theory = [\"lvels\"]", "did you mean `levels`?"),
        ("kind = \"table\"\ncolumns = [\"end.los\"]", "did you mean `end.loss`?"),
    ] {
        let folder = Folder::with("mine.toml", format!("{SYSTEM}[[figure.panel]]\n{panel}\n"));
        folder.run("run mine.toml --out kept").fails(2, &[words]);
        // A plan that was refused is in nobody's way.
        std::fs::write(folder.path("mine.toml"), SYSTEM).unwrap();
        folder.run("run mine.toml --out kept").done();
    }
    let words = ["the figure draws `head.*.key`, which is not recorded"];
    run(format!("{SYSTEM}[[figure.panel]]\ny = [\"head.*.key\"]\n")).fails(2, &words);
}

#[test]
fn what_an_arm_does_not_have_is_not_varied_there() {
    let text = format!(
        "{SYSTEM}[vary]\nstart.scale = [0.1, 0.2, 0.4]\nstart.value = [0.1, 0.2]\n[[arm]]\nname = \"random\"\n\
         [[arm]]\nname = \"aligned\"\nstart = {{ kind = \"aligned\" }}\n"
    );
    let folder = Folder::with("mine.toml", text);
    let rows = table(&folder, "");
    assert_eq!(rows.len(), 5);
    assert_eq!((&rows[2]["start.scale"], &rows[2]["start.value"]), (&0.4.into(), &Value::Null));
    assert_eq!((&rows[4]["start.scale"], &rows[4]["start.value"]), (&Value::Null, &0.2.into()));
    folder.run("run mine.toml --out kept").done();
    assert!(folder.path("kept/linear-attention/mine/runs/arm-aligned_value-0.2_seed-0").exists());
    // The plan that is kept is the same plan.
    folder.run("run mine.toml --out kept").shows(&["of 5 runs, 5 were done before"]);
    // What no arm has is a mistake.
    let none = format!("{SYSTEM}[vary]\nstart.value = [0.1, 0.2]\n[[arm]]\nname = \"random\"\n");
    run(none).fails(2, &["start.value"]);
}

#[test]
fn one_number_of_a_list_is_set_and_varied() {
    let folder = Folder::with("mine.toml", SYSTEM);
    let rows = table(&folder, "--vary system.eigenvalues.0=0.4..0.8:log2");
    let times: Vec<f64> = rows.iter().map(|row| number(&row["crossing.1"])).collect();
    assert_eq!(number(&rows[1]["system.eigenvalues.0"]), 0.8);
    assert!((3.0..5.0).contains(&(times[0] / times[1])), "{times:?}");
    let alone = folder.run("run mine.toml --json --set system.eigenvalues.0=0.8").json();
    assert_eq!(alone["crossings"][0]["time"], rows[1]["crossing.1"]);
    let words = ["there is no entry 4 in `eigenvalues`, which has entries 0 to 3"];
    folder.run("run mine.toml --set system.eigenvalues.4=0.8").fails(2, &words);
}
