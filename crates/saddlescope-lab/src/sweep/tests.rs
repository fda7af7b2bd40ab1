use tempfile::TempDir;

use super::*;

/// A quick experiment: the gradient flow of linear attention in two dimensions.
const BASE: &str = include_str!("quick.toml");

fn read(more: &str) -> crate::error::Result<Plan> {
    let text = format!("{BASE}\n{more}");
    Plan::from_text("sweep.toml", &text, &Changes::default().swept(), &ALL)
}

fn sweep(more: &str) -> Sweep {
    sweep_of(&format!("{BASE}\n{more}"))
}

fn run(
    sweep: &Sweep,
    folder: &Folder,
    range: std::ops::Range<usize>,
    workers: usize,
) -> SweepResult {
    sweep.run(folder, range, &Executor { workers, ..Executor::default() }).unwrap()
}

/// All columns but the one that tells how long members took.
fn columns(path: &Path) -> Vec<Column> {
    let table = SweepTable::open(path).unwrap();
    let names = table.names();
    let names: Vec<&str> = names.iter().map(String::as_str).filter(|n| *n != "seconds").collect();
    table.read(&names).unwrap().into_columns()
}

const GRID: &str = "
[vary]
start.scale = [0.05, 0.1, 0.2]
system.heads = [1, 2]
";

/// The grid with two seeds: twelve members.
fn seeded() -> Sweep {
    sweep_of(&format!("seeds = 2\n{BASE}\n{GRID}"))
}

fn sweep_of(text: &str) -> Sweep {
    let plan = Plan::from_text("x", text, &Changes::default().swept(), &ALL);
    Sweep::new(plan.unwrap_or_else(|error| panic!("{error}\n{text}")), &ALL).unwrap()
}

fn claimed(sweep: &Sweep) -> (TempDir, Folder) {
    let place = TempDir::new().unwrap();
    let folder = Folder::claim(place.path(), sweep, false).unwrap();
    (place, folder)
}

#[test]
fn a_grid_has_the_members_of_the_plan() {
    let more = r#"
        [vary]
        start.scale = "0.01..1:log3"
        [[arm]]
        name = "flow"
        dynamics = { kind = "flow", until = 10.0 }
        [[arm]]
        name = "descent"
        dynamics = { kind = "gd", steps = 5 }
    "#;
    let flow = "kind = \"flow\"\nuntil = 200.0";
    let text = format!("{BASE}\n{more}").replace(flow, "kind = \"flow\"");
    let with_rate = text.replace("steps = 5", "steps = 5, rate = 0.1");
    for (text, vary) in [(&with_rate, vec![]), (&text, vec!["dynamics.rate=0.01,0.1".to_owned()])] {
        let changes = Changes { seeds: Some("3..4".to_owned()), vary, ..Changes::default() };
        let plan = Plan::from_text("x", text, &changes, &ALL).unwrap();
        let swept = Plan::from_text("x", text, &changes.swept(), &ALL).unwrap();
        assert_eq!(swept.len(), plan.members.len());
        for (index, expected) in plan.members.iter().enumerate() {
            let found = swept.member(index).unwrap();
            assert_eq!((&found.arm, &found.varied), (&expected.arm, &expected.varied));
            assert_eq!(found.experiment, expected.experiment);
        }
    }
}

#[test]
fn a_sweep_reads_back_from_its_own_file() {
    for more in [
        GRID.to_owned(),
        "[vary]\nstart.scale = \"0.01..1:log\"\nsystem.heads = [1, 2]\nsystem.context = \"4..64:log\"\n\
         [sweep]\ndesign = \"latin-hypercube\"\nmembers = 7\nseed = 3"
            .to_owned(),
    ] {
        let one = sweep(&more);
        let text = one.plan.to_toml();
        let again = sweep_of(&text);
        assert_eq!(one.hash, again.hash);
        for index in 0..one.plan.len() {
            let (a, b) = (one.plan.member(index).unwrap(), again.plan.member(index).unwrap());
            assert_eq!((a.varied, a.experiment), (b.varied, b.experiment));
        }
    }
}

