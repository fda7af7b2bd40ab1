//! Runs that are killed again and again end with the same bytes as runs that are not.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::record::Control;
use saddlescope_lab::experiment::Experiment;
use saddlescope_lab::run::Run;
use saddlescope_lab::store;
use saddlescope_systems::SYSTEMS;

/// Kills after which a run is left in peace.
const MOST_KILLS: usize = 30;

const FLOW: &str = "[system]\nname = \"linear-attention\"\n[start]\nscale = 0.1\n\
    [record]\npoints = 60\nobservables = [\"loss\", \"head.*.value\"]\nsnapshots = [1.0, 50.0]";

const ADAM: &str = "[system]\nname = \"linear-attention\"\nloss = \"minibatch\"\nsequences = 64\n\
    batch = 8\n[dynamics]\nkind = \"adam\"\nrate = 0.01\nsteps = 600\nschedule = \"cosine\"\n\
    [record]\npoints = 50\nobservables = [\"loss\", \"head.*.key\"]\nsnapshots = [100.0, 333.0]";

const FOLDER: &str = "SADDLESCOPE_TEST_FOLDER";
const CASE: &str = "SADDLESCOPE_TEST_CASE";

/// The process that is killed: one run in the folder that the environment names.
#[test]
#[ignore = "run by the other tests, in a child process"]
fn child() {
    let (text, leg) = match std::env::var(CASE).as_deref() {
        Ok("flow") => (FLOW, 3),
        _ => (ADAM, 6),
    };
    let folder = std::env::var_os(FOLDER).unwrap();
    let schemas: Vec<_> = SYSTEMS.iter().map(|system| system.schema()).collect();
    let none: [&str; 0] = [];
    let experiment = Experiment::from_text("killed", text, &none, &schemas).unwrap();
    let run = Run::new(&experiment, SYSTEMS[0]).unwrap().in_legs_of(leg);
    let watch = |_, _| Control::Continue;
    store::execute(&run, &experiment, Path::new(&folder), false, &Default::default(), watch)
        .unwrap();
}

/// Runs the child; whether it came to its end before it was killed.
fn run(folder: &Path, case: &str, patience: Duration) -> bool {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "child"])
        .envs([(FOLDER, folder.as_os_str()), (CASE, case.as_ref())])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while began.elapsed() < patience {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "the child failed by itself");
            return true;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    false
}

/// All files of a finished run, of `run.toml` all but the time that it took.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let manifest = store::read(folder).unwrap().manifest;
    let names = manifest.files.keys().map(String::as_str).chain(["run.toml"]);
    let mut files: BTreeMap<_, _> =
        names.map(|name| (name.to_owned(), fs::read(folder.join(name)).unwrap())).collect();
    let run = String::from_utf8(files["run.toml"].clone()).unwrap();
    let kept: Vec<&str> = run.lines().filter(|line| !line.starts_with("seconds = ")).collect();
    files.insert("run.toml".to_owned(), kept.join("\n").into_bytes());
    files
}

fn same_bytes_however_often_killed(case: &str) {
    let root = tempfile::tempdir().unwrap();
    let (killed, whole) = (root.path().join("killed"), root.path().join("whole"));
    assert!(run(&whole, case, Duration::MAX));
    let mut moments = Stream::new(1, Purpose::Perturbation, 0);
    let (mut kills, mut on_the_way) = (0, Vec::new());
    loop {
        let patience = if kills < MOST_KILLS { 10.0 + 140.0 * moments.uniform() } else { 1e6 };
        if run(&killed, case, Duration::from_secs_f64(patience / 1e3)) {
            break;
        }
        kills += 1;
        // Whatever moment it was, what is there can be read.
        if killed.join("run.toml").exists() {
            on_the_way.push(store::read(&killed).unwrap().manifest.legs);
        }
    }
    assert!(kills >= 3 && on_the_way.is_sorted(), "{kills} kills, whole legs {on_the_way:?}");
    assert_eq!(contents(&killed), contents(&whole), "{kills} kills, whole legs {on_the_way:?}");
    eprintln!("{case}: {kills} kills, whole legs {on_the_way:?}");
}

#[test]
fn a_flow() {
    same_bytes_however_often_killed("flow");
}

#[test]
fn a_descent_with_memory_and_batches() {
    same_bytes_however_often_killed("adam");
}
