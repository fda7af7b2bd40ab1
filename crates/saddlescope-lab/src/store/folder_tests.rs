use super::*;
use crate::store::manifest::tests::manifest;

fn started(claim: Claim) -> RunFolder {
    match claim {
        Claim::New(folder) => folder,
        other => panic!("expected a new run, not {other:?}"),
    }
}

/// Everything that lies in a folder: names and contents.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut list = Vec::new();
    for name in names(folder).unwrap() {
        let path = folder.join(&name);
        if path.is_dir() {
            let inside = contents(&path).into_iter();
            list.extend(inside.map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else if path.is_symlink() {
            // It may lead to `/dev/full`, which can be read without end.
            list.push((name, Vec::new()));
        } else {
            list.push((name, fs::read(path).unwrap()));
        }
    }
    list
}

/// A run with `segments` segments and a file for each.
fn partial(path: &Path, segments: u64) -> RunFolder {
    let mut folder = started(RunFolder::claim(path, &manifest(&[]), false, &ALL).unwrap());
    for segment in 1..=segments {
        let name = format!("trajectory/part-{segment:04}.parquet");
        folder.put(&name, format!("rows of leg {segment}").as_bytes()).unwrap();
        folder.manifest.segments = segment;
        folder.commit().unwrap();
    }
    folder
}

fn finished(path: &Path) {
    let mut folder = partial(path, 1);
    folder.manifest.state = State::Finished;
    folder.commit().unwrap();
}

fn refused(path: &Path, wanted: &Manifest, force: bool) -> String {
    let before = contents(path);
    let error = RunFolder::claim(path, wanted, force, &ALL).unwrap_err().to_string();
    let mut after = contents(path);
    after.retain(|(name, _)| name != LOCK || before.iter().any(|(name, _)| name == LOCK));
    assert_eq!(after, before, "nothing is touched");
    error
}

#[test]
fn a_run_begins_goes_on_and_is_done() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("runs/a");
    let wanted = manifest(&[]);
    drop(partial(&path, 0));
    fs::write(path.join(RUN), "").unwrap();
    drop(started(RunFolder::claim(&path, &wanted, false, &ALL).unwrap()));
    // Begun without a whole segment: all is still to do.
    drop(started(RunFolder::claim(&path, &wanted, false, &ALL).unwrap()));

    drop(partial(&path, 2));
    let Claim::Partial(mut folder) = RunFolder::claim(&path, &wanted, false, &ALL).unwrap() else {
        panic!("two legs are done")
    };
    assert_eq!(folder.manifest.segments, 2);
    assert_eq!(
        read(&path, &folder.manifest, "trajectory/part-0002.parquet").unwrap(),
        b"rows of leg 2"
    );
    folder.put("trajectory/part-0000.parquet", b"all rows").unwrap();
    folder.manifest.files.retain(|name, _| name == "trajectory/part-0000.parquet");
    folder.manifest.state = State::Finished;
    folder.commit().unwrap();
    drop(folder);

    let here: Vec<_> = contents(&path).into_iter().map(|(name, _)| name).collect();
    assert_eq!(here, [".lock", "run.toml", "trajectory/part-0000.parquet"]);
    assert!(matches!(RunFolder::claim(&path, &wanted, false, &ALL).unwrap(), Claim::Finished));
    assert_eq!(super::manifest(&path, &ALL).unwrap().state, State::Finished);
}