#[test]
fn drawn_members_lie_where_their_design_says() {
    let members = 200;
    for design in ["random", "latin-hypercube"] {
        let sweep = sweep(&format!(
            "[vary]\nstart.scale = \"0.01..1:log\"\nsystem.heads = [1, 2, 3, 4]\n\
             system.context = \"4..13\"\n[sweep]\ndesign = \"{design}\"\nmembers = {members}"
        ));
        let value = |index: usize, key: &str| -> f64 {
            let member = sweep.plan.member(index).unwrap();
            let found = member.varied.iter().find(|(name, _)| name == key).unwrap();
            found.1.as_number().or(found.1.as_integer().map(|n| n as f64)).unwrap()
        };
        let part = |index| (value(index, "start.scale") / 0.01).ln() / 100f64.ln();
        let mut strata = vec![0; members];
        let mut heads = [0; 4];
        for index in 0..members {
            strata[((part(index) * members as f64) as usize).min(members - 1)] += 1;
            heads[value(index, "system.heads") as usize - 1] += 1;
            assert!((4.0..=13.0).contains(&value(index, "system.context")));
        }
        let mean: f64 = (0..members).map(part).sum::<f64>() / members as f64;
        if design == "random" {
            // Five standard errors of a uniform number.
            assert!((mean - 0.5).abs() < 5.0 * (1.0 / 12.0 / members as f64).sqrt());
            assert!(strata.iter().any(|&count| count != 1));
        } else {
            assert!(strata.iter().all(|&count| count == 1), "one member in every part");
            assert_eq!(heads, [members / 4; 4]);
        }
    }
}

#[test]
fn the_table_does_not_depend_on_who_made_it() {
    let sweep = seeded();
    let place = TempDir::new().unwrap();
    let whole = Folder::claim(&place.path().join("whole"), &sweep, false).unwrap();
    assert_eq!(run(&sweep, &whole, 0..12, 1).ran, 12);
    let expected = whole.merge(&sweep, &[], false).unwrap();
    assert_eq!((expected.rows, expected.failed), (12, 0));

    // In shards, by several threads, from the back, with a worker that does something twice.
    let shared = Folder::claim(&place.path().join("shared"), &sweep, false).unwrap();
    for number in (1..=5).rev() {
        run(&sweep, &shared, Shard { number, of: 5 }.members(12), 2);
    }
    assert_eq!(run(&sweep, &shared, 0..12, 2).before, 12);
    let twice = Folder::claim(&place.path().join("twice"), &sweep, false).unwrap();
    run(&sweep, &twice, 3..9, 1);
    shared.merge(&sweep, &[twice], false).unwrap();
    assert_eq!(columns(&shared.table()), columns(&whole.table()));
    assert!(!place.path().join("shared/parts").exists(), "the table has all");
    assert_eq!(run(&sweep, &shared, 0..12, 2).ran, 0, "what is done is skipped");
}

#[test]
fn a_table_says_of_members_what_their_runs_say() {
    let sweep = seeded();
    let (_place, folder) = claimed(&sweep);
    run(&sweep, &folder, 0..12, 2);
    folder.merge(&sweep, &[], false).unwrap();
    let table = SweepTable::open(&folder.table()).unwrap();
    let names = table.names();
    let read = table.read(&names.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
    for row in [0, 5, 11] {
        let member = sweep.plan.member(row).unwrap();
        let run = Run::new(&member.experiment).unwrap();
        let finished = run.execute(|_, _| saddlescope::record::Control::Continue);
        let end = finished.end.phases.last().unwrap().loss;
        let number = |name: &str| read.column(name).unwrap().number(row);
        assert_eq!(number("member"), Some(row as f64));
        assert_eq!(number("end.loss"), Some(end));
        assert_eq!(number("crossing.1"), finished.end.crossings[0].time);
        assert_eq!(number("seed"), Some(member.seed as f64));
    }
    assert_eq!(names[0], "member");
    assert_eq!(names.last().map(String::as_str), Some("seconds"));
}

#[test]
fn members_that_fail_are_listed_and_stop_nobody() {
    // Gradient descent with a rate of 1000 blows up.
    let more = "[vary]\ndynamics.rate = [0.01, 1000.0, 0.02]\n";
    let text = format!("{BASE}\n{more}")
        .replace("kind = \"flow\"\nuntil = 200.0", "kind = \"gd\"\nsteps = 50");
    let sweep = sweep_of(&text);
    let (_place, folder) = claimed(&sweep);
    let done = run(&sweep, &folder, 0..3, 1);
    assert_eq!((done.ran, done.failed, done.stopped), (3, 1, false));
    folder.merge(&sweep, &[], false).unwrap();
    let (failed, named) = SweepTable::open(&folder.table()).unwrap().failures(10).unwrap();
    assert_eq!((failed, named[0].0), (1, 1));
    assert_eq!(Some(&named[0].1), done.reasons.get(&1));
    assert!(!named[0].1.is_empty());
}

#[test]
fn a_folder_of_runs_is_left_alone() {
    let place = TempDir::new().unwrap();
    std::fs::write(place.path().join("plan.toml"), "a plan").unwrap();
    for force in [false, true] {
        let refused = Folder::claim(place.path(), &sweep(GRID), force);
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("holds runs that `saddlescope run` has kept"), "{refused}");
    }
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 1, "nothing was written");
}

