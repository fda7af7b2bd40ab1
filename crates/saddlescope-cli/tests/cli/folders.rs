//! Runs that are kept: found again, gone on with after an interruption, never lost by accident.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Stdio};

use crate::program::{Folder, eventually};

/// Many steps of a quick optimiser: more than one leg.
const LONG: &str = "name = \"long\"\n[system]\nname = \"linear-attention\"\nloss = \"online\"\n\
                    batch = 64\n[dynamics]\nkind = \"adam\"\nrate = 1e-4\nsteps = 80000\n";

const PLACE: &str = "runs/linear-attention/long";

/// All files below a folder with their contents; what a run took in time is no part of it.
pub(crate) fn contents(folder: &Folder, place: &str) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, all: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, all);
                continue;
            }
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if name != ".lock" && name != "run.toml" {
                all.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    let (root, mut all) = (folder.path(place), BTreeMap::new());
    walk(&root, &root, &mut all);
    all
}

#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    let status = std::process::Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(status.unwrap().success());
}

#[test]
fn a_finished_run_is_found_again() {
    let folder = Folder::new();
    let run = "run linear-attention/fig6 --out runs";
    let place = "runs/linear-attention/fig6";
    folder.run(run).shows(&["kept in runs/linear-attention/fig6"]);
    let before = contents(&folder, place);
    for name in ["plan.toml", "figure.svg", "figure.png", "figure.pdf", "stages.json"] {
        assert!(before.contains_key(name), "{name} in {:?}", before.keys());
    }
    folder.run(run).shows(&["this run was done before"]);
    assert_eq!(contents(&folder, place), before);

    let other = format!("{run} --set system.rank=2");
    folder.run(&other).fails(2, &["runs of another plan", "rank = 1", "rank = 2", "--force"]);
    assert_eq!(contents(&folder, place), before, "nothing was touched");
    folder.run(other + " --force").done();
    let end = "snapshots/end.safetensors";
    assert_ne!(contents(&folder, place)[end], before[end]);
}

#[test]
fn a_plan_may_grow_but_not_change() {
    let folder = Folder::with("mine.toml", "[system]\nname = \"linear-attention\"\n");
    let run = |seeds: &str| folder.run(format!("run mine.toml --seeds {seeds} --out kept"));
    run("2").done();
    run("3").shows(&["of 3 runs, 2 were done before, 0 went on, 1 are new"]);
    run("1").fails(2, &["runs of another plan"]);
    let table = folder.read("kept/linear-attention/mine/table.csv");
    assert_eq!(table.lines().count(), 4, "{table}");
}

#[test]
fn a_single_run_grows_into_several() {
    let folder = Folder::with("mine.toml", "[system]\nname = \"linear-attention\"\n");
    let run = "run mine.toml --out kept";
    folder.run(run).done();
    let place = "kept/linear-attention/mine";
    let alone = contents(&folder, place);
    let words = ["of 2 runs, 1 were done before, 0 went on, 1 are new"];
    folder.run(format!("{run} --seeds 2")).shows(&words);
    let moved = contents(&folder, &format!("{place}/runs/seed-0"));
    for name in ["trajectory/part-0000.parquet", "snapshots/end.safetensors", "stages.json"] {
        assert_eq!(moved[name], alone[name], "{name}");
    }
    assert!(!folder.path(place).join("run.toml").exists());
    // Its name may change, too.
    let folder = Folder::with("mine.toml", "[system]\nname = \"linear-attention\"\n");
    folder.run(run).done();
    let words = ["of 2 runs, 1 were done before"];
    folder.run(format!("{run} --vary start.scale=0.05,0.1")).shows(&words);
}

#[test]
#[cfg(unix)]
fn ctrl_c_keeps_whole_legs_and_the_same_command_goes_on() {
    let folder = Folder::with("long.toml", LONG);
    let run = "run long.toml --out runs";
    let whole = Folder::with("long.toml", LONG);
    // On a busy machine it takes so long that it says how far it is.
    assert_eq!(whole.run(run).code, 0);
    // As soon as it has begun, and again when it has a whole leg.
    for legs in ["legs = 0\n", "legs = 1\n"] {
        let child =
            folder.command(run).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let file = folder.path(PLACE).join("run.toml");
        eventually(legs, || std::fs::read_to_string(&file).is_ok_and(|text| text.contains(legs)));
        signal(&child, "-INT");
        let ended = child.wait_with_output().unwrap();
        let out = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert_eq!(ended.status.code(), Some(130), "{out}");
        assert!(out.contains("the same command goes on"), "{out}");
    }
    folder.run(run).shows(&["went on where it was interrupted"]);
    assert_eq!(contents(&folder, PLACE), contents(&whole, PLACE));
}

#[test]
#[cfg(unix)]
fn two_processes_do_not_write_one_run() {
    let folder = Folder::with("long.toml", LONG.replace("80000", "100000000"));
    let run = "run long.toml --out runs";
    let mut child =
        folder.command(run).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("run.toml", || folder.path(PLACE).join("run.toml").exists());
    let second = folder.run(run);
    child.kill().unwrap();
    child.wait().unwrap();
    second.fails(1, &["another process"]);
}

#[test]
fn damage_is_named_and_nothing_else_is_lost() {
    let folder = Folder::new();
    let run = "run linear-attention/fig6 --out runs";
    folder.run(run).done();
    let part = folder.path("runs/linear-attention/fig6/trajectory/part-0000.parquet");
    let bytes = std::fs::read(&part).unwrap();
    std::fs::write(&part, &bytes[..bytes.len() / 2]).unwrap();
    folder.run(run).fails(1, &["part-0000.parquet"]);
    let ran = folder.run("plot runs/linear-attention/fig6");
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.out.contains("part-0000.parquet"), "{ran:?}");
    std::fs::write(&part, bytes).unwrap();
    folder.run(run).done();
}

#[test]
fn a_folder_of_somebody_else_is_left_alone() {
    let folder = Folder::new();
    let place = folder.path("runs/linear-attention/fig6");
    std::fs::create_dir_all(&place).unwrap();
    std::fs::write(place.join("thesis.tex"), "precious").unwrap();
    for force in ["", "--force"] {
        let ran = folder.run(format!("run linear-attention/fig6 --out runs {force}"));
        ran.fails(1, &["thesis.tex"]);
        assert_eq!(std::fs::read_to_string(place.join("thesis.tex")).unwrap(), "precious");
    }
}

#[test]
fn force_replaces_several_runs_by_one() {
    let folder = Folder::new();
    let run = |seeds: &str| {
        let run = "run linear-attention/fig1 --out runs --set dynamics.until=1.0";
        folder.run(format!("{run} --seeds {seeds}"))
    };
    run("2").done();
    run("1").fails(2, &["another plan", "--force"]);
    run("1 --force").done();
    assert!(folder.path("runs/linear-attention/fig1/run.toml").exists());
    assert!(!folder.path("runs/linear-attention/fig1/runs").exists());
}