#[test]
fn what_was_not_committed_does_not_count() {
    let root = tempfile::tempdir().unwrap();
    let mut folder = partial(root.path(), 1);
    folder.put("trajectory/part-0002.parquet", b"of a leg that was killed").unwrap();
    drop(folder);
    fs::write(root.path().join("trajectory/part-0002.parquet"), "killed before run.toml").unwrap();
    fs::write(root.path().join("trajectory/.part-0003.parquet.new"), "half").unwrap();
    let claim = RunFolder::claim(root.path(), &manifest(&[]), false, &ALL).unwrap();
    let Claim::Partial(mut folder) = claim else { panic!("one leg is done") };
    assert_eq!(folder.manifest.files.len(), 1);
    assert!(read(root.path(), &folder.manifest, "trajectory/part-0002.parquet").is_err());
    folder.commit().unwrap();
    let here: Vec<_> = contents(root.path()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(here, [".lock", "run.toml", "trajectory/part-0001.parquet"], "leftovers are gone");
}

#[test]
fn another_run_is_an_error_that_names_the_settings() {
    let root = tempfile::tempdir().unwrap();
    finished(root.path());
    let error = refused(root.path(), &manifest(&["dynamics.rate=0.2", "seed=4"]), false);
    let lines = "\n  seed: 0 there, 4 here\n  dynamics.rate: 0.1 there, 0.2 here\n";
    assert!(error.contains("holds another run") && error.contains(lines), "{error}");
}

#[test]
fn foreign_folders_are_never_touched() {
    let root = tempfile::tempdir().unwrap();
    for (name, text) in [("thesis.tex", "ten years"), ("run.toml", "[run]\nformat = 1\n")] {
        let path = root.path().join(name.replace('.', "-"));
        fs::create_dir(&path).unwrap();
        fs::write(path.join(name), text).unwrap();
        for force in [false, true] {
            let error = refused(&path, &manifest(&[]), force);
            assert!(error.contains("is not a run's folder: it holds"), "{error}");
        }
        assert_eq!(names(&path).unwrap(), [name], "not even a lock");
    }
    let file = root.path().join("file");
    fs::write(&file, "x").unwrap();
    let error = RunFolder::claim(&file, &manifest(&[]), true, &ALL).unwrap_err().to_string();
    assert!(error.ends_with("a file is in the way where a folder should be"), "{error}");
}

#[test]
fn force_replaces_a_run_and_nothing_else() {
    let root = tempfile::tempdir().unwrap();
    finished(root.path());
    fs::write(root.path().join("figure.svg"), "old").unwrap();
    let mine = ["notes.txt", "part-list.txt"];
    mine.iter().for_each(|name| fs::write(root.path().join(name), "mine").unwrap());
    let before = contents(root.path());
    let other = manifest(&["seed=9"]);
    let mut folder = started(RunFolder::claim(root.path(), &other, true, &ALL).unwrap());
    for (name, bytes) in before.iter().filter(|(n, _)| n != LOCK && !mine.contains(&&**n)) {
        let aside = fs::read(root.path().join(REPLACED).join(name)).unwrap();
        assert_eq!(aside, *bytes, "{name} is kept until the new run has begun well");
    }
    folder.put("trajectory/part-0001.parquet", b"new").unwrap();
    folder.commit().unwrap();
    drop(folder);
    let here: Vec<_> = contents(root.path()).into_iter().map(|(name, _)| name).collect();
    let expected =
        [".lock", "notes.txt", "part-list.txt", "run.toml", "trajectory/part-0001.parquet"];
    assert_eq!(here, expected);
    assert_eq!(super::manifest(root.path(), &ALL).unwrap().experiment.seed(), 9);
}

#[test]
fn a_replacement_that_did_not_begin_is_undone() {
    let root = tempfile::tempdir().unwrap();
    finished(root.path());
    let before = contents(root.path());
    // Killed at each point of the move: after the first thing, and after all of them.
    for moved in [1, 2] {
        let aside = root.path().join(REPLACED);
        fs::create_dir(&aside).unwrap();
        for name in own(root.path()).unwrap().into_iter().take(moved) {
            fs::rename(root.path().join(&name), aside.join(&name)).unwrap();
        }
        let claim = RunFolder::claim(root.path(), &manifest(&[]), false, &ALL);
        assert!(matches!(claim, Ok(Claim::Finished)), "{moved}: {claim:?}");
        drop(claim);
        restore(root.path()).unwrap();
        assert_eq!(contents(root.path()), before);
    }
    // The disk is full when the new run should begin.
    #[cfg(target_os = "linux")]
    {
        std::os::unix::fs::symlink("/dev/full", root.path().join(".run.toml.new")).unwrap();
        let error = RunFolder::claim(root.path(), &manifest(&["seed=2"]), true, &ALL).unwrap_err();
        assert!(error.to_string().contains("run.toml: the disk is full"), "{error}");
        assert_eq!(contents(root.path()), before);
    }
}

#[test]
fn a_full_disk_leaves_earlier_parts_whole() {
    let root = tempfile::tempdir().unwrap();
    let mut folder = partial(root.path(), 2);
    let before = contents(root.path());
    #[cfg(target_os = "linux")]
    {
        let beside = root.path().join("trajectory/.part-0003.parquet.new");
        std::os::unix::fs::symlink("/dev/full", beside).unwrap();
        let error = folder.put("trajectory/part-0003.parquet", b"rows").unwrap_err().to_string();
        assert!(error.contains("part-0003.parquet: the disk is full"), "{error}");
    }
    assert_eq!(contents(root.path()), before);
    drop(folder);
    let claim = RunFolder::claim(root.path(), &manifest(&[]), false, &ALL).unwrap();
    assert!(matches!(claim, Claim::Partial(_)));
}

#[test]
fn damage_is_named_and_nothing_else_is_lost() {
    let root = tempfile::tempdir().unwrap();
    drop(partial(root.path(), 3));
    let part = root.path().join("trajectory/part-0002.parquet");
    let whole = fs::read(&part).unwrap();
    let flipped = |bit: usize| {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    };
    for damaged in [whole[..5].to_vec(), Vec::new(), flipped(0), flipped(77)] {
        fs::write(&part, damaged).unwrap();
        let error = refused(root.path(), &manifest(&[]), false);
        assert!(error.starts_with(&format!("{} is damaged: ", part.display())), "{error}");
    }
    fs::remove_file(&part).unwrap();
    let error = refused(root.path(), &manifest(&[]), false);
    assert!(error.contains("part-0002.parquet is damaged: it is missing"), "{error}");
    fs::write(&part, &whole).unwrap();
    let claim = RunFolder::claim(root.path(), &manifest(&[]), false, &ALL).unwrap();
    assert!(matches!(claim, Claim::Partial(_)), "mended, it goes on");
    drop(claim);

    let run = root.path().join(RUN);
    let text = fs::read_to_string(&run).unwrap();
    fs::write(&run, &text[..text.len() / 2]).unwrap();
    let error = refused(root.path(), &manifest(&[]), false);
    assert!(error.contains("run.toml is damaged"), "{error}");
    started(RunFolder::claim(root.path(), &manifest(&[]), true, &ALL).unwrap());
}

#[test]
fn one_process_writes_at_a_time() {
    let root = tempfile::tempdir().unwrap();
    let folder = partial(root.path(), 1);
    for force in [false, true] {
        let error = refused(root.path(), &manifest(&[]), force);
        assert!(error.starts_with("another process is at work on the run in"), "{error}");
    }
    drop(folder);
    assert!(RunFolder::claim(root.path(), &manifest(&[]), false, &ALL).is_ok());
}

#[test]
fn a_run_goes_on_only_at_its_simd_level() {
    use saddlescope::numeric::simd::Level;
    let root = tempfile::tempdir().unwrap();
    let mut folder = partial(root.path(), 1);
    let here = folder.manifest.simd;
    let there = if here == Level::Baseline { Level::V4 } else { Level::Baseline };
    folder.manifest.simd = there;
    folder.commit().unwrap();
    drop(folder);
    let error = refused(root.path(), &manifest(&[]), false);
    assert!(error.contains(&format!("begun at SIMD level {there}")), "{error}");
    if there <= Level::detected() {
        assert!(error.contains(&format!("Set SADDLESCOPE_SIMD={there} to go on")), "{error}");
    }
    // Once it is finished, the level no longer matters.
    let mut there = super::manifest(root.path(), &ALL).unwrap();
    there.state = State::Finished;
    fs::write(root.path().join(RUN), there.to_toml().unwrap()).unwrap();
    let claim = RunFolder::claim(root.path(), &manifest(&[]), false, &ALL);
    assert!(matches!(claim, Ok(Claim::Finished)));
}
