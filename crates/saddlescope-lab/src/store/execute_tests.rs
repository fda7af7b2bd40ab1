use saddlescope::array::Values;

use super::*;

const FLOW: &str = "[system]\nname = \"linear-attention\"\n[start]\nscale = 0.2\n\
    [dynamics]\nkind = \"flow\"\n\
    [record]\npoints = 40\nobservables = [\"loss\", \"head.*.key\"]\nsnapshots = [0.5, 30.0, 31.0]\n\
    [[evaluate]]\nname = \"longer\"\nsystem.context = 100";

const ADAM: &str = "[system]\nname = \"linear-attention\"\nloss = \"minibatch\"\nsequences = 64\n\
    batch = 8\n[[dynamics]]\nkind = \"sgd\"\nrate = 0.02\nsteps = 150\nschedule = \"cosine\"\n\
    [[dynamics]]\nkind = \"adam\"\nrate = 0.01\nsteps = 250\nstop_below_loss = 1e-3\n\
    stop_on = \"evaluate.fresh.loss\"\nstop_every = 7\nstop_patience = 30\n\
    [record]\npoints = 30\nsnapshots = [0.0, 1.0, 5.0]\ncrossings = [0.9, 0.5, 0.01]\n\
    [[evaluate]]\nname = \"fresh\"\nfresh = true";

const TWO_STAGES: &str = "[system]\nname = \"linear-attention\"\nloss = \"empirical\"\n\
    sequences = 50\n[[dynamics]]\nkind = \"momentum\"\nrate = 0.01\nsteps = 90\n\
    [[dynamics]]\nkind = \"flow\"\nuntil = 60.0\nstop_on = \"loss\"\nstop_every = 4\n[record]\nsampling = \"every\"";

fn prepared(text: &str, changes: &[&str], segment: u64) -> Run {
    let experiment = Experiment::from_text("a.toml", text, changes, &ALL).unwrap();
    let mut run = Run::new(&experiment).unwrap();
    run.segment_steps = segment;
    run
}

fn never() -> Arc<AtomicBool> {
    Arc::default()
}

fn run_in(path: &Path, run: &Run) -> RunResult {
    execute(run, path, false, &never(), &ALL, |_, _| Control::Continue).unwrap()
}

/// Everything but how long it took.
fn numbers(run: &RunResult) -> RunResult {
    let facts = RunFacts { seconds: 0.0, ..run.facts.clone() };
    RunResult { facts, origin: None, ..run.clone() }
}

/// All files of a run but `run.toml`, which tells how long it took.
fn files(path: &Path) -> Vec<(String, Vec<u8>)> {
    let manifest = read(path, &ALL).unwrap().manifest;
    manifest.files.keys().map(|n| (n.clone(), fs::read(path.join(n)).unwrap())).collect()
}

#[test]
fn a_run_reads_back_as_it_was_with_and_without_a_folder() {
    for (text, segment) in [(FLOW, 25), (FLOW, 1_000_000), (ADAM, 33), (TWO_STAGES, 40)] {
        let root = tempfile::tempdir().unwrap();
        let prepared = prepared(text, &[], segment);
        let stored = run_in(root.path(), &prepared);
        assert_eq!(stored.origin, Some(Origin::New));
        let back = read(root.path(), &ALL).unwrap();
        assert_eq!(numbers(&back.result), numbers(&stored));
        assert_eq!(back.result.facts.seconds, stored.facts.seconds);
        assert_eq!(back.manifest.experiment, prepared.experiment);
        assert_eq!(back.manifest.state, State::Finished);
        let in_memory = RunResult::new(&prepared, prepared.execute(|_, _| Control::Continue));
        assert_eq!(numbers(&in_memory), numbers(&stored));
        let segments = back.manifest.segments;
        assert_eq!(segments == 1, segment == 1_000_000, "{segments} legs of {segment}");

        let found = run_in(root.path(), &prepared);
        assert_eq!(found.origin, Some(Origin::Found));
        assert_eq!(numbers(&found), numbers(&stored));
    }
}

#[test]
fn the_folder_holds_what_was_asked_for() {
    let root = tempfile::tempdir().unwrap();
    let prepared = prepared(FLOW, &[], 25);
    let stored = run_in(root.path(), &prepared);
    let names: Vec<_> = files(root.path()).into_iter().map(|(name, _)| name).collect();
    let snapshots = ["end", "start", "time-0.5", "time-30.0", "time-31.0"]
        .map(|name| format!("snapshots/{name}.safetensors"));
    let mut expected = vec!["problem.json".to_owned()];
    expected.extend(snapshots);
    expected.extend(["stages.json".to_owned(), ALL_ROWS.to_owned()]);
    assert_eq!(names, expected);
    let on_disk = fs::read_dir(root.path().join("trajectory")).unwrap().count();
    assert_eq!(on_disk, 1, "the parts of legs are merged");
    assert!(
        !fs::read_dir(root.path()).unwrap().any(|entry| {
            entry.unwrap().file_name().to_string_lossy().starts_with("checkpoint-")
        })
    );

    let (arrays, notes) = tensors::decode(&fs::read(root.path().join(END)).unwrap()).unwrap();
    let blocks = prepared.problem.blocks();
    assert_eq!(arrays.len(), blocks.iter().count());
    let key = blocks.get("head.0.key").unwrap();
    let stored_key = arrays.iter().find(|array| array.name == "head.0.key").unwrap();
    let state = stored.state.unwrap();
    assert_eq!(stored_key.shape, key.shape);
    assert_eq!(stored_key.values, state[key.range()].to_vec().into());
    assert_eq!(notes["hash"], stored.facts.hash.to_string());
}