#[test]
fn a_stop_keeps_what_is_done() {
    let sweep = seeded();
    let (_place, folder) = claimed(&sweep);
    let stop = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&stop);
    let progress = move |at: &crate::plan::Progress| {
        if at.over == 4 {
            set.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    };
    let executor = Executor { workers: 1, stop, progress: &progress, ..Executor::default() };
    let done = sweep.run(&folder, 0..12, &executor).unwrap();
    assert!(done.stopped && (1..12).contains(&done.ran));
    let missing: usize = folder.missing(0..12).unwrap().iter().map(ExactSizeIterator::len).sum();
    assert_eq!(missing, 12 - done.ran);
    assert_eq!(run(&sweep, &folder, 0..12, 2).before, done.ran);
}

#[test]
fn what_does_not_belong_together_is_not_merged() {
    let sweep = seeded();
    let (place, folder) = claimed(&sweep);
    run(&sweep, &folder, Shard { number: 2, of: 3 }.members(12), 1);
    let error = folder.merge(&sweep, &[], false).unwrap_err().to_string();
    assert!(error.contains("8 of 12 members are missing: 0 to 3, 8 to 11"), "{error}");
    assert_eq!(folder.merge(&sweep, &[], true).unwrap().rows, 4);
    assert!(!folder.table().exists(), "a part is not called the table");

    // A part of another version, and one of another sweep.
    let part = fs::read_dir(place.path().join("parts")).unwrap().next().unwrap().unwrap().path();
    let bytes = fs::read(&part).unwrap();
    let other = |from: &str, to: &str| {
        let mut changed = bytes.clone();
        for at in (0..bytes.len()).filter(|&at| bytes[at..].starts_with(from.as_bytes())) {
            changed[at..at + to.len()].copy_from_slice(to.as_bytes());
        }
        assert_ne!(changed, bytes, "{from} is in the part");
        changed
    };
    let version = env!("CARGO_PKG_VERSION");
    let later = place.path().join("parts/0000000000-0000000004.parquet");
    let older = format!("9{}", &version[1..]);
    fs::write(&later, other(&sweep.hash.to_string(), &"0".repeat(64))).unwrap();
    let error = folder.merge(&sweep, &[], true).unwrap_err().to_string();
    assert!(error.contains("belongs to another sweep"), "{error}");
    fs::write(&later, other(version, &older)).unwrap();
    let error = folder.merge(&sweep, &[], true).unwrap_err().to_string();
    assert!(error.contains("two versions") && error.contains(&older), "{error}");
    let error = Folder::claim(place.path(), &sweep, false).unwrap_err().to_string();
    assert!(error.contains(&older) && error.contains("--force"), "{error}");
    // Bytes that are no table are named, too.
    fs::write(&later, b"nothing").unwrap();
    let error = folder.merge(&sweep, &[], true).unwrap_err().to_string();
    assert!(error.contains("0000000000-0000000004.parquet"), "{error}");
}

#[test]
fn a_folder_keeps_its_sweep() {
    let one = seeded();
    let other = sweep("[vary]\nstart.scale = [0.05, 0.1]\n");
    let place = TempDir::new().unwrap();
    Folder::claim(place.path(), &one, false).unwrap();
    Folder::claim(place.path(), &one, false).unwrap();
    let error = Folder::claim(place.path(), &other, false).unwrap_err().to_string();
    assert!(error.contains("another sweep") && error.contains("start.scale"), "{error}");
    Folder::claim(place.path(), &other, true).unwrap();
    assert_eq!(Folder::sweep(place.path(), &ALL).unwrap().hash, other.hash);
    let error = Folder::sweep(&place.path().join("parts"), &ALL).err().unwrap().to_string();
    assert!(error.contains("holds no sweep"), "{error}");
}

