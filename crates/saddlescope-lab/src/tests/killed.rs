//! Runs that are killed again and again end with the same bytes as runs that are not.

use std::process::{Command, Stdio};

use saddlescope::numeric::random::{Purpose, Stream};

use crate::prelude::*;

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
    let (text, segment) = match std::env::var(CASE).as_deref() {
        Ok("flow") => (FLOW, 3),
        _ => (ADAM, 6),
    };
    let folder = std::env::var_os(FOLDER).unwrap();
    let experiment = Experiment::from_text("killed", text, &[], &ALL).unwrap();
    let mut run = Run::new(&experiment).unwrap();
    run.segment_steps = segment;
    let watch = |_, _| Control::Continue;
    let (folder, stop) = (Path::new(&folder), &Default::default());
    store::execute(&run, folder, false, stop, &ALL, watch).unwrap();
}

/// The names and sizes of all files: what changes as a run goes on.
fn look(folder: &Path) -> BTreeMap<PathBuf, u64> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(look(&path));
        } else if let Ok(data) = entry.metadata() {
            files.insert(path, data.len());
        }
    }
    files
}

/// Runs the child, and kills it after so many changes of its folder; whether it came to its end before that.
fn run(folder: &Path, case: &str, changes: Option<u64>) -> bool {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "tests::killed::child"])
        .envs([(FOLDER, folder.as_os_str()), (CASE, case.as_ref())])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let (mut seen, mut left) = (look(folder), changes);
    while left != Some(0) {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "the child failed by itself");
            return true;
        }
        let now = look(folder);
        if now != seen {
            (seen, left) = (now, left.map(|left| left - 1));
        }
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    false
}

/// All files of a finished run, of `run.toml` all but the time that it took.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let manifest = store::read(folder, &ALL).unwrap().manifest;
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
    assert!(run(&whole, case, None));
    let mut moments = Stream::new(1, Purpose::Perturbation, 0);
    let (mut kills, mut on_the_way) = (0, Vec::new());
    loop {
        let changes = (kills < MOST_KILLS).then(|| 1 + moments.below(20));
        if run(&killed, case, changes) {
            break;
        }
        kills += 1;
        // Whatever moment it was, what is there can be read.
        if killed.join("run.toml").exists() {
            on_the_way.push(store::read(&killed, &ALL).unwrap().manifest.segments);
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