/// Sets the flag once so many segments are stored, as Ctrl-C would. A run that ended before that runs again.
fn interrupted(path: &Path, run: &Run, segments: u64) -> RunResult {
    let stop = Arc::new(AtomicBool::new(segments == 0));
    let stored = std::thread::scope(|scope| {
        scope.spawn(|| {
            while read(path, &ALL).map_or(0, |stored| stored.manifest.segments) < segments {
                std::thread::yield_now();
            }
            stop.store(true, Ordering::Relaxed);
        });
        execute(run, path, false, &stop, &ALL, |_, _| Control::Continue).unwrap()
    });
    if stored.facts.end.ended() == Some(Ending::Interrupted) {
        return stored;
    }
    fs::remove_dir_all(path).unwrap();
    interrupted(path, run, segments)
}

#[test]
fn an_interrupted_run_goes_on_to_the_same_files() {
    for (text, segment) in [(ADAM, 20), (FLOW, 10)] {
        let root = tempfile::tempdir().unwrap();
        let (cut, whole) = (root.path().join("cut"), root.path().join("whole"));
        let prepared = prepared(text, &[], segment);
        let stored = interrupted(&cut, &prepared, 4);
        assert_eq!(stored.facts.end.ended(), Some(Ending::Interrupted));
        let partial = read(&cut, &ALL).unwrap();
        assert!(
            partial.manifest.state == State::Running && partial.manifest.segments >= 4,
            "{:?}",
            partial.manifest
        );
        let rows = partial.result.trajectory.rows();
        assert!(rows > 1 && rows <= stored.trajectory.rows() + 30, "{rows}");
        let last = *partial.result.trajectory.time().last().unwrap();
        assert!(last <= *stored.trajectory.time().last().unwrap());

        let resumed = run_in(&cut, &prepared);
        assert_eq!(resumed.origin, Some(Origin::Resumed { segments: partial.manifest.segments }));
        let at_once = run_in(&whole, &prepared);
        assert_eq!(numbers(&resumed), numbers(&at_once));
        assert_eq!(files(&cut), files(&whole));
    }
}

#[test]
fn a_run_that_was_stopped_at_once_has_no_leg_and_begins_again() {
    let root = tempfile::tempdir().unwrap();
    let prepared = prepared(ADAM, &[], 20);
    let stored = interrupted(root.path(), &prepared, 0);
    assert_eq!(stored.facts.end.phases.len(), 1);
    assert_eq!(stored.facts.end.ended(), Some(Ending::Interrupted));
    let partial = read(root.path(), &ALL).unwrap();
    assert_eq!((partial.manifest.segments, partial.result.trajectory.rows()), (0, 0));
    assert_eq!(run_in(root.path(), &prepared).origin, Some(Origin::New));
}

#[test]
#[cfg(target_os = "linux")]
fn what_cannot_be_written_ends_the_run_and_it_goes_on_after_its_whole_legs() {
    let root = tempfile::tempdir().unwrap();
    let (cut, whole) = (root.path().join("cut"), root.path().join("whole"));
    let prepared = prepared(TWO_STAGES, &[], 30);
    interrupted(&cut, &prepared, 0);
    fs::create_dir(cut.join("trajectory")).unwrap();
    // Three segments of the first stage, and one for the rest.
    for (name, is_full, segments) in [
        ("trajectory/.part-0002.parquet.new", false, 1),
        (".checkpoint-0003.safetensors.new", false, 2),
        (".run.toml.new", true, 2),
        (".stages.json.new", true, 3),
    ] {
        let in_the_way = cut.join(name);
        if is_full {
            std::os::unix::fs::symlink("/dev/full", &in_the_way).unwrap();
        } else {
            fs::create_dir(&in_the_way).unwrap();
        }
        let ran = execute(&prepared, &cut, false, &never(), &ALL, |_, _| Control::Continue);
        let error = ran.err().map_or_else(|| "no error".to_owned(), |error| error.to_string());
        let file = name.rsplit('/').next().unwrap();
        let file = file.trim_start_matches('.').trim_end_matches(".new");
        assert!(error.starts_with("cannot write") && error.contains(file), "{name}: {error}");
        assert_eq!(error.contains("the disk is full"), is_full, "{name}: {error}");
        assert_eq!(read(&cut, &ALL).unwrap().manifest.segments, segments, "{name}");
        if !is_full {
            fs::remove_dir(in_the_way).unwrap();
        }
    }
    assert_eq!(run_in(&cut, &prepared).origin, Some(Origin::Resumed { segments: 3 }));
    run_in(&whole, &prepared);
    assert_eq!(files(&cut), files(&whole));
}