#[test]
fn designs_that_make_no_sense_are_refused() {
    for (more, words) in [
        ("", "nothing is varied"),
        ("[sweep]\ndesign = \"random\"\nmembers = 5", "names nothing to draw"),
        ("[vary]\nstart.scale = \"0.01..1:log\"\n[sweep]\ndesign = \"random\"", "members"),
        ("[vary]\nstart.scale = \"0.01..1:log\"", "how many values"),
        ("[vary]\nstart.scale = \"0.01..1\"", "how many values"),
        ("[vary]\nstart.scale = [0.1, 0.2]\n[sweep]\nmembers = 5", "members"),
        ("[vary]\nstart.scale = \"-1..1:log\"\n[sweep]\ndesign = \"random\"\nmembers = 5", "> 0"),
        ("[vary]\nstart.scale = [0.1, -0.2]", "start.scale"),
        (
            "[vary]\nstart.scale = \"-1..1\"\n[sweep]\ndesign = \"random\"\nmembers = 5",
            "start.scale",
        ),
        ("[vary]\nstart.scale = [0.1, 0.1]", "twice"),
        ("[vary]\nstart.scale = []", "start.scale"),
        ("[vary]\nstart.scales = [0.1, 0.2]", "scale"),
        ("[vary]\nstart.scale = [0.1, 0.2]\n[sweep]\ndesign = \"hypercube\"", "latin-hypercube"),
        ("[vary]\nstart.scale = [0.1, 0.2]\n[sweep]\ncolour = 1", "colour"),
    ] {
        let error = read(more).err().unwrap_or_else(|| panic!("{more} is read")).to_string();
        assert!(error.contains(words), "{more}\n{error}");
    }
    let text = format!(
        "{BASE}\n[vary]\nstart.scale = \"0.1..1\"\n[sweep]\ndesign = \"random\"\nmembers = 5"
    );
    let error = Plan::from_text("x", &text, &Changes::default(), &ALL).unwrap_err();
    assert!(error.to_string().contains("saddlescope sweep"), "{error}");
    let wrong = sweep("[vary]\nstart.scale = [0.1, 0.2]\n[sweep]\nobservables = [\"nothing\"]");
    assert!(wrong.check().unwrap_err().contains("`nothing`"));
    let wrong = sweep("[vary]\nstart.scale = [0.1, 0.2]\n[sweep]\nkeep = [0, 7]");
    assert!(wrong.check().unwrap_err().contains("member 7"));
}

#[test]
fn shards_share_the_members_out() {
    for all in [0, 1, 7, 100, 1_000_003] {
        for of in [1, 3, 8] {
            let mut next = 0;
            for number in 1..=of {
                let members = Shard { number, of }.members(all);
                assert_eq!(members.start, next);
                assert!(members.len() <= all / of + 1);
                next = members.end;
            }
            assert_eq!(next, all);
        }
    }
    assert_eq!("2/8".parse::<Shard>().unwrap(), Shard { number: 2, of: 8 });
    for wrong in ["", "2", "0/8", "9/8", "a/b", "2/0", "-1/3"] {
        assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
    }
}

#[test]
fn runs_that_are_asked_for_are_kept() {
    let sweep = sweep("[vary]\nstart.scale = [0.05, 0.1, 0.2]\n[sweep]\nkeep = [1]");
    let (place, folder) = claimed(&sweep);
    run(&sweep, &folder, 0..3, 2);
    let kept: Vec<_> = fs::read_dir(place.path().join("runs")).unwrap().flatten().collect();
    assert_eq!(kept.len(), 1);
    let run = crate::store::read(&kept[0].path(), &ALL).unwrap();
    assert_eq!(run.manifest.experiment.setting("start.scale").unwrap().as_number(), Some(0.1));
}

#[test]
fn values_of_several_sorts_read_the_same_in_any_parts() {
    let text = format!("{BASE}\n[vary]\ndynamics.until = [5.0, \"converged\", 7.5]\n");
    let sweep = sweep_of(&text);
    let place = TempDir::new().unwrap();
    let whole = Folder::claim(&place.path().join("whole"), &sweep, false).unwrap();
    let shared = Folder::claim(&place.path().join("shared"), &sweep, false).unwrap();
    run(&sweep, &whole, 0..3, 1);
    for member in 0..3 {
        run(&sweep, &shared, member..member + 1, 1);
    }
    whole.merge(&sweep, &[], false).unwrap();
    shared.merge(&sweep, &[], false).unwrap();
    assert_eq!(columns(&shared.table()), columns(&whole.table()));
}

#[test]
fn ranges_as_wide_as_numbers_are_drawn_from() {
    let law = crate::plan::Law { from: 1e-300, to: 1e300, log: true, whole: false };
    assert!((law.at(0.5).log10()).abs() < 1e-9);
    assert_eq!((law.at(0.0), law.at(1.0)), (1e-300, 1e300));
}

#[test]
fn what_any_arm_reads_counts() {
    let place = TempDir::new().unwrap();
    let file = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let words: String = (0..600).map(|n| format!("word{} ", n % 7)).collect();
    for name in ["train.txt", "valid.txt", "other.txt"] {
        fs::write(file(name), &words).unwrap();
    }
    let text = format!(
        "[system]\nname = \"transformer\"\n[dynamics]\nkind = \"sgd\"\nrate = 0.1\nsteps = 2\n\
         [[arm]]\nname = \"inside\"\n\
         [[arm]]\nname = \"one\"\nsystem = {{ train = {:?}, valid = {:?} }}\n\
         [[arm]]\nname = \"two\"\nsystem = {{ train = {:?}, valid = {:?} }}\n",
        file("train.txt"),
        file("valid.txt"),
        file("other.txt"),
        file("valid.txt")
    );
    let hash = || sweep_of(&text).hash;
    let mut hashes = vec![hash()];
    assert_eq!(hash(), hashes[0]);
    for name in ["train.txt", "other.txt"] {
        fs::write(file(name), words.replace("word3", "word4")).unwrap();
        assert!(!hashes.contains(&hash()), "{name}");
        hashes.push(hash());
    }
}

/// What is made of five scales and two ranks, of which the first jump comes later the smaller the start.
fn drawn(more: &str) -> (TempDir, SweepDrawing) {
    let base =
        BASE.replace("until = 200.0", "until = 100000.0").replace("points = 40", "points = 60");
    let vary = "[vary]\nstart.scale = \"1e-3..0.1:log5\"\nsystem.rank = [1, 2]\n";
    let sweep = sweep_of(&format!("seeds = 2\n{base}\n{vary}\n{more}"));
    let (place, folder) = claimed(&sweep);
    run(&sweep, &folder, 0..sweep.plan.len(), 2);
    let merged = folder.merge(&sweep, &[], false).unwrap();
    let drawn = folder.draw(&sweep, &SweepTable::open(&merged.table).unwrap()).unwrap();
    (place, drawn)
}

#[test]
fn a_sweep_has_phase_diagrams_without_asking() {
    let (place, drawn) = drawn("");
    assert_eq!((drawn.files.len(), drawn.undrawn, drawn.fits.len()), (3, None, 0));
    let svg = fs::read_to_string(place.path().join("figure.svg")).unwrap();
    for words in ["scale of the start", "loss at the end", "stages", "20 members"] {
        assert!(svg.contains(words), "{words}");
    }
}

#[test]
fn laws_are_fitted_and_drawn_beside_theory() {
    let (place, drawn) = drawn(
        "[[fit]]\nx = \"start.scale\"\ny = [\"crossing.1\"]\nlaw = \"log\"\nresamples = 200\n\
         [figure]\n[[figure.panel]]\nkind = \"points\"\nx = \"start.scale\"\ny = [\"crossing.1\"]\nfit = true\n\
         [[figure.panel]]\nkind = \"phase\"\nx = \"start.scale\"\ny = \"system.rank\"\nvalue = \"ended\"\nx_scale = \"log\"\n",
    );
    assert_eq!((drawn.files.len(), drawn.undrawn), (3, None));
    assert_eq!(drawn.fits.len(), 2, "one for each rank");
    for fitted in &drawn.fits {
        let fit = fitted.outcome.as_ref().unwrap();
        assert_eq!((fit.points, fit.seeds, fit.values), (10, 2, 5));
        assert!(fit.slope.value < 0.0, "{:?}", fit.slope);
    }
    assert!(place.path().join("fits.json").exists());
}

#[test]
fn a_figure_of_single_runs_has_that_of_the_sweep_in_its_place() {
    let (_place, drawn) = drawn("[figure]\n[[figure.panel]]\ny = [\"loss\"]\n");
    assert_eq!(drawn.files.len(), 3);
    assert!(drawn.undrawn.is_some_and(|why| why.contains("kind = \"lines\"")));
}