#[test]
fn a_failed_run_keeps_what_it_saw_and_is_not_run_again_unasked() {
    let root = tempfile::tempdir().unwrap();
    let prepared = prepared(TWO_STAGES, &["dynamics.0.rate=1e4"], 3);
    let stored = run_in(root.path(), &prepared);
    let error = stored.facts.end.error.clone().unwrap();
    let back = read(root.path(), &ALL).unwrap();
    assert_eq!(back.manifest.state, State::Failed { error: error.clone() });
    assert_eq!(back.result.facts.end.error.as_ref(), Some(&error));
    assert_eq!(back.result.trajectory.step(), stored.trajectory.step());
    assert!(back.result.trajectory.rows() > 1);
    // Where it was last seen in order.
    let (arrays, notes) = tensors::decode(&fs::read(root.path().join(LAST)).unwrap()).unwrap();
    let last = back.result.trajectory.step().last().unwrap();
    assert_eq!(notes["step"], last.to_string());
    let finite = |array: &Array| match &array.values {
        Values::F64(values) => values.iter().all(|value| value.is_finite()),
        _ => false,
    };
    assert!(!arrays.is_empty() && arrays.iter().all(finite));

    let again =
        |force| execute(&prepared, root.path(), force, &never(), &ALL, |_, _| Control::Continue);
    let refused = again(false).unwrap_err().to_string();
    assert!(refused.contains("has failed before") && refused.contains(&error), "{refused}");
    assert!(again(true).unwrap().facts.end.error.is_some());
}

#[test]
fn damage_to_any_file_is_found_when_it_is_read() {
    let root = tempfile::tempdir().unwrap();
    run_in(root.path(), &prepared(FLOW, &[], 25));
    for (name, bytes) in files(root.path()) {
        let mut damaged = bytes.clone();
        damaged[bytes.len() / 2] ^= 1;
        for broken in [&damaged[..], &bytes[..bytes.len() - 1]] {
            fs::write(root.path().join(&name), broken).unwrap();
            let error = read(root.path(), &ALL).unwrap_err().to_string();
            assert!(error.contains(&format!("{name} is damaged")), "{error}");
        }
        fs::write(root.path().join(&name), bytes).unwrap();
        read(root.path(), &ALL).unwrap();
    }
}

/// Overfits ten sequences.
const EARLY: &str = "[system]\nname = \"linear-attention\"\nloss = \"empirical\"\nsequences = 10\n\
    [[dynamics]]\nkind = \"adam\"\nrate = 0.02\nsteps = 4000\n\
    stop_on = \"evaluate.fresh.loss\"\nstop_every = 5\nstop_patience = 20\n\
    [record]\nsampling = \"every\"\n[[evaluate]]\nname = \"fresh\"\nfresh = true\nsystem.sequences = 500";

#[test]
fn a_run_that_stops_early_keeps_the_parameters_at_its_best() {
    let roots = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let prepared = |segment| prepared(EARLY, &[], segment);
    let [run, stored] = [1_000_000, 64].map(prepared).map(|one| {
        let root = &roots[usize::from(one.segment_steps == 64)];
        if one.segment_steps == 64 {
            interrupted(root.path(), &one, 2);
        }
        run_in(root.path(), &one)
    });
    assert_eq!(run.facts.end.phases, stored.facts.end.phases);
    assert_eq!((&run.trajectory, &run.state), (&stored.trajectory, &stored.state));
    let (phase, seen) = (&run.facts.end.phases[0], run.trajectory.get("evaluate.fresh.loss"));
    let best = phase.best.clone().unwrap();
    let read: Vec<f64> = seen.unwrap().data().iter().copied().step_by(5).collect();
    let least = (0..read.len()).min_by(|&a, &b| read[a].total_cmp(&read[b])).unwrap();
    assert_eq!((best.step, best.value), (5 * least as u64, read[least]));
    assert_eq!((phase.ended, phase.step), (Ending::StopOn, best.step + 5 * 21));
    assert!(best.step > 50 && phase.step < 3000, "{phase:?}");
    let kept = run.trajectory.snapshots();
    assert_eq!((kept.len(), kept[0].step), (1, best.step));
    assert_eq!(read_again(roots[1].path()), *kept);
    // A run of so many steps ends there.
    let until = format!("dynamics.0.steps={}", best.step);
    let short = self::prepared(EARLY, &[&until], 1_000_000).execute(|_, _| Control::Continue);
    assert_eq!(short.state.as_deref(), Some(&*kept[0].state));
}

fn read_again(path: &Path) -> Vec<Snapshot> {
    read(path, &ALL).unwrap().result.trajectory.snapshots().to_vec()
}
